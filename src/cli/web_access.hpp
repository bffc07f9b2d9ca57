// Who may read from a server of this program, and the headers that protect its pages.
#pragma once

#include <optional>
#include <string>

#include "engine/http/server.hpp"

namespace assetc::cli {

struct WebAccess {
  std::string token;          // of the header "Authorization: Bearer TOKEN"; empty: none is asked for
  bool only_loopback = true;  // requests must name this machine as Host, so that no foreign name leads here

  // The answer to a request that must be refused: 403 for a foreign Host or Origin.
  std::optional<engine::HttpAnswer> refuse_stranger(const engine::HttpRequest& request) const;
  // The answer to a request without the token: 401.
  std::optional<engine::HttpAnswer> refuse_tokenless(const engine::HttpRequest& request) const;
};

// Adds the headers of a page: no foreign content, no inline scripts, no frames.
void add_page_headers(engine::HttpAnswer& answer);

}  // namespace assetc::cli
