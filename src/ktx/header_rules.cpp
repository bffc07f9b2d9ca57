// The rules for the header: numbers 3000 to 3999.
#include <algorithm>
#include <bit>

#include "formats/message.hpp"
#include "ktx/format_names.hpp"
#include "ktx/rules.hpp"

namespace assetc::ktx {
namespace {

using formats::message;

// Vulkan numbers the formats of extensions from here. The largest VkFormat fits 31 bits.
constexpr std::uint32_t kFirstExtensionFormat = 1000001000, kLastFormat = 0x7FFFFFFF;
constexpr std::uint32_t kCubeFaces = 6;

bool is_unknown(const Subject& f) { return f.header.vk_format != 0 && !f.format; }
bool may_be_of_extension(const Subject& f) {
  return f.header.vk_format >= kFirstExtensionFormat && f.header.vk_format <= kLastFormat;
}
bool has_depth_or_stencil(const Subject& f) { return f.format && (f.format->has_depth || f.format->has_stencil); }
// KTXcubemapIncomplete stores the faces of a cubemap as layers.
bool is_incomplete_cube(const Subject& f) { return f.find("KTXcubemapIncomplete").has_value(); }

constexpr Rule kHeaderRules[] = {
    {3001, Severity::kError, "vkFormat must not be prohibited: scaled integers, or several planes",
     [](const Subject& f, Details& found) {
       if (f.format && f.format->is_prohibited) found.push_back(message("found ", f.format_name()));
     }},
    {3002, Severity::kError, "vkFormat must be a VkFormat",
     [](const Subject& f, Details& found) {
       if (is_unknown(f) && !may_be_of_extension(f)) found.push_back(message("found ", f.header.vk_format));
     }},
    {3003, Severity::kWarning, "vkFormat should be known",
     [](const Subject& f, Details& found) {
       if (is_unknown(f) && may_be_of_extension(f))
         found.push_back(message("found ", f.header.vk_format, ", which may belong to an extension of Vulkan"));
     }},
    {3005, Severity::kError, "typeSize must be 1 for a block-compressed format",
     [](const Subject& f, Details& found) {
       if (f.format && f.format->is_block && f.header.type_size_bytes != 1)
         found.push_back(message("found ", f.header.type_size_bytes, ", expected 1 for ", f.format_name()));
     }},
    {3007, Severity::kError, "pixelHeight must not be 0 for a block-compressed format",
     [](const Subject& f, Details& found) {
       if (f.is_block_compressed() && f.header.height_texels == 0)
         found.push_back(message("found 0, expected at least 1 for ", f.format_name()));
     }},
    {3008, Severity::kError, "The faces of a cubemap must be square",
     [](const Subject& f, Details& found) {
       if (is_incomplete_cube(f) && f.header.width_texels != f.header.height_texels)
         found.push_back(message("found ", f.header.width_texels, " x ", f.header.height_texels, " texels"));
     }},
    {3010, Severity::kError, "pixelDepth must not be 0 for a format of three-dimensional blocks",
     [](const Subject& f, Details& found) {
       if (f.format && f.format->block.depth_texels > 1 && f.header.depth_texels == 0)
         found.push_back(message("found 0, expected at least 1 for ", f.format_name()));
     }},
    {3011, Severity::kError, "pixelDepth must be 0 for a format of depth or stencil",
     [](const Subject& f, Details& found) {
       if (has_depth_or_stencil(f) && f.header.depth_texels != 0)
         found.push_back(message("found ", f.header.depth_texels, ", expected 0 for ", f.format_name()));
     }},
    {3012, Severity::kError, "typeSize must be that of vkFormat",
     [](const Subject& f, Details& found) {
       if (f.format && !f.format->is_block && f.header.type_size_bytes != f.format->type_size_bytes) {
         found.push_back(message("found ", f.header.type_size_bytes, ", expected ", int{f.format->type_size_bytes},
                                 " for ", f.format_name()));
       }
     }},
    {3013, Severity::kError, "pixelDepth must be 0 for a cubemap",
     [](const Subject& f, Details& found) {
       if ((is_incomplete_cube(f) || f.header.face_count == kCubeFaces) && f.header.depth_texels != 0)
         found.push_back(message("found ", f.header.depth_texels, ", expected 0"));
     }},
    {3014, Severity::kWarning, "A 3D texture should have no layers: no graphics API has arrays of 3D textures",
     [](const Subject& f, Details& found) {
       if (f.header.depth_texels != 0 && f.header.layer_count != 0)
         found.push_back(message("found layerCount ", f.header.layer_count, ", expected 0"));
     }},
    {3017, Severity::kError, "levelCount must not be 0 for a block-compressed format",
     [](const Subject& f, Details& found) {
       if (f.is_block_compressed() && f.header.level_count == 0)
         found.push_back(message("found 0, expected at least 1 for ", f.format_name()));
     }},
    {3018, Severity::kWarning, "supercompressionScheme should not be that of a vendor: its levels cannot be checked",
     [](const Subject& f, Details& found) {
       const std::uint32_t scheme = f.header.supercompression;
       if (scheme >= kFirstVendorScheme && scheme <= kLastVendorScheme)
         found.push_back(message("found ", scheme, ", expected 0 none, 1 BasisLZ, 2 Zstandard or 3 ZLIB"));
     }},
    {3101, Severity::kError, "KHR_texture_basisu: supercompressionScheme must be none, BasisLZ or Zstandard",
     [](const Subject& f, Details& found) {
       if (f.header.supercompression > static_cast<std::uint32_t>(ktx2::Supercompression::kZstd))
         found.push_back(message("found ", supercompression_name(f.header.supercompression)));
     },
     true},
    {3102, Severity::kError, "KHR_texture_basisu: the texture must be one 2D picture",
     [](const Subject& f, Details& found) {
       const auto expect = [&](std::string_view field, std::uint32_t value, std::uint32_t expected) {
         if (value != expected) found.push_back(message("found ", field, " ", value, ", expected ", expected));
       };
       if (f.header.height_texels == 0) found.emplace_back("found pixelHeight 0, expected at least 4");
       expect("pixelDepth", f.header.depth_texels, 0);
       expect("layerCount", f.header.layer_count, 0);
       expect("faceCount", f.header.face_count, 1);
     },
     true},
    {3103, Severity::kError, "KHR_texture_basisu: pixelWidth and pixelHeight must be multiples of 4",
     [](const Subject& f, Details& found) {
       for (const auto& [field, value] :
            {std::pair{"pixelWidth", f.header.width_texels}, std::pair{"pixelHeight", f.header.height_texels}})
         if (value % 4 != 0) found.push_back(message("found ", field, " ", value));
     },
     true},
    {3104, Severity::kError, "KHR_texture_basisu: the texture must have one mip level or all of them",
     [](const Subject& f, Details& found) {
       const ktx2::Header& h = f.header;
       const int full = std::bit_width(std::max({h.width_texels, h.height_texels, h.depth_texels}));
       if (h.level_count != 1 && h.level_count != static_cast<std::uint32_t>(full))
         found.push_back(message("found ", h.level_count, ", expected 1 or ", full));
     },
     true},
};

}  // namespace

std::span<const Rule> header_rules() { return kHeaderRules; }

}  // namespace assetc::ktx
