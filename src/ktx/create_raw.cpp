// ktx create --raw: texels or blocks as the inputs give them, of any VkFormat.
#include <algorithm>

#include "base/plural.hpp"
#include "compression/encode.hpp"
#include "ktx/create_plan.hpp"
#include "texture/storage.hpp"

namespace assetc::ktx {
namespace {

std::uint32_t blocks_of(std::uint32_t extent, std::uint32_t level, std::uint32_t block) {
  return (std::max(extent >> level, 1u) + block - 1) / block;
}

std::unexpected<Error> invalid_input(const std::string& path, std::string what) {
  return std::unexpected(Error{ErrorCode::kInvalidData, path, {}, std::move(what), {}});
}

}  // namespace

Result<ByteVector> create_raw(const Create& asked, const CreatePlan& plan, const Context& context) {
  const BlockShape block = plan.format.block;
  ktx2::Texture texture;
  texture.transfer = plan.format.numeric == Numeric::kSrgb ? ktx2::Transfer::kSrgb
                                                           : plan.source_transfer.value_or(ktx2::Transfer::kLinear);
  // Depth and brightness have no primaries.
  const bool has_color = !plan.format.is_422 && !plan.format.has_depth && !plan.format.has_stencil;
  texture.primaries = has_color || !asked.assign_primaries.empty() ? plan.primaries : ktx2::Primaries::kUnspecified;
  texture.width_texels = *asked.width;
  texture.height_texels = asked.one_dimensional ? 0 : *asked.height;
  texture.depth_texels = asked.depth.value_or(0);
  texture.layer_count = asked.layers.value_or(0);
  texture.face_count = plan.faces;
  texture.orientation = asked.assign_origin.empty() ? std::string() : plan.orientation(asked);
  texture.swizzle = asked.swizzle;
  if (asked.zstd) {
    texture.supercompression = ktx2::Supercompression::kZstd;
    texture.writer_params = "zstd " + std::to_string(*asked.zstd);
  }
  if (plan.faces == 6 && *asked.width != *asked.height)
    return fail(ErrorCode::kInvalidData, "found " + std::to_string(*asked.width) + "x" + std::to_string(*asked.height) +
                                             " texels, expected square faces");
  std::vector<ByteVector> levels;
  std::vector<std::uint64_t> sizes;
  std::uint32_t first = 0;
  for (std::uint32_t level = 0; level < plan.levels; first += plan.images(level), ++level) {
    const std::uint64_t one = std::uint64_t{blocks_of(*asked.width, level, block.width_texels)} *
                              blocks_of(texture.height_texels, level, block.height_texels) * block.size_bytes;
    ByteVector bytes;
    for (std::uint32_t index = 0; index < plan.images(level); ++index) {
      const std::string& path = plan.inputs[first + index];
      auto read = context.io.read(path);
      if (!read) return std::unexpected(std::move(read).error().in(path));
      if (read->size() != one) {
        return invalid_input(path, "found " + counted(read->size(), "byte") + ", expected " + std::to_string(one) +
                                       " for " + std::to_string(std::max(*asked.width >> level, 1u)) + "x" +
                                       std::to_string(std::max(texture.height_texels >> level, 1u)) + " texels of " +
                                       asked.format);
      }
      const ByteSpan image = *read;
      bytes.insert(bytes.end(), image.begin(), image.end());
    }
    sizes.push_back(bytes.size());
    if (asked.zstd) bytes = compression::deflate(bytes, {.level = *asked.zstd, .checksum = true});
    levels.push_back(std::move(bytes));
  }
  for (std::size_t i = 0; i < levels.size(); ++i) texture.levels.push_back({levels[i], sizes[i]});
  return ktx2::write_described(
      texture, {plan.format.number, plan.format.type_size_bytes, plan.format.model, block, plan.format.samples});
}

}  // namespace assetc::ktx
