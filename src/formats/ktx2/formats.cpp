#include <bit>
#include <numeric>

#include "formats/ktx2/layout.hpp"

namespace assetc::ktx2 {
namespace {

using M = ColorModel;
using F = TexelFormat;

// VkFormat numbers are from Vulkan 1.3, section 49.1.
constexpr FormatInfo kFormats[] = {
    {F::kUastc, 0, 0, M::kUastc, 1},        {F::kEtc1s, 0, 0, M::kEtc1s, 1},
    {F::kR8, 9, 15, M::kRgbsda, 1},         {F::kRg8, 16, 22, M::kRgbsda, 1},
    {F::kRgb8, 23, 29, M::kRgbsda, 1},      {F::kRgba8, 37, 43, M::kRgbsda, 1},
    {F::kR16, 70, 0, M::kRgbsda, 2},        {F::kRg16, 77, 0, M::kRgbsda, 2},
    {F::kRgba16, 91, 0, M::kRgbsda, 2},     {F::kR16f, 76, 0, M::kRgbsda, 2},
    {F::kRg16f, 83, 0, M::kRgbsda, 2},      {F::kRgba16f, 97, 0, M::kRgbsda, 2},
    {F::kR32f, 100, 0, M::kRgbsda, 4},      {F::kRg32f, 103, 0, M::kRgbsda, 4},
    {F::kRgba32f, 109, 0, M::kRgbsda, 4},   {F::kBc1Rgb, 131, 132, M::kBc1a, 1},
    {F::kBc1Rgba, 133, 134, M::kBc1a, 1},   {F::kBc2, 135, 136, M::kBc2, 1},
    {F::kBc3, 137, 138, M::kBc3, 1},        {F::kBc4, 139, 0, M::kBc4, 1},
    {F::kBc4Signed, 140, 0, M::kBc4, 1},    {F::kBc5, 141, 0, M::kBc5, 1},
    {F::kBc5Signed, 142, 0, M::kBc5, 1},    {F::kBc6h, 143, 0, M::kBc6h, 1},
    {F::kBc6hSigned, 144, 0, M::kBc6h, 1},  {F::kBc7, 145, 146, M::kBc7, 1},
    {F::kEtc2Rgb, 147, 148, M::kEtc2, 1},   {F::kEtc2Rgba, 151, 152, M::kEtc2, 1},
    {F::kEacR11, 153, 0, M::kEtc2, 1},      {F::kEacR11Signed, 154, 0, M::kEtc2, 1},
    {F::kEacRg11, 155, 0, M::kEtc2, 1},     {F::kEacRg11Signed, 156, 0, M::kEtc2, 1},
    {F::kAstc4x4, 157, 158, M::kAstc, 1},   {F::kAstc5x4, 159, 160, M::kAstc, 1},
    {F::kAstc5x5, 161, 162, M::kAstc, 1},   {F::kAstc6x5, 163, 164, M::kAstc, 1},
    {F::kAstc6x6, 165, 166, M::kAstc, 1},   {F::kAstc8x5, 167, 168, M::kAstc, 1},
    {F::kAstc8x6, 169, 170, M::kAstc, 1},   {F::kAstc8x8, 171, 172, M::kAstc, 1},
    {F::kAstc10x5, 173, 174, M::kAstc, 1},  {F::kAstc10x6, 175, 176, M::kAstc, 1},
    {F::kAstc10x8, 177, 178, M::kAstc, 1},  {F::kAstc10x10, 179, 180, M::kAstc, 1},
    {F::kAstc12x10, 181, 182, M::kAstc, 1}, {F::kAstc12x12, 183, 184, M::kAstc, 1},
};
static_assert(std::size(kFormats) == kTexelFormatCount);
static_assert([] {
  for (std::size_t i = 0; i < kTexelFormatCount; ++i) {
    if (static_cast<std::size_t>(kFormats[i].format) != i) return false;
  }
  return true;
}());

constexpr std::uint8_t kAlpha = 15;
constexpr std::uint8_t kLinear = 0x10;  // this channel is linear although the transfer is sRGB
constexpr std::uint8_t kSigned = 0x40;
constexpr std::uint8_t kFloat = 0x80;
constexpr std::uint32_t kMax32 = 0xffffffffu;

enum class Numeric { kUnorm, kSnorm, kUfloat, kSfloat };

Numeric numeric_of(TexelFormat format) {
  switch (format) {
    case F::kR16f:
    case F::kRg16f:
    case F::kRgba16f:
    case F::kR32f:
    case F::kRg32f:
    case F::kRgba32f:
    case F::kBc6hSigned:
      return Numeric::kSfloat;
    case F::kBc6h:
      return Numeric::kUfloat;
    case F::kBc4Signed:
    case F::kBc5Signed:
    case F::kEacR11Signed:
    case F::kEacRg11Signed:
      return Numeric::kSnorm;
    default:
      return Numeric::kUnorm;
  }
}

Sample sample(std::uint32_t bit_offset, std::uint32_t bits, std::uint8_t channel, Numeric numeric, Transfer transfer) {
  Sample s{static_cast<std::uint16_t>(bit_offset), static_cast<std::uint8_t>(bits - 1), channel, {}, 0, 0};
  switch (numeric) {
    case Numeric::kUnorm:
      s.upper = bits >= 32 ? kMax32 : (1u << bits) - 1;
      break;
    case Numeric::kSnorm:
      s.channel |= kSigned;
      s.upper = bits >= 32 ? kMax32 >> 1 : (1u << (bits - 1)) - 1;
      s.lower = bits > 32 ? ~s.upper : ~s.upper + 1;  // blocks: the whole word; channels: symmetric range
      break;
    case Numeric::kUfloat:
      s.channel |= kFloat;
      s.upper = std::bit_cast<std::uint32_t>(1.0f);
      break;
    case Numeric::kSfloat:
      s.channel |= kFloat | kSigned;
      s.lower = std::bit_cast<std::uint32_t>(-1.0f);
      s.upper = std::bit_cast<std::uint32_t>(1.0f);
      break;
  }
  if (channel == kAlpha && transfer == Transfer::kSrgb) s.channel |= kLinear;
  return s;
}

std::uint64_t blocks(std::uint32_t extent, std::uint32_t block) { return (std::uint64_t{extent} + block - 1) / block; }

}  // namespace

const FormatInfo& info(TexelFormat format) { return kFormats[static_cast<std::size_t>(format)]; }

const FormatInfo* find_vk_format(std::uint32_t vk, Transfer& transfer) {
  if (vk == 0) return nullptr;
  for (const FormatInfo& row : kFormats) {
    if (row.vk_linear == vk || row.vk_srgb == vk) {
      transfer = row.vk_srgb == vk ? Transfer::kSrgb : Transfer::kLinear;
      return &row;
    }
  }
  return nullptr;
}

std::vector<Sample> samples_of(const FormatInfo& row, Transfer transfer, UastcChannels channels) {
  const Numeric numeric = numeric_of(row.format);
  const auto one = [&](std::uint32_t offset, std::uint32_t bits, std::uint8_t channel) {
    return sample(offset, bits, channel, numeric, transfer);
  };
  switch (row.format) {
    case F::kUastc:
      return {sample(0, 128, static_cast<std::uint8_t>(channels), Numeric::kUnorm, Transfer::kLinear)};
    case F::kBc1Rgb:
      return {one(0, 64, 0)};
    case F::kBc1Rgba:
      return {one(0, 64, 1)};
    case F::kBc2:
    case F::kBc3:
      return {one(0, 64, kAlpha), one(64, 64, 0)};
    case F::kBc4:
    case F::kBc4Signed:
    case F::kEacR11:
    case F::kEacR11Signed:
      return {one(0, 64, 0)};
    case F::kBc5:
    case F::kBc5Signed:
    case F::kEacRg11:
    case F::kEacRg11Signed:
      return {one(0, 64, 0), one(64, 64, 1)};
    case F::kEtc2Rgb:
      return {one(0, 64, 2)};
    case F::kEtc2Rgba:
      return {one(0, 64, kAlpha), one(64, 64, 2)};
    default:
      break;
  }
  if (row.model != M::kRgbsda) return {one(0, 128, 0)};  // BC6H, BC7, ASTC
  const std::uint32_t bits = 8u * row.type_size_bytes;
  std::vector<Sample> samples;
  for (std::uint8_t c = 0; c * bits < 8u * block_shape(row.format).size_bytes; ++c)
    samples.push_back(one(c * bits, bits, c == 3 ? kAlpha : c));
  return samples;
}

std::uint64_t level_alignment(Supercompression scheme, std::uint32_t block_bytes) {
  return scheme != Supercompression::kNone || block_bytes == 0 ? 1 : std::lcm<std::uint64_t>(block_bytes, 4);
}

std::optional<std::uint64_t> level_size(BlockShape block, std::uint32_t width, std::uint32_t height,
                                        std::uint32_t depth, std::uint64_t images, std::size_t level) {
  std::optional<std::uint64_t> size = images;
  for (const std::uint64_t factor :
       {blocks(mip_extent(width, level), block.width_texels), blocks(mip_extent(height, level), block.height_texels),
        blocks(mip_extent(depth, level), block.depth_texels), std::uint64_t{block.size_bytes}}) {
    size = checked_mul(*size, factor);
    if (!size) return std::nullopt;
  }
  return size;
}

std::string_view to_string(Supercompression scheme) {
  switch (scheme) {
    case Supercompression::kNone:
      return "none";
    case Supercompression::kBasisLz:
      return "basislz";
    case Supercompression::kZstd:
      return "zstd";
    case Supercompression::kZlib:
      return "zlib";
  }
  return "unknown";
}

std::optional<std::uint32_t> vk_format(TexelFormat format, Transfer transfer) {
  const FormatInfo& row = info(format);
  const std::uint32_t vk = transfer == Transfer::kSrgb ? row.vk_srgb : row.vk_linear;
  if (vk == 0 && row.model != M::kUastc && row.model != M::kEtc1s) return std::nullopt;
  return vk;
}

}  // namespace assetc::ktx2
