// Encodes the pictures of a model for the GPU or the web.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "import/model/source.hpp"
#include "recipes/recipe.hpp"

namespace assetc::optimize {

enum class PictureFormat : std::uint8_t { kWebp, kUastc, kEtc1s };

// The longest side of pictures in texels, by the slots of materials: "base_color", "metallic_roughness", "normal",
// "occlusion", "emissive" and "extensions", which are all others. 0: no limit.
using SlotLimits = std::vector<std::pair<std::string, std::uint32_t>>;
struct SizeLimits {
  std::uint32_t all_texels = 0;  // of slots that are not listed
  SlotLimits slots;              // each slot once
};
// "1024", "normal=512,base_color=1024" or "2048,normal=512". Errors: kUsage for other text.
Result<SizeLimits> parse_size_limits(std::string_view text);
// The slots and their limits in that form.
std::string to_string(const SlotLimits& slots);

struct PictureOptions {
  PictureFormat format = PictureFormat::kWebp;
  std::uint32_t webp_quality = 85;  // exporter::WebpOptions::quality
  SlotLimits max_sizes;             // instead of texture.max_size
};

// Replaces the pictures of a model.
//
// - kUastc: by KTX 2 of UASTC that KHR_texture_basisu allows, made by the texture recipe with the settings. Sides are
//   scaled to multiples of 4. Normal maps get 0.3 of texture.rdo. Pictures with a side of less than 4 texels stay.
// - kEtc1s: by KTX 2 of ETC1S in the same way; normal maps, which its blocks show badly, by UASTC.
// - kWebp: by WebP, scaled down to their limit. A picture that would not be smaller stays. Pixel art and
//   other graphics (texture::look_at) are lossless where that is smaller.
//
// The slots of materials decide color space, limits, and how texels are averaged. A picture with different uses becomes
// one image for each. The largest limit of its slots counts.
//
// KTX 2 stay as they are. A picture that cannot be encoded gives a warning and stays. Call convert::embed_images
// afterwards. Messages name the model. Runs in parallel. inputs: makes the step of each picture.
// Returns the video memory of the textures in bytes, with mips: 4 a texel for pictures that a GPU cannot read, 1 for
// UASTC, 1/2 for ETC1S.
std::uint64_t encode_pictures(const std::string& model_path, const recipes::Settings& settings,
                              const PictureOptions& options, recipes::Inputs& inputs, importer::Imported& model,
                              std::vector<recipes::Diagnostic>& diagnostics);

}  // namespace assetc::optimize
