// transcode.wasm: reads KTX 2 files, and transcodes and decodes their images.
#include "assetc/codec/transcode.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "assetc/formats/ktx2.hpp"
#include "assetc/runtime/inflate.hpp"
#include "base/plural.hpp"
#include "module.hpp"
#include "texture/color.hpp"
#include "texture/decode.hpp"
#include "texture/storage.hpp"

namespace assetc::web {
namespace {

// In the order of TARGETS in src/transcoder.js.
enum class Target : std::uint32_t {
  kRgba8,
  kRgba16f,
  kBc1,
  kBc3,
  kBc4,
  kBc5,
  kBc6h,
  kBc7,
  kEtc1,
  kEtc2Rgb,
  kEtc2Rgba,
  kEacR11,
  kEacRg11,
  kAstc4x4,
  kSource,
};

// In the order of MODELS in src/transcoder.js.
enum class Model : std::uint32_t { kUastc, kEtc1s, kBlock, kRaw };

// The result of describe().
struct Info {
  std::uint32_t width, height, depth, layers, faces, levels, vk_format, model, srgb, hdr, has_alpha, key_values;
};
struct KeyValueRange {
  Range key, value;
};
// The result of transcode().
struct Picture {
  Range data;
  std::uint32_t width = 0, height = 0;
};

// Bytes that are not zeroed first, which takes a quarter of the time of transcoding.
class Buffer {
 public:
  // Returns size_bytes bytes. Those of the last call are gone.
  std::span<std::byte> reset(std::size_t size_bytes) {
    bytes_.reset();
    bytes_ = std::make_unique_for_overwrite<std::byte[]>(size_bytes);
    size_bytes_ = size_bytes;
    return {bytes_.get(), size_bytes_};
  }
  void assign(ByteSpan bytes) {
    const auto to = reset(bytes.size());
    if (!bytes.empty()) std::memcpy(to.data(), bytes.data(), bytes.size());
  }
  ByteSpan span() const { return {bytes_.get(), size_bytes_}; }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t size_bytes_ = 0;
};

// An open file. It owns the bytes that JavaScript copied into memory.
struct File {
  std::unique_ptr<std::byte, decltype(&std::free)> bytes{nullptr, &std::free};
  std::optional<ktx2::View> view;
  Info info{};
  std::vector<KeyValueRange> keys;
  // The last level that was read, inflated. Without supercompression, levels are read in place.
  std::optional<std::uint32_t> level;
  Buffer inflated;
  // The result of the last call.
  Buffer out;
  Picture picture{};
};

bool is_hdr(TexelFormat format) {
  return format == TexelFormat::kBc6h || format == TexelFormat::kBc6hSigned ||
         (format >= TexelFormat::kR16f && format <= TexelFormat::kRgba32f);
}

bool has_alpha(const ktx2::View& view) {
  if (view.basis_lz() != nullptr) return view.etc1s_channels() == ktx2::Etc1sChannels::kRgba;
  if (!view.format()) return false;
  switch (*view.format()) {
    case TexelFormat::kUastc:
      return view.first_channel() == static_cast<std::uint8_t>(UastcChannels::kRgba);
    case TexelFormat::kRgba8:
    case TexelFormat::kRgba16:
    case TexelFormat::kRgba16f:
    case TexelFormat::kRgba32f:
    case TexelFormat::kBc1Rgba:
    case TexelFormat::kBc2:
    case TexelFormat::kBc3:
    case TexelFormat::kBc7:
    case TexelFormat::kEtc2Rgba:
      return true;
    default:
      return *view.format() >= TexelFormat::kAstc4x4;
  }
}

Model model_of(const ktx2::View& view) {
  if (view.format() == TexelFormat::kUastc) return Model::kUastc;
  if (view.basis_lz() != nullptr) return Model::kEtc1s;
  return view.format() && is_block_compressed(*view.format()) ? Model::kBlock : Model::kRaw;
}

Info info_of(const ktx2::View& view) {
  return {.width = view.width_texels(),
          .height = std::max(view.height_texels(), 1u),
          .depth = std::max(view.depth_texels(), 1u),
          .layers = std::max(view.layer_count(), 1u),
          .faces = view.face_count(),
          .levels = static_cast<std::uint32_t>(view.levels().size()),
          .vk_format = view.vk_format(),
          .model = static_cast<std::uint32_t>(model_of(view)),
          .srgb = view.is_srgb() ? 1u : 0u,
          .hdr = view.format() && is_hdr(*view.format()) ? 1u : 0u,
          .has_alpha = has_alpha(view) ? 1u : 0u,
          .key_values = static_cast<std::uint32_t>(view.key_values().size())};
}

// The bytes of a level, inflated.
Result<ByteSpan> level_bytes(File& file, std::uint32_t level) {
  const ktx2::View& view = *file.view;
  if (view.supercompression() == ktx2::Supercompression::kNone) return view.levels()[level].bytes;
  if (file.level == level) return file.inflated.span();
  ASSETC_TRY(const std::uint64_t size_bytes, runtime::inflated_size_bytes(view, level));
  if (size_bytes > kMaxBytes)
    return fail_at(ErrorCode::kLimit, "level " + std::to_string(level),
                   counted(size_bytes, "byte") + ", at most " + std::to_string(kMaxBytes) + " are supported here");
  file.level.reset();
  ASSETC_CHECK(runtime::inflate_level(view, level, file.inflated.reset(static_cast<std::size_t>(size_bytes))));
  file.level = level;
  return file.inflated.span();
}

std::optional<BlockFormat> block_target(Target target) {
  switch (target) {
    case Target::kBc1:
      return BlockFormat::kBc1;
    case Target::kBc3:
      return BlockFormat::kBc3;
    case Target::kBc4:
      return BlockFormat::kBc4;
    case Target::kBc5:
      return BlockFormat::kBc5;
    case Target::kBc7:
      return BlockFormat::kBc7;
    case Target::kEtc1:
    case Target::kEtc2Rgb:
      return BlockFormat::kEtc1;
    case Target::kEtc2Rgba:
      return BlockFormat::kEtc2Rgba;
    case Target::kEacR11:
      return BlockFormat::kEacR11;
    case Target::kEacRg11:
      return BlockFormat::kEacRg11;
    case Target::kAstc4x4:
      return BlockFormat::kAstc4x4;
    default:
      return std::nullopt;
  }
}

// Whether a file of this format has the blocks of the target as they are.
bool is_stored_as(TexelFormat format, Target target) {
  switch (format) {
    case TexelFormat::kRgba8:
      return target == Target::kRgba8;
    case TexelFormat::kRgba16f:
      return target == Target::kRgba16f;
    case TexelFormat::kBc1Rgb:
    case TexelFormat::kBc1Rgba:
      return target == Target::kBc1;
    case TexelFormat::kBc3:
      return target == Target::kBc3;
    case TexelFormat::kBc4:
      return target == Target::kBc4;
    case TexelFormat::kBc5:
      return target == Target::kBc5;
    case TexelFormat::kBc6h:
      return target == Target::kBc6h;
    case TexelFormat::kBc7:
      return target == Target::kBc7;
    case TexelFormat::kEtc2Rgb:
      return target == Target::kEtc2Rgb;
    case TexelFormat::kEtc2Rgba:
      return target == Target::kEtc2Rgba;
    case TexelFormat::kEacR11:
      return target == Target::kEacR11;
    case TexelFormat::kEacRg11:
      return target == Target::kEacRg11;
    case TexelFormat::kAstc4x4:
      return target == Target::kAstc4x4;
    default:
      return false;
  }
}

// The channels that BC4, BC5 and EAC targets take: ETC1S and "RRRG" have the second one in alpha.
TranscodeOptions channels_of(const ktx2::View& view) {
  const bool in_alpha =
      view.basis_lz() != nullptr || view.first_channel() == static_cast<std::uint8_t>(UastcChannels::kRrrg);
  return {.second_channel = static_cast<std::uint8_t>(in_alpha ? 3 : 1)};
}

// Texels of any type as 8-bit RGBA. Floats are clamped to [0, 1].
void to_rgba8(const scene::Image& image, Buffer& buffer) {
  const std::size_t count = std::size_t{image.width_texels} * image.height_texels * 4;
  const std::span<std::byte> out = buffer.reset(count);
  for (std::size_t i = 0; i < count; ++i) {
    const ByteSpan pixels = image.pixels;
    switch (image.type) {
      case scene::PixelType::kU8:
        out[i] = pixels[i];
        break;
      case scene::PixelType::kU16:
        out[i] = static_cast<std::byte>((load<std::uint16_t>(pixels, 2 * i) * 255u + 32767u) / 65535u);
        break;
      case scene::PixelType::kF32:
        out[i] = static_cast<std::byte>(texture::unorm8(load<float>(pixels, 4 * i)));
        break;
    }
  }
}

// Texels of any type as four half floats. Integers become 0 to 1.
void to_rgba16f(const scene::Image& image, Buffer& buffer) {
  const std::size_t count = std::size_t{image.width_texels} * image.height_texels * 4;
  const std::span<std::byte> out = buffer.reset(count * 2);
  for (std::size_t i = 0; i < count; ++i) {
    const ByteSpan pixels = image.pixels;
    float value = 0;
    switch (image.type) {
      case scene::PixelType::kU8:
        value = static_cast<float>(load<std::uint8_t>(pixels, i)) / 255.0f;
        break;
      case scene::PixelType::kU16:
        value = static_cast<float>(load<std::uint16_t>(pixels, 2 * i)) / 65535.0f;
        break;
      case scene::PixelType::kF32:
        value = load<float>(pixels, 4 * i);
        break;
    }
    const std::uint16_t half = texture::half_from_float(value);
    std::memcpy(&out[i * 2], &half, 2);
  }
}

// Transcodes the blocks of one image of UASTC or ETC1S.
Result<void> transcode_blocks(File& file, ByteSpan image, Target target) {
  const ktx2::View& view = *file.view;
  const bool uastc = view.basis_lz() == nullptr;
  const BlockFormat from = uastc                           ? BlockFormat::kUastc
                           : view.block().size_bytes == 16 ? BlockFormat::kEtc1sAlpha
                                                           : BlockFormat::kEtc1s;
  if (target == Target::kRgba8) {
    const std::uint32_t width = file.picture.width, height = file.picture.height;
    const std::size_t count = std::size_t{width} * height;
    auto* const texels = reinterpret_cast<Rgba8*>(file.out.reset(count * sizeof(Rgba8)).data());
    return decode_blocks(image, from, width, height, std::span(texels, count));
  }
  const auto to = block_target(target);
  if (!to)
    return fail(ErrorCode::kUnsupported, "UASTC and ETC1S hold no HDR, so they do not become rgba16f or bc6h",
                "ask for bc7, astc-4x4 or rgba8");
  const std::span<std::byte> out = file.out.reset(image.size() / block_bytes(from) * block_bytes(*to));
  return uastc ? transcode_uastc(image, *to, out, channels_of(view))
               : transcode_etc1s(image, from, *to, out, channels_of(view));
}

// Decodes one image of a format that is not transcoded.
Result<void> decode_image(File& file, ByteSpan image, Target target) {
  const ktx2::View& view = *file.view;
  if (target != Target::kRgba8 && target != Target::kRgba16f)
    return fail(ErrorCode::kUnsupported, "this file's format does not become another block format",
                "ask for source, rgba8 or rgba16f");
  if (!view.format() || !texture::can_decode(*view.format()))
    return fail(ErrorCode::kUnsupported, "no decoder for this file's format", "ask for source");
  ASSETC_TRY(const scene::Image texels,
             texture::decode_texels(*view.format(), view.is_srgb(), image, {file.picture.width, file.picture.height}));
  target == Target::kRgba8 ? to_rgba8(texels, file.out) : to_rgba16f(texels, file.out);
  return {};
}

std::unexpected<Error> outside(const char* what, std::uint32_t found, std::uint32_t count) {
  return fail_at(ErrorCode::kUsage, std::string(what) + " " + std::to_string(found),
                 "the texture has " + counted(count, what));
}

Result<void> transcode_image(File& file, std::uint32_t level, std::uint32_t layer, std::uint32_t face,
                             std::uint32_t slice, Target target) {
  const ktx2::View& view = *file.view;
  if (level >= file.info.levels) return outside("level", level, file.info.levels);
  if (layer >= file.info.layers) return outside("layer", layer, file.info.layers);
  if (face >= file.info.faces) return outside("face", face, file.info.faces);
  const ktx2::Level& stored = view.levels()[level];
  if (slice >= stored.depth_texels) return outside("slice", slice, stored.depth_texels);
  const BlockShape block = view.block();
  if (block.size_bytes == 0 || block.depth_texels != 1)
    return fail(ErrorCode::kUnsupported, "VkFormat " + std::to_string(view.vk_format()) + " has no known block size");

  ASSETC_TRY(const ByteSpan bytes, level_bytes(file, level));
  const std::uint64_t image_bytes = view.image_size_bytes(level), slice_bytes = image_bytes / stored.depth_texels;
  const std::uint64_t offset = (std::uint64_t{layer} * file.info.faces + face) * image_bytes + slice * slice_bytes;
  if (!range_fits(offset, slice_bytes, bytes.size()))
    return fail_at(ErrorCode::kTruncated, "level " + std::to_string(level),
                   counted(bytes.size(), "byte") + ", too few for image " + std::to_string(layer));
  const ByteSpan image = bytes.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(slice_bytes));
  file.picture.width = stored.width_texels;
  file.picture.height = stored.height_texels;

