// A GLB file in the making: the glTF document and the bytes of its one buffer.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"

namespace assetc::exporter {

// Values of bufferView.target and accessor.componentType.
inline constexpr int kArrayBuffer = 34962;
inline constexpr int kElementArrayBuffer = 34963;
inline constexpr int kUnsignedByte = 5121;
inline constexpr int kUnsignedShort = 5123;
inline constexpr int kUnsignedInt = 5125;
inline constexpr int kFloat = 5126;

class GlbDocument {
 public:
  nlohmann::json& root() { return root_; }

  // Appends bytes as a buffer view, 4-byte aligned, and returns its index. target: 0 or a kind of buffer.
  std::size_t add_view(ByteSpan bytes, int target = 0);
  // Appends an accessor and returns its index.
  std::size_t add_accessor(nlohmann::json accessor);
  template <class T>
  std::size_t add_accessor(std::span<const T> values, std::string_view type, int component, int target = 0) {
    return add_accessor({{"bufferView", add_view(std::as_bytes(values), target)},
                         {"componentType", component},
                         {"count", values.size()},
                         {"type", type}});
  }
  // Sets component-wise bounds, which glTF requires for positions and key times. values: at least one element.
  void add_bounds(std::size_t accessor, std::span<const float> values, std::size_t components);

  // The bytes of the file. Call it once. Errors: kLimit from 4 GiB on.
  Result<ByteVector> write();

 private:
  nlohmann::json root_ = nlohmann::json::object();
  ByteVector binary_;
};

}  // namespace assetc::exporter
