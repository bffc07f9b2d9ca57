// Applies `accept:` of the configuration to the warnings of a build. The result is not recorded: changing `accept:`
// rebuilds nothing.
#pragma once

#include <string>

#include "recipes/recipe.hpp"

namespace assetc::engine {

struct BuildRequest;
struct Profile;
struct Report;

// A warning that an entry of `accept:` covers.
struct Accepted {
  recipes::Diagnostic warning;
  std::string reason;
};

// Moves accepted warnings from Report::diagnostics to Report::accepted. After a build that looked at all sources and
// had no failure, it also lists the entries that cover no warning in Report::unmatched.
void accept_warnings(const Profile& profile, const BuildRequest& request, Report& report);

}  // namespace assetc::engine