  constexpr std::uint64_t kLargestTexelBytes = 16;
  if (std::uint64_t{stored.width_texels} * stored.height_texels > kMaxBytes / kLargestTexelBytes)
    return fail_at(ErrorCode::kLimit, "level " + std::to_string(level),
                   std::to_string(stored.width_texels) + " x " + std::to_string(stored.height_texels) +
                       " texels, at most " + std::to_string(kMaxBytes / kLargestTexelBytes) + " are supported here");
  if (target == Target::kSource || (view.format() && is_stored_as(*view.format(), target))) {
    file.out.assign(image);
    return {};
  }
  return view.format() == TexelFormat::kUastc || view.basis_lz() != nullptr ? transcode_blocks(file, image, target)
                                                                            : decode_image(file, image, target);
}

File& file_of(std::uint32_t handle) { return *reinterpret_cast<File*>(std::uintptr_t{handle}); }

}  // namespace

// Opens a KTX 2 file at memory that allocate() returned, and owns that memory. Returns a handle.
ASSETC_EXPORT(open) std::uint32_t open(std::uint32_t at, std::uint32_t size_bytes) {
  auto file = std::make_unique<File>();
  auto* const bytes = reinterpret_cast<std::byte*>(std::uintptr_t{at});
  file->bytes.reset(bytes);
  auto view = ktx2::View::open({bytes, size_bytes});
  if (!view) return refuse(std::move(view).error());
  file->info = info_of(*view);
  for (const ktx2::KeyValue& pair : view->key_values())
    file->keys.push_back({range_of(as_bytes(pair.key)), range_of(pair.value)});
  file->view = std::move(*view);
  return address(file.release());
}

ASSETC_EXPORT(close) void close(std::uint32_t handle) { delete &file_of(handle); }

// Returns an Info.
ASSETC_EXPORT(describe) std::uint32_t describe(std::uint32_t handle) { return address(&file_of(handle).info); }

// Returns Info::key_values elements of KeyValueRange.
ASSETC_EXPORT(key_values) std::uint32_t key_values(std::uint32_t handle) {
  return address(file_of(handle).keys.data());
}

// Returns a Picture that is valid until the next call with the handle.
ASSETC_EXPORT(transcode)
std::uint32_t transcode(std::uint32_t handle, std::uint32_t level, std::uint32_t layer, std::uint32_t face,
                        std::uint32_t slice, std::uint32_t target) {
  File& file = file_of(handle);
  if (target > static_cast<std::uint32_t>(Target::kSource))
    return refuse(fail(ErrorCode::kUsage, "no target " + std::to_string(target)).error());
  if (auto done = transcode_image(file, level, layer, face, slice, static_cast<Target>(target)); !done)
    return refuse(std::move(done).error());
  file.picture.data = range_of(file.out.span());
  return address(&file.picture);
}

}  // namespace assetc::web
