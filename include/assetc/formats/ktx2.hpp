// KTX 2.0 textures: the container without the codecs. Specification: docs/formats/ktx2.md.
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

// Values as stored in the file.
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

// The content of the first slice of an ETC1S texture, and of the second slice if there is one.
enum class Etc1sChannels : std::uint8_t { kRgb, kRgba, kRed, kRedGreen };

// Returns the VkFormat of a format with a transfer function: 0 for UASTC and ETC1S, nothing if there is no such
// VkFormat.
std::optional<std::uint32_t> vk_format(TexelFormat format, Transfer transfer);

struct KeyValue {
  std::string_view key;
  ByteSpan value;
};

// The supercompression global data of a BasisLZ texture, for BasisLzDecoder (codec/basis_lz.hpp).
struct BasisLz {
  // The ranges of a level that hold the slices of one image.
  struct Image {
    bool is_p_frame = false;  // blocks may repeat those of the same image in the previous layer
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
  std::vector<Image> images;  // by level, layer, face and depth slice
};

struct Level {
  ByteSpan bytes;                             // as stored, with or without supercompression
  std::uint64_t uncompressed_size_bytes = 0;  // 0 with BasisLZ
  std::uint32_t width_texels = 1;
  std::uint32_t height_texels = 1;
  std::uint32_t depth_texels = 1;
  // The range in the file.
  std::uint64_t offset_bytes = 0;
  std::uint64_t size_bytes = 0;
};

// head_size_bytes() returns the size of everything before the levels. Requires at least kHeaderBytes bytes of the file,
// which need not be valid.
inline constexpr std::size_t kHeaderBytes = 80;
std::uint64_t head_size_bytes(ByteSpan header);

// A valid KTX 2 file, read in place, at any alignment.
// open() checks the header, the level index, the format descriptor against the format, the key/value data (sorted,
// terminated, padded), the supercompression data, alignment, order, padding, and the size of every level. It does not
// decompress. The code that decompresses must check that a Zstd level has uncompressed_size_bytes and that BasisLZ
// streams are valid.
// Errors: kTruncated, kInvalidData, kUnsupported, kLimit.
// Thread safety: const.
class View {
 public:
  static Result<View> open(ByteSpan file);
  // Opens a file of which only the first bytes are in memory. Its levels have no bytes, and padding between levels is
  // not checked. Requires head_size_bytes() bytes of the file in `head`.
  static Result<View> open_head(ByteSpan head, std::uint64_t file_size_bytes);

  // Returns nothing if no TexelFormat stands for the VkFormat or color model. vk_format() and block() are valid in any
  // case.
  std::optional<TexelFormat> format() const { return format_; }
  std::uint32_t vk_format() const { return vk_format_; }
  ColorModel color_model() const { return color_model_; }
  // Returns the block shape. ETC1S: the size after BasisLZ decoding, 8 bytes for each block, or 16 with a second slice.
  BlockShape block() const { return block_; }
  Transfer transfer() const { return transfer_; }
  bool is_srgb() const { return transfer_ == Transfer::kSrgb; }
  std::uint8_t primaries() const { return primaries_; }
  bool is_alpha_premultiplied() const { return premultiplied_; }
  // Returns the channel id of the first sample. For a UASTC texture this is a UastcChannels value.
  std::uint8_t first_channel() const { return first_channel_; }
  // Returns the content of the one or two slices of an ETC1S texture.
  Etc1sChannels etc1s_channels() const { return etc1s_channels_; }
  // Returns null if the texture does not use BasisLZ.
  const BasisLz* basis_lz() const { return basis_lz_ ? &*basis_lz_ : nullptr; }

  std::uint32_t width_texels() const { return width_; }
  std::uint32_t height_texels() const { return height_; }  // 0: one-dimensional
  std::uint32_t depth_texels() const { return depth_; }    // 0: not three-dimensional
  std::uint32_t layer_count() const { return layers_; }    // 0: not an array
  std::uint32_t face_count() const { return faces_; }      // 1 or 6: +X -X +Y -Y +Z -Z
  bool is_cubemap() const { return faces_ == 6; }
  Supercompression supercompression() const { return supercompression_; }

  // Largest level first.
  std::span<const Level> levels() const { return levels_; }
  // Returns the size of one image in a decompressed level: all depth slices of one face of one layer. Images are
  // ordered by layer, then face.
  // Requires block().size_bytes != 0 and level < levels().size().
  std::uint64_t image_size_bytes(std::size_t level) const;
  std::uint64_t images_per_level() const { return std::uint64_t{faces_} * (layers_ == 0 ? 1 : layers_); }

  std::span<const KeyValue> key_values() const { return key_values_; }
  std::optional<ByteSpan> find(std::string_view key) const;
  // Returns a text value without its terminator, or "" if the key is absent.
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

// The input of write(). The caller encodes and compresses the payloads.
struct Texture {
  struct LevelData {
    ByteSpan bytes;                             // images by layer, then face; with Zstd one frame for the whole level
    std::uint64_t uncompressed_size_bytes = 0;  // not used with BasisLZ
  };

  TexelFormat format = TexelFormat::kUastc;
  Transfer transfer = Transfer::kSrgb;
  // Unset: BT.709 for sRGB and unspecified for linear, as glTF's KHR_texture_basisu requires.
  std::optional<Primaries> primaries;
  bool premultiplied_alpha = false;
  UastcChannels channels = UastcChannels::kRgba;       // for UASTC only
  Etc1sChannels etc1s_channels = Etc1sChannels::kRgb;  // for ETC1S only

  std::uint32_t width_texels = 0;
  std::uint32_t height_texels = 0;
  std::uint32_t depth_texels = 0;  // 0 unless three-dimensional
  std::uint32_t layer_count = 0;   // 0 unless an array
  std::uint32_t face_count = 1;    // 6 for a cubemap

  Supercompression supercompression = Supercompression::kNone;  // kNone or kZstd; kBasisLz for ETC1S
  std::optional<BasisLz> basis_lz;                              // for ETC1S; its images are those of `levels`
  std::vector<LevelData> levels;                                // largest first

  std::string writer = "assetc";  // KTXwriter: constant, so that the same inputs give the same bytes
  std::string writer_params;      // KTXwriterScParams, e.g. "zstd 18"; empty: none
  // KTXorientation. Unset: "rd" for a two-dimensional texture, none for others; "": none.
  std::optional<std::string> orientation;
  std::string swizzle;  // KTXswizzle, four of "rgba01"; empty: none
  // Additional keys with their texts. Keys that begin with "KTX" or "ktx" are reserved for Khronos.
  std::vector<std::pair<std::string, std::string>> metadata;
};

// Returns the bytes of a file that View::open accepts, or the error that it would give for the texture. The file
// follows the rules of Khronos for order, alignment (none with supercompression), descriptor and key/value data.
// Deterministic.
Result<ByteVector> write(const Texture& texture);

// Returns the size of one decompressed level, or nothing if it does not fit 64 bits. Requires a format with a fixed
// block size.
std::optional<std::uint64_t> level_size_bytes(const Texture& texture, std::size_t level);

}  // namespace assetc::ktx2
