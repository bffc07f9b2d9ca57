// Pictures in, an encoded texture out: mips, block encoding or raw texels, supercompression.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "assetc/base/result.hpp"
#include "codec/encode/common/encode_options.hpp"
#include "texture/encoded.hpp"
#include "texture/mips.hpp"
#include "texture/storage.hpp"

namespace assetc::texture {

struct CompileOptions {
  MipOptions mips;
  TargetFormat format = TargetFormat::kUastc;
  std::optional<ChannelMap> channels{};  // nothing: what the kind needs
  codec::Effort effort = codec::Effort::kNormal;
  codec::Metric color_metric = codec::Metric::kColor;  // of TexelKind::kColor: kColor or kColorPerceptual
  std::uint32_t zstd_level = 0;                        // see zstd_level_of
  float rdo = 0;  // of UASTC: codec::EncodeOptions::rdo; of other formats: no effect
};

// What the pictures are: one 2D texture, six faces (+X -X +Y -Y +Z -Z) or layers.
struct Arrangement {
  std::uint32_t layer_count = 0;  // 0: not an array
  std::uint32_t face_count = 1;   // 6: a cubemap
  std::uint32_t image_count() const { return face_count * (layer_count == 0 ? 1 : layer_count); }
};

// Picture i of an arrangement: layers outermost, faces within. Asked for each i once, in order, and dropped before the
// next, so that one picture is in memory at a time.
using ImageSource = std::function<Result<scene::Image>(std::uint32_t index)>;

// Pictures must have one size: kInvalidData otherwise; errors of plan_storage, the source and the encoder are passed
// on. Runs in parallel in the calling thread's oneTBB arena; the same bytes for any number of threads.
Result<EncodedTexture> compile_texture(const ImageSource& source, Arrangement arrangement,
                                       const CompileOptions& options);

// The most bytes that compile_texture holds, and a file made of what it gives included, for pictures of that size.
// Options that it would refuse: 0.
std::uint64_t compile_peak_bytes(Extent extent, scene::PixelType type, Arrangement arrangement,
                                 const CompileOptions& options);

}  // namespace assetc::texture
