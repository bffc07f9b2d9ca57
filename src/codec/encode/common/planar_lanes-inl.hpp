// Reads blocks by their planes, one block per lane. Included once per SIMD target.
#if defined(ASSETC_CODEC_PLANAR_LANES_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef ASSETC_CODEC_PLANAR_LANES_INL_HPP_
#undef ASSETC_CODEC_PLANAR_LANES_INL_HPP_
#else
#define ASSETC_CODEC_PLANAR_LANES_INL_HPP_
#endif

#include <cstddef>
#include <cstdint>

#include "codec/encode/common/float_lanes-inl.hpp"
#include "codec/encode/common/planar_block.hpp"

HWY_BEFORE_NAMESPACE();
namespace assetc::codec::HWY_NAMESPACE {

using DI = hn::RebindToSigned<D>;
using I = hn::Vec<DI>;
inline constexpr DI di{};

// The blocks of all lanes.
class Gathered {
 public:
  HWY_INLINE Gathered(const PlanarBlock* blocks, I index)
      : base_(reinterpret_cast<const std::int32_t*>(blocks)), offset_(hn::ShiftLeft<6>(index)) {
    static_assert(sizeof(PlanarBlock) == 64);
  }
  // Four texels of a row. The leftmost is in the lowest byte.
  HWY_INLINE I row(std::size_t channel, std::size_t y) const {
    return hn::GatherOffset(di, base_ + channel * 4 + y, offset_);
  }

 private:
  const std::int32_t* base_;
  I offset_;
};

}  // namespace assetc::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
