// The table of what becomes of properties that only some containers of pictures, sounds and fonts can store.
// docs/reference/containers.md prints it, and a test has a file for each cell.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace assetc::importer {

enum class Fate : std::uint8_t {
  kNone,       // the container cannot store it
  kKept,       // the importer returns it as it is
  kConverted,  // the importer returns it in another form
  kReported,   // it is left out, and a warning says so
  kRefused,    // the file is an error
};
struct PropertyCell {
  Fate fate = Fate::kNone;
  std::string_view note = {};  // in which form, or which part
};
template <std::size_t Count>
struct ContainerRow {
  std::string_view name;
  std::array<PropertyCell, Count> cells;
};

inline constexpr std::array<std::string_view, 6> kPictureProperties{
    "negative values",   "values above 1",           "more than 8 bits",
    "more than 16 bits", "a file that is cut short", "layers, pages, frames"};
inline constexpr std::array<std::string_view, 4> kSoundProperties{"samples beyond -1 to 1", "more than 16 bits",
                                                                  "a file that is cut short", "loops"};
inline constexpr std::array<std::string_view, 4> kFontProperties{"a file that is cut short", "several faces",
                                                                 "glyphs in color", "variations"};

inline constexpr auto kPictureContainers = [] {
  using enum Fate;
  using Row = ContainerRow<kPictureProperties.size()>;
  return std::array{
      Row{"PNG", {{{}, {}, {kKept}, {}, {kRefused}, {kReported, "APNG"}}}},
      Row{"JPEG", {{{}, {}, {kRefused}, {}, {kRefused}, {kReported, "MPF"}}}},
      Row{"WebP", {{{}, {}, {}, {}, {kRefused}, {kRefused}}}},
      Row{"TGA", {{{}, {}, {}, {}, {kRefused}, {}}}},
      Row{"BMP", {{{}, {}, {kReported}, {}, {kRefused}, {}}}},
      Row{"HDR", {{{}, {kKept}, {kKept}, {}, {kRefused}, {}}}},
      Row{"EXR", {{{kKept}, {kKept}, {kKept}, {kKept}, {kRefused}, {kReported, "`texture.layer` chooses another"}}}},
      Row{"PSD, PSB", {{{kKept}, {kKept}, {kKept}, {kKept}, {kRefused}, {kConverted, "the composite"}}}},
      Row{"TIFF",
          {{{kKept, "floats; reported for integers"},
            {kKept},
            {kKept},
            {kKept, "floats; reported for integers"},
            {kRefused},
            {kReported}}}},
      Row{"AVIF", {{{}, {}, {kReported}, {}, {kRefused}, {kReported}}}},
      Row{"DDS",
          {{{kKept, "floats; converted to 0 to 1 for integers"},
            {kKept},
            {kKept},
            {kKept},
            {kRefused, "reported if only levels of at most 4x4 lack"},
            {kKept}}}},
      Row{"KTX 1", {{{kKept}, {kKept}, {kKept}, {kKept}, {kRefused}, {kKept}}}},
      Row{"KTX 2", {{{kKept}, {kKept}, {kKept}, {kKept}, {kRefused}, {kKept}}}},
  };
}();

inline constexpr auto kSoundContainers = [] {
  using enum Fate;
  using Row = ContainerRow<kSoundProperties.size()>;
  return std::array{
      Row{"WAV", {{{kKept}, {kKept}, {kRefused}, {kKept, "`smpl`; reported beyond 16"}}}},
      Row{"AIFF", {{{kKept}, {kKept}, {kRefused}, {kKept, "`INST`"}}}},
      Row{"FLAC", {{{}, {kKept}, {kRefused}, {kKept, "comments"}}}},
      Row{"Ogg Vorbis", {{{kKept}, {}, {kRefused}, {kKept, "comments"}}}},
      Row{"Opus", {{{kKept}, {}, {kRefused}, {kKept, "comments"}}}},
      Row{"MP3", {{{kKept}, {}, {kRefused, "reported if the file does not say its length"}, {}}}},
  };
}();

inline constexpr auto kFontContainers = [] {
  using enum Fate;
  using Row = ContainerRow<kFontProperties.size()>;
  return std::array{
      Row{"TrueType", {{{kRefused}, {}, {kReported}, {kReported}}}},
      Row{"OpenType", {{{kRefused}, {}, {kReported}, {kReported}}}},
      Row{"collection", {{{kRefused}, {kRefused}, {kRefused}, {kRefused}}}},
      Row{"WOFF", {{{kRefused}, {}, {kRefused}, {kRefused}}}},
  };
}();

}  // namespace assetc::importer
