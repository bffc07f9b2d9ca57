// GET, HEAD, PUT and DELETE requests below one URL. Many run in parallel, on one background thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "engine/remote/aws.hpp"

namespace assetc::engine {

// The server and the credentials for it. Only the URL is ever printed.
struct Endpoint {
  std::string url;                                     // "https://cache.example/game", without a trailing slash
  std::string query = {};                              // "?sig=...", behind the path of each request; empty: none
  std::string bearer = {};                             // a token; empty: none
  std::string basic = {};                              // "user:password"; empty: none
  std::string certificate = {}, certificate_key = {};  // client certificate: PEM files; empty: none
  std::string authorities = {};  // accepted server certificate authorities: a PEM file; empty: the system's
  bool is_bucket = false;        // the server speaks the protocol of S3
  std::size_t bucket_bytes = 0;  // of its URL, up to the end of the bucket
  AwsKeys aws = {};              // sign each request; empty: requests are not signed
  bool records = false;          // collect Transfers::records()

  // Of Azure, with a shared access signature.
  bool is_container() const { return !is_bucket && query.contains("sig="); }
  // Whether it can say what it has.
  bool is_listed() const { return is_bucket || is_container(); }
};

enum class Method : std::uint8_t { kGet, kHead, kPut, kDelete };

struct Answer {
  int status = 0;          // HTTP status; 0: no usable answer
  Bytes body;              // of a GET with status 200
  std::string trouble;     // why there is no usable answer, or the meaning of the status
  std::string advice;      // what to do about that; empty: nothing in particular
  std::int64_t age_s = 0;  // of a file in a bucket or container, by the clock of the server; 0: unknown
  bool dropped = false;    // no longer wanted
  bool refused = false;    // the server will answer no request with these settings
  // While it exists, the body counts as bytes in flight. So a caller that keeps answers limits further downloads.
  std::shared_ptr<const void> held = nullptr;
  bool ok() const { return status >= 200 && status < 300; }
};

struct Request {
  Method method = Method::kGet;
  std::string path = {};                  // below the URL, without a leading slash
  std::string url = {};                   // instead of that: with the query, on the same server; is not printed
  std::vector<std::string> headers = {};  // "name: value", besides those of all requests
  Bytes body = {};                        // of a PUT
  std::uint64_t max_bytes = 0;            // limit for the body of a GET; a larger body is an error
  // Estimate of the body's size, counted as bytes in flight until similar answers give a better one.
  std::uint64_t usual_bytes = ~0ull;
  double priority = 0;      // larger first; if equal, the newest first
  bool for_upload = false;  // see drop_queued()
  // Whether the answer is no longer needed. If so, a request that has not started is dropped. Called on the thread of
  // the transfers. May be unset.
  std::function<bool()> unwanted = nullptr;
  std::function<void(Answer)> done = nullptr;  // called once, on the thread of the transfers
};

// A finished request, for a trace.
struct TransferRecord {
  std::chrono::steady_clock::time_point begin, end;
  Method method = Method::kGet;
  std::string path;
  int status = 0;           // as in Answer
  std::uint64_t bytes = 0;  // of its body, sent or received
};

// A misbehaving server costs a few seconds and yields an answer with an error. Connections that fail, stall or break,
// and 5xx answers, are retried after a randomized wait. A transfer that is too slow as a whole is canceled.
class Transfers {
 public:
  struct Totals {
    std::uint64_t requests = 0;
    std::uint64_t received_bytes = 0, sent_bytes = 0;  // of bodies
    std::string retrying;                              // why a request is being retried; empty if none is
    double unanswered_seconds = 0;                     // since the first request started, until any request ends
  };
  // Errors: kUnsupported if libcurl is missing or too old, also for signing.
  static Result<std::unique_ptr<Transfers>> open(Endpoint endpoint);
  // Cancels all transfers without calling their `done`. All answers must be destroyed before.
  virtual ~Transfers() = default;

  // Thread-safe.
  virtual void send(Request request) = 0;
  // Answers all requests that have not started as if they were unwanted: the uploads if for_upload, otherwise the
  // others.
  virtual void drop_queued(bool for_upload) = 0;
  virtual Totals totals() const = 0;
  // All attempts, in the order in which they ended.
  virtual std::vector<TransferRecord> records() const = 0;
};

}  // namespace assetc::engine
