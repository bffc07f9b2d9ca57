// What a build needs to see that nothing changed, as one small value of the cache.
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
  ContentHash environment;  // hash of profile and recipes
  ContentHash input;        // Tree::fingerprint()
  ContentHash output;
  std::vector<std::string> recipes;  // that steps use, sorted
  ContentHash libraries;             // of these recipes
  struct Uncovered {
    std::string path;
    std::optional<FileSignature> signature;  // nothing: the file does not exist
  };
  std::vector<Uncovered> uncovered;  // files outside the walk that steps looked at
  Totals totals;
  std::vector<recipes::Diagnostic> diagnostics;
  std::vector<std::string> unclaimed;
  std::vector<IgnoredKind> ignored_kinds;
};

ByteVector encode_summary(const Summary& summary);
std::optional<Summary> decode_summary(ByteSpan bytes);

}  // namespace assetc::engine
