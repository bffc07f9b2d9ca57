// What a no-op build needs to know, in one small value of the cache.
#pragma once

#include <optional>

#include "assetc/base/bytes.hpp"
#include "assetc/base/hash.hpp"
#include "engine/disk/disk.hpp"
#include "engine/state/ignored_kinds.hpp"
#include "engine/state/totals.hpp"
#include "recipes/recipe.hpp"

namespace assetc::engine {

struct Summary {
  ContentHash environment;  // profile and recipes
  ContentHash input;        // Tree::fingerprint()
  ContentHash output;
  struct Uncovered {
    std::string path;
    std::optional<FileSignature> signature;  // nothing: it is not there
  };
  std::vector<Uncovered> uncovered;  // files that steps look at outside the walk
  Totals totals;
  std::vector<recipes::Diagnostic> diagnostics;
  std::vector<std::string> unclaimed;
  std::vector<IgnoredKind> ignored_kinds;
};

ByteVector encode_summary(const Summary& summary);
std::optional<Summary> decode_summary(ByteSpan bytes);

}  // namespace assetc::engine
