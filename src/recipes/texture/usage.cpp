#include "recipes/texture/usage.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/ascii.hpp"

namespace assetc::recipes {
namespace {

using enum TextureUsage;

constexpr NameWord kWords[] = {
    {"n", kNormal, {.alone = false}},
    {"nor", kNormal, {.alone = false}},
    {"nrm", kNormal},
    {"norm", kNormal, {.alone = false}},
    {"nml", kNormal, {.alone = false}},
    {"NM", kNormal, {.alone = false, .capitals = true}},
    {"normal", kNormal, {.in_word = true}},
    {"normals", kNormal, {.in_word = true}},
    {"normalmap", kNormal, {.in_word = true}},
    {"normalgl", kNormal, {.in_word = true}},
    {"normaldx", kNormal, {.in_word = true}},
    {"normalopengl", kNormal, {.in_word = true}},
    {"normaldirectx", kNormal, {.in_word = true}},
    {"bnm", kNormal, {.alone = false}},
    {"ddn", kNormal, {.alone = false}},
    {"ddna", kNormal, {.alone = false}},
    {"ao", kGray},
    {"occ", kGray, {.alone = false}},
    {"occlusion", kGray, {.in_word = true}},
    {"ambientocclusion", kGray, {.in_word = true}},
    {"R", kGray, {.alone = false, .capitals = true}},
    {"rgh", kGray, {.alone = false}},
    {"rough", kGray, {.alone = false}},
    {"roughness", kGray, {.in_word = true}},
    {"gloss", kGray, {.alone = false}},
    {"glossiness", kGray, {.in_word = true}},
    {"smoothness", kGray, {.in_word = true}},
    {"metallic", kGray},
    {"metalness", kGray, {.in_word = true}},
    {"H", kGray, {.alone = false, .capitals = true}},
    {"height", kGray},
    {"heightmap", kGray, {.in_word = true}},
    {"disp", kGray, {.alone = false}},
    {"displ", kGray, {.alone = false}},
    {"displacement", kGray, {.in_word = true}},
    {"bumpmap", kGray, {.in_word = true}},
    {"opacity", kGray},
    {"cavity", kGray},
    {"curvature", kGray},
    {"thickness", kGray},
    {"orm", kOrm},
    {"arm", kOrm, {.alone = false}},
    {"rma", kOrm},
    {"rmo", kOrm, {.alone = false}},
    {"mra", kOrm},
    {"mro", kOrm, {.alone = false}},
    {"hrm", kOrm, {.alone = false}},
    {"metallicroughness", kOrm, {.in_word = true}},
    {"metalroughness", kOrm, {.in_word = true}},
    {"metalrough", kOrm, {.in_word = true}},
    {"occlusionroughnessmetallic", kOrm, {.in_word = true}},
    {"occlusionroughmetal", kOrm, {.in_word = true}},
    {"aorm", kLinear, {.alone = false}},
    {"mrao", kLinear, {.alone = false}},
    {"raom", kLinear, {.alone = false}},
    {"maskmap", kLinear, {.in_word = true}},
    {"metallicsmoothness", kLinear, {.in_word = true}},
    {"flowmap", kLinear, {.in_word = true}},
    {"worldnormal", kLinear, {.in_word = true}},
    {"worldspacenormal", kLinear, {.in_word = true}},
    {"normalws", kLinear, {.in_word = true}},
    {"objectnormal", kLinear, {.in_word = true}},
    {"objectspacenormal", kLinear, {.in_word = true}},
    {"normalos", kLinear, {.in_word = true}},
    {"basecolor", kColor},
    {"albedo", kColor},
    {"diffuse", kColor},
    {"diff", kColor},
    {"D", kColor, {.alone = false, .capitals = true}},
    {"color", kColor},
    {"col", kColor},
    {"specular", kColor},
    {"spec", kColor, {.alone = false}},
    {"emissive", kColor},
    {"emission", kColor},
    {"lut", kLut, {.alone = false}},
};
// Nouns that also end the names of colors ("gas_mask", "gun_metal", "overflow") are not in the table: mask, metal,
// bump, alpha, flow.

bool is_separator(char c) { return c == '_' || c == '-' || c == '.' || c == ' '; }

// "01", "1001", "2k": numbers and sizes that say nothing about the use.
bool only_numbers(std::string_view word) {
  if (!word.empty() && (word.back() == 'k' || word.back() == 'K')) word.remove_suffix(1);
  return !word.empty() && std::ranges::all_of(word, is_digit);
}

std::vector<std::string_view> words_of(std::string_view name) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < name.size();) {
    std::size_t end = at;
    while (end < name.size() && !is_separator(name[end])) ++end;
    if (end > at) words.push_back(name.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

// The words of a picture's name that may say its use: without a variant, numbers and sizes at the end.
std::vector<std::string_view> telling_words(std::string_view name) {
  name = name.substr(0, name.find('+', 1));  // a variant: "wall_n+low"
  std::vector<std::string_view> words = words_of(name);
  while (words.size() > 1 && only_numbers(words.back())) words.pop_back();
  return words;
}

// The last part of a word in mixed case: "Normal" of "wallNormal". Empty if the word has one part.
std::string_view last_part(std::string_view word) {
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  for (std::size_t i = word.size(); i-- > 1;) {
    if (is_upper(word[i]) && is_lower(word[i - 1])) return word.substr(i);
  }
  return {};
}

// The use that a word in mixed case says with its last parts, at most three: "RockNormalMap".
std::optional<TextureUsage> usage_in_word(std::string_view word) {
  std::optional<TextureUsage> usage;
  std::size_t length = 0;
  for (int parts = 0; parts < 3; ++parts) {
    const std::string_view part = last_part(word.substr(0, word.size() - length));
    if (part.empty()) break;
    length += part.size();
    const std::string text = ascii_lower(word.substr(word.size() - length));
    const auto found =
        std::ranges::find_if(kWords, [&](const NameWord& w) { return w.rules.in_word && w.text == text; });
    if (found != std::end(kWords)) usage = found->usage;  // the longest counts
  }
  return usage;
}

// The number of texels that a check samples: all of a small picture, otherwise a grid.
constexpr std::size_t kLooks = 1 << 16;

// Statistics that show how similar the texels are to normals stored as 0 to 1.
struct Likeness {
  std::size_t looked = 0;
  std::size_t unit = 0;     // approximately unit length, and not facing backwards
  std::size_t precise = 0;  // the same, at the precision of an exporter
  bool one_color = true;
  bool one_blue = true;  // with constant blue, the picture may still be a normal map that is read by X and Y alone
  double x = 0, y = 0, z = 0;

  double fraction(std::size_t count) const { return static_cast<double>(count) / static_cast<double>(looked); }
  bool is_normal_map() const {
    return !one_color && fraction(precise) >= 0.9 && std::abs(x) < 0.25 && std::abs(y) < 0.25 && z > 0.6;
  }
  bool is_no_normal_map() const { return !one_blue && fraction(unit) < 0.5; }
};

template <class T>
Likeness likeness_of(const scene::Image& image, double full) {
  Likeness like;
  const std::size_t texels = std::size_t{image.width_texels} * image.height_texels;
  const std::size_t step = std::max<std::size_t>(1, texels / kLooks) | 1;  // odd, so that every column is sampled
  std::array<T, 3> first{};
  for (std::size_t i = 0; i < texels; i += step, ++like.looked) {
    std::array<T, 3> texel;
    for (std::size_t c = 0; c < 3; ++c) texel[c] = load<T>(image.pixels, (i * 4 + c) * sizeof(T));
    if (i == 0) first = texel;
    like.one_color &= texel == first;
    like.one_blue &= texel[2] == first[2];
    const double x = 2 * texel[0] / full - 1, y = 2 * texel[1] / full - 1, z = 2 * texel[2] / full - 1;
    const double length = std::sqrt(x * x + y * y + z * z);
    like.unit += z > -0.1 && std::abs(length - 1) < 0.3;
    like.precise += z > 0 && std::abs(length - 1) < 0.1;
    like.x += x, like.y += y, like.z += z;
  }
  for (double* sum : {&like.x, &like.y, &like.z}) *sum /= static_cast<double>(std::max<std::size_t>(like.looked, 1));
  return like;
}

Likeness likeness_of(const scene::Image& image) {
  switch (image.type) {
    case scene::PixelType::kU8:
      return likeness_of<std::uint8_t>(image, 255);
    case scene::PixelType::kU16:
      return likeness_of<std::uint16_t>(image, 65535);
    case scene::PixelType::kF32:
      return likeness_of<float>(image, 1);
  }
  return {};
}

bool passes_one(const scene::Image& image) {
  if (image.type != scene::PixelType::kF32) return false;
  for (std::size_t i = 0; i < image.pixels.size() / sizeof(float); ++i) {
    if (i % 4 != 3 && load<float>(image.pixels, i * sizeof(float)) > 1.0f) return true;
  }
  return false;
}

}  // namespace

std::span<const NameWord> name_words() { return kWords; }

std::string suffix_word(std::string_view text) {
  std::string word = ascii_lower(text);
  std::erase_if(word, is_separator);
  return word;
}

std::optional<TextureUsage> named_usage(std::string_view path, std::string_view extension,
                                        std::span<const NamedUsage> more) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  if (ends_with_ignoring_case(name, ascii_lower(extension))) name.remove_suffix(extension.size());
  std::vector<std::string_view> words = telling_words(name);
  // "nor_gl", as material libraries write it.
  if (words.size() > 2 && (ascii_lower(words.back()) == "gl" || ascii_lower(words.back()) == "dx")) words.pop_back();
  constexpr std::size_t kLongest = 3;  // the most words in one suffix: "ambient occlusion", "occlusion rough metal"
  for (std::size_t count = std::min(words.size(), kLongest); count > 0; --count) {
    const bool whole = count == words.size();
    const std::string_view first = words[words.size() - count];
    const std::string_view exact(first.begin(), words.back().end());
    const std::string word = suffix_word(exact);
    if (const auto found = std::ranges::find(more, word, &NamedUsage::word); found != more.end() && !whole)
      return found->usage;
    for (const NameWord& w : kWords) {
      if (w.text == (w.rules.capitals ? std::string_view(exact) : word) && (w.rules.alone || !whole)) return w.usage;
    }
  }
  if (!words.empty()) return usage_in_word(words.back());
  return std::nullopt;
}

TextureUsage picture_mode(std::string_view path, const Claim& claim, const Settings& settings) {
  const TextureSettings& texture = settings.texture;
  if (texture.usage != kAuto) return texture.usage;
  if (claim.mode != kColor && claim.mode != kHdr) return claim.mode;
  const auto named = named_usage(path, claim.strip, texture.names);
  // "color" adds nothing for an HDR picture.
  if (!named || (*named == kColor && claim.mode == kHdr)) return claim.mode;
  return *named;
}

TextureUsage overruled_usage(const Settings& settings, TextureUsage mode) {
  const TextureUsage usage = settings.texture.usage;
  return usage == mode || (usage == kOrm && mode == kLinear) ? kAuto : usage;
}

void check_name(std::string_view path, TextureUsage mode, std::string_view what, std::string place,
                std::vector<Diagnostic>& diagnostics) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  const auto named = named_usage(name, dot == name.npos ? std::string_view() : name.substr(dot));
  if (!named || (*named == kNormal) == (mode == kNormal)) return;
  diagnostics.push_back(warning(WarningKind::kMisnamedPicture, ErrorCode::kConflict, std::move(place),
                                "\"" + std::string(name) + "\" is named as " + std::string(to_string(*named)) +
                                    ", but it is used as " + std::string(what) + " and compiled as " +
                                    std::string(to_string(mode)),
                                "assign it to the matching slot, or rename it"));
}

