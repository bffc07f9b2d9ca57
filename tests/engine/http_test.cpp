// The HTTP server of `assetc view` and `assetc serve`, over real connections.
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <random>
#include <thread>

#include "engine/http/server.hpp"

namespace assetc::engine {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

HttpRequest http_request(std::string text) {
  auto request = take_request(text);
  EXPECT_TRUE(request && *request) << text;
  return request && *request ? **request : HttpRequest{};
}
std::string_view refusal(std::string text) {
  auto request = take_request(text);
  return request ? std::string_view("accepted") : request.error();
}

TEST(HttpRequests, are_read_from_their_bytes) {
  const HttpRequest request = http_request(
      "GET /a%20b/%C3%BC?x=1&y HTTP/1.1\r\nHost: a\r\nX-Odd:\t b \r\nConnection: a\r\nConnection: b\r\n\r\n");
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.path, "/a b/\xC3\xBC");
  EXPECT_EQ(request.query, "x=1&y");
  EXPECT_EQ(request.header("x-odd"), "b");
  EXPECT_EQ(request.header("connection"), "a,b");
  EXPECT_EQ(request.header("none"), std::nullopt);
  std::string two = "GET / HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\n";
  EXPECT_EQ((*take_request(two))->path, "/");
  EXPECT_EQ((*take_request(two))->path, "/b");
  EXPECT_EQ(two, "");
  std::string part = "GET / HTTP/1.1\r\nHost";
  EXPECT_EQ(*take_request(part), std::nullopt) << "not complete yet";
}

TEST(HttpRequests, that_are_malformed_are_refused) {
  for (const char* head :
       {"GET /\r\n\r\n", "GET / HTTP/1.0\r\n\r\n", "GET http://a/ HTTP/1.1\r\n\r\n", "GET /%zz HTTP/1.1\r\n\r\n",
        "GET /%00 HTTP/1.1\r\n\r\n", "GET /%4 HTTP/1.1\r\n\r\n", " / HTTP/1.1\r\n\r\n", "GET / b HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nNo colon\r\n\r\n", "GET / HTTP/1.1\r\nA b: c\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n", "GET / HTTP/1.1\r\nRange: a\r\nRange: b\r\n\r\n", "\r\n\r\n"})
    EXPECT_EQ(refusal(head), "400 Bad Request") << head;
  EXPECT_EQ(refusal("GET /" + std::string(kMaxHeadBytes, 'a')), "431 Request Header Fields Too Large");
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    std::string noise(random() % 64, '\0');
    for (char& c : noise) c = static_cast<char>(random() % 4 == 0 ? "\r\n: /%"[random() % 6] : random());
    std::string bytes = "GET /" + noise + "\r\n\r\n";
    (void)take_request(bytes);
  }
}

TEST(HttpRequests, name_ranges_of_a_body) {
  EXPECT_EQ(range_of("bytes=0-3", 10), (ByteRange{0, 4}));
  EXPECT_EQ(range_of("bytes=4-", 10), (ByteRange{4, 10}));
  EXPECT_EQ(range_of("bytes=-3", 10), (ByteRange{7, 10}));
  EXPECT_EQ(range_of("bytes=-30", 10), (ByteRange{0, 10}));
  EXPECT_EQ(range_of("bytes=9-99999999999999999", 10), (ByteRange{9, 10}));
  EXPECT_EQ(range_of("bytes=10-", 10), ByteRange{}) << "cannot be satisfied";
  EXPECT_EQ(range_of("bytes=0-", 0), ByteRange{});
  for (const char* text :
       {"bytes=3-2", "bytes=", "bytes=-", "bytes=a-b", "bytes=0-1,3-4", "items=0-1", "bytes=99999999999999999999-"})
    EXPECT_EQ(range_of(text, 10), std::nullopt) << text;
  EXPECT_EQ(range_of(std::nullopt, 10), std::nullopt);
}

TEST(HttpRequests, of_this_machine_are_known_by_their_host) {
  for (const char* host : {"localhost", "LOCALHOST:80", "127.0.0.1:8080", "[::1]:1"})
    EXPECT_TRUE(is_loopback(host)) << host;
  for (const char* host :
       {"", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "localhost:", "[::1", "127.0.0.2"})
    EXPECT_FALSE(is_loopback(host)) << host;
  EXPECT_TRUE(is_loopback_origin("http://localhost:5173"));
  EXPECT_FALSE(is_loopback_origin("null"));
}

