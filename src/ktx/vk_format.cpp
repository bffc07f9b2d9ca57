// The names of all VkFormats, and what they say: channels, bits, numbers, blocks and packing. Source of the numbers:
// Vulkan 1.3, VkFormat. Source of the descriptors: Khronos Data Format Specification 1.3, chapter 5.
#include "ktx/vk_format.hpp"

#include <algorithm>
#include <bit>
#include <charconv>

#include "base/ascii.hpp"
#include "formats/ktx2/layout.hpp"

namespace assetc::ktx {
namespace {

constexpr std::string_view kCoreFormats[] = {"R4G4_UNORM_PACK8",
                                             "R4G4B4A4_UNORM_PACK16",
                                             "B4G4R4A4_UNORM_PACK16",
                                             "R5G6B5_UNORM_PACK16",
                                             "B5G6R5_UNORM_PACK16",
                                             "R5G5B5A1_UNORM_PACK16",
                                             "B5G5R5A1_UNORM_PACK16",
                                             "A1R5G5B5_UNORM_PACK16",
                                             "R8_UNORM",
                                             "R8_SNORM",
                                             "R8_USCALED",
                                             "R8_SSCALED",
                                             "R8_UINT",
                                             "R8_SINT",
                                             "R8_SRGB",
                                             "R8G8_UNORM",
                                             "R8G8_SNORM",
                                             "R8G8_USCALED",
                                             "R8G8_SSCALED",
                                             "R8G8_UINT",
                                             "R8G8_SINT",
                                             "R8G8_SRGB",
                                             "R8G8B8_UNORM",
                                             "R8G8B8_SNORM",
                                             "R8G8B8_USCALED",
                                             "R8G8B8_SSCALED",
                                             "R8G8B8_UINT",
                                             "R8G8B8_SINT",
                                             "R8G8B8_SRGB",
                                             "B8G8R8_UNORM",
                                             "B8G8R8_SNORM",
                                             "B8G8R8_USCALED",
                                             "B8G8R8_SSCALED",
                                             "B8G8R8_UINT",
                                             "B8G8R8_SINT",
                                             "B8G8R8_SRGB",
                                             "R8G8B8A8_UNORM",
                                             "R8G8B8A8_SNORM",
                                             "R8G8B8A8_USCALED",
                                             "R8G8B8A8_SSCALED",
                                             "R8G8B8A8_UINT",
                                             "R8G8B8A8_SINT",
                                             "R8G8B8A8_SRGB",
                                             "B8G8R8A8_UNORM",
                                             "B8G8R8A8_SNORM",
                                             "B8G8R8A8_USCALED",
                                             "B8G8R8A8_SSCALED",
                                             "B8G8R8A8_UINT",
                                             "B8G8R8A8_SINT",
                                             "B8G8R8A8_SRGB",
                                             "A8B8G8R8_UNORM_PACK32",
                                             "A8B8G8R8_SNORM_PACK32",
                                             "A8B8G8R8_USCALED_PACK32",
                                             "A8B8G8R8_SSCALED_PACK32",
                                             "A8B8G8R8_UINT_PACK32",
                                             "A8B8G8R8_SINT_PACK32",
                                             "A8B8G8R8_SRGB_PACK32",
                                             "A2R10G10B10_UNORM_PACK32",
                                             "A2R10G10B10_SNORM_PACK32",
                                             "A2R10G10B10_USCALED_PACK32",
                                             "A2R10G10B10_SSCALED_PACK32",
                                             "A2R10G10B10_UINT_PACK32",
                                             "A2R10G10B10_SINT_PACK32",
                                             "A2B10G10R10_UNORM_PACK32",
                                             "A2B10G10R10_SNORM_PACK32",
                                             "A2B10G10R10_USCALED_PACK32",
                                             "A2B10G10R10_SSCALED_PACK32",
                                             "A2B10G10R10_UINT_PACK32",
                                             "A2B10G10R10_SINT_PACK32",
                                             "R16_UNORM",
                                             "R16_SNORM",
                                             "R16_USCALED",
                                             "R16_SSCALED",
                                             "R16_UINT",
                                             "R16_SINT",
                                             "R16_SFLOAT",
                                             "R16G16_UNORM",
                                             "R16G16_SNORM",
                                             "R16G16_USCALED",
                                             "R16G16_SSCALED",
                                             "R16G16_UINT",
                                             "R16G16_SINT",
                                             "R16G16_SFLOAT",
                                             "R16G16B16_UNORM",
                                             "R16G16B16_SNORM",
                                             "R16G16B16_USCALED",
                                             "R16G16B16_SSCALED",
                                             "R16G16B16_UINT",
                                             "R16G16B16_SINT",
                                             "R16G16B16_SFLOAT",
                                             "R16G16B16A16_UNORM",
                                             "R16G16B16A16_SNORM",
                                             "R16G16B16A16_USCALED",
                                             "R16G16B16A16_SSCALED",
                                             "R16G16B16A16_UINT",
                                             "R16G16B16A16_SINT",
                                             "R16G16B16A16_SFLOAT",
                                             "R32_UINT",
                                             "R32_SINT",
                                             "R32_SFLOAT",
                                             "R32G32_UINT",
                                             "R32G32_SINT",
                                             "R32G32_SFLOAT",
                                             "R32G32B32_UINT",
                                             "R32G32B32_SINT",
                                             "R32G32B32_SFLOAT",
                                             "R32G32B32A32_UINT",
                                             "R32G32B32A32_SINT",
                                             "R32G32B32A32_SFLOAT",
                                             "R64_UINT",
                                             "R64_SINT",
                                             "R64_SFLOAT",
                                             "R64G64_UINT",
                                             "R64G64_SINT",
                                             "R64G64_SFLOAT",
                                             "R64G64B64_UINT",
                                             "R64G64B64_SINT",
                                             "R64G64B64_SFLOAT",
                                             "R64G64B64A64_UINT",
                                             "R64G64B64A64_SINT",
                                             "R64G64B64A64_SFLOAT",
                                             "B10G11R11_UFLOAT_PACK32",
                                             "E5B9G9R9_UFLOAT_PACK32",
                                             "D16_UNORM",
                                             "X8_D24_UNORM_PACK32",
                                             "D32_SFLOAT",
                                             "S8_UINT",
                                             "D16_UNORM_S8_UINT",
                                             "D24_UNORM_S8_UINT",
                                             "D32_SFLOAT_S8_UINT",
                                             "BC1_RGB_UNORM_BLOCK",
                                             "BC1_RGB_SRGB_BLOCK",
                                             "BC1_RGBA_UNORM_BLOCK",
                                             "BC1_RGBA_SRGB_BLOCK",
                                             "BC2_UNORM_BLOCK",
                                             "BC2_SRGB_BLOCK",
                                             "BC3_UNORM_BLOCK",
                                             "BC3_SRGB_BLOCK",
                                             "BC4_UNORM_BLOCK",
                                             "BC4_SNORM_BLOCK",
                                             "BC5_UNORM_BLOCK",
                                             "BC5_SNORM_BLOCK",
                                             "BC6H_UFLOAT_BLOCK",
                                             "BC6H_SFLOAT_BLOCK",
                                             "BC7_UNORM_BLOCK",
                                             "BC7_SRGB_BLOCK",
                                             "ETC2_R8G8B8_UNORM_BLOCK",
                                             "ETC2_R8G8B8_SRGB_BLOCK",
                                             "ETC2_R8G8B8A1_UNORM_BLOCK",
                                             "ETC2_R8G8B8A1_SRGB_BLOCK",
                                             "ETC2_R8G8B8A8_UNORM_BLOCK",
                                             "ETC2_R8G8B8A8_SRGB_BLOCK",
                                             "EAC_R11_UNORM_BLOCK",
                                             "EAC_R11_SNORM_BLOCK",
                                             "EAC_R11G11_UNORM_BLOCK",
                                             "EAC_R11G11_SNORM_BLOCK",
                                             "ASTC_4x4_UNORM_BLOCK",
                                             "ASTC_4x4_SRGB_BLOCK",
                                             "ASTC_5x4_UNORM_BLOCK",
                                             "ASTC_5x4_SRGB_BLOCK",
                                             "ASTC_5x5_UNORM_BLOCK",
                                             "ASTC_5x5_SRGB_BLOCK",
                                             "ASTC_6x5_UNORM_BLOCK",
                                             "ASTC_6x5_SRGB_BLOCK",
                                             "ASTC_6x6_UNORM_BLOCK",
                                             "ASTC_6x6_SRGB_BLOCK",
                                             "ASTC_8x5_UNORM_BLOCK",
                                             "ASTC_8x5_SRGB_BLOCK",
                                             "ASTC_8x6_UNORM_BLOCK",
                                             "ASTC_8x6_SRGB_BLOCK",
                                             "ASTC_8x8_UNORM_BLOCK",
                                             "ASTC_8x8_SRGB_BLOCK",
                                             "ASTC_10x5_UNORM_BLOCK",
                                             "ASTC_10x5_SRGB_BLOCK",
                                             "ASTC_10x6_UNORM_BLOCK",
                                             "ASTC_10x6_SRGB_BLOCK",
                                             "ASTC_10x8_UNORM_BLOCK",
                                             "ASTC_10x8_SRGB_BLOCK",
                                             "ASTC_10x10_UNORM_BLOCK",
                                             "ASTC_10x10_SRGB_BLOCK",
                                             "ASTC_12x10_UNORM_BLOCK",
                                             "ASTC_12x10_SRGB_BLOCK",
                                             "ASTC_12x12_UNORM_BLOCK",
                                             "ASTC_12x12_SRGB_BLOCK"};
constexpr std::string_view kPvrtc[] = {"PVRTC1_2BPP_UNORM_BLOCK_IMG", "PVRTC1_4BPP_UNORM_BLOCK_IMG",
                                       "PVRTC2_2BPP_UNORM_BLOCK_IMG", "PVRTC2_4BPP_UNORM_BLOCK_IMG",
                                       "PVRTC1_2BPP_SRGB_BLOCK_IMG",  "PVRTC1_4BPP_SRGB_BLOCK_IMG",
                                       "PVRTC2_2BPP_SRGB_BLOCK_IMG",  "PVRTC2_4BPP_SRGB_BLOCK_IMG"};
constexpr std::string_view kAstcFloat[] = {
    "ASTC_4x4_SFLOAT_BLOCK",   "ASTC_5x4_SFLOAT_BLOCK",  "ASTC_5x5_SFLOAT_BLOCK",  "ASTC_6x5_SFLOAT_BLOCK",
    "ASTC_6x6_SFLOAT_BLOCK",   "ASTC_8x5_SFLOAT_BLOCK",  "ASTC_8x6_SFLOAT_BLOCK",  "ASTC_8x8_SFLOAT_BLOCK",
    "ASTC_10x5_SFLOAT_BLOCK",  "ASTC_10x6_SFLOAT_BLOCK", "ASTC_10x8_SFLOAT_BLOCK", "ASTC_10x10_SFLOAT_BLOCK",
    "ASTC_12x10_SFLOAT_BLOCK", "ASTC_12x12_SFLOAT_BLOCK"};
constexpr std::string_view kYcbcr[] = {"G8B8G8R8_422_UNORM",
                                       "B8G8R8G8_422_UNORM",
                                       "G8_B8_R8_3PLANE_420_UNORM",
                                       "G8_B8R8_2PLANE_420_UNORM",
                                       "G8_B8_R8_3PLANE_422_UNORM",
                                       "G8_B8R8_2PLANE_422_UNORM",
                                       "G8_B8_R8_3PLANE_444_UNORM",
                                       "R10X6_UNORM_PACK16",
                                       "R10X6G10X6_UNORM_2PACK16",
                                       "R10X6G10X6B10X6A10X6_UNORM_4PACK16",
                                       "G10X6B10X6G10X6R10X6_422_UNORM_4PACK16",
                                       "B10X6G10X6R10X6G10X6_422_UNORM_4PACK16",
                                       "G10X6_B10X6_R10X6_3PLANE_420_UNORM_3PACK16",
                                       "G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16",
                                       "G10X6_B10X6_R10X6_3PLANE_422_UNORM_3PACK16",
                                       "G10X6_B10X6R10X6_2PLANE_422_UNORM_3PACK16",
                                       "G10X6_B10X6_R10X6_3PLANE_444_UNORM_3PACK16",
                                       "R12X4_UNORM_PACK16",
                                       "R12X4G12X4_UNORM_2PACK16",
                                       "R12X4G12X4B12X4A12X4_UNORM_4PACK16",
                                       "G12X4B12X4G12X4R12X4_422_UNORM_4PACK16",
                                       "B12X4G12X4R12X4G12X4_422_UNORM_4PACK16",
                                       "G12X4_B12X4_R12X4_3PLANE_420_UNORM_3PACK16",
                                       "G12X4_B12X4R12X4_2PLANE_420_UNORM_3PACK16",
                                       "G12X4_B12X4_R12X4_3PLANE_422_UNORM_3PACK16",
                                       "G12X4_B12X4R12X4_2PLANE_422_UNORM_3PACK16",
                                       "G12X4_B12X4_R12X4_3PLANE_444_UNORM_3PACK16",
                                       "G16B16G16R16_422_UNORM",
                                       "B16G16R16G16_422_UNORM",
                                       "G16_B16_R16_3PLANE_420_UNORM",
                                       "G16_B16R16_2PLANE_420_UNORM",
                                       "G16_B16_R16_3PLANE_422_UNORM",
                                       "G16_B16R16_2PLANE_422_UNORM",
                                       "G16_B16_R16_3PLANE_444_UNORM"};
constexpr std::string_view kAstc3d[] = {
    "ASTC_3x3x3_UNORM_BLOCK_EXT", "ASTC_3x3x3_SRGB_BLOCK_EXT", "ASTC_3x3x3_SFLOAT_BLOCK_EXT",
    "ASTC_4x3x3_UNORM_BLOCK_EXT", "ASTC_4x3x3_SRGB_BLOCK_EXT", "ASTC_4x3x3_SFLOAT_BLOCK_EXT",
    "ASTC_4x4x3_UNORM_BLOCK_EXT", "ASTC_4x4x3_SRGB_BLOCK_EXT", "ASTC_4x4x3_SFLOAT_BLOCK_EXT",
    "ASTC_4x4x4_UNORM_BLOCK_EXT", "ASTC_4x4x4_SRGB_BLOCK_EXT", "ASTC_4x4x4_SFLOAT_BLOCK_EXT",
    "ASTC_5x4x4_UNORM_BLOCK_EXT", "ASTC_5x4x4_SRGB_BLOCK_EXT", "ASTC_5x4x4_SFLOAT_BLOCK_EXT",
    "ASTC_5x5x4_UNORM_BLOCK_EXT", "ASTC_5x5x4_SRGB_BLOCK_EXT", "ASTC_5x5x4_SFLOAT_BLOCK_EXT",
    "ASTC_5x5x5_UNORM_BLOCK_EXT", "ASTC_5x5x5_SRGB_BLOCK_EXT", "ASTC_5x5x5_SFLOAT_BLOCK_EXT",
    "ASTC_6x5x5_UNORM_BLOCK_EXT", "ASTC_6x5x5_SRGB_BLOCK_EXT", "ASTC_6x5x5_SFLOAT_BLOCK_EXT",
    "ASTC_6x6x5_UNORM_BLOCK_EXT", "ASTC_6x6x5_SRGB_BLOCK_EXT", "ASTC_6x6x5_SFLOAT_BLOCK_EXT",
    "ASTC_6x6x6_UNORM_BLOCK_EXT", "ASTC_6x6x6_SRGB_BLOCK_EXT", "ASTC_6x6x6_SFLOAT_BLOCK_EXT"};
constexpr std::string_view kYcbcr444[] = {"G8_B8R8_2PLANE_444_UNORM", "G10X6_B10X6R10X6_2PLANE_444_UNORM_3PACK16",
                                          "G12X4_B12X4R12X4_2PLANE_444_UNORM_3PACK16", "G16_B16R16_2PLANE_444_UNORM"};
constexpr std::string_view k4444[] = {"A4R4G4B4_UNORM_PACK16", "A4B4G4R4_UNORM_PACK16"};
constexpr std::string_view kFixed[] = {"R16G16_SFIXED5_NV"};
constexpr std::string_view kMaintenance5[] = {"A1B5G5R5_UNORM_PACK16_KHR", "A8_UNORM_KHR"};

// Formats whose numbers follow one another.
struct NumberRun {
  std::uint32_t first;
  std::span<const std::string_view> names;
};
constexpr NumberRun kRuns[] = {
    {1, kCoreFormats},    {1000054000, kPvrtc},  {1000066000, kAstcFloat},
    {1000156000, kYcbcr}, {1000288000, kAstc3d}, {1000330000, kYcbcr444},
    {1000340000, k4444},  {1000464000, kFixed},  {1000470000, kMaintenance5},
};

struct KindName {
  std::string_view name;
  Numeric numeric;
};
constexpr KindName kKinds[] = {{"UNORM", Numeric::kUnorm},     {"SNORM", Numeric::kSnorm},
                               {"USCALED", Numeric::kUscaled}, {"SSCALED", Numeric::kSscaled},
                               {"UINT", Numeric::kUint},       {"SINT", Numeric::kSint},
                               {"UFLOAT", Numeric::kUfloat},   {"SFLOAT", Numeric::kSfloat},
                               {"SRGB", Numeric::kSrgb},       {"SFIXED5", Numeric::kSfixed5}};

// Formats of blocks that no TexelFormat stands for, by the start of their names.
struct BlockFamily {
  std::string_view start;
  std::uint8_t model;
  BlockShape block;  // width 0: the name says the sides
  std::uint8_t bits;
  std::uint8_t channels[2];
  std::size_t channel_count;
};
constexpr BlockFamily kBlockFamilies[] = {
    {"ASTC_", 162, {0, 0, 0, 16}, 128, {0, 0}, 1},      {"ETC2_R8G8B8A1_", 161, {4, 4, 1, 8}, 64, {2, 15}, 2},
    {"PVRTC1_2BPP_", 164, {8, 4, 1, 8}, 64, {0, 0}, 1}, {"PVRTC1_4BPP_", 164, {4, 4, 1, 8}, 64, {0, 0}, 1},
    {"PVRTC2_2BPP_", 165, {8, 4, 1, 8}, 64, {0, 0}, 1}, {"PVRTC2_4BPP_", 165, {4, 4, 1, 8}, 64, {0, 0}, 1},
};

constexpr std::uint8_t kRgbsda = 1, kYuvsda = 2, kStencilId = 13, kDepthId = 14, kAlphaId = 15;
constexpr std::uint8_t kLinearSample = 0x10, kExponentSample = 0x20, kSignedSample = 0x40, kFloatSample = 0x80;

// name: in lower case.
std::string without_vendor(std::string name) {
  for (const std::string_view vendor : {"_ext", "_khr", "_img", "_nv"})
    if (name.ends_with(vendor)) name.resize(name.size() - vendor.size());
  return name;
}

std::vector<std::string_view> words_of(std::string_view name) {
  std::vector<std::string_view> words;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find('_'), name.size());
    words.push_back(name.substr(0, end));
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return words;
}

std::uint32_t number_at(std::string_view text, std::size_t& at) {
  std::uint32_t number = 0;
  const auto [end, fault] = std::from_chars(text.data() + at, text.data() + text.size(), number);
  at = static_cast<std::size_t>(end - text.data());
  return number;
}

ktx2::Sample sample_of(std::uint32_t offset, std::uint32_t bits, std::uint8_t channel, Numeric numeric) {
  const std::uint32_t all = bits >= 32 ? ~0u : (1u << bits) - 1;
  ktx2::Sample s{static_cast<std::uint16_t>(offset), static_cast<std::uint8_t>(bits - 1), channel, {}, 0, all};
  switch (numeric) {
    case Numeric::kUnorm:
      break;
    case Numeric::kSrgb:
      if (channel == kAlphaId) s.channel |= kLinearSample;
      break;
    case Numeric::kSnorm:
      s.channel |= kSignedSample;
      s.upper = all >> 1;
      s.lower = ~s.upper + 1;
      break;
    case Numeric::kUscaled:
    case Numeric::kUint:
      s.upper = 1;
      break;
    case Numeric::kSscaled:
    case Numeric::kSint:
      s.channel |= kSignedSample;
      s.upper = 1;
      s.lower = ~0u;
      break;
    case Numeric::kUfloat:
      s.channel |= kFloatSample;
      s.upper = std::bit_cast<std::uint32_t>(1.0f);
      break;
    case Numeric::kSfloat:
      s.channel |= kFloatSample | kSignedSample;
      s.upper = std::bit_cast<std::uint32_t>(1.0f);
      s.lower = std::bit_cast<std::uint32_t>(-1.0f);
      break;
    case Numeric::kSfixed5:
      s.channel |= kSignedSample;
      s.upper = 32;
      s.lower = ~s.upper + 1;
      break;
  }
  return s;
}

bool is_vendor(std::string_view word) { return word == "KHR" || word == "NV"; }

// Channels of plain texels, in the order of the name: "A2", "R10", "X6".
struct Component {
  char letter;
  std::uint32_t bits;
  Numeric numeric;
};

std::uint8_t channel_of(char letter, bool is_422) {
  switch (letter) {
    case 'R':
      return is_422 ? 2 : 0;
    case 'G':
      return is_422 ? 0 : 1;
    case 'B':
      return is_422 ? 1 : 2;
    case 'S':
      return kStencilId;
    case 'D':
      return kDepthId;
    default:
      return kAlphaId;
  }
}

// Two texels in a row share the red and blue differences, which lie between the first and the second green.
void place_422(std::vector<ktx2::Sample>& samples) {
  constexpr std::uint8_t kLeft = 64, kRight = 192, kMiddle = 128;
  bool is_second = false;
  for (ktx2::Sample& s : samples) {
    s.position[0] = s.channel == 0 && is_second ? kRight : kLeft;
    s.position[1] = kMiddle;
    is_second = is_second || s.channel == 0;
  }
}

// The mantissas share one exponent, so that each channel has two samples.
std::vector<ktx2::Sample> shared_exponent() {
  std::vector<ktx2::Sample> samples;
  for (std::uint8_t c = 0; c < 3; ++c) {
    ktx2::Sample mantissa = sample_of(9u * c, 9, c, Numeric::kUnorm);
    mantissa.upper = 8448;
    ktx2::Sample exponent = sample_of(27, 5, c | kExponentSample, Numeric::kUnorm);
    exponent.lower = 15;
    exponent.upper = 31;
    samples.insert(samples.end(), {mantissa, exponent});
  }
  return samples;
}

// "R8G8_UNORM", "A2B10G10R10_UINT_PACK32", "D16_UNORM_S8_UINT", "G10X6B10X6G10X6R10X6_422_UNORM_4PACK16".
void describe_plain(std::string_view name, VkFormat& out) {
  std::vector<Component> parts;
  std::uint32_t packed_bits = 0, planes = 1;
  bool is_422 = false;
  std::size_t open = 0;  // parts that wait for their kind
  for (const std::string_view word : words_of(name)) {
    if (const auto* kind = std::ranges::find(kKinds, word, &KindName::name); kind != std::end(kKinds)) {
      for (; open < parts.size(); ++open) parts[open].numeric = kind->numeric;
      out.numeric = parts.size() == 1 || parts.front().letter != 'D' ? kind->numeric : out.numeric;
    } else if (const std::size_t pack = word.find("PACK"); pack != word.npos) {
      std::size_t at = pack + 4;
      packed_bits = number_at(word, at);
    } else if (word.ends_with("PLANE")) {
      planes = static_cast<std::uint32_t>(word[0] - '0');
    } else if (word == "422") {
      is_422 = true;
    } else if (word[0] >= 'A' && !is_vendor(word)) {
      for (std::size_t at = 0; at < word.size();) {
        const char letter = word[at++];
        parts.push_back({letter, number_at(word, at), Numeric::kUnorm});
      }
    }
  }
  const auto has = [&](char letter) { return std::ranges::find(parts, letter, &Component::letter) != parts.end(); };
  out.has_depth = has('D');
  out.has_stencil = has('S');
  out.is_422 = is_422 && planes == 1;
  out.is_prohibited = planes > 1 || out.numeric == Numeric::kUscaled || out.numeric == Numeric::kSscaled;
  // Stencil lies before depth in D24_UNORM_S8_UINT only.
  if (out.has_depth && out.has_stencil && parts.front().bits == 24) packed_bits = 32;
  // Packed channels are named from the highest bit of their word down.
  if (packed_bits != 0) {
    std::uint32_t bits = 0;
    for (std::size_t begin = 0, i = 0; i < parts.size(); ++i) {
      bits += parts[i].bits;
      if (bits % packed_bits != 0) continue;
      std::reverse(parts.begin() + static_cast<std::ptrdiff_t>(begin),
                   parts.begin() + static_cast<std::ptrdiff_t>(i + 1));
      begin = i + 1;
    }
  }
  std::uint32_t bits = 0;
  for (const Component& part : parts) {
    if (part.letter != 'X')
      out.samples.push_back(sample_of(bits, part.bits, channel_of(part.letter, out.is_422), part.numeric));
    bits += part.bits;
  }
  if (has('E')) out.samples = shared_exponent();
  if (out.is_422) place_422(out.samples);
  out.model = out.is_422 ? kYuvsda : kRgbsda;
  // Depth and stencil of 24 or 40 bits fill whole words.
  if (out.has_depth) bits = bits <= 16 ? 16 : bits <= 32 ? 32 : 64;
  out.block = {out.is_422 ? 2u : 1u, 1, 1, bits / 8};
  const std::uint32_t unit = packed_bits != 0 ? packed_bits : parts.front().bits;
  out.type_size_bytes = static_cast<std::uint8_t>(unit / 8);
}

void describe_blocks(std::string_view name, VkFormat& out) {
  out.is_block = true;
  out.type_size_bytes = 1;
  for (const std::string_view word : words_of(name)) {
    if (const auto* kind = std::ranges::find(kKinds, word, &KindName::name); kind != std::end(kKinds))
      out.numeric = kind->numeric;
  }
  ktx2::Transfer transfer{};
  if (const ktx2::FormatInfo* row = ktx2::find_vk_format(out.number, transfer); row != nullptr) {
    out.model = static_cast<std::uint8_t>(row->model);
    out.block = block_shape(row->format);
    out.samples = ktx2::samples_of(*row, transfer, UastcChannels::kRgba);
    return;
  }
  const auto* family =
      std::ranges::find_if(kBlockFamilies, [&](const BlockFamily& f) { return name.starts_with(f.start); });
  if (family == std::end(kBlockFamilies)) return;
  out.model = family->model;
  out.block = family->block;
  if (out.block.width_texels == 0) {  // "ASTC_4x4x3_UNORM"
    std::size_t at = family->start.size();
    out.block.width_texels = number_at(name, at);
    out.block.height_texels = number_at(name, ++at);
    out.block.depth_texels = name[at] == 'x' ? number_at(name, ++at) : 1;
  }
  for (std::size_t i = 0; i < family->channel_count; ++i)
    out.samples.push_back(sample_of(0, family->bits, family->channels[i], out.numeric));
}

}  // namespace

