#include "engine/http/server.hpp"

#include <uv.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "engine/http/peer.hpp"
#include "os/console.hpp"

namespace assetc::engine {
namespace {

constexpr std::size_t kPieceBytes = 256u << 10;    // of a body that is read at once
constexpr std::size_t kMaxUnreadBytes = 4u << 20;  // of events, per connection
constexpr std::uint64_t kPingMs = 15'000;          // between events, so that dead streams are found
constexpr int kBacklog = 64;

std::string head_of(const HttpAnswer& answer, const std::optional<ByteRange>& range, std::string_view status,
                    bool keep) {
  std::string head = "HTTP/1.1 " + std::string(status) + "\r\n";
  const auto add = [&](std::string_view name, std::string_view value) {
    head.append(name).append(": ").append(value).append("\r\n");
  };
  if (status != "304 Not Modified") add("Content-Type", answer.content_type);
  for (const auto& [name, value] : answer.headers) add(name, value);
  if (!answer.etag.empty()) add("ETag", answer.etag);
  if (answer.is_event_stream) {
    add("Cache-Control", "no-store");
  } else if (status != "304 Not Modified") {
    add("Accept-Ranges", "bytes");
    const std::uint64_t size = range ? range->end - range->begin : answer.size_bytes;
    if (range && range->end == 0 && range->begin == 0) {
      add("Content-Range", "bytes */" + std::to_string(answer.size_bytes));
    } else if (range) {
      add("Content-Range", "bytes " + std::to_string(range->begin) + "-" + std::to_string(range->end - 1) + "/" +
                               std::to_string(answer.size_bytes));
    }
    add("Content-Length", std::to_string(size));
  }
  add("Connection", keep ? "keep-alive" : "close");
  return head + "\r\n";
}

std::string address_of_peer(const uv_tcp_t& socket) {
  sockaddr_storage peer{};
  int size = sizeof peer;
  char text[INET6_ADDRSTRLEN] = {};
  if (uv_tcp_getpeername(&socket, reinterpret_cast<sockaddr*>(&peer), &size) != 0 ||
      uv_ip_name(reinterpret_cast<const sockaddr*>(&peer), text, sizeof text) != 0)
    return "unknown";
  return text;
}

class UvHttpServer final : public HttpServer {
 public:
  UvHttpServer(const Options& options, Handler handler) : options_(options), handler_(std::move(handler)) {}

  Result<void> start() {
    os::survive_closed_pipes();
    if (const int status = uv_loop_init(&loop_); status != 0)
      return fail(ErrorCode::kIo, std::string("cannot serve: ") + uv_strerror(status));
    is_open_ = true;
    uv_tcp_init(&loop_, &listener_);
    uv_timer_init(&loop_, &clock_);
    uv_async_init(&loop_, &wake_, [](uv_async_t* handle) { self(handle->data).take_orders(); });
    for (uv_signal_t& signal : signals_) uv_signal_init(&loop_, &signal);
    listener_.data = clock_.data = wake_.data = signals_[0].data = signals_[1].data = this;
    sockaddr_in address{};
    if (uv_ip4_addr(options_.address.c_str(), options_.port, &address) != 0)
      return fail(ErrorCode::kUsage, "found the address \"" + options_.address + "\", expected one of IPv4",
                  "use 127.0.0.1, or 0.0.0.0 for every interface");
    int status = uv_tcp_bind(&listener_, reinterpret_cast<const sockaddr*>(&address), 0);
    if (status == 0) status = uv_listen(reinterpret_cast<uv_stream_t*>(&listener_), kBacklog, on_connection);
    sockaddr_storage bound{};
    int size = sizeof bound;
    if (status == 0) status = uv_tcp_getsockname(&listener_, reinterpret_cast<sockaddr*>(&bound), &size);
    if (status != 0) {
      return fail(
          status == UV_EADDRINUSE ? ErrorCode::kConflict : ErrorCode::kIo,
          "cannot listen on " + options_.address + ":" + std::to_string(options_.port) + ": " + uv_strerror(status),
          "choose another port, or 0 for any free port");
    }
    port_ = ntohs(reinterpret_cast<const sockaddr_in&>(bound).sin_port);
    return {};
  }