// A server on its own thread, whose bodies are "0123456789" repeated.
class HttpServers : public testing::Test {
 protected:
  static constexpr std::uint64_t kBigBytes = 64u << 20;
  HttpServers() { start({}); }
  ~HttpServers() override { stop(); }
  void start(const HttpServer::Options& options) {
    server_ = *HttpServer::open(options, [this](const HttpRequest& request) { return answer(request); });
    thread_ = std::thread([this] { server_->run(); });
  }
  void stop() {
    if (!server_) return;
    server_->stop();
    thread_.join();
    server_.reset();
  }
  void restart(const HttpServer::Options& options) {
    stop();
    start(options);
  }
  HttpAnswer answer(const HttpRequest& request) {
    if (request.path == "/events") {
      HttpAnswer events;
      events.content_type = "text/event-stream";
      events.is_event_stream = true;
      return events;
    }
    if (request.path == "/slow") {
      has_slow_ = true;
      while (!goes_on_) std::this_thread::yield();
    }
    if (request.path == "/none") return answer_of("404 Not Found", "text/plain", "no\n");
    HttpAnswer found = answer_of("text/plain", Bytes(ByteVector(10, std::byte{'a'})));
    found.etag = "\"tag\"";
    if (request.path == "/digits") {
      found.read = [](std::uint64_t offset, std::size_t size) -> Result<Bytes> {
        return Bytes(ByteVector(as_bytes("0123456789").begin() + static_cast<std::ptrdiff_t>(offset),
                                as_bytes("0123456789").begin() + static_cast<std::ptrdiff_t>(offset + size)));
      };
    }
    if (request.path == "/big" || request.path == "/broken") {
      found.size_bytes = kBigBytes;
      const bool breaks = request.path == "/broken";
      found.read = [this, breaks](std::uint64_t offset, std::size_t size) -> Result<Bytes> {
        if (breaks && offset > 0) return fail(ErrorCode::kIo, "gone");
        read_bytes_ += size;
        return Bytes(ByteVector(size, std::byte{'b'}));
      };
    }
    return found;
  }

  class Client {
   public:
    explicit Client(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
      sockaddr_in to{};
      to.sin_family = AF_INET;
      to.sin_port = htons(port);
      to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
      const timeval patience{60, 0};  // only a broken server is this slow
      ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    }
    ~Client() { ::close(socket_); }
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;
    void send(std::string_view text) const { ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL); }
    // Reads until the text holds `end`, or the server closes.
    std::string until(std::string_view end) {
      while (text_.find(end) == text_.npos && more()) continue;
      const std::size_t at =
          std::min(text_.find(end) == text_.npos ? text_.size() : text_.find(end) + end.size(), text_.size());
      std::string taken = text_.substr(0, at);
      text_.erase(0, at);
      return taken;
    }
    // Up to 4 KiB; nothing if the server closes.
    std::string some() const {
      std::string part(4096, '\0');
      part.resize(static_cast<std::size_t>(std::max<ssize_t>(::recv(socket_, part.data(), part.size(), 0), 0)));
      return part;
    }
    std::string rest() {
      while (more()) continue;
      return std::exchange(text_, {});
    }

   private:
    bool more() {
      char buffer[65536];
      const ssize_t size = ::recv(socket_, buffer, sizeof buffer, 0);
      if (size > 0) text_.append(buffer, static_cast<std::size_t>(size));
      return size > 0;
    }
    int socket_;
    std::string text_;
  };
  std::string ask(const std::string& request) {
    Client client(server_->port());
    client.send(request);
    return client.rest();
  }
  std::string get(const std::string& path, const std::string& headers = "") {
    return ask("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "Connection: close\r\n\r\n");
  }

  std::unique_ptr<HttpServer> server_;
  std::thread thread_;
  std::atomic<std::uint64_t> read_bytes_ = 0;
  std::atomic<bool> has_slow_ = false, goes_on_ = false;
};

