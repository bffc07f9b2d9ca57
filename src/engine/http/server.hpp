// An HTTP/1.1 server for development: GET and HEAD, ranges, conditional requests, and a stream of events.
//
// A client that is too slow with a request, or with reading an answer, is let go: HttpServer::Limits. The memory of an
// answer does not grow with its body: bodies are read in pieces, as fast as the client takes them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "engine/http/request.hpp"

namespace assetc::engine {

struct HttpAnswer {
  std::string_view status = "200 OK";
  std::string content_type = "application/octet-stream";
  std::vector<std::pair<std::string, std::string>> headers;
  std::string etag;  // in quotes; empty: none. A request with it in If-None-Match gets 304
  std::uint64_t size_bytes = 0;
  // Reads a part of the body. Called on any thread, one call at a time. An error ends the connection.
  std::function<Result<Bytes>(std::uint64_t offset, std::size_t size)> read;
  // Server-sent events (text/event-stream): the connection gets every line that send_event() is given from now on.
  bool is_event_stream = false;
};
// An answer whose body is in memory.
HttpAnswer answer_of(std::string_view status, std::string content_type, const std::string& body);
HttpAnswer answer_of(std::string content_type, Bytes body);

class HttpServer {
 public:
  // Makes the answer to a GET or HEAD request. Called on several threads at once.
  using Handler = std::function<HttpAnswer(const HttpRequest& request)>;
  struct Limits {
    std::size_t connections = 128;
    // Of one address, if other machines can connect.
    std::size_t connections_of_peer = 64;
    // Without any byte between requests, or from the first byte of a request to the end of its head. A byte now and
    // then does not prolong it.
    std::uint64_t silence_ms = 30'000;
    std::uint64_t head_ms = 10'000;
    // If all connections are taken, a new one replaces the one that has waited longest for a whole request, from this
    // time on.
    std::uint64_t waits_ms = 1'000;
    // The least average rate at which a client takes an answer, after silence_ms.
    std::uint64_t bytes_per_second = 4096;
  };
  struct Options {
    std::string address = "127.0.0.1";  // IPv4; "0.0.0.0" for every interface
    std::uint16_t port = 0;             // 0: any free port
    // Refuse connections of other users of this machine. For loopback addresses only.
    bool only_this_user = true;
    bool answers_options = false;  // whether the handler gets OPTIONS requests too; otherwise they are refused
    Limits limits = {};
  };

  // Listens. Errors: kConflict if another program uses the port; kIo; kUsage for an address that is none.
  static Result<std::unique_ptr<HttpServer>> open(const Options& options, Handler handler);
  virtual ~HttpServer() = default;

  virtual std::uint16_t port() const = 0;
  // Serves until stop(), or until the program is asked to end (SIGINT, SIGTERM).
  virtual void run() = 0;
  // Ends run(). From any thread, also before run().
  virtual void stop() = 0;
  // Sends a line to every event stream. From any thread.
  virtual void send_event(std::string line) = 0;
  // The first event of streams that begin from now on; empty: none. From any thread.
  virtual void greet_with(std::string line) = 0;
};

}  // namespace assetc::engine