  ~UvHttpServer() override {
    if (!is_open_) return;
    for (const Held& connection : std::vector(connections_)) drop(connection);
    uv_walk(
        &loop_,
        [](uv_handle_t* handle, void*) {
          if (uv_is_closing(handle) == 0) uv_close(handle, nullptr);
        },
        nullptr);
    uv_run(&loop_, UV_RUN_DEFAULT);
    uv_loop_close(&loop_);
  }

  std::uint16_t port() const override { return port_; }

  void run() override {
    const std::uint64_t every_ms =
        std::clamp<std::uint64_t>(std::min(options_.limits.head_ms, options_.limits.silence_ms) / 4, 1, 1000);
    uv_timer_start(&clock_, [](uv_timer_t* timer) { self(timer->data).drop_slow(); }, every_ms, every_ms);
    const auto on_signal = [](uv_signal_t* signal, int) { uv_stop(signal->loop); };
    uv_signal_start(&signals_[0], on_signal, SIGINT);
    uv_signal_start(&signals_[1], on_signal, SIGTERM);
    uv_run(&loop_, UV_RUN_DEFAULT);
    uv_timer_stop(&clock_);
    for (uv_signal_t& signal : signals_) uv_signal_stop(&signal);
  }

  void stop() override {
    {
      const std::scoped_lock lock(orders_mutex_);
      stops_ = true;
    }
    uv_async_send(&wake_);
  }
  void send_event(std::string line) override {
    {
      const std::scoped_lock lock(orders_mutex_);
      events_.push_back(std::move(line));
    }
    uv_async_send(&wake_);
  }
  void greet_with(std::string line) override {
    const std::scoped_lock lock(orders_mutex_);
    greeting_ = std::move(line);
  }

 private:
  // Shared by its work and its writes, whose callbacks may come after it was dropped.
  struct Connection {
    UvHttpServer* server;
    uv_tcp_t* socket;
    std::string input = {};
    bool busy = false;       // an answer is being made or written
    bool working = false;    // another thread has it
    bool closed = false;     // dropped: what is under way has no effect any more
    bool keep = true;        // open after the answer
    bool only_head = false;  // HEAD
    HttpRequest request = {};
    HttpAnswer answer = {};
    std::uint64_t at = 0, end = 0;  // of the body
    Result<Bytes> piece{};
    std::string peer = {};             // its address; empty if it does not count
    std::uint64_t waits_since_ms = 0;  // for a whole request, if it is not busy
    std::uint64_t head_since_ms = 0;   // when the first byte of a request came; 0: none has come
    std::uint64_t answer_since_ms = 0;
    std::uint64_t sent_bytes = 0;  // of the answer
    std::uint64_t moved_ms = 0;
    bool is_stream() const { return busy && !working && !closed && answer.is_event_stream; }
  };
  using Held = std::shared_ptr<Connection>;
  struct Work {
    uv_work_t request;
    Held connection;
    void (*what)(Connection&);
    void (*then)(UvHttpServer&, const Held&);
  };
  struct Write {
    uv_write_t request;
    Held connection;
    std::string text;  // or else bytes
    Bytes bytes;
    bool advances;  // the answer goes on when it is written
  };

  static UvHttpServer& self(void* data) { return *static_cast<UvHttpServer*>(data); }

