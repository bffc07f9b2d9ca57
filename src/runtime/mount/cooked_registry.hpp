// The registry of a cooked tree, in its binary or its JSON form.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/registry.hpp"

namespace assetc::runtime {

struct CookedRegistry {
  Bytes bytes;
  registry::View view;
  // The file of each asset, relative to the cooked folder. Empty if all are Assets/<uuid>.bin.
  std::vector<std::string> files;
  // Redirectors to targets outside this registry, ordered by old UUID.
  std::vector<registry::Redirector> redirectors;

  static Result<CookedRegistry> from_binary(Bytes file);
  // Schema 1. Errors: kInvalidData with line and column, kVersion, and those of registry::write.
  static Result<CookedRegistry> from_json(std::string_view text);
};

}  // namespace assetc::runtime
