#include "recipes/texture/usage.hpp"

#include <algorithm>
#include <vector>

#include "base/ascii.hpp"
#include "filetypes/filetypes.hpp"

namespace assetc::recipes {
namespace {

using enum TextureUsage;

using enum WordCounts;

// The usual rules. The nouns also end the names of colors: "gas_mask", "gun_metal", "overflow".
constexpr NameWord::Rules kAfter{.alone = kNever};
constexpr NameWord::Rules kCapitals{.alone = kNever, .capitals = true};
constexpr NameWord::Rules kInWord{.in_word = kAlways};
constexpr NameWord::Rules kShort{.alone = kInSet};
constexpr NameWord::Rules kNoun{.after = kInSet, .alone = kInSet};

constexpr NameWord kWords[] = {
    {"n", kNormal, kAfter, SetRole::kNormal},
    {"nor", kNormal, kAfter, SetRole::kNormal},
    {"nrm", kNormal, kShort, SetRole::kNormal},
    {"norm", kNormal, kAfter, SetRole::kNormal},
    {"nml", kNormal, kAfter, SetRole::kNormal},
    {"NM", kNormal, kCapitals, SetRole::kNormal},
    {"normal", kNormal, kInWord, SetRole::kNormal},
    {"normals", kNormal, kInWord, SetRole::kNormal},
    {"normalmap", kNormal, kInWord, SetRole::kNormal},
    {"normalgl", kNormal, kInWord, SetRole::kNormal},
    {"normaldx", kNormal, {.in_word = kAlways, .y_down = true}, SetRole::kNormal},
    {"normalopengl", kNormal, kInWord, SetRole::kNormal},
    {"normaldirectx", kNormal, {.in_word = kAlways, .y_down = true}, SetRole::kNormal},
    {"bnm", kNormal, kAfter, SetRole::kNormal},
    {"ddn", kNormal, kAfter, SetRole::kNormal},
    {"ddna", kNormal, kAfter, SetRole::kNormal},
    {"ao", kGray, {.alone = kInSet, .in_word = kInSet}, SetRole::kOcclusion},
    {"occ", kGray, kAfter, SetRole::kOcclusion},
    {"occlusion", kGray, kInWord, SetRole::kOcclusion},
    {"ambientocclusion", kGray, kInWord, SetRole::kOcclusion},
    {"R", kGray, kCapitals},
    {"rgh", kGray, kAfter},
    {"rough", kGray, kAfter},
    {"roughness", kGray, kInWord},
    {"gloss", kGray, kAfter},
    {"glossiness", kGray, kInWord},
    {"smoothness", kGray, kInWord},
    {"metallic", kGray, {.in_word = kInSet}},
    {"metalness", kGray, kInWord},
    {"H", kGray, kCapitals},
    {"height", kGray, {.in_word = kInSet}},
    {"heightmap", kGray, kInWord},
    {"disp", kGray, kAfter},
    {"displ", kGray, kAfter},
    {"displacement", kGray, kInWord},
    {"bumpmap", kGray, kInWord},
    {"opacity", kGray, {.in_word = kInSet}},
    {"cavity", kGray, {.in_word = kInSet}},
    {"curvature", kGray, {.in_word = kInSet}},
    {"thickness", kGray, {.in_word = kInSet}},
    {"metal", kGray, kNoun},
    {"bump", kGray, kNoun},
    {"alpha", kGray, kNoun},
    {"fuzz", kGray, kNoun},
    {"orm", kOrm, kShort, SetRole::kAllThree},
    {"arm", kOrm, kAfter, SetRole::kAllThree},
    {"rma", kOrm, kShort},
    {"rmo", kOrm, kAfter},
    {"mra", kOrm, kShort},
    {"mro", kOrm, kAfter},
    {"hrm", kOrm, kAfter, SetRole::kMetallicRoughness},
    {"metallicroughness", kOrm, kInWord, SetRole::kMetallicRoughness},
    {"metalroughness", kOrm, kInWord, SetRole::kMetallicRoughness},
    {"metalrough", kOrm, kInWord, SetRole::kMetallicRoughness},
    {"occlusionroughnessmetallic", kOrm, kInWord, SetRole::kAllThree},
    {"occlusionroughmetal", kOrm, kInWord, SetRole::kAllThree},
    {"aorm", kLinear, kAfter},
    {"mrao", kLinear, kAfter},
    {"raom", kLinear, kAfter},
    {"maskmap", kLinear, kInWord},
    {"metallicsmoothness", kLinear, kInWord},
    {"flowmap", kLinear, kInWord},
    {"mask", kLinear, kNoun},
    {"masks", kLinear, kNoun},
    {"msk", kLinear, kNoun},
    {"flow", kLinear, kNoun},
    {"worldnormal", kLinear, kInWord},
    {"worldspacenormal", kLinear, kInWord},
    {"worldspacenormals", kLinear, kInWord},
    {"normalws", kLinear, kInWord},
    {"objectnormal", kLinear, kInWord},
    {"objectspacenormal", kLinear, kInWord},
    {"objectspacenormals", kLinear, kInWord},
    {"normalos", kLinear, kInWord},
    {"basecolor", kColor, kInWord, SetRole::kBaseColor},
    {"albedo", kColor, kInWord, SetRole::kBaseColor},
    {"diffuse", kColor, kInWord, SetRole::kBaseColor},
    {"diff", kColor, {}, SetRole::kBaseColor},
    {"bc", kColor, kAfter, SetRole::kBaseColor},
    {"basemap", kColor, kInWord, SetRole::kBaseColor},
    {"albedotransparency", kColor, kInWord, SetRole::kBaseColor},
    {"D", kColor, kCapitals, SetRole::kBaseColor},
    {"color", kColor, {}, SetRole::kBaseColor},
    {"col", kColor, {}, SetRole::kBaseColor},
    {"specular", kColor},
    {"spec", kColor, kAfter},
    {"specularsmoothness", kColor, kInWord},
    {"specularglossiness", kColor, kInWord},
    {"speculargloss", kColor, kInWord},
    {"albedosmoothness", kColor, kInWord, SetRole::kBaseColor},
    {"emissive", kColor, {}, SetRole::kEmissive},
    {"emission", kColor, {}, SetRole::kEmissive},
    {"lut", kLut, kAfter},
};

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

// The end of a name that the table or the configuration has.
struct Ending {
  const NameWord* word = nullptr;
  const NamedUsage* more = nullptr;  // of the configuration; then `word` is null
  WordCounts counts = WordCounts::kNever;
  std::string_view rest;  // the name before it
};

// The longest of the last parts of a word in mixed case, at most three, that the table has: "RockNormalMap".
Ending ending_in_word(std::string_view name, std::string_view word) {
  Ending ending;
  std::size_t length = 0;
  for (int parts = 0; parts < 3; ++parts) {
    const std::string_view part = last_part(word.substr(0, word.size() - length));
    if (part.empty()) break;
    length += part.size();
    const std::string text = ascii_lower(word.substr(word.size() - length));
    const auto found = std::ranges::find_if(kWords, [&](const NameWord& w) {
      return w.text == text && (w.rules.in_word != kNever || w.rules.after == kInSet);
    });
    if (found == std::end(kWords)) continue;
    const auto begin = word.end() - static_cast<std::ptrdiff_t>(length);
    ending = {found, nullptr, found->rules.in_word, std::string_view(name.begin(), begin)};
  }
  return ending;
}

// The ending of a name without its extension, and whether the convention of its normals follows it ("_dx").
Ending ending_of(std::string_view name, std::span<const NamedUsage> more, bool& says_directx) {
  std::vector<std::string_view> words = telling_words(name);
  if (words.empty()) return {};
  const auto is_whole_name = [&](std::size_t count) { return count == words.size(); };
  constexpr std::size_t kLongest = 3;  // the most words in one suffix: "ambient occlusion", "occlusion rough metal"
  const auto search = [&]() -> Ending {
    for (std::size_t count = std::min(words.size(), kLongest); count > 0; --count) {
      const std::string_view first = words[words.size() - count];
      const std::string_view exact(first.begin(), words.back().end());
      const std::string_view rest(name.begin(), first.begin());
      const std::string word = suffix_word(exact);
      const auto found = std::ranges::find(more, word, &NamedUsage::word);
      if (found != more.end() && !is_whole_name(count)) return {nullptr, &*found, kAlways, rest};
      for (const NameWord& w : kWords) {
        if (w.text != (w.rules.capitals ? exact : std::string_view(word))) continue;
        const WordCounts counts = is_whole_name(count) ? w.rules.alone : w.rules.after;
        if (counts != kNever) return {&w, nullptr, counts, rest};
      }
    }
    return ending_in_word(name, words.back());
  };
  // "nor_gl", as material libraries write it. "normal_directx" is in the table.
  const std::string last = ascii_lower(words.back());
  const bool directx = last == "dx" || last == "directx";
  if (words.size() > 2 && (directx || last == "gl" || last == "opengl")) {
    if (const Ending whole = search(); whole.counts != kNever) return whole;
    words.pop_back();
    says_directx = directx;
  }
  return search();
}

std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? std::string_view() : path.substr(0, slash);
}

// "wood/planks" for a picture in "wood" whose name is "Planks_" before its ending.
std::string set_name(std::string_view path, std::string_view rest) {
  return std::string(folder_of(path)).append("/").append(suffix_word(rest));
}

std::string_view without_extension(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.substr(0, name.rfind('.'));
}

}  // namespace