  static void on_connection(uv_stream_t* listener, int status) {
    if (status != 0) return;
    UvHttpServer& server = self(listener->data);
    auto* const socket = new uv_tcp_t;
    uv_tcp_init(&server.loop_, socket);
    const bool accepted = uv_accept(listener, reinterpret_cast<uv_stream_t*>(socket)) == 0;
    std::string peer = server.options_.only_this_user ? std::string() : address_of_peer(*socket);
    if (!accepted || (server.options_.only_this_user && !is_peer_ours(*socket)) || !server.makes_room(peer)) {
      uv_close(reinterpret_cast<uv_handle_t*>(socket), [](uv_handle_t* h) { delete reinterpret_cast<uv_tcp_t*>(h); });
      return;
    }
    const std::uint64_t now = uv_now(&server.loop_);
    server.connections_.push_back(std::make_shared<Connection>(Connection{
        .server = &server, .socket = socket, .peer = std::move(peer), .waits_since_ms = now, .moved_ms = now}));
    socket->data = server.connections_.back().get();
    uv_tcp_nodelay(socket, 1);
    uv_read_start(reinterpret_cast<uv_stream_t*>(socket), on_allocate, on_read);
  }
  // Whether a connection from this address may be added. Drops another one for it if that has waited long enough.
  bool makes_room(const std::string& peer) {
    const Limits& limits = options_.limits;
    const bool is_from_elsewhere = !peer.empty();
    const auto of_peer = [&](const Held& one) { return is_from_elsewhere && one->peer == peer; };
    if (static_cast<std::size_t>(std::ranges::count_if(connections_, of_peer)) >= limits.connections_of_peer)
      return drop_longest(of_peer);
    return connections_.size() < limits.connections || drop_longest([](const Held&) { return true; });
  }
  // Drops the connection that waits longest for a whole request, among those that `counts` accepts.
  template <class Counts>
  bool drop_longest(const Counts& counts) {
    Held longest;
    for (const Held& one : connections_) {
      if (!one->busy && counts(one) && (!longest || one->waits_since_ms < longest->waits_since_ms)) longest = one;
    }
    if (!longest || uv_now(&loop_) - longest->waits_since_ms < options_.limits.waits_ms) return false;
    drop(longest);
    return true;
  }

  static void on_allocate(uv_handle_t*, std::size_t, uv_buf_t* buffer) {
    static char bytes[4096];
    *buffer = uv_buf_init(bytes, sizeof bytes);
  }
  static void on_read(uv_stream_t* stream, ssize_t size, const uv_buf_t* buffer) {
    // libuv calls this only while the socket is open.
    auto& dropped = *static_cast<Connection*>(stream->data);
    UvHttpServer& server = *dropped.server;
    const Held connection = server.held(dropped);
    // A client that leaves, or that sends without waiting for answers.
    if (size < 0 || connection->input.size() > kMaxHeadBytes * 4) return server.drop(connection);
    if (size == 0) return;
    connection->input.append(buffer->base, static_cast<std::size_t>(size));
    // Bytes that come during an answer are no sign that the client reads it.
    if (!connection->busy && connection->head_since_ms == 0) connection->head_since_ms = uv_now(&server.loop_);
    if (!connection->busy) server.next_request(connection);
  }
  Held held(const Connection& connection) const { return *std::ranges::find(connections_, &connection, &Held::get); }

  void next_request(const Held& connection) {
    auto request = take_request(connection->input);
    if (!request) return refuse(connection, request.error());
    if (!*request) return;
    connection->head_since_ms = 0;
    connection->request = std::move(**request);
    const HttpRequest& asked = connection->request;
    connection->only_head = asked.method == "HEAD";
    connection->keep = !lists_word(asked.header("connection").value_or(""), "close");
    const bool is_known =
        asked.method == "GET" || asked.method == "HEAD" || (asked.method == "OPTIONS" && options_.answers_options);
    if (!is_known) return refuse(connection, "405 Method Not Allowed");
    // A request with a body could hide a second request.
    if (asked.header("transfer-encoding") || asked.header("content-length").value_or("0") != "0")
      return refuse(connection, "400 Bad Request");
    connection->busy = true;
    work(
        connection, [](Connection& of) { of.answer = of.server->handler_(of.request); },
        [](UvHttpServer& server, const Held& of) { server.begin_answer(of); });
  }

