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
          "is " + name_of(is) + ", but was requested as " + std::string(asked),
          "request it with its own type, or cook it as the requested type"};
}

}  // namespace assetc::runtime
