// Who may read from a server of this program, and the headers that protect its pages.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/http/server.hpp"

namespace assetc::cli {

struct WebAccess {
  std::string token{};                 // of the header "Authorization: Bearer TOKEN"; empty: none is asked for
  bool only_loopback = true;           // requests must name this machine as Host, so that no foreign name leads here
  std::vector<std::string> origins{};  // of other pages that may read: "http://localhost:5173"

  // Whether a text is an origin as browsers send it: a scheme, a host in lower case and perhaps a port, but no path.
  static bool is_origin(std::string_view text);

  // The answer to a request that must be refused: 403 for a foreign Host or Origin.
  std::optional<engine::HttpAnswer> refuse_stranger(const engine::HttpRequest& request) const;
  // The answer to a request without the token: 401.
  std::optional<engine::HttpAnswer> refuse_tokenless(const engine::HttpRequest& request) const;
  // The answer to OPTIONS, by which a browser asks whether a page of another origin may send a request. Such requests
  // have no token.
  static engine::HttpAnswer preflight();
  // Lets the page of another origin read an answer. Requires a request that refuse_stranger() accepts.
  void admit_page(const engine::HttpRequest& request, engine::HttpAnswer& answer) const;
};

// Adds the headers of a page: no foreign content, no inline scripts, no frames.
void add_page_headers(engine::HttpAnswer& answer);

}  // namespace assetc::cli