  // Runs `what` on another thread, then `then` on this one if the connection is still open.
  void work(const Held& connection, void (*what)(Connection&), void (*then)(UvHttpServer&, const Held&)) {
    auto* const work = new Work{{}, connection, what, then};
    work->request.data = work;
    connection->working = true;
    uv_queue_work(
        &loop_, &work->request,
        [](uv_work_t* request) {
          const auto& of = *static_cast<const Work*>(request->data);
          of.what(*of.connection);
        },
        [](uv_work_t* request, int) {
          const std::unique_ptr<const Work> of(static_cast<const Work*>(request->data));
          of->connection->working = false;
          if (!of->connection->closed) of->then(*of->connection->server, of->connection);
        });
  }

  void refuse(const Held& connection, std::string_view status) {
    connection->busy = true;
    connection->keep = false;
    connection->only_head = false;
    connection->request = {};
    connection->answer = answer_of(status, "text/plain", std::string(status) + "\n");
    begin_answer(connection);
  }

  void begin_answer(const Held& connection) {
    connection->answer_since_ms = connection->moved_ms = uv_now(&loop_);
    connection->sent_bytes = 0;
    const HttpRequest& request = connection->request;
    const HttpAnswer& answer = connection->answer;
    std::string_view status = answer.status;
    std::optional<ByteRange> range;
    if (status == "200 OK" && !answer.etag.empty() &&
        lists_word(request.header("if-none-match").value_or(""), answer.etag)) {
      status = "304 Not Modified";
    } else if (status == "200 OK" && !answer.is_event_stream) {
      const auto unchanged = request.header("if-range");
      if (!unchanged || *unchanged == answer.etag) range = range_of(request.header("range"), answer.size_bytes);
      if (range) status = range->end == 0 ? "416 Range Not Satisfiable" : "206 Partial Content";
    }
    connection->at = range ? range->begin : 0;
    connection->end = range ? range->end : answer.size_bytes;
    if (connection->only_head || status == "304 Not Modified" || answer.is_event_stream)
      connection->end = connection->at;
    if (answer.is_event_stream) {
      connection->keep = false;
      std::string greeting;
      {
        const std::scoped_lock lock(orders_mutex_);
        greeting = greeting_;
      }
      greeting = greeting.empty() ? ": hello\n\n" : "data: " + greeting + "\n\n";
      return write(connection, head_of(answer, range, status, false) + greeting, {}, false);
    }
    write(connection, head_of(answer, range, status, connection->keep), {}, true);
  }

  // Reads the next piece of the body and writes it; after the last, waits for the next request.
  void go_on(const Held& connection) {
    if (connection->at == connection->end) {
      connection->answer = {};
      connection->busy = false;
      if (!connection->keep) return drop(connection);
      connection->waits_since_ms = connection->moved_ms = uv_now(&loop_);
      connection->head_since_ms = connection->input.empty() ? 0 : uv_now(&loop_);
      return next_request(connection);
    }
    work(
        connection,
        [](Connection& of) {
          const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(of.end - of.at, kPieceBytes));
          of.piece = of.answer.read(of.at, size);
          if (of.piece && of.piece->size() != size) of.piece = fail(ErrorCode::kIo, "the file became shorter");
        },
        [](UvHttpServer& server, const Held& of) {
          if (!of->piece) return server.drop(of);
          of->at += of->piece->size();
          server.write(of, {}, std::move(*of->piece), true);
        });
  }

  void write(const Held& connection, std::string text, Bytes bytes, bool advances) {
    auto* const write = new Write{{}, connection, std::move(text), std::move(bytes), advances};
    write->request.data = write;
    const bool is_text = !write->text.empty();
    const uv_buf_t buffer =
        uv_buf_init(is_text ? write->text.data() : reinterpret_cast<char*>(const_cast<std::byte*>(write->bytes.data())),
                    static_cast<unsigned>(is_text ? write->text.size() : write->bytes.size()));
    const auto done = [](uv_write_t* request, int status) {
      const std::unique_ptr<const Write> sent(static_cast<const Write*>(request->data));
      const Held& of = sent->connection;
      if (of->closed) return;
      of->moved_ms = uv_now(request->handle->loop);
      of->sent_bytes += sent->text.empty() ? sent->bytes.size() : sent->text.size();
      if (status != 0) return of->server->drop(of);
      if (sent->advances) of->server->go_on(of);
    };
    if (uv_write(&write->request, reinterpret_cast<uv_stream_t*>(connection->socket), &buffer, 1, done) != 0) {
      delete write;
      drop(connection);
    }
  }

