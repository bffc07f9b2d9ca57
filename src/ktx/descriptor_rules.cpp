// The rules for the data format descriptor: numbers 6000 to 6999.
#include <algorithm>

#include "base/plural.hpp"
#include "formats/message.hpp"
#include "ktx/format_names.hpp"
#include "ktx/rules.hpp"

namespace assetc::ktx {
namespace {

using formats::message;
using ktx2::ColorModel;

constexpr std::uint32_t kMinBlockBytes = 8;
constexpr std::uint8_t kLinearFlag = 0x10, kAlphaChannel = 15, kUastcHdr = 167;

constexpr std::uint8_t number_of(ColorModel model) { return static_cast<std::uint8_t>(model); }
constexpr std::uint8_t number_of(ktx2::Transfer transfer) { return static_cast<std::uint8_t>(transfer); }
std::uint8_t channel_of(const ktx2::Sample& sample) { return sample.channel & 15; }

bool has_model(const Subject& f, ColorModel model) { return f.basic && f.basic->color_model == number_of(model); }

// UASTC HDR is stored with the VkFormat of ASTC.
bool is_uastc_hdr(const Subject& f) {
  return f.basic && f.basic->color_model == kUastcHdr && f.format_name() == "VK_FORMAT_ASTC_4x4_SFLOAT_BLOCK";
}

// The basic descriptor and what the format demands of it, if both are known.
bool has_expectation(const Subject& f) {
  return f.basic && f.format && !f.format->is_prohibited && !is_uastc_hdr(f) && !f.is_basis_lz();
}

// Calls check(number of the sample from 1, sample) for samples that fit the model of the format.
template <class Check>
void each_sample(const Subject& f, const Check& check) {
  for (std::size_t i = 0; i < f.samples.size(); ++i) check(i + 1, f.samples[i]);
}

void expect_model(const Subject& f, bool applies, Details& found) {
  if (!applies || !has_expectation(f) || f.basic->color_model == f.format->model) return;
  found.push_back(message("found ", color_model_name(f.basic->color_model), ", expected ",
                          color_model_name(f.format->model), " for ", f.format_name()));
}

std::string planes_of(const std::uint8_t (&planes)[8]) {
  std::string text;
  for (const std::uint8_t bytes : planes) text += (text.empty() ? "" : " ") + std::to_string(bytes);
  return text;
}

void compare_samples(const Subject& f, Details& found) {
  if (!has_expectation(f) || f.basic->color_model != f.format->model) return;
  const std::size_t count = std::min(f.samples.size(), f.format->samples.size());
  for (std::size_t i = 0; i < count; ++i) {
    const ktx2::Sample& a = f.samples[i];
    const ktx2::Sample& b = f.format->samples[i];
    const auto compare = [&](std::string_view field, std::uint32_t is, std::uint32_t expected) {
      if (is != expected)
        found.push_back(
            message("sample ", i + 1, ": found ", field, " ", is, ", expected ", expected, " for ", f.format_name()));
    };
    compare("bitOffset", a.bit_offset, b.bit_offset);
    compare("bitLength", a.bit_length + 1u, b.bit_length + 1u);
    compare("channelId", channel_of(a), channel_of(b));
    // Rules 6108 and 6109 are for the flag that says linear.
    compare("qualifiers", a.channel & 0xE0, b.channel & 0xE0);
    for (std::size_t axis = 0; axis < 4; ++axis) {
      // Red and blue of 4:2:2 may lie between their two texels.
      if (axis != 0 || !f.format->is_422) compare("samplePosition", a.position[axis], b.position[axis]);
    }
    compare("sampleLower", a.lower, b.lower);
    compare("sampleUpper", a.upper, b.upper);
  }
}

// Samples of ETC1S have 64 bits each; the second follows the first.
void expect_of_slices(const Subject& f, std::string_view field, std::uint32_t (*is)(const ktx2::Sample&),
                      std::uint32_t first, std::uint32_t second, Details& found) {
  if (!f.is_basis_lz() || !f.basic) return;
  each_sample(f, [&](std::size_t number, const ktx2::Sample& sample) {
    const std::uint32_t expected = number == 1 ? first : second;
    if (number <= 2 && is(sample) != expected)
      found.push_back(message("sample ", number, ": found ", field, " ", is(sample), ", expected ", expected));
  });
}

constexpr Rule kDescriptorRules[] = {
    {6003, Severity::kWarning, "Blocks of the descriptor should be known",
     [](const Subject& f, Details& found) {
       // Of Khronos: 0 basic, 0x6001 additional dimensions, 0x6002 additional planes.
       constexpr std::uint32_t kTypesOfKhronos[] = {0, 0x6001u << 17, 0x6002u << 17};
       for (std::size_t i = 0; i < f.blocks.size(); ++i) {
         const DescriptorBlock& block = f.blocks[i];
         const bool is_whole = block.size_bytes >= kMinBlockBytes && block.size_bytes <= block.remaining_bytes;
         if (is_whole && std::ranges::find(kTypesOfKhronos, block.vendor_and_type) == std::end(kTypesOfKhronos)) {
           found.push_back(message("block ", i + 1, ": found vendor ", block.vendor_and_type & 0x1FFFF, " and type ",
                                   block.vendor_and_type >> 17));
         }
       }
     }},
    {6004, Severity::kError, "The descriptor must consist of whole blocks",
     [](const Subject& f, Details& found) {
       if (f.trailing_bytes != 0)
         found.push_back(message("found ", counted(f.trailing_bytes, "byte"),
                                 " after the last block, expected 0 or at least ", kMinBlockBytes));
     }},
    {6005, Severity::kWarning, "There should be one basic block",
     [](const Subject& f, Details& found) {
       for (std::size_t i = 1; i < f.blocks.size(); ++i)
         if (f.blocks[i].vendor_and_type == 0 && f.basic) found.push_back(message("block ", i + 1, " is another one"));
     }},
    {6006, Severity::kError, "descriptorBlockSize must be at least 8",
     [](const Subject& f, Details& found) {
       for (std::size_t i = 0; i < f.blocks.size(); ++i)
         if (f.blocks[i].size_bytes < kMinBlockBytes)
           found.push_back(message("block ", i + 1, ": found ", f.blocks[i].size_bytes));
     }},
    {6007, Severity::kError, "Blocks must lie in the descriptor",
     [](const Subject& f, Details& found) {
       for (std::size_t i = 0; i < f.blocks.size(); ++i)
         if (f.blocks[i].size_bytes > f.blocks[i].remaining_bytes)
           found.push_back(message("block ", i + 1, ": found ", counted(f.blocks[i].size_bytes, "byte"),
                                   ", expected at most ", f.blocks[i].remaining_bytes));
     }},
    {6013, Severity::kError, "transferFunction must be sRGB for an sRGB format",
     [](const Subject& f, Details& found) {
       if (f.basic && f.format && f.format->numeric == Numeric::kSrgb &&
           f.basic->transfer != number_of(ktx2::Transfer::kSrgb))
         found.push_back(message("found ", transfer_name(f.basic->transfer), " for ", f.format_name()));
     }},
    {6014, Severity::kError, "transferFunction must not be sRGB for a format that has another sRGB form",
     [](const Subject& f, Details& found) {
       if (f.basic && f.format && f.basic->transfer == number_of(ktx2::Transfer::kSrgb) &&
           has_srgb_variant(f.header.vk_format))
         found.push_back(message("found ", transfer_name(f.basic->transfer), " for ", f.format_name()));
     }},
    {6015, Severity::kError, "colorModel must be RGBSDA for a format of plain texels",
     [](const Subject& f, Details& found) {
       expect_model(f, f.format && !f.format->is_block && !f.format->is_422, found);
     }},
    {6016, Severity::kError, "colorModel must be that of the block-compressed format",
     [](const Subject& f, Details& found) { expect_model(f, f.format && f.format->is_block, found); }},
    {6017, Severity::kError, "colorModel must be YUVSDA for a 4:2:2 format",
     [](const Subject& f, Details& found) { expect_model(f, f.format && f.format->is_422, found); }},
    {6019, Severity::kError, "colorPrimaries must be known to the Khronos Data Format Specification",
     [](const Subject& f, Details& found) {
       if (f.basic && !has_primaries_name(f.basic->primaries))
         found.push_back(message("found ", int{f.basic->primaries}));
     }},
    {6020, Severity::kError, "texelBlockDimensions must be those of vkFormat",
     [](const Subject& f, Details& found) {
       if (!has_expectation(f)) return;
       const BlockShape& expected = f.format->block;
       const std::uint8_t(&is)[4] = f.basic->block_dimensions;
       if (is[0] + 1u != expected.width_texels || is[1] + 1u != expected.height_texels ||
           is[2] + 1u != expected.depth_texels || is[3] != 0) {
         found.push_back(message("found ", is[0] + 1, " x ", is[1] + 1, " x ", is[2] + 1, ", expected ",
                                 expected.width_texels, " x ", expected.height_texels, " x ", expected.depth_texels,
                                 " for ", f.format_name()));
       }
     }},
    {6021, Severity::kError, "bytesPlanes must be those of vkFormat",
     [](const Subject& f, Details& found) {
       if (!has_expectation(f)) return;
       const bool is_unsized = f.header.supercompression != 0 && f.basic->bytes_plane[0] == 0;
       const bool has_others = std::any_of(f.basic->bytes_plane + 1, f.basic->bytes_plane + 8,
                                           [](std::uint8_t bytes) { return bytes != 0; });
       if (!is_unsized && (f.basic->bytes_plane[0] != f.format->block.size_bytes || has_others)) {
         found.push_back(message("found ", planes_of(f.basic->bytes_plane), ", expected ", f.format->block.size_bytes,
                                 " 0 0 0 0 0 0 0 for ", f.format_name()));
       }
     }},
    {6025, Severity::kError, "The number of samples must be that of vkFormat",
     [](const Subject& f, Details& found) {
       if (has_expectation(f) && f.basic->color_model == f.format->model &&
           f.samples.size() != f.format->samples.size()) {
         found.push_back(
             message("found ", f.samples.size(), ", expected ", f.format->samples.size(), " for ", f.format_name()));
       }
     }},
    {6028, Severity::kError, "Samples must be those of vkFormat", compare_samples},
    {6030, Severity::kWarning, "bytesPlane0 should not be 0 under supercompression, since revision 2.0.4",
     [](const Subject& f, Details& found) {
       if (f.basic && f.header.supercompression != 0 && f.basic->bytes_plane[0] == 0)
         found.push_back(message("found 0 with ", supercompression_name(f.header.supercompression)));
     }},
    {6101, Severity::kError, "channelId must be a channel of the color model",
     [](const Subject& f, Details& found) {
       if (!f.basic) return;
       each_sample(f, [&](std::size_t number, const ktx2::Sample& sample) {
         if (!may_have_channel(f.basic->color_model, channel_of(sample)))
           found.push_back(message("sample ", number, ": found ", int{channel_of(sample)}, ", which ",
                                   color_model_name(f.basic->color_model), " does not have"));
       });
     }},
    {6103, Severity::kError, "bitOffset of ETC1S must be 0, and 64 of the second slice",
     [](const Subject& f, Details& found) {
       expect_of_slices(
           f, "bitOffset", [](const ktx2::Sample& s) { return std::uint32_t{s.bit_offset}; }, 0, 64, found);
     }},
    {6105, Severity::kError, "bitLength of ETC1S must be 64",
     [](const Subject& f, Details& found) {
       expect_of_slices(f, "bitLength", [](const ktx2::Sample& s) { return s.bit_length + 1u; }, 64, 64, found);
     }},
    {6106, Severity::kError, "sampleLower of ETC1S must be 0",
     [](const Subject& f, Details& found) {
       expect_of_slices(f, "sampleLower", [](const ktx2::Sample& s) { return s.lower; }, 0, 0, found);
     }},
    {6107, Severity::kError, "sampleUpper of ETC1S must be 4294967295",
     [](const Subject& f, Details& found) {
       expect_of_slices(f, "sampleUpper", [](const ktx2::Sample& s) { return s.upper; }, ~0u, ~0u, found);
     }},
    {6108, Severity::kError, "A sample must not be marked linear if the transfer function is linear",
     [](const Subject& f, Details& found) {
       if (!has_expectation(f) || f.basic->transfer > number_of(ktx2::Transfer::kLinear)) return;
       each_sample(f, [&](std::size_t number, const ktx2::Sample& sample) {
         if ((sample.channel & kLinearFlag) != 0) found.push_back(message("sample ", number, " is marked"));
       });
     }},
    {6109, Severity::kError, "Alpha, and no other sample, must be marked linear if the transfer function is not linear",
     [](const Subject& f, Details& found) {
       if (!has_expectation(f) || f.basic->transfer <= number_of(ktx2::Transfer::kLinear)) return;
       each_sample(f, [&](std::size_t number, const ktx2::Sample& sample) {
         const bool is_marked = (sample.channel & kLinearFlag) != 0;
         if (is_marked != (channel_of(sample) == kAlphaChannel))
           found.push_back(message("sample ", number, " is ", is_marked ? "marked" : "alpha and not marked"));
       });
     }},
    {6301, Severity::kError, "KHR_texture_basisu: colorModel must be UASTC or ETC1S",
     [](const Subject& f, Details& found) {
       if (f.basic && !has_model(f, ColorModel::kUastc) && !has_model(f, ColorModel::kEtc1s))
         found.push_back(message("found ", color_model_name(f.basic->color_model)));
     },
     true},
    {6302, Severity::kError, "KHR_texture_basisu: UASTC must have no supercompression, or Zstandard",
     [](const Subject& f, Details& found) {
       if (has_model(f, ColorModel::kUastc) && f.header.supercompression != 0 &&
           f.header.supercompression != static_cast<std::uint32_t>(ktx2::Supercompression::kZstd))
         found.push_back(message("found ", supercompression_name(f.header.supercompression)));
     },
     true},
    {6303, Severity::kError, "KHR_texture_basisu: the channels must be RGB, RGBA, red, or red and green",
     [](const Subject& f, Details& found) {
       if (f.samples.empty()) return;
       const std::uint8_t first = channel_of(f.samples[0]);
       const auto name = [&](std::uint8_t channel) { return channel_name(f.basic->color_model, channel); };
       if (has_model(f, ColorModel::kUastc) && first == static_cast<std::uint8_t>(UastcChannels::kRrrg))
         found.push_back(message("found ", name(first)));
       if (has_model(f, ColorModel::kEtc1s) && !ktx2::etc1s_channels_of(f.samples))
         found.push_back(message("found ", name(first),
                                 f.samples.size() > 1 ? " and " + name(channel_of(f.samples[1])) : std::string()));
     },
     true},
    {6304, Severity::kError, "KHR_texture_basisu: sRGB must have BT.709 primaries, and linear unspecified ones",
     [](const Subject& f, Details& found) {
       if (!f.basic) return;
       const bool is_srgb = f.basic->transfer == number_of(ktx2::Transfer::kSrgb);
       const bool is_linear = f.basic->transfer == number_of(ktx2::Transfer::kLinear);
       if ((!is_srgb && !is_linear) || f.basic->primaries != (is_srgb ? 1 : 0))
         found.push_back(
             message("found ", primaries_name(f.basic->primaries), " with ", transfer_name(f.basic->transfer)));
     },
     true},
};

}  // namespace

std::span<const Rule> descriptor_rules() { return kDescriptorRules; }

}  // namespace assetc::ktx