TEST_F(HttpServers, answer_requests_for_files) {
  EXPECT_THAT(get("/"), AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), HasSubstr("Content-Length: 10\r\n"),
                              HasSubstr("\r\n\r\naaaaaaaaaa")));
  EXPECT_THAT(get("/none"), AllOf(StartsWith("HTTP/1.1 404 Not Found\r\n"), HasSubstr("\r\n\r\nno\n")));
  EXPECT_THAT(ask("HEAD / HTTP/1.1\r\nConnection: close\r\n\r\n"),
              AllOf(HasSubstr("Content-Length: 10\r\n"), testing::EndsWith("\r\n\r\n")));
  EXPECT_THAT(get("/digits", "Range: bytes=2-4\r\n"),
              AllOf(StartsWith("HTTP/1.1 206 Partial Content\r\n"), HasSubstr("Content-Range: bytes 2-4/10\r\n"),
                    HasSubstr("\r\n\r\n234")));
  EXPECT_THAT(get("/digits", "Range: bytes=10-\r\n"),
              AllOf(StartsWith("HTTP/1.1 416 Range Not Satisfiable\r\n"), HasSubstr("Content-Range: bytes */10\r\n")));
  EXPECT_THAT(get("/digits", "Range: bytes=2-4\r\nIf-Range: \"other\"\r\n"), StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(get("/", "If-None-Match: \"tag\"\r\n"),
              AllOf(StartsWith("HTTP/1.1 304 Not Modified\r\n"), Not(HasSubstr("aaa"))));
}

TEST_F(HttpServers, keep_connections_for_further_requests) {
  Client client(server_->port());
  client.send("GET / HTTP/1.1\r\n\r\nGET /digits HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.until("aaaaaaaaaa"), HasSubstr("Connection: keep-alive"));
  EXPECT_THAT(client.rest(), HasSubstr("0123456789"));
}

TEST_F(HttpServers, refuse_what_they_do_not_serve) {
  EXPECT_THAT(ask("POST / HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 405 Method Not Allowed\r\n"));
  EXPECT_THAT(ask("GET / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"), StartsWith("HTTP/1.1 400 Bad Request\r\n"));
  EXPECT_THAT(ask("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"), StartsWith("HTTP/1.1 400 Bad Request\r\n"));
  EXPECT_THAT(ask("nonsense\r\n\r\n"), StartsWith("HTTP/1.1 400 Bad Request\r\n"));
  EXPECT_THAT(ask("GET /" + std::string(9000, 'a')), StartsWith("HTTP/1.1 431"));
}

TEST_F(HttpServers, read_bodies_as_fast_as_clients_take_them) {
  Client slow(server_->port());
  slow.send("GET /big HTTP/1.1\r\n\r\n");
  slow.until("bbbb");
  const std::string all = get("/big");
  EXPECT_GT(all.size(), kBigBytes);
  // The slow client took a few pieces; the other took everything.
  EXPECT_LT(read_bytes_, kBigBytes + kBigBytes / 2);
  EXPECT_LT(get("/broken").size(), kBigBytes) << "a failure ends the connection";
}

TEST_F(HttpServers, send_events_to_every_stream) {
  server_->greet_with("hello");
  Client one(server_->port()), two(server_->port());
  for (Client* client : {&one, &two}) {
    client->send("GET /events HTTP/1.1\r\n\r\n");
    EXPECT_THAT(client->until("data: hello\n\n"),
                AllOf(HasSubstr("Content-Type: text/event-stream"), HasSubstr("no-store")));
  }
  server_->send_event("news");
  EXPECT_EQ(one.until("\n\n"), "data: news\n\n");
  EXPECT_EQ(two.until("\n\n"), "data: news\n\n");
}

TEST_F(HttpServers, survive_clients_that_leave) {
  for (int i = 0; i < 50; ++i) {
    Client client(server_->port());
    client.send(i % 3 == 0 ? "GET /big HTTP/1.1\r\n\r\n" : i % 3 == 1 ? "GET /ev" : "GET /events HTTP/1.1\r\n\r\n");
    if (i % 6 == 0) client.until("\r\n");
  }
  server_->send_event("news");
  EXPECT_THAT(get("/"), HasSubstr("aaaaaaaaaa"));
}

TEST_F(HttpServers, end_while_answers_are_made_and_written) {
  Client slow(server_->port()), unread(server_->port());
  unread.send("GET /big HTTP/1.1\r\n\r\n");
  unread.until("bbbb");
  slow.send("GET /slow HTTP/1.1\r\n\r\n");
  while (!has_slow_) std::this_thread::yield();
  server_->stop();
  thread_.join();
  std::thread end([this] { server_.reset(); });
  EXPECT_EQ(slow.rest(), "") << "dropped while its answer is made";
  goes_on_ = true;
  end.join();
}

constexpr std::uint64_t kNeverMs = 1u << 30;

TEST_F(HttpServers, have_a_limit_of_connections) {
  constexpr std::size_t kMost = 16;
  restart({.limits = {.connections = kMost, .waits_ms = kNeverMs}});
  std::vector<std::unique_ptr<Client>> clients;
  for (std::size_t i = 0; i < kMost + 8; ++i) {
    clients.push_back(std::make_unique<Client>(server_->port()));
    clients.back()->send("GET / HTTP/1.1\r\n\r\n");
  }
  std::size_t served = 0;
  for (auto& client : clients) served += client->until("aaaaaaaaaa").ends_with("aaaaaaaaaa");
  EXPECT_EQ(served, kMost);
  clients.clear();
  for (int tries = 0; tries < 1000; ++tries)
    if (get("/").find("aaaaaaaaaa") != std::string::npos) return;
  FAIL() << "closed connections are not forgotten";
}

TEST_F(HttpServers, have_a_limit_of_connections_of_one_machine) {
  const HttpServer::Limits limits{.connections_of_peer = 2, .waits_ms = kNeverMs};
  restart({.only_this_user = false, .limits = limits});
  Client first(server_->port()), second(server_->port());
  for (Client* client : {&first, &second}) {
    client->send("GET / HTTP/1.1\r\n\r\n");
    EXPECT_THAT(client->until("aaaaaaaaaa"), HasSubstr("200 OK"));
  }
  EXPECT_EQ(get("/"), "");
  restart({.only_this_user = true, .limits = limits});
  Client third(server_->port()), fourth(server_->port());
  EXPECT_THAT(get("/"), HasSubstr("200 OK")) << "on loopback, all are of one user";
}

// Clients that open all connections and send nothing, or never finish a request.
TEST_F(HttpServers, drop_clients_that_wait_for_those_that_ask) {
  restart({.limits = {.connections = 4, .silence_ms = kNeverMs, .head_ms = kNeverMs, .waits_ms = 0}});
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 4; ++i) {
    clients.push_back(std::make_unique<Client>(server_->port()));
    if (i % 2 == 0) clients.back()->send("GET / HT");
  }
  for (int i = 0; i < 8; ++i) EXPECT_THAT(get("/"), HasSubstr("200 OK"));
}

