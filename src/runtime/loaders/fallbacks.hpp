// The values that replace skeletons, models and shaders that are not loaded yet or that failed.
#pragma once

#include <cassert>
#include <utility>

#include "assetc/runtime/assets.hpp"

namespace assetc::runtime {

// Returns the value for data that the library writes itself: its writer and its view always accept it.
template <class T>
T must(Result<T>&& result) {
  assert(result);
  return std::move(*result);
}
template <class View>
Viewed<View> must_view(Result<ByteVector>&& written) {
  Bytes bytes(must(std::move(written)));
  View view = must(View::open(bytes));
  return {std::move(bytes), std::move(view)};
}

SkeletonData bind_pose(AssetType type);
ShaderData error_shader(AssetType type);

}  // namespace assetc::runtime