void check_texels(const scene::Image& image, TextureUsage mode, std::vector<Diagnostic>& diagnostics) {
  const auto warn = [&](WarningKind kind, std::string what, std::string hint) {
    diagnostics.push_back(warning(kind, ErrorCode::kConflict, "", std::move(what), std::move(hint)));
  };
  if (mode == kColor || mode == kOrm) {
    if (likeness_of(image).is_normal_map()) {
      warn(WarningKind::kUnlikelyUsage,
           "its texels are those of a normal map, but it is compiled as " + std::string(to_string(mode)),
           "use it as a normal map, set texture.usage: normal in a rule for it, or end its name with _normal");
    }
  }
  if (mode == kNormal) {
    if (const Likeness like = likeness_of(image); like.is_no_normal_map()) {
      warn(WarningKind::kUnlikelyUsage,
           "compiled as a normal map, but only " + std::to_string(static_cast<int>(100 * like.fraction(like.unit))) +
               " % of its texels are of about unit length",
           "if it is not a normal map, set texture.usage: color (or its actual use) in a rule for it, or rename it");
    }
  }
  if (mode == kColor && passes_one(image))
    warn(WarningKind::kClippedValues, "values above 1 (white) are clipped, because the picture is compiled as color",
         "set texture.usage: hdr to keep them");
}

}  // namespace assetc::recipes
