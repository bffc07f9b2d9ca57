#pragma once

#include <string>
#include <string_view>

#include "assetc/runtime/handle.hpp"

namespace assetc::runtime {

// The error of an asset that is requested with another type.
inline Error wrong_type(AssetType is, std::string_view asked) {
  return {ErrorCode::kUsage,
          {},
          {},
          "is " + name_of(is) + ", and " + std::string(asked) + " was asked for",
          "ask for it as what it is, or cook it as what it is to be"};
}

}  // namespace assetc::runtime