  // Closes the socket and forgets the connection.
  void drop(const Held& connection) {
    if (std::exchange(connection->closed, true)) return;
    uv_close(reinterpret_cast<uv_handle_t*>(connection->socket),
             [](uv_handle_t* h) { delete reinterpret_cast<uv_tcp_t*>(h); });
    std::erase(connections_, connection);
  }

  // Whether a client takes too long: with a request, or with reading an answer.
  bool is_slow(const Connection& one, std::uint64_t now) const {
    const Limits& limits = options_.limits;
    if (one.working) return false;  // a thread that makes an answer may take its time
    if (!one.busy && one.head_since_ms != 0) return now - one.head_since_ms >= limits.head_ms;
    if (now - one.moved_ms >= limits.silence_ms) return true;
    const std::uint64_t answer_ms = now - one.answer_since_ms;
    return one.busy && answer_ms >= limits.silence_ms && one.sent_bytes * 1000 / answer_ms < limits.bytes_per_second;
  }

  void drop_slow() {
    const std::uint64_t now = uv_now(&loop_);
    for (const Held& one : std::vector(connections_)) {
      if (one->is_stream()) {
        if (now - one->moved_ms >= kPingMs) write(one, ": ping\n\n", {}, false);
      } else if (is_slow(*one, now)) {
        drop(one);
      }
    }
  }

  // Does what other threads asked for.
  void take_orders() {
    std::vector<std::string> events;
    {
      const std::scoped_lock lock(orders_mutex_);
      if (stops_) uv_stop(&loop_);
      events.swap(events_);
    }
    for (const std::string& event : events) {
      for (const Held& one : std::vector(connections_)) {
        if (!one->is_stream()) continue;
        if (uv_stream_get_write_queue_size(reinterpret_cast<uv_stream_t*>(one->socket)) > kMaxUnreadBytes) {
          drop(one);
        } else {
          write(one, "data: " + event + "\n\n", {}, false);
        }
      }
    }
  }

  const Options options_;
  const Handler handler_;
  uv_loop_t loop_{};
  bool is_open_ = false;
  uv_tcp_t listener_{};
  uv_timer_t clock_{};
  uv_async_t wake_{};
  uv_signal_t signals_[2]{};
  std::uint16_t port_ = 0;
  std::vector<Held> connections_;

  std::mutex orders_mutex_;  // guards the rest
  std::vector<std::string> events_;
  std::string greeting_;
  bool stops_ = false;
};

}  // namespace

HttpAnswer answer_of(std::string_view status, std::string content_type, const std::string& body) {
  HttpAnswer answer =
      answer_of(std::move(content_type), Bytes(ByteVector(as_bytes(body).begin(), as_bytes(body).end())));
  answer.status = status;
  return answer;
}

HttpAnswer answer_of(std::string content_type, Bytes body) {
  HttpAnswer answer;
  answer.content_type = std::move(content_type);
  answer.size_bytes = body.size();
  answer.read = [body = std::move(body)](std::uint64_t offset, std::size_t size) -> Result<Bytes> {
    return body.slice(static_cast<std::size_t>(offset), size);
  };
  return answer;
}

Result<std::unique_ptr<HttpServer>> HttpServer::open(const Options& options, Handler handler) {
  auto server = std::make_unique<UvHttpServer>(options, std::move(handler));
  ASSETC_CHECK(server->start());
  return server;
}

}  // namespace assetc::engine
