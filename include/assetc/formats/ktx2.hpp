// KTX 2.0 textures: the container, not the codecs. Specification: docs/formats/ktx2.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/texel_format.hpp"

namespace assetc::ktx2 {

inline constexpr std::array<std::uint8_t, 12> kIdentifier = {0xab, 'K',  'T',  'X',  ' ',  '2',
                                                             '0',  0xbb, '\r', '\n', 0x1a, '\n'};
inline constexpr std::uint32_t kMaxExtentTexels = 1u << 16;
inline constexpr std::uint32_t kMaxLayers = 1u << 16;
inline constexpr std::uint32_t kMaxLevels = 17;  // 1 + log2(kMaxExtentTexels)

// Values of the file.
enum class Transfer : std::uint8_t { kLinear = 1, kSrgb = 2 };
enum class Primaries : std::uint8_t { kUnspecified = 0, kBt709 = 1 };
enum class Supercompression : std::uint32_t { kNone = 0, kBasisLz = 1, kZstd = 2, kZlib = 3 };
enum class ColorModel : std::uint8_t {
  kUnspecified = 0,
  kRgbsda = 1,
  kBc1a = 128,
  kBc2 = 129,
  kBc3 = 130,
  kBc4 = 131,
  kBc5 = 132,
  kBc6h = 133,
  kBc7 = 134,
  kEtc1 = 160,
  kEtc2 = 161,
  kAstc = 162,
  kEtc1s = 163,
  kUastc = 166,
};
std::string_view to_string(Supercompression scheme);

// What the first slice of an ETC1S texture holds, and the second where there is one.
enum class Etc1sChannels : std::uint8_t { kRgb, kRgba, kRed, kRedGreen };

// The VkFormat of a format under a transfer function: 0 for UASTC and ETC1S, nothing when there is no such pair.
std::optional<std::uint32_t> vk_format(TexelFormat format, Transfer transfer);

struct KeyValue {
  std::string_view key;
  ByteSpan value;
};

// The supercompression global data of a BasisLZ texture, for BasisLzDecoder of codec/basis_lz.hpp.
struct BasisLz {
  // Where a level has the slices of one image.
  struct Image {
    bool is_p_frame = false;  // blocks may be those of the same image of the layer before
    std::uint32_t color_offset_bytes = 0;
    std::uint32_t color_size_bytes = 0;
    std::uint32_t alpha_offset_bytes = 0;
    std::uint32_t alpha_size_bytes = 0;  // 0: no second slice
  };

  std::uint32_t endpoint_count = 0;
  std::uint32_t selector_count = 0;
  ByteSpan endpoints;
  ByteSpan selectors;
  ByteSpan tables;
  std::vector<Image> images;  // by level, layer, face and slice of depth
};

struct Level {
  ByteSpan bytes;                             // as stored: supercompressed or not
  std::uint64_t uncompressed_size_bytes = 0;  // 0 under BasisLZ
  std::uint32_t width_texels = 1;
  std::uint32_t height_texels = 1;
  std::uint32_t depth_texels = 1;
  // Where the file has it.
  std::uint64_t offset_bytes = 0;
  std::uint64_t size_bytes = 0;
};

// How many bytes of a file are all but its levels. Requires kHeaderBytes of them, of whatever file.
inline constexpr std::size_t kHeaderBytes = 80;
std::uint64_t head_size_bytes(ByteSpan header);

// A valid KTX 2 file, read in place, at any alignment.
// open() checks the header, the level index, the format descriptor against the format, the key/value data (sorted,
// terminated, padded), the supercompression data, alignment, order, padding and the size of every level. It does
// not inflate: whether a Zstd level inflates to uncompressed_size_bytes, and whether the streams of BasisLZ are sound,
// is for whoever inflates it.
// Errors: kTruncated, kInvalidData, kUnsupported, kLimit. Thread safety: const.
class View {
 public:
  static Result<View> open(ByteSpan file);
  // The same of a file whose first bytes are here and whose levels are not: theirs are empty, and padding between them
  // is not looked at. Requires head_size_bytes() of `head`.
  static Result<View> open_head(ByteSpan head, std::uint64_t file_size_bytes);

