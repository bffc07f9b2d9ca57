// Any bytes as UASTC blocks, through every transcoder, and as blocks of every other format.
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "assetc/codec/transcode.hpp"
#include "codec/block/astc_block.hpp"
#include "codec/encode/uastc/uastc_hints.hpp"

using namespace assetc;

namespace {

constexpr BlockFormat kFormats[] = {BlockFormat::kUastc,    BlockFormat::kRgba8,   BlockFormat::kBc1,
                                    BlockFormat::kBc3,      BlockFormat::kBc4,     BlockFormat::kBc5,
                                    BlockFormat::kBc7,      BlockFormat::kAstc4x4, BlockFormat::kEtc1,
                                    BlockFormat::kEtc2Rgba, BlockFormat::kEacR11,  BlockFormat::kEacRg11};

void check(bool ok) {
  if (!ok) std::abort();
}

// A valid block survives packing and unpacking, keeps its texels in ASTC, and takes hints.
void round_trip(std::span<const std::uint8_t, codec::kUastcBlockBytes> bytes) {
  auto block = codec::unpack_uastc(bytes);
  if (!block) return;
  const codec::UastcBytes packed = codec::pack_uastc(*block);
  const auto again = codec::unpack_uastc(packed);
  check(again.has_value() && *again == *block);
  BlockTexels texels = codec::decode_uastc(*block), through_astc;
  std::array<std::byte, 16> astc;
  check(transcode_uastc(std::as_bytes(std::span(packed)), BlockFormat::kAstc4x4, astc).has_value());
  check(decode_blocks(astc, BlockFormat::kAstc4x4, 4, 4, through_astc).has_value());
  check(through_astc == texels);
  codec::choose_hints(*block, texels, texels, static_cast<codec::HintEffort>(bytes[15] % 3));
  check(codec::decode_uastc(*block) == texels);
}

// Decodes the block as ASTC of every shape, into exactly enough texels, so that a sanitizer reports accesses past them.
void decode_shapes(std::span<const std::uint8_t, codec::kUastcBlockBytes> bytes) {
  constexpr codec::AstcShape kShapes[] = {{4, 4}, {5, 4},  {5, 5},  {6, 5},  {6, 6},   {8, 5},   {8, 6},
                                          {8, 8}, {10, 5}, {10, 6}, {10, 8}, {10, 10}, {12, 10}, {12, 12}};
  for (const codec::AstcShape shape : kShapes) {
    std::vector<Rgba8> texels(shape.texels());
    codec::decode_astc(bytes.data(), shape, texels, bytes[0] % 2 ? AstcDecode::kSrgb : AstcDecode::kLinear);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Sizes that are not whole blocks are refused; the rest is in a buffer of exactly its size.
  const std::vector<std::byte> blocks(reinterpret_cast<const std::byte*>(data),
                                      reinterpret_cast<const std::byte*>(data) + size);
  TranscodeOptions options;
  options.invalid = size % 2 ? InvalidBlocks::kRefuse : InvalidBlocks::kMagenta;
  if (size > 0) options.first_channel = data[0] & 3;
  for (BlockFormat format : kFormats) {
    const auto bytes = transcoded_bytes(format, size);
    check(bytes.has_value() == (size % 16 == 0));
    std::vector<std::byte> out(bytes.value_or(0));
    const auto ok = transcode_uastc(blocks, format, out, options);
    if (bytes && format != BlockFormat::kUastc && options.invalid == InvalidBlocks::kMagenta) check(ok.has_value());

    const std::size_t step = block_bytes(format), count = size / step;
    if (count == 0) continue;
    std::vector<Rgba8> texels(count * kBlockTexels);
    const auto decoded = decode_blocks(std::span(blocks).first(count * step), format,
                                       static_cast<std::uint32_t>(4 * count), 4, texels, options.invalid);
    check(decoded.has_value() || (format == BlockFormat::kUastc && options.invalid == InvalidBlocks::kRefuse));
  }
  for (std::size_t at = 0; at + codec::kUastcBlockBytes <= size; at += codec::kUastcBlockBytes) {
    const std::span<const std::uint8_t, codec::kUastcBlockBytes> block(data + at, codec::kUastcBlockBytes);
    round_trip(block);
    decode_shapes(block);
  }
  return 0;
}
