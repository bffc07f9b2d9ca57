#include "cli/serve/web_access.hpp"

#include <algorithm>

#include "crypto/text.hpp"

namespace assetc::cli {

using engine::HttpAnswer;
using engine::HttpRequest;

std::optional<HttpAnswer> WebAccess::refuse_stranger(const HttpRequest& request) const {
  const auto host = request.header("host"), origin = request.header("origin");
  const bool is_known = host && (!only_loopback || engine::is_loopback(*host));
  const bool is_expected =
      !origin || *origin == "http://" + *host || std::ranges::find(origins, *origin) != origins.end();
  if (is_known && is_expected) return std::nullopt;
  return engine::answer_of("403 Forbidden", "text/plain", "this address is only for pages of its own\n");
}

std::optional<HttpAnswer> WebAccess::refuse_tokenless(const HttpRequest& request) const {
  constexpr std::string_view kScheme = "Bearer ";
  const std::string given = request.header("authorization").value_or("");
  if (token.empty() ||
      (given.starts_with(kScheme) && crypto::same_secret(std::string_view(given).substr(kScheme.size()), token)))
    return std::nullopt;
  HttpAnswer answer =
      engine::answer_of("401 Unauthorized", "text/plain", "open the address that assetc printed, with its token\n");
  answer.headers.emplace_back("WWW-Authenticate", "Bearer");
  return answer;
}

// Source: Fetch Standard, section 3.2, "CORS protocol".
HttpAnswer WebAccess::preflight() {
  HttpAnswer answer = engine::answer_of("204 No Content", "text/plain", "");
  answer.headers.emplace_back("Access-Control-Allow-Methods", "GET, HEAD");
  answer.headers.emplace_back("Access-Control-Allow-Headers", "Authorization, Range, If-Range, If-None-Match");
  answer.headers.emplace_back("Access-Control-Max-Age", "600");
  return answer;
}

void WebAccess::admit_page(const HttpRequest& request, HttpAnswer& answer) const {
  if (origins.empty()) return;
  answer.headers.emplace_back("Vary", "Origin");
  const auto origin = request.header("origin");
  if (!origin || std::ranges::find(origins, *origin) == origins.end()) return;
  answer.headers.emplace_back("Access-Control-Allow-Origin", *origin);
  answer.headers.emplace_back("Access-Control-Expose-Headers", "Accept-Ranges, Content-Range, ETag");
}

bool WebAccess::is_origin(std::string_view text) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!text.starts_with(scheme)) continue;
    const std::string_view host = text.substr(scheme.size());
    const auto is_of_host = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || std::string_view(".-:[]").contains(c);
    };
    return !host.empty() && std::ranges::all_of(host, is_of_host);
  }
  return false;
}

void add_page_headers(HttpAnswer& answer) {
  answer.headers.emplace_back(
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' "
      "blob: data:; connect-src 'self'; worker-src 'self' blob:; font-src 'self'; base-uri "
      "'none'; form-action 'none'; frame-ancestors 'none'");
  answer.headers.emplace_back("X-Content-Type-Options", "nosniff");
  answer.headers.emplace_back("Referrer-Policy", "no-referrer");
  answer.headers.emplace_back("Cross-Origin-Opener-Policy", "same-origin");
  answer.headers.emplace_back("Cross-Origin-Resource-Policy", "same-origin");
}

}  // namespace assetc::cli
