// Any 16 bytes as a BC6H block: its texels are finite and not negative, and an unpacked block can be packed again.
#include <algorithm>
#include <cstring>

#include "codec/block/bc6h_block.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assetc;
  using namespace assetc::codec;
  std::array<std::uint8_t, 16> bytes{};
  std::memcpy(bytes.data(), data, std::min(size, bytes.size()));
  for (const HalfTexel& texel : decode_bc6h(bytes.data())) {
    for (const std::uint16_t half : texel) fuzz::require(half <= 0x7BFF);
  }
  Bc6hBlock block;
  if (!unpack_bc6h(bytes.data(), block) || !bc6h_ends_fit(block)) return 0;
  std::array<std::uint8_t, 16> again;
  pack_bc6h(block, again.data());
  fuzz::require(again == bytes);
  return 0;
}
