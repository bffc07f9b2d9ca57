// Compiles pictures into an encoded texture: mips, block encoding or raw texels, supercompression.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "assetc/base/result.hpp"
#include "codec/encode/common/encode_options.hpp"
#include "texture/encoded.hpp"
#include "texture/mips.hpp"
#include "texture/storage.hpp"

namespace assetc::texture {

// The RDO that the guide of textures advises for color.
inline constexpr double kUsualRdo = 10;

struct CompileOptions {
  MipOptions mips;
  bool turns_y = false;  // kNormal: Y of the pictures points down; turn_y() is applied to them
  std::string layer{};   // of the pictures, for the source that reads them; empty: the unnamed one, or the only one
  TargetFormat format = TargetFormat::kUastc;
  std::optional<ChannelMap> channels{};  // empty: the channels that the kind needs
  codec::Effort effort = codec::Effort::kNormal;
  codec::Metric color_metric = codec::Metric::kColor;  // for TexelKind::kColor: kColor or kColorPerceptual
  std::uint32_t zstd_level = 0;                        // see zstd_level_of
  float rdo = 0;                                       // codec::EncodeOptions::rdo, of formats for which takes_rdo()
  std::uint32_t etc1s_quality = 128;                   // for ETC1S: codec::Etc1sOptions::quality
  bool keeps_graphics = false;  // a single picture that is no photograph is stored as texels: options_for()
  bool stands_alone = false;    // no model uses the picture: pixel art that is kept needs no mip levels
};

// How pictures form a texture: one 2D texture, six faces (+X -X +Y -Y +Z -Z) or layers.
struct Arrangement {
  std::uint32_t layer_count = 0;  // 0: not an array
  std::uint32_t face_count = 1;   // 6: a cubemap
  std::uint32_t image_count() const { return face_count * (layer_count == 0 ? 1 : layer_count); }
};

// Gives picture i of an arrangement, ordered by layer, then face. It is called once for each i, in order. Each picture
// is freed before the next call, so that one picture is in memory at a time.
using ImageSource = std::function<Result<scene::Image>(std::uint32_t index)>;

// Errors: kInvalidData if the pictures differ in size; kUnsupported for ETC1S of more than one picture; those of
// plan_storage, the source and the encoder. Runs in parallel in the calling thread's oneTBB arena; the same bytes for
// any number of threads.
Result<EncodedTexture> compile_texture(const ImageSource& source, Arrangement arrangement,
                                       const CompileOptions& options);

// An upper bound on the bytes that compile_texture holds for pictures of that size, including a file made from the
// result. 0 for options that compile_texture would refuse.
std::uint64_t compile_peak_bytes(Extent extent, scene::PixelType type, Arrangement arrangement,
                                 const CompileOptions& options);

}  // namespace assetc::texture