  // Nothing when the VkFormat or color model is none of ours; vk_format() and block() still hold.
  std::optional<TexelFormat> format() const { return format_; }
  std::uint32_t vk_format() const { return vk_format_; }
  ColorModel color_model() const { return color_model_; }
  // Of ETC1S: as BasisLZ is decoded, 8 bytes a block, 16 with a second slice.
  BlockShape block() const { return block_; }
  Transfer transfer() const { return transfer_; }
  bool is_srgb() const { return transfer_ == Transfer::kSrgb; }
  std::uint8_t primaries() const { return primaries_; }
  bool is_alpha_premultiplied() const { return premultiplied_; }
  // The channel id of the first sample; UastcChannels of a UASTC texture.
  std::uint8_t first_channel() const { return first_channel_; }
  // Of ETC1S: what its one or two slices hold.
  Etc1sChannels etc1s_channels() const { return etc1s_channels_; }
  // Null without BasisLZ.
  const BasisLz* basis_lz() const { return basis_lz_ ? &*basis_lz_ : nullptr; }

  std::uint32_t width_texels() const { return width_; }
  std::uint32_t height_texels() const { return height_; }  // 0: one-dimensional
  std::uint32_t depth_texels() const { return depth_; }    // 0: not three-dimensional
  std::uint32_t layer_count() const { return layers_; }    // 0: not an array
  std::uint32_t face_count() const { return faces_; }      // 1 or 6: +X -X +Y -Y +Z -Z
  bool is_cubemap() const { return faces_ == 6; }
  Supercompression supercompression() const { return supercompression_; }

  // Largest first.
  std::span<const Level> levels() const { return levels_; }
  // The bytes of one image of an inflated level: all depths of one face of one layer. Images follow one another by
  // layer, then face. Requires block().size_bytes != 0 and level < levels().size().
  std::uint64_t image_size_bytes(std::size_t level) const;
  std::uint64_t images_per_level() const { return std::uint64_t{faces_} * (layers_ == 0 ? 1 : layers_); }

  std::span<const KeyValue> key_values() const { return key_values_; }
  std::optional<ByteSpan> find(std::string_view key) const;
  // A value that is text, without its terminator; "" when it is absent.
  std::string_view text(std::string_view key) const;

 private:
  friend class Opener;
  View() = default;

  std::optional<TexelFormat> format_;
  std::uint32_t vk_format_ = 0;
  ColorModel color_model_ = ColorModel::kUnspecified;
  BlockShape block_;
  Transfer transfer_ = Transfer::kLinear;
  std::uint8_t primaries_ = 0;
  bool premultiplied_ = false;
  std::uint8_t first_channel_ = 0;
  Etc1sChannels etc1s_channels_ = Etc1sChannels::kRgb;
  std::optional<BasisLz> basis_lz_;
  std::uint32_t width_ = 0, height_ = 0, depth_ = 0, layers_ = 0, faces_ = 1;
  Supercompression supercompression_ = Supercompression::kNone;
  std::vector<Level> levels_;
  std::vector<KeyValue> key_values_;
};

// What write() lays out. The payloads are encoded, and compressed, by the caller.
struct Texture {
  struct LevelData {
    ByteSpan bytes;  // images by layer, then face; under Zstd one frame for the whole level
    std::uint64_t uncompressed_size_bytes = 0;
  };

  TexelFormat format = TexelFormat::kUastc;
  Transfer transfer = Transfer::kSrgb;
  // Unset: BT.709 for sRGB and unspecified for linear, which is what glTF's KHR_texture_basisu asks for.
  std::optional<Primaries> primaries;
  bool premultiplied_alpha = false;
  UastcChannels channels = UastcChannels::kRgba;  // of UASTC only

  std::uint32_t width_texels = 0;
  std::uint32_t height_texels = 0;
  std::uint32_t depth_texels = 0;  // 0 unless three-dimensional
  std::uint32_t layer_count = 0;   // 0 unless an array
  std::uint32_t face_count = 1;    // 6 for a cubemap

  Supercompression supercompression = Supercompression::kNone;  // or kZstd
  std::vector<LevelData> levels;                                // largest first

  std::string writer = "assetc";  // KTXwriter: constant, so that the same inputs give the same bytes
  std::string writer_params;      // KTXwriterScParams, e.g. "zstd 18"; empty: none
  // KTXorientation. Unset: "rd" for a two-dimensional texture, none for others; "": none.
  std::optional<std::string> orientation;
  std::string swizzle;  // KTXswizzle, four of "rgba01"; empty: none
  // Keys of the writer's own with their texts; not "KTX…" or "ktx…", which are Khronos'.
  std::vector<std::pair<std::string, std::string>> metadata;
};

// The bytes of a file that View::open accepts, or its error about the texture; Khronos' rules for order, alignment
// (none under supercompression), descriptor and key/value data are kept. Deterministic.
Result<ByteVector> write(const Texture& texture);

// The size of one inflated level, or nothing when it does not fit 64 bits. Requires a format of fixed block size.
std::optional<std::uint64_t> level_size_bytes(const Texture& texture, std::size_t level);

}  // namespace assetc::ktx2
