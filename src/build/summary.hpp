// What a no-op build needs to know, in one small value of the cache.
#pragma once

#include <optional>

#include "assetc/base/bytes.hpp"
#include "assetc/base/hash.hpp"
#include "build/build.hpp"

namespace assetc::build {

struct Summary {
  ContentHash environment;  // profile and recipes
  ContentHash input;        // Tree::fingerprint()
  ContentHash output;
  Totals totals;
  std::vector<recipes::Diagnostic> diagnostics;
  std::vector<std::string> unclaimed;
};

ByteVector encode_summary(const Summary& summary);
std::optional<Summary> decode_summary(ByteSpan bytes);

}  // namespace assetc::build
