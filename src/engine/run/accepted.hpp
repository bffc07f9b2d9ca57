// What the configuration accepts of what a build has to say. Nothing is remembered of it: another `accept:` builds
// nothing again.
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

// Moves warnings that are accepted from Report::diagnostics to Report::accepted. After a build that looked at all
// sources and in which nothing failed, Report::unmatched says which entries cover nothing.
void accept_warnings(const Profile& profile, const BuildRequest& request, Report& report);

}  // namespace assetc::engine
