#include "codec/encode/common/planar_block.hpp"

#include "codec/encode/common/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/encode/common/planar_block.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace assetc::codec::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

BlockKind kind_of(bool solid, bool gray, bool opaque) {
  if (solid) return BlockKind::kSolid;
  if (gray) return opaque ? BlockKind::kGrayOpaque : BlockKind::kGrayAlpha;
  return opaque ? BlockKind::kOpaque : BlockKind::kAlpha;
}

void SplitBlocks(std::span<const BlockTexels> texels, std::span<PlanarBlock> blocks, std::span<BlockKind> kinds) {
#if HWY_TARGET == HWY_SCALAR
  for (std::size_t i = 0; i < texels.size(); ++i) {
    bool solid = true, gray = true, opaque = true;
    for (unsigned t = 0; t < kBlockTexels; ++t) {
      const Rgba8 v = texels[i][t];
      for (unsigned c = 0; c < 4; ++c) blocks[i].texels[c * 16 + t] = v[c];
      solid = solid && v == texels[i][0];
      gray = gray && v.r == v.g && v.r == v.b;
      opaque = opaque && v.a == 255;
    }
    kinds[i] = kind_of(solid, gray, opaque);
  }
#else
  const hn::FixedTag<std::uint8_t, 16> d8;
  for (std::size_t i = 0; i < texels.size(); ++i) {
    hn::Vec<decltype(d8)> r, g, b, a;
    const auto* in = reinterpret_cast<const std::uint8_t*>(texels[i].data());
    hn::LoadInterleaved4(d8, in, r, g, b, a);
    std::uint8_t* out = blocks[i].texels.data();
    hn::Store(r, d8, out);
    hn::Store(g, d8, out + 16);
    hn::Store(b, d8, out + 32);
    hn::Store(a, d8, out + 48);
    const auto differ = [&](auto v, std::uint8_t first) HWY_ATTR { return hn::Xor(v, hn::Set(d8, first)); };
    const auto none = [&](auto v) HWY_ATTR { return hn::AllTrue(d8, hn::Eq(v, hn::Zero(d8))); };
    const bool solid =
        none(hn::Or(hn::Or(differ(r, in[0]), differ(g, in[1])), hn::Or(differ(b, in[2]), differ(a, in[3]))));
    const bool gray = none(hn::Or(hn::Xor(r, g), hn::Xor(r, b)));
    kinds[i] = kind_of(solid, gray, none(differ(a, 255)));
  }
#endif
}

}  // namespace assetc::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assetc::codec {

HWY_EXPORT(SplitBlocks);

void split_blocks(std::span<const BlockTexels> texels, std::span<PlanarBlock> blocks, std::span<BlockKind> kinds) {
  HWY_DYNAMIC_DISPATCH(SplitBlocks)(texels, blocks, kinds);
}

}  // namespace assetc::codec
#endif
