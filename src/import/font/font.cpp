#include "import/font/font.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <optional>
#include <vector>

#include "import/font/message.hpp"

namespace assetc::importer {
namespace {

constexpr std::uint32_t kMaxFontMessageBytes = 1u << 30;
constexpr std::string_view kOutlinesHint = "use a .ttf or .otf with outlines";
constexpr process::Words kFontWords{.who = "the font reader",
                                    .crash_hint = "save the font again with a font editor",
                                    .growing_hint = "choose fewer characters with font.characters"};

Result<void> check_font_magic(ByteSpan file) {
  const std::string_view magic = as_text(file).substr(0, 4);
  if (file.empty()) return fail_at(ErrorCode::kTruncated, byte_place(0), "the file is empty, expected a font");
  if (magic == std::string_view("\0\1\0\0", 4) || magic == "OTTO" || magic == "true") return {};
  if (magic == "wOFF" || magic == "wOF2") {
    return fail_at(ErrorCode::kUnsupported, byte_place(0), "found a WOFF font, expected TrueType or OpenType",
                   "convert it to .ttf or .otf");
  }
  if (magic == "ttcf") {
    return fail_at(ErrorCode::kUnsupported, byte_place(0), "found a collection of fonts, expected one font",
                   "save the font that you need as .ttf or .otf");
  }
  return fail_at(ErrorCode::kInvalidData, byte_place(0), "found neither a TrueType nor an OpenType font",
                 std::string(kOutlinesHint));
}

// What the directory of tables says: whether the file is whole, and which content is not read.
Result<std::vector<scene::LeftOut>> read_font_tables(ByteSpan file) {
  constexpr std::size_t kCountAt = 4, kFirstAt = 12, kEntryBytes = 16;
  constexpr std::array<std::string_view, 4> kColors{"COLR", "SVG ", "sbix", "CBDT"};
  const auto number = [&](std::size_t at, std::size_t size) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) value = value << 8 | std::to_integer<std::uint64_t>(file[at + i]);
    return value;
  };
  const auto cut_short = [&](std::string what) {
    return fail_at(ErrorCode::kTruncated, byte_place(file.size()), std::move(what), "copy or export the font again");
  };
  if (file.size() < kFirstAt) return cut_short("the file ends inside its header");
  const std::size_t count = static_cast<std::size_t>(number(kCountAt, 2));
  if (!range_fits(kFirstAt, count * kEntryBytes, file.size())) return cut_short("the file ends inside its header");
  std::vector<scene::LeftOut> left_out;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t entry = kFirstAt + i * kEntryBytes;
    const std::string tag(as_text(file.subspan(entry, 4)));
    const std::uint64_t at = number(entry + 8, 4), size = number(entry + 12, 4);
    if (!range_fits(at, size, file.size())) {
      return cut_short("the file ends " + std::to_string(at + size - file.size()) + " bytes before its table \"" + tag +
                       "\" does");
    }
    if (std::ranges::find(kColors, tag) != kColors.end()) {
      left_out.push_back({"the colors of its glyphs (table " + tag.substr(0, tag.find(' ')) + ")",
                          "use pictures for glyphs in color"});
    }
    if (tag == "fvar") {
      left_out.push_back({"its variations (table fvar); the default instance is used",
                          "export the instance that you need as a font of its own"});
    }
  }
  return left_out;
}

// The request has the limits, the characters and the file. The answer is 1 and the font, or 0 and the error.
int serve_font(int socket) {
  const std::uint64_t started_bytes = process::prepare_to_serve();
  ByteVector job;
  if (!process::receive_message(socket, job, process::kNever, kMaxFontMessageBytes)) return 0;
  process::MessageReader reader(job);
  const auto limits = reader.number<process::Limits>();
  const ByteSpan list = reader.blob();
  const ByteSpan file = reader.blob();
  if (!reader.ok()) return 1;
  std::vector<std::uint32_t> characters(list.size() / sizeof(std::uint32_t));
  std::memcpy(characters.data(), list.data(), characters.size() * sizeof(std::uint32_t));
  process::limit_source(limits, started_bytes);
  process::MessageWriter answer;
  const Result<scene::Font> font = read_font_here(file, characters);
  answer.number(std::uint8_t{font.has_value()});
  font ? write_font(answer, *font) : void(answer.error(font.error()));
  if (answer.bytes().size() > kMaxFontMessageBytes) {
    answer = process::MessageWriter();
    answer.number(std::uint8_t{0})
        .error({ErrorCode::kLimit, {}, {}, "the outlines take more than 1 GiB", std::string(kFontWords.growing_hint)});
  }
  return process::send_message(socket, answer.bytes(), process::kNever, kMaxFontMessageBytes) ? 0 : 1;
}

Result<scene::Font> ask_reader(process::Child& child, ByteSpan file, std::span<const std::uint32_t> characters,
                               const process::Limits& limits) {
  const process::Deadline deadline = std::chrono::steady_clock::now() + std::chrono::seconds(limits.seconds);
  process::MessageWriter job;
  job.number(limits).blob(std::as_bytes(characters)).blob(file);
  ByteVector answer;
  if (!process::send_message(child.socket(), job.bytes(), deadline, kMaxFontMessageBytes) ||
      !process::receive_message(child.socket(), answer, deadline, kMaxFontMessageBytes)) {
    return std::unexpected(child.end(limits, deadline, kFontWords));
  }
  process::MessageReader reader(answer);
  if (reader.number<std::uint8_t>() == 1) return read_font(reader);
  Error error = reader.error();
  if (!reader.ok()) return fail(ErrorCode::kInvalidData, "the answer of the font reader cannot be read");
  return std::unexpected(std::move(error));
}

// Reads in a child process, or in this one if none can start.
Result<scene::Font> read_in_process(ByteSpan file, std::span<const std::uint32_t> characters,
                                    const process::Limits& limits) {
  if (process::can_start()) {
    ASSETC_TRY(std::optional<process::Child> child, process::Child::start(kFontReader, kFontWords));
    if (child) {
      Result<scene::Font> font = ask_reader(*child, file, characters, limits);
      if (!child->ended() || child->started()) return font;
    }
  }
  return read_font_here(file, characters);
}

}  // namespace

constinit const process::Role kFontReader{.argument = "--read-font", .serve = serve_font};

Result<scene::Font> import_font(ByteSpan file, std::span<const std::uint32_t> characters,
                                const process::Limits& limits) {
  ASSETC_CHECK(check_font_magic(file));
  if (file.size() > kMaxFontMessageBytes / 2) return fail(ErrorCode::kLimit, "the file is larger than 512 MiB");
  ASSETC_TRY(std::vector<scene::LeftOut> left_out, read_font_tables(file));
  auto font = read_in_process(file, characters, limits);
  if (font) font->left_out = std::move(left_out);
  return font;
}

}  // namespace assetc::importer
