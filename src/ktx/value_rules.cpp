// The rules for key/value data: numbers 7000 to 7999.
#include <algorithm>
#include <bit>
#include <cmath>

#include "base/plural.hpp"
#include "formats/message.hpp"
#include "formats/text.hpp"
#include "ktx/format_names.hpp"
#include "ktx/rules.hpp"

namespace assetc::ktx {
namespace {

using formats::message;
using formats::quote;

constexpr std::string_view kKnownKeys[] = {"KTXcubemapIncomplete", "KTXorientation", "KTXglFormat", "KTXdxgiFormat__",
                                           "KTXmetalPixelFormat",  "KTXswizzle",     "KTXwriter",   "KTXwriterScParams",
                                           "KTXastcDecodeMode",    "KTXanimData",    "KTXmapRange"};

bool is_reserved(std::string_view key) { return key.starts_with("KTX") || key.starts_with("ktx"); }

bool is_terminated(ByteSpan value) { return !value.empty() && value.back() == std::byte{0}; }
std::string_view text_of(ByteSpan value) { return as_text(value.first(value.size() - (is_terminated(value) ? 1 : 0))); }

void expect_size(const Subject& f, std::string_view key, std::size_t size, Details& found) {
  if (const auto value = f.find(key); value && value->size() != size)
    found.push_back(message("found ", counted(value->size(), "byte"), ", expected ", size));
}

void expect_no_format(const Subject& f, std::string_view key, Details& found) {
  if (f.find(key) && f.header.vk_format != 0)
    found.push_back(message("found ", f.format_name(), ", expected VK_FORMAT_UNDEFINED"));
}

void expect_utf8(const Subject& f, std::string_view key, Details& found) {
  if (const auto value = f.find(key); value && !formats::is_utf8(text_of(*value)))
    found.push_back(message("found ", quote(text_of(*value))));
}

// The bits of the faces that KTXcubemapIncomplete names.
constexpr unsigned kFaceBits = 0x3F;
std::optional<unsigned> incomplete_faces(const Subject& f) {
  const auto value = f.find("KTXcubemapIncomplete");
  if (!value || value->empty()) return std::nullopt;
  return std::to_integer<unsigned>(value->front());
}

bool is_astc(const Subject& f) {
  return f.basic && f.basic->color_model == static_cast<std::uint8_t>(ktx2::ColorModel::kAstc);
}

// The two floats of KTXmapRange.
void expect_finite(const Subject& f, std::size_t at, Details& found) {
  const auto value = f.find("KTXmapRange");
  if (value && value->size() == 8 && !std::isfinite(load<float>(*value, at))) found.emplace_back("found another value");
}

constexpr Rule kValueRules[] = {
    {7009, Severity::kError, "Keys that start with KTX or ktx are reserved",
     [](const Subject& f, Details& found) {
       for (const ktx2::KeyValue& entry : f.values)
         if (is_reserved(entry.key) && std::ranges::find(kKnownKeys, entry.key) == std::end(kKnownKeys))
           found.push_back(message("found ", quote(entry.key)));
     }},
    {7010, Severity::kWarning, "Other programs may not know a custom key",
     [](const Subject& f, Details& found) {
       for (const ktx2::KeyValue& entry : f.values)
         if (!entry.key.empty() && !is_reserved(entry.key)) found.push_back(message("found ", quote(entry.key)));
     }},
    {7101, Severity::kError, "The two highest bits of KTXcubemapIncomplete must be 0",
     [](const Subject& f, Details& found) {
       if (const auto faces = incomplete_faces(f); faces && (*faces & ~kFaceBits) != 0)
         found.push_back(message("found ", *faces, ", expected at most ", kFaceBits));
     }},
    {7102, Severity::kWarning, "KTXcubemapIncomplete should name fewer than 6 faces",
     [](const Subject& f, Details& found) {
       if (const auto faces = incomplete_faces(f); faces && (*faces & kFaceBits) == kFaceBits)
         found.emplace_back("found all faces, expected no KTXcubemapIncomplete");
     }},
    {7103, Severity::kError, "KTXcubemapIncomplete must name a face",
     [](const Subject& f, Details& found) {
       if (const auto faces = incomplete_faces(f); faces && (*faces & kFaceBits) == 0) found.emplace_back("found none");
     }},
    {7104, Severity::kError, "layerCount must be a multiple of the faces that KTXcubemapIncomplete names",
     [](const Subject& f, Details& found) {
       const auto faces = incomplete_faces(f);
       const auto count = static_cast<std::uint32_t>(std::popcount(faces.value_or(0) & kFaceBits));
       if (count != 0 && f.header.layer_count % count != 0)
         found.push_back(message("found ", f.header.layer_count, ", expected a multiple of ", count));
     }},
    {7105, Severity::kError, "faceCount must be 1 with KTXcubemapIncomplete",
     [](const Subject& f, Details& found) {
       if (f.find("KTXcubemapIncomplete") && f.header.face_count != 1)
         found.push_back(message("found ", f.header.face_count, ", expected 1"));
     }},
    {7106, Severity::kError, "KTXcubemapIncomplete must have 1 byte",
     [](const Subject& f, Details& found) { expect_size(f, "KTXcubemapIncomplete", 1, found); }},
    {7110, Severity::kError, "KTXglFormat must have 12 bytes",
     [](const Subject& f, Details& found) { expect_size(f, "KTXglFormat", 12, found); }},
    {7111, Severity::kError, "KTXglFormat needs the format VK_FORMAT_UNDEFINED",
     [](const Subject& f, Details& found) { expect_no_format(f, "KTXglFormat", found); }},
    {7112, Severity::kError, "glFormat and glType of KTXglFormat must be 0 for a compressed format",
     [](const Subject& f, Details& found) {
       const auto value = f.find("KTXglFormat");
       if (!value || value->size() != 12 || !f.is_block_compressed()) return;
       const auto format = load<std::uint32_t>(*value, 4), type = load<std::uint32_t>(*value, 8);
       if (format != 0 || type != 0)
         found.push_back(message("found glFormat ", format, " and glType ", type, ", expected 0 and 0"));
     }},
    {7113, Severity::kError, "KTXdxgiFormat__ must have 4 bytes",
     [](const Subject& f, Details& found) { expect_size(f, "KTXdxgiFormat__", 4, found); }},
    {7114, Severity::kError, "KTXdxgiFormat__ needs the format VK_FORMAT_UNDEFINED",
     [](const Subject& f, Details& found) { expect_no_format(f, "KTXdxgiFormat__", found); }},
    {7115, Severity::kError, "KTXmetalPixelFormat must have 4 bytes",
     [](const Subject& f, Details& found) { expect_size(f, "KTXmetalPixelFormat", 4, found); }},
    {7116, Severity::kError, "KTXmetalPixelFormat needs the format VK_FORMAT_UNDEFINED",
     [](const Subject& f, Details& found) { expect_no_format(f, "KTXmetalPixelFormat", found); }},
    {7121, Severity::kWarning, "KTXswizzle has no effect on a format of depth or stencil",
     [](const Subject& f, Details& found) {
       if (f.find("KTXswizzle") && f.format && (f.format->has_depth || f.format->has_stencil))
         found.push_back(message("found ", f.format_name()));
     }},
    {7123, Severity::kError, "KTXwriter must be UTF-8",
     [](const Subject& f, Details& found) { expect_utf8(f, "KTXwriter", found); }},
    {7124, Severity::kError, "KTXwriterScParams needs KTXwriter",
     [](const Subject& f, Details& found) {
       if (f.find("KTXwriterScParams") && !f.find("KTXwriter")) found.emplace_back("found no KTXwriter");
     }},
    {7125, Severity::kWarning, "Programs that write files should name themselves in KTXwriter",
     [](const Subject& f, Details& found) {
       if (!f.find("KTXwriter") && !f.find("KTXwriterScParams")) found.emplace_back("found no KTXwriter");
     }},
    {7127, Severity::kError, "KTXwriterScParams must be UTF-8",
     [](const Subject& f, Details& found) { expect_utf8(f, "KTXwriterScParams", found); }},
    {7128, Severity::kError, "KTXanimData must have 12 bytes",
     [](const Subject& f, Details& found) { expect_size(f, "KTXanimData", 12, found); }},
    {7129, Severity::kError, "KTXanimData needs an array texture",
     [](const Subject& f, Details& found) {
       if (f.find("KTXanimData") && f.header.layer_count == 0)
         found.emplace_back("found layerCount 0, expected at least 1");
     }},
    {7130, Severity::kError, "KTXanimData and KTXcubemapIncomplete exclude each other",
     [](const Subject& f, Details& found) {
       if (f.find("KTXanimData") && f.find("KTXcubemapIncomplete")) found.emplace_back("found both");
     }},
    {7131, Severity::kError, "KTXastcDecodeMode must end with a zero byte",
     [](const Subject& f, Details& found) {
       if (const auto value = f.find("KTXastcDecodeMode"); value && !is_terminated(*value))
         found.push_back(message("found ", quote(text_of(*value))));
     }},
    {7132, Severity::kError, "KTXastcDecodeMode must be rgb9e5 or unorm8",
     [](const Subject& f, Details& found) {
       if (const auto value = f.find("KTXastcDecodeMode");
           value && text_of(*value) != "rgb9e5" && text_of(*value) != "unorm8")
         found.push_back(message("found ", quote(text_of(*value))));
     }},
    {7133, Severity::kError, "KTXastcDecodeMode unorm8 needs a format without floats",
     [](const Subject& f, Details& found) {
       const auto value = f.find("KTXastcDecodeMode");
       if (value && text_of(*value) == "unorm8" && is_astc(f) && f.format && f.format->numeric == Numeric::kSfloat)
         found.push_back(message("found ", f.format_name()));
     }},
    {7134, Severity::kWarning, "KTXastcDecodeMode has an effect on ASTC only",
     [](const Subject& f, Details& found) {
       if (f.find("KTXastcDecodeMode") && f.basic && !is_astc(f))
         found.push_back(message("found ", color_model_name(f.basic->color_model)));
     }},
    {7135, Severity::kWarning, "KTXastcDecodeMode has no effect on sRGB",
     [](const Subject& f, Details& found) {
       if (f.find("KTXastcDecodeMode") && f.basic &&
           f.basic->transfer == static_cast<std::uint8_t>(ktx2::Transfer::kSrgb))
         found.push_back(message("found ", transfer_name(f.basic->transfer)));
     }},
    {7136, Severity::kError, "KTXmapRange must have 8 bytes",
     [](const Subject& f, Details& found) { expect_size(f, "KTXmapRange", 8, found); }},
    {7137, Severity::kError, "KTXmapRange needs floats, or linear UNORM or SNORM",
     [](const Subject& f, Details& found) {
       if (!f.find("KTXmapRange") || !f.format) return;
       const Numeric numeric = f.format->numeric;
       if (numeric != Numeric::kSfloat && numeric != Numeric::kUfloat && numeric != Numeric::kUnorm &&
           numeric != Numeric::kSnorm)
         found.push_back(message("found ", f.format_name()));
     }},
    {7138, Severity::kError, "The scale of KTXmapRange must be finite",
     [](const Subject& f, Details& found) { expect_finite(f, 0, found); }},
    {7139, Severity::kError, "The offset of KTXmapRange must be finite",
     [](const Subject& f, Details& found) { expect_finite(f, 4, found); }},
    {7201, Severity::kError, "KHR_texture_basisu: KTXswizzle must be rgba, if there is one",
     [](const Subject& f, Details& found) {
       if (const auto value = f.find("KTXswizzle"); value && text_of(*value) != "rgba")
         found.push_back(message("found ", quote(text_of(*value))));
     },
     true},
    {7202, Severity::kError, "KHR_texture_basisu: KTXorientation must be rd, if there is one",
     [](const Subject& f, Details& found) {
       if (const auto value = f.find("KTXorientation"); value && text_of(*value) != "rd")
         found.push_back(message("found ", quote(text_of(*value))));
     },
     true},
};

}  // namespace

std::span<const Rule> value_rules() { return kValueRules; }

}  // namespace assetc::ktx
