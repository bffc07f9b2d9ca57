// Any bytes as the parts of BasisLZ: codebooks, tables and slices are refused or decoded. Decoded slices are valid
// ETC1S blocks, which every transcoder takes. The first bytes are counts, sizes and an extent.
#include <algorithm>
#include <array>
#include <vector>

#include "assetc/codec/basis_lz.hpp"
#include "assetc/codec/transcode.hpp"
#include "fuzz.hpp"

using namespace assetc;

namespace {

constexpr std::size_t kHeadBytes = 16;

void transcode(ByteSpan blocks, BlockFormat source) {
  using enum BlockFormat;
  const std::size_t count = blocks.size() / block_bytes(source);
  for (const BlockFormat target :
       {kRgba8, kBc1, kBc3, kBc4, kBc5, kBc7, kAstc4x4, kEtc1, kEtc2Rgba, kEacR11, kEacRg11}) {
    std::vector<std::byte> out(count * block_bytes(target));
    fuzz::require(transcode_etc1s(blocks, source, target, out, {.second_channel = 3}).has_value());
    fuzz::touch(out);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < kHeadBytes) return 0;
  const ByteSpan all = fuzz::bytes(data, size);
  ByteSpan rest = all.subspan(kHeadBytes);
  const auto take = [&](std::size_t at) {
    const std::size_t count = std::min<std::size_t>(load<std::uint16_t>(all, at), rest.size());
    const ByteSpan part = rest.first(count);
    rest = rest.subspan(count);
    return part;
  };
  BasisLzDecoder::GlobalData global{.endpoint_count = load<std::uint16_t>(all, 0),
                                    .selector_count = load<std::uint16_t>(all, 2)};
  global.endpoints = take(4);
  global.selectors = take(6);
  global.tables = take(8);
  const auto decoder = BasisLzDecoder::open(global);
  if (!decoder) {
    fuzz::require(!decoder.error().what.empty() && decoder.error().place.starts_with("the "));
    return 0;
  }
  const std::uint32_t width = std::to_integer<std::uint32_t>(all[10]) % 32 + 1;
  const std::uint32_t height = std::to_integer<std::uint32_t>(all[11]) % 32 + 1;
  const ByteSpan first = take(12);
  std::vector<BasisLzBlock> previous(std::size_t{width} * height);
  const std::size_t count = previous.size();
  // An I frame of color, then a P frame beside it as alpha.
  std::vector<std::byte> blocks(count * 8), both(count * 16);
  const BasisLzDecoder::Slice slice{first, width, height, previous};
  if (!decoder->decode_slice(slice, blocks)) return 0;
  fuzz::require(decoder->decode_slice(slice, {}).has_value());
  transcode(blocks, BlockFormat::kEtc1s);
  BasisLzDecoder::Slice next{rest, width, height, previous, true};
  if (!decoder->decode_slice(next, std::span(both).first(both.size() - 8), 16)) return 0;
  fuzz::require(decoder->decode_slice(slice, std::span(both).subspan(8), 16).has_value());
  transcode(both, BlockFormat::kEtc1sAlpha);
  return 0;
}
