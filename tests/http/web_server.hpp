// A web server on this machine with the faults of real ones.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace assetc::http {

struct WebRequest {
  std::string path;
  std::map<std::string, std::string> headers;  // names as sent
  std::string header(const std::string& name) const {
    const auto at = headers.find(name);
    return at == headers.end() ? "" : at->second;
  }
};
struct WebReply {
  std::string bytes = {};   // status line, headers and body
  bool closes = false;      // the connection, after it
  bool stays_open = false;  // sends nothing more and keeps the connection open
};

inline WebReply reply(const std::string& status, const std::string& body = {}, const std::string& headers = {}) {
  return {"HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + headers + "\r\n" +
          body};
}

class WebServer {
 public:
  using Handler = std::function<WebReply(const WebRequest&)>;
  explicit WebServer(Handler handler) : handler_(std::move(handler)), listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    (void)::bind(listener_, reinterpret_cast<const sockaddr*>(&at), sizeof at);
    ::listen(listener_, 64);
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size);
    port_ = ntohs(at.sin_port);
    accepting_ = std::thread([this] { accept_all(); });
  }
  ~WebServer() {
    ::shutdown(listener_, SHUT_RDWR);
    accepting_.join();
    {
      const std::scoped_lock lock(mutex_);
      for (const int socket : sockets_) ::shutdown(socket, SHUT_RDWR);
    }
    for (std::thread& thread : threads_) thread.join();
    for (const int socket : sockets_) ::close(socket);
    ::close(listener_);
  }
  WebServer(const WebServer&) = delete;
  WebServer& operator=(const WebServer&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  std::string url_by_name() const { return "http://localhost:" + std::to_string(port_); }
  // "GET path range", in the order of arrival.
  std::vector<std::string> requests() const {
    const std::scoped_lock lock(mutex_);
    return requests_;
  }
  std::size_t connections() const {
    const std::scoped_lock lock(mutex_);
    return sockets_.size();
  }

 private:
  void accept_all() {
    for (int socket = 0; (socket = ::accept(listener_, nullptr, nullptr)) >= 0;) {
      const std::scoped_lock lock(mutex_);
      sockets_.push_back(socket);
      threads_.emplace_back([this, socket] { serve(socket); });
    }
  }
  void serve(int socket) {
    std::string text;
    char buffer[8192];
    while (true) {
      const std::size_t end = text.find("\r\n\r\n");
      if (end == text.npos) {
        const ssize_t size = ::recv(socket, buffer, sizeof buffer, 0);
        if (size <= 0) return;
        text.append(buffer, static_cast<std::size_t>(size));
        continue;
      }
      const WebRequest request = parse(text.substr(0, end + 2));
      text.erase(0, end + 4);
      {
        const std::scoped_lock lock(mutex_);
        requests_.push_back(request.path + " " + request.header("Range"));
      }
      const WebReply answer = handler_(request);
      for (std::size_t at = 0; at < answer.bytes.size();) {
        const ssize_t sent = ::send(socket, answer.bytes.data() + at, answer.bytes.size() - at, MSG_NOSIGNAL);
        if (sent <= 0) return;
        at += static_cast<std::size_t>(sent);
      }
      if (answer.closes) {
        ::shutdown(socket, SHUT_RDWR);
        return;
      }
      while (answer.stays_open && ::recv(socket, buffer, sizeof buffer, 0) > 0) continue;
      if (answer.stays_open) return;
    }
  }
  static WebRequest parse(const std::string& head) {
    WebRequest request;
    request.path = head.substr(4, head.find(' ', 4) - 4);
    for (std::size_t at = head.find("\r\n") + 2; at < head.size();) {
      const std::size_t end = head.find("\r\n", at), colon = head.find(": ", at);
      if (colon < end) request.headers[head.substr(at, colon - at)] = head.substr(colon + 2, end - colon - 2);
      at = end + 2;
    }
    return request;
  }

  const Handler handler_;
  const int listener_;
  std::uint16_t port_ = 0;
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
  std::vector<int> sockets_;
  std::vector<std::thread> threads_;  // one for each connection
  std::thread accepting_;
};

// The files of a well-behaved server. A test may change them between requests.
struct WebFiles {
  struct File {
    std::string content, etag;
  };
  std::map<std::string, File> files;
  std::atomic<bool> ignores_ranges = false;
  mutable std::mutex mutex;

  void put(const std::string& path, std::string content, std::string etag = "\"1\"") {
    const std::scoped_lock lock(mutex);
    files[path] = {std::move(content), std::move(etag)};
  }
  WebReply operator()(const WebRequest& request) const {
    const std::scoped_lock lock(mutex);
    const auto at = files.find(request.path);
    if (at == files.end()) return reply("404 Not Found", "none");
    const auto& [content, etag] = at->second;
    const std::string tag = etag.empty() ? "" : "ETag: " + etag + "\r\n";
    if (!etag.empty() && request.header("If-None-Match") == etag)
      return {"HTTP/1.1 304 Not Modified\r\n" + tag + "\r\n"};
    const std::string range = request.header("Range");
    if (range.empty() || ignores_ranges) return reply("200 OK", content, tag);
    const std::size_t dash = range.find('-');
    const std::size_t begin = std::stoull(range.substr(6));
    const std::string last = range.substr(dash + 1);
    const std::size_t end =
        last.empty() ? content.size() : std::min<std::size_t>(content.size(), std::stoull(last) + 1);
    const std::string size = "/" + std::to_string(content.size()) + "\r\n";
    if (begin >= content.size()) return reply("416 Range Not Satisfiable", {}, "Content-Range: bytes *" + size);
    return reply("206 Partial Content", content.substr(begin, end - begin),
                 tag + "Content-Range: bytes " + std::to_string(begin) + "-" + std::to_string(end - 1) + size);
  }
};

}  // namespace assetc::http