std::span<const NameWord> name_words() { return kWords; }

std::string suffix_word(std::string_view text) {
  std::string word = ascii_lower(text);
  std::erase_if(word, is_separator);
  return word;
}

PictureName read_picture_name(std::string_view path, std::string_view extension, std::span<const NamedUsage> more,
                              const HasSet& has_set) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  if (ends_with_ignoring_case(name, ascii_lower(extension))) name.remove_suffix(extension.size());
  bool says_directx = false;
  const Ending ending = ending_of(name, more, says_directx);
  PictureName said;
  if (ending.more != nullptr) {
    said.usage = ending.more->usage;
  } else if (ending.word != nullptr) {
    const bool counts =
        ending.counts == kAlways || (ending.counts == kInSet && has_set && has_set(set_name(path, ending.rest)));
    if (!counts) {
      said.noun = ending.word->text;
      return said;
    }
    said.usage = ending.word->usage;
    said.y_down = ending.word->rules.y_down;
  }
  said.y_down = said.usage == kNormal && (said.y_down || says_directx);
  return said;
}

std::optional<std::string> picture_set(std::string_view path) {
  const filetypes::Row* row = filetypes::find_row(path);
  if (row == nullptr || !row->is_picture()) return std::nullopt;
  bool ignored = false;
  const Ending ending = ending_of(without_extension(path), {}, ignored);
  const bool counts = ending.word != nullptr && ending.counts == kAlways;
  if (!counts || (ending.word->usage != kColor && ending.word->usage != kNormal)) return std::nullopt;
  return set_name(path, ending.rest);
}

