// GET, HEAD and PUT below one URL, many at a time, on a thread of their own.
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

namespace assetc::engine {

// Whom to talk to, and as whom. Nothing of it but the URL is ever printed.
struct Endpoint {
  std::string url;                                     // "https://cache.example/game", without a slash behind it
  std::string bearer = {};                             // a token; empty: none
  std::string basic = {};                              // "user:password"; empty: none
  std::string certificate = {}, certificate_key = {};  // of the client: PEM files; empty: none
  std::string authorities = {};  // whose server certificates count: a PEM file; empty: the system's
  bool records = false;          // keeps what Transfers::records() gives
};

enum class Method : std::uint8_t { kGet, kHead, kPut };

struct Answer {
  int status = 0;        // HTTP's; 0: there was none that could be used
  Bytes body;            // of a GET with status 200
  std::string trouble;   // why there was none, or what the status means
  bool dropped = false;  // nobody wanted it any more
  // While it lives the body counts as under way: who keeps an answer bounds what comes.
  std::shared_ptr<const void> held = nullptr;
  bool ok() const { return status >= 200 && status < 300; }
};

struct Request {
  Method method = Method::kGet;
  std::string path;             // below the URL, without a slash before it
  Bytes body = {};              // of a PUT
  std::uint64_t max_bytes = 0;  // that a GET may bring; more of them is trouble
  // Of them: what it counts for in what is under way, until others like it tell more.
  std::uint64_t usual_bytes = ~0ull;
  double priority = 0;      // larger first; of equal ones the last
  bool for_upload = false;  // see drop_queued()
  // Whether the answer is of no use any more: what has not begun is dropped then. On the thread of the transfers; may
  // be unset.
  std::function<bool()> unwanted = nullptr;
  std::function<void(Answer)> done = nullptr;  // once, on the thread of the transfers
};

// One that has ended, for a trace.
struct TransferRecord {
  std::chrono::steady_clock::time_point begin, end;
  Method method = Method::kGet;
  std::string path;
  int status = 0;           // as of Answer
  std::uint64_t bytes = 0;  // of its body, either way
};

// What a server does wrong costs a few seconds and is an answer: connections that are not made, stand still, break off
// or answer 5xx are tried again, after a wait of some chance. One that is slow as a whole is given up.
class Transfers {
 public:
  struct Totals {
    std::uint64_t requests = 0;
    std::uint64_t received_bytes = 0, sent_bytes = 0;  // of bodies
    std::string retrying;           // why a request is sent again that has not been answered yet; empty: none is
    double unanswered_seconds = 0;  // since the first request began, until one has ended in any way
  };
  // Errors: kUnsupported without libcurl.
  static Result<std::unique_ptr<Transfers>> open(Endpoint endpoint);
  // What is under way is given up; done of it is not called. Answers are gone before.
  virtual ~Transfers() = default;

  // Thread-safe.
  virtual void send(Request request) = 0;
  // Answers what has not begun of the uploads, or of all else, as if nobody wanted it.
  virtual void drop_queued(bool for_upload) = 0;
  virtual Totals totals() const = 0;
  // Each attempt, by its end.
  virtual std::vector<TransferRecord> records() const = 0;
};

}  // namespace assetc::engine
