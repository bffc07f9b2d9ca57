#include "cli/web_access.hpp"

#include "crypto/text.hpp"

namespace assetc::cli {

using engine::HttpAnswer;
using engine::HttpRequest;

std::optional<HttpAnswer> WebAccess::refuse_stranger(const HttpRequest& request) const {
  const auto host = request.header("host"), origin = request.header("origin");
  const bool is_known = host && (!only_loopback || engine::is_loopback(*host));
  if (is_known && (!origin || *origin == "http://" + *host)) return std::nullopt;
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
