#include "http/source/request.hpp"

#include <algorithm>

#include "http/source/headers.hpp"

namespace assetc::http {
namespace {

bool is_header_text(const std::string& text) {
  return std::ranges::none_of(text, [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

Result<std::string> check(SourceOptions& options) {
  while (options.url.ends_with('/')) options.url.pop_back();
  const std::optional<std::string> origin = origin_of(options.url);
  if (!origin || options.url.find_first_of("?#\\ \r\n") != std::string::npos) {
    return fail(ErrorCode::kUsage, "found the URL \"" + options.url + "\", expected one of a folder, without a query",
                "use https://host/folder or http://host/folder");
  }
  if (origin->contains('@'))
    return fail(ErrorCode::kUsage, "found credentials in the URL", "use the options for a token or headers");
  for (const auto& [name, value] : options.headers) {
    if (name.empty() || name.find_first_of(": \t") != std::string::npos || !is_header_text(name + value))
      return fail(ErrorCode::kUsage, "found the header \"" + name + "\", expected a name and a value of one line");
  }
  if (!is_header_text(options.bearer)) return fail(ErrorCode::kUsage, "found a token of several lines, expected one");
  options.requests = std::clamp(options.requests, 1u, 64u);
  return *origin;
}

}  // namespace

curl_slist* Server::headers_for(const std::string& url) const {
  curl_slist* list = nullptr;
  if (origin_of(url) != origin_) return list;
  for (const auto& [name, value] : options_.headers) {
    // curl sends an empty value only after a semicolon.
    const std::string line = value.empty() ? name + ";" : name + ": " + value;
    list = curl_.slist_append(list, line.c_str());
  }
  return list;
}

Result<std::shared_ptr<const Server>> Server::open(SourceOptions options) {
  ASSETC_TRY(std::string origin, check(options));
  ASSETC_TRY(const Curl* const curl, Curl::load());
  return std::make_shared<const Server>(*curl, std::move(options), std::move(origin));
}

std::string Server::url_of(const std::string& path) const { return options_.url + "/" + escape_path(path); }

bool Server::allows(const std::string& url) const {
  const std::optional<std::string> origin = origin_of(url);
  if (!origin) return false;
  return *origin == origin_ ||
         (options_.follows_elsewhere && !(origin_.starts_with("https:") && origin->starts_with("http:")));
}

void Server::prepare(CURL* easy, const std::string& url) const {
  constexpr long kSlowestBytesPerSecond = 1024;
  constexpr long kReadBytes = 128L << 10;  // the default of curl, 16 KiB, causes too many calls on a fast line
  set(easy, CURLOPT_URL, url.c_str());
  set(easy, CURLOPT_NOSIGNAL, 1L);
  set(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options_.connect_timeout.count()));
  set(easy, CURLOPT_LOW_SPEED_LIMIT, kSlowestBytesPerSecond);
  set(easy, CURLOPT_LOW_SPEED_TIME, static_cast<long>(options_.stall_timeout.count()));
  set(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  set(easy, CURLOPT_TCP_NODELAY, 1L);
  if (url.starts_with("https:")) set(easy, CURLOPT_PIPEWAIT, 1L);  // over HTTP/2, requests share a connection
  set(easy, CURLOPT_BUFFERSIZE, kReadBytes);
  set(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  set(easy, CURLOPT_FOLLOWLOCATION, 0L);
  if (!options_.authorities.empty()) set(easy, CURLOPT_CAINFO, options_.authorities.c_str());
  if (!options_.bearer.empty() && origin_of(url) == origin_) {
    set(easy, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
    set(easy, CURLOPT_XOAUTH2_BEARER, options_.bearer.c_str());
  }
}

}  // namespace assetc::http