std::string_view vk_format_short_name(std::uint32_t number) {
  for (const NumberRun& run : kRuns)
    if (number >= run.first && number - run.first < run.names.size()) return run.names[number - run.first];
  return {};
}

std::string vk_format_name(std::uint32_t number) {
  if (number == 0) return "VK_FORMAT_UNDEFINED";
  const std::string_view name = vk_format_short_name(number);
  return name.empty() ? std::string() : "VK_FORMAT_" + std::string(name);
}

std::uint32_t parse_vk_format(std::string_view name) {
  constexpr std::string_view kPrefix = "vk_format_";
  std::string wanted = ascii_lower(name);
  if (wanted.starts_with(kPrefix)) wanted.erase(0, kPrefix.size());
  if (wanted == "r16g16_s10_5_nv") wanted = "r16g16_sfixed5_nv";  // its former name
  wanted = without_vendor(wanted);
  for (const NumberRun& run : kRuns) {
    for (std::size_t i = 0; i < run.names.size(); ++i)
      if (without_vendor(ascii_lower(run.names[i])) == wanted) return run.first + static_cast<std::uint32_t>(i);
  }
  return 0;
}

std::optional<VkFormat> vk_format_of(std::uint32_t number) {
  const std::string_view name = vk_format_short_name(number);
  if (name.empty()) return std::nullopt;
  VkFormat out;
  out.number = number;
  if (name.find("_BLOCK") != name.npos) {
    describe_blocks(name, out);
  } else {
    describe_plain(name, out);
  }
  return out;
}

bool has_srgb_variant(std::uint32_t number) {
  std::string name(vk_format_short_name(number));
  for (const KindName& kind : kKinds) {
    const std::size_t at = name.find(kind.name);
    if (kind.numeric != Numeric::kSrgb && at != name.npos)
      return parse_vk_format(name.replace(at, kind.name.size(), "SRGB")) != 0;
  }
  return false;
}

}  // namespace assetc::ktx
