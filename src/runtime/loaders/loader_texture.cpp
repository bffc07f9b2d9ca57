#include "assetc/codec/texel.hpp"
#include "assetc/runtime/assets.hpp"
#include "runtime/loaders/texture_source.hpp"

namespace assetc::runtime {
namespace {

Result<TextureData> load_texture(LoadInput& in, const TextureOptions& options) {
  ASSETC_TRY(const TextureSource source, TextureSource::open(in.bytes));
  const TextureChoice choice{options, in.desc.settings.format, in.memory};
  ASSETC_TRY(TextureData out, source.describe(choice));
  out.level_count = static_cast<std::uint32_t>(source.level_count());
  for (std::size_t i = 0; i < source.level_count(); ++i) {
    if (source.is_left_out(i, options)) {
      out.first_level = static_cast<std::uint32_t>(i + 1);
      continue;
    }
    if (in.canceled) return fail(ErrorCode::kCanceled, "canceled");
    const Bytes stored = in.bytes.slice(static_cast<std::size_t>(source.offset_bytes(i)),
                                        static_cast<std::size_t>(source.size_bytes(i)));
    ASSETC_TRY(TextureData::Level level, source.decode(i, stored, choice, out, in.desc));
    out.levels.push_back(std::move(level));
  }
  return out;
}

// The memory to decompress all levels and to transcode them once.
std::uint64_t decoded_bytes(ByteSpan bytes, const TextureOptions& options) {
  const auto source = TextureSource::open(bytes);
  if (!source) return 0;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < source->level_count(); ++i) {
    if (!source->is_left_out(i, options)) total += source->decoded_bytes(i, {options});
  }
  return total;
}

std::uint64_t size_of(const TextureData& texture) {
  std::uint64_t total = 0;
  for (const TextureData::Level& level : texture.levels) total += level.bytes.size();
  return total;
}

// In the shape of the type. Every face, layer and slice is the same.
TextureData checkerboard(AssetType type) {
  constexpr std::uint32_t kSize = 8;
  TextureData out;
  out.is_srgb = true;
  out.is_3d = type == AssetType::kTexture3D;
  if (type == AssetType::kTextureCube || type == AssetType::kTextureCubeArray) out.face_count = 6;
  if (type == AssetType::kTexture2DArray || type == AssetType::kTextureCubeArray) out.layer_count = 1;
  ByteVector texels;
  for (std::uint32_t i = 0; i < out.face_count * kSize * kSize; ++i) {
    const bool is_dark = ((i / kSize + i % kSize) & 1) != 0;
    append(texels, is_dark ? Rgba8{64, 64, 64, 255} : Rgba8{255, 0, 255, 255});
  }
  out.levels.push_back({Bytes(std::move(texels)), kSize, kSize, 1});
  return out;
}

}  // namespace

Loader<TextureData> texture_loader(const TextureOptions& options) {
  return {.decode = [options](LoadInput& in) { return load_texture(in, options); },
          .decoded_bytes = [options](ByteSpan bytes) { return decoded_bytes(bytes, options); },
          .size_bytes = size_of,
          .gpu_bytes = size_of,
          .fallback = checkerboard};
}

}  // namespace assetc::runtime
