// Reads the names of ICC profiles (ICC.1:2022). No colors are converted.
#include <algorithm>

#include "base/ascii.hpp"
#include "import/image/formats.hpp"

namespace assetc::importer {
namespace {

constexpr std::size_t kProfileHeaderBytes = 128, kTagBytes = 12;
constexpr std::uint32_t kMaxTags = 256;
constexpr std::size_t kMaxNameBytes = 80;

std::string printable(std::string_view text) {
  std::string out(text.substr(0, std::min(text.find('\0'), kMaxNameBytes)));
  for (char& c : out) {
    if (c < ' ' || c > '~') c = '?';
  }
  return out;
}

// The text of a tag: "desc" in ASCII (version 2), or the first language of "mluc" in UTF-16 (version 4).
std::string tag_text(ByteSpan tag) {
  if (tag.size() < 12) return {};
  const std::string_view type = as_text(tag.first(4));
  if (type == "desc") {
    const std::uint32_t size = be32_at(tag, 8);
    return range_fits(12, size, tag.size()) ? printable(as_text(tag.subspan(12, size))) : std::string();
  }
  if (type != "mluc" || tag.size() < 28 || be32_at(tag, 8) == 0) return {};
  const std::uint32_t size = be32_at(tag, 20), at = be32_at(tag, 24);
  if (!range_fits(at, size, tag.size())) return {};
  std::string text;
  for (std::size_t i = 0; i + 2 <= std::min<std::size_t>(size, 2 * kMaxNameBytes); i += 2) {
    const std::uint32_t unit = be16_at(tag, at + i);
    text += unit < 0x80 ? static_cast<char>(unit) : '?';
  }
  return printable(text);
}

}  // namespace

bool names_srgb(std::string_view profile_name) {
  const std::string name = ascii_lower(profile_name);
  return name.contains("srgb") && !name.contains("linear");
}

std::string profile_description(ByteSpan profile) {
  if (profile.size() < kProfileHeaderBytes + 4) return {};
  const std::uint32_t count = std::min(be32_at(profile, kProfileHeaderBytes), kMaxTags);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::size_t entry = kProfileHeaderBytes + 4 + kTagBytes * i;
    if (!range_fits(entry, kTagBytes, profile.size())) return {};
    if (as_text(profile.subspan(entry, 4)) != "desc") continue;
    const std::uint32_t at = be32_at(profile, entry + 4), size = be32_at(profile, entry + 8);
    return range_fits(at, size, profile.size()) ? tag_text(profile.subspan(at, size)) : std::string();
  }
  return {};
}

std::optional<OtherColor> other_profile(std::string_view place, std::string_view name, std::string_view description) {
  // Two other names also count as sRGB: the profile that macOS gives gray pictures, which is near sRGB's brightness,
  // and a small sRGB profile of a large photo service.
  const bool near = ascii_lower(description).contains("gray gamma 2.2") || description == "c2";
  if (near || names_srgb(name) || names_srgb(description)) return std::nullopt;
  const std::string shown = description.empty() ? printable(name) : std::string(description);
  return OtherColor{std::string(place), shown.empty() ? "a profile without a name" : "the profile \"" + shown + "\""};
}

}  // namespace assetc::importer