std::optional<std::string> set_asked_for(std::string_view path) {
  bool ignored = false;
  const Ending ending = ending_of(without_extension(path), {}, ignored);
  return ending.counts == kInSet ? std::optional(set_name(path, ending.rest)) : std::nullopt;
}

std::optional<SetMember> set_member(std::string_view path, std::span<const NamedUsage> more) {
  const std::string_view name = without_extension(path);
  if (name.find('+', 1) != name.npos) return std::nullopt;
  bool ignored = false;
  const Ending ending = ending_of(name, more, ignored);
  SetMember member;
  member.stem = ending.word != nullptr || ending.more != nullptr ? ending.rest : name;
  member.key = set_name(path, member.stem);
  while (!member.stem.empty() && is_separator(member.stem.back())) member.stem.remove_suffix(1);
  if (ending.word != nullptr) {
    member.word = ending.word->text;
    member.role = ending.word->role;
  } else if (ending.more != nullptr) {
    member.word = ending.more->word;
    const TextureUsage usage = ending.more->usage;
    member.role = usage == kColor    ? SetRole::kBaseColor
                  : usage == kNormal ? SetRole::kNormal
                  : usage == kOrm    ? SetRole::kAllThree
                                     : SetRole::kNone;
  } else {
    member.role = SetRole::kBaseColor;
  }
  return member;
}

Params picture_params(std::string_view path, const Claim& claim, const Settings& settings, const HasSet& has_set) {
  const TextureSettings& texture = settings.texture;
  const bool is_open = claim.mode == kColor || claim.mode == kHdr;
  const bool name_decides = texture.usage == kAuto && is_open;
  const PictureName named = read_picture_name(path, claim.strip, texture.names, name_decides ? has_set : HasSet());
  TextureUsage mode = texture.usage != kAuto ? texture.usage : claim.mode;
  // "color" adds nothing for an HDR picture.
  if (name_decides && named.usage && !(*named.usage == kColor && claim.mode == kHdr)) mode = *named.usage;
  Params params = mode_params(mode);
  if (mode == kNormal && named.y_down) params.emplace(kYDownParam, "");
  if (name_decides && mode == kColor && !named.noun.empty()) params.emplace(kNounParam, named.noun);
  if (texture.keeps_graphics && mode == kColor) params.emplace(kAloneParam, "");
  return params;
}

Params slot_params(std::string_view path, TextureUsage mode) {
  Params params = mode_params(mode);
  if (mode == kNormal && read_picture_name(path, path.substr(std::min(path.size(), path.rfind('.')))).y_down)
    params.emplace(kYDownParam, "");
  return params;
}

TextureUsage overruled_usage(const Settings& settings, TextureUsage mode) {
  const TextureUsage usage = settings.texture.usage;
  return usage == mode || (usage == kOrm && mode == kLinear) ? kAuto : usage;
}

void check_name(std::string_view path, TextureUsage mode, std::string_view what, std::string place,
                std::vector<Diagnostic>& diagnostics) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  const PictureName said = read_picture_name(name, dot == name.npos ? std::string_view() : name.substr(dot));
  std::optional<TextureUsage> named = said.usage;
  // A picture in a slot is no flag: "ao.png" is occlusion.
  const auto word = std::ranges::find(kWords, said.noun, &NameWord::text);
  if (word != std::end(kWords) && word->rules.after == kAlways) named = word->usage;
  if (!named || (*named == kNormal) == (mode == kNormal)) return;
  diagnostics.push_back(warning(WarningKind::kMisnamedPicture, ErrorCode::kConflict, std::move(place),
                                "\"" + std::string(name) + "\" is named as " + std::string(to_string(*named)) +
                                    ", but it is used as " + std::string(what) + " and compiled as " +
                                    std::string(to_string(mode)),
                                "assign it to the matching slot, or rename it"));
}

}  // namespace assetc::recipes