TEST_F(HttpServers, drop_clients_that_drip_a_request) {
  restart({.limits = {.silence_ms = kNeverMs, .head_ms = 100}});
  Client client(server_->port());
  client.send("GET / HTTP/1.1\r\nX: ");
  std::thread drips([&] {
    for (int i = 0; i < 3000; ++i) {
      client.send("x");
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    client.send("\r\n\r\n");
  });
  EXPECT_EQ(client.rest(), "");
  drips.join();
}

TEST_F(HttpServers, drop_clients_that_take_too_little_of_an_answer) {
  restart({.limits = {.silence_ms = 100, .bytes_per_second = kBigBytes}});
  Client client(server_->port());
  client.send("GET /big HTTP/1.1\r\nConnection: close\r\n\r\n");
  std::size_t taken = 0;
  for (std::string part; (part = client.some()) != ""; taken += part.size()) {
    client.send("x");  // no sign that it reads
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_LT(taken, kBigBytes);
}

TEST(HttpServerAddresses, that_cannot_be_used_are_errors) {
  const auto nothing = [](const HttpRequest&) { return HttpAnswer{}; };
  const auto first = HttpServer::open({}, nothing);
  ASSERT_TRUE(first);
  const auto second = HttpServer::open({.port = (*first)->port()}, nothing);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kConflict);
  const auto odd = HttpServer::open({.address = "somewhere"}, nothing);
  ASSERT_FALSE(odd);
  EXPECT_EQ(odd.error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace assetc::engine
