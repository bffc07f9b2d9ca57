// The structs of a KTX 2 file and the table of format numbers. Internal to ktx2, and to the command `ktx`, which checks
// and writes formats that View only passes through.
// Sources: KTX File Format Specification 2.0; Khronos Data Format Specification 1.3, chapter 5.
#pragma once

#include <algorithm>

#include "assetc/formats/ktx2.hpp"

namespace assetc::ktx2 {

struct Header {
  std::uint8_t identifier[12];
  std::uint32_t vk_format;
  std::uint32_t type_size_bytes;
  std::uint32_t width_texels;
  std::uint32_t height_texels;
  std::uint32_t depth_texels;
  std::uint32_t layer_count;
  std::uint32_t face_count;
  std::uint32_t level_count;
  std::uint32_t supercompression;
  std::uint32_t dfd_offset_bytes;
  std::uint32_t dfd_size_bytes;
  std::uint32_t kvd_offset_bytes;
  std::uint32_t kvd_size_bytes;
  std::uint64_t sgd_offset_bytes;
  std::uint64_t sgd_size_bytes;
};
static_assert(sizeof(Header) == 80);

struct LevelEntry {
  std::uint64_t offset_bytes;
  std::uint64_t size_bytes;
  std::uint64_t uncompressed_size_bytes;
};
static_assert(sizeof(LevelEntry) == 24);

// The basic descriptor block, without its samples.
struct BasicDescriptor {
  std::uint32_t vendor_and_type;  // both 0 for the basic block of Khronos
  std::uint16_t version;          // 2: Data Format 1.3
  std::uint16_t block_size_bytes;
  std::uint8_t color_model;
  std::uint8_t primaries;
  std::uint8_t transfer;
  std::uint8_t flags;                // bit 0: alpha premultiplied
  std::uint8_t block_dimensions[4];  // each minus 1
  std::uint8_t bytes_plane[8];
};
static_assert(sizeof(BasicDescriptor) == 24);
inline constexpr std::uint16_t kDescriptorVersion = 2;

struct Sample {
  std::uint16_t bit_offset;
  std::uint8_t bit_length;  // minus 1
  std::uint8_t channel;     // low four bits; the qualifiers are above them
  std::uint8_t position[4];
  std::uint32_t lower;
  std::uint32_t upper;
  bool operator==(const Sample&) const = default;
};
static_assert(sizeof(Sample) == 16);

// The start of BasisLZ's global data. It is followed by an ImageEntry for each image, then the four parts.
struct BasisLzHeader {
  std::uint16_t endpoint_count;
  std::uint16_t selector_count;
  std::uint32_t endpoints_size_bytes;
  std::uint32_t selectors_size_bytes;
  std::uint32_t tables_size_bytes;
  std::uint32_t extended_size_bytes;
};
static_assert(sizeof(BasisLzHeader) == 20);

struct BasisLzImageEntry {
  std::uint32_t flags;  // 2: a P frame
  std::uint32_t color_offset_bytes;
  std::uint32_t color_size_bytes;
  std::uint32_t alpha_offset_bytes;
  std::uint32_t alpha_size_bytes;
};
static_assert(sizeof(BasisLzImageEntry) == 20);

struct FormatInfo {
  TexelFormat format;
  std::uint32_t vk_linear;  // 0: none
  std::uint32_t vk_srgb;    // 0: none
  ColorModel model;
  std::uint8_t type_size_bytes;
};

const FormatInfo& info(TexelFormat format);
// Returns the row of a VkFormat and sets its transfer; or returns null.
const FormatInfo* find_vk_format(std::uint32_t vk, Transfer& transfer);
// Returns the samples in a descriptor of this format. channels is used for UASTC only.
std::vector<Sample> samples_of(const FormatInfo& row, Transfer transfer, UastcChannels channels);

// What header and descriptor say of a format.
struct Description {
  std::uint32_t vk_format = 0;
  std::uint8_t type_size_bytes = 1;
  std::uint8_t color_model = 0;
  BlockShape block;
  std::vector<Sample> samples;
};
// write() for any format: texture.format and texture.channels are not used.
Result<ByteVector> write_described(const Texture& texture, const Description& format);

// Returns the alignment of a level: that of its blocks and of 32-bit words, or none if it is compressed.
std::uint64_t level_alignment(Supercompression scheme, std::uint32_t block_bytes);
// Returns ceil(w / bw) * ceil(h / bh) * ceil(d / bd) * bytes * images at a level, or nothing if it overflows 64 bits.
std::optional<std::uint64_t> level_size(BlockShape block, std::uint32_t width, std::uint32_t height,
                                        std::uint32_t depth, std::uint64_t images, std::size_t level);

// Reads the global data of a file with a valid header and levels, as in View. place: its place in the file.
Result<BasisLz> read_basis_lz(const View& view, ByteSpan global_data, std::uint64_t place);
// Writes the global data.
ByteVector basis_lz_bytes(const BasisLz& from);
// Returns the samples of an ETC1S texture, one for each slice.
std::vector<Sample> etc1s_samples(Etc1sChannels channels);
// Returns the channels of one or two ETC1S samples, or nothing.
std::optional<Etc1sChannels> etc1s_channels_of(std::span<const Sample> samples);

inline std::uint32_t mip_extent(std::uint32_t extent, std::size_t level) {
  return std::max(std::uint32_t{1}, static_cast<std::uint32_t>(std::uint64_t{extent} >> level));
}

}  // namespace assetc::ktx2
