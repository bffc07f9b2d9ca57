#include "assetc/base/bytes.hpp"

#include <cstddef>
#include <memory>
#include <utility>

namespace assetc {

// These functions are not inline, because the templates that they use compile slowly.
Bytes::Bytes(ByteVector owned) {
  auto holder = std::make_shared<const ByteVector>(std::move(owned));
  span_ = *holder;
  owner_ = std::move(holder);
}

void append_bytes(ByteVector& out, ByteSpan bytes) { out.insert(out.end(), bytes.begin(), bytes.end()); }

void pad_to(ByteVector& out, std::size_t alignment) {
  out.resize((out.size() + alignment - 1) / alignment * alignment);
}

}  // namespace assetc
