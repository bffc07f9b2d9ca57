// Reads assets from a web server, with HTTP ranges.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "assetc/base/result.hpp"
#include "assetc/runtime/catalog.hpp"
#include "assetc/runtime/source.hpp"

namespace assetc::http {

struct SourceOptions {
  std::string url = {};     // of a folder: "https://assets.example/game"; http or https, without a query
  std::string bearer = {};  // a token for the server; empty: none
  // Further headers of each request. Headers and the token are sent to the server of `url` only.
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string authorities = {};    // accepted certificate authorities: a PEM file; empty: the system's
  bool follows_elsewhere = false;  // follow redirects to another scheme, host or port; never from https to http
  unsigned requests = 8;           // at the same time, at least 1
  // Reads of one file share a request if the gap between them is at most this, up to max_joined_bytes together.
  std::uint64_t join_gap_bytes = 16u << 10;
  std::uint64_t max_joined_bytes = 1u << 20;
  std::uint64_t cache_bytes = 32u << 20;  // of answers that stay in memory
  // Limit for one answer, and for a file of a server that ignores ranges. Such a file is received once, as a whole, and
  // stays in memory until other answers replace it.
  std::uint64_t max_answer_bytes = 1u << 30;
  // A read at offset 0 asks the server whether its copy of the file is still current, unless the server confirmed it
  // within this time. Reads at other offsets use the version of the file that the last read at offset 0 found.
  std::chrono::milliseconds fresh_for{2000};
  std::chrono::milliseconds connect_timeout{5000};
  std::chrono::seconds stall_timeout{10};  // without at least 1 KiB a second
  // As a manager repeats reads that failed with kIo. Its timeout has no effect: connect_timeout and stall_timeout have.
  runtime::RetryPolicy retry = {.retries = 4};
};

struct SourceStats {
  std::uint64_t reads = 0;           // that were answered
  std::uint64_t requests = 0;        // to the server, that ended
  std::uint64_t received_bytes = 0;  // of bodies
  std::uint64_t cached_reads = 0;    // answered from memory, without a request or after an answer of 304
};

// A source of the files below a URL. One thread runs all requests over connections that stay open.
//
//   Result<std::shared_ptr<http::Source>> server = http::Source::open({.url = "https://assets.example/game"});
//   if (server) catalog.mount(*server, runtime::Layout::kPack, "forest.hpack");
//
// Errors of reads, beside those of runtime::Source:
// - kConflict if the file changed on the server since its last read at offset 0: mount it again. Bytes of two versions
//   are never mixed. A server without ETag and Last-Modified shows a change only by the size of the file.
// - kInvalidData if the answer is not what was asked for, for example another range, or compressed.
// - kIo for timeouts, answers of 408, 429 and 5xx, and bodies that are too short. Managers retry these.
// - kUnsupported for other answers: credentials that the server refuses, redirects to elsewhere.
// - kLimit for more than max_answer_bytes.
// Thread safety: all functions, from any thread.
class Source : public runtime::Source {
 public:
  // Errors: kUsage for options that cannot work; kUnsupported if the machine has no libcurl, or one older than 7.85.
  // Does not connect.
  static Result<std::shared_ptr<Source>> open(SourceOptions options);

  // The next read of each changed file at offset 0 asks the server. Call it before Manager::changed().
  virtual void changed(const runtime::Changes& changes) = 0;
  virtual SourceStats stats() const = 0;
};

}  // namespace assetc::http
