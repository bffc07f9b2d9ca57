// Reads TIFF and AVIF with the program oiiotool of OpenImageIO, in a child process. The headers are parsed here: memory
// is reserved before the program runs, and the size of its output must match.
#include "import/image/program.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/plural.hpp"
#include "import/image/formats.hpp"
#include "process/program.hpp"

namespace assetc::importer {
namespace {

constexpr std::string_view kImageProgram = "oiiotool";
constexpr process::Limits kImageProgramLimits{.memory_bytes = 4ull << 30};
constexpr process::Words kImageProgramWords{.who = "oiiotool",
                                            .crash_hint = "save the picture again, or as PNG",
                                            .growing_hint = "scale the picture down, or save it as PNG"};

std::unexpected<Error> header_cut_short(ByteSpan file, std::string_view format) {
  return fail_at(ErrorCode::kTruncated, byte_place(file.size()),
                 "the file ends inside the header of the " + std::string(format), "save the picture again");
}

// ---- TIFF ----

enum TiffTag : std::uint16_t {
  kTiffWidth = 256,
  kTiffHeight = 257,
  kTiffBits = 258,
  kTiffPhotometric = 262,
  kTiffSamples = 277,
  kTiffWhite = 318,
  kTiffPrimaries = 319,
  kTiffSampleFormat = 339,
  kTiffProfile = 34675
};
enum TiffPhotometric : std::uint32_t { kTiffMinIsWhite = 0, kTiffGray = 1, kTiffPalette = 3 };

// The first directory of a TIFF, with offsets of 4 or 8 bytes, in either byte order.
class TiffDirectory {
 public:
  static Result<TiffDirectory> open(ByteSpan file) {
    TiffDirectory d(file);
    if (file.size() < 16) return header_cut_short(file, "TIFF");
    const bool is_big = d.number(2, 2) == 43;
    d.offset_bytes_ = is_big ? 8 : 4;
    const std::uint64_t at = d.number(is_big ? 8 : 4, d.offset_bytes_);
    const std::size_t count_bytes = is_big ? 8 : 2;
    if (!range_fits(at, count_bytes, file.size())) return header_cut_short(file, "TIFF");
    d.count_ = d.number(at, count_bytes);
    d.entries_at_ = at + count_bytes;
    const auto size = checked_mul(d.count_, d.entry_bytes());
    if (d.count_ == 0 || !size || !range_fits(d.entries_at_, *size + d.offset_bytes_, file.size()))
      return header_cut_short(file, "TIFF");
    return d;
  }

  // The first value of a tag with 16-bit or 32-bit values; `otherwise` if there is none.
  std::uint64_t value(std::uint16_t tag, std::uint64_t otherwise) const {
    constexpr std::uint64_t kShort = 3, kLong = 4;
    for (std::uint64_t i = 0; i < count_; ++i) {
      const std::uint64_t at = entries_at_ + i * entry_bytes();
      if (number(at, 2) != tag) continue;
      const std::uint64_t type = number(at + 2, 2), count = number(at + 4, offset_bytes_);
      if ((type != kShort && type != kLong) || count == 0 || count > file_.size()) return otherwise;
      const std::size_t size = type == kShort ? 2 : 4;
      std::uint64_t value_at = at + 4 + offset_bytes_;
      if (count * size > offset_bytes_) value_at = number(value_at, offset_bytes_);
      return range_fits(value_at, size, file_.size()) ? number(value_at, size) : otherwise;
    }
    return otherwise;
  }
  // Rational numbers of a tag; empty if there is another number of them.
  std::vector<double> rationals(std::uint16_t tag, std::uint64_t count) const {
    constexpr std::uint64_t kRational = 5;
    const auto at = values(tag, kRational, 8);
    std::vector<double> out;
    for (std::size_t i = 0; at.size() == count * 8 && i < count; ++i) {
      const std::uint64_t place = static_cast<std::uint64_t>(at.data() - file_.data()) + i * 8;
      const std::uint64_t divisor = number(place + 4, 4);
      if (divisor == 0) return {};
      out.push_back(static_cast<double>(number(place, 4)) / static_cast<double>(divisor));
    }
    return out;
  }
  // Bytes of a tag; empty if there are none.
  ByteSpan bytes(std::uint16_t tag) const {
    constexpr std::uint64_t kUndefined = 7, kByte = 1;
    const ByteSpan found = values(tag, kUndefined, 1);
    return found.empty() ? values(tag, kByte, 1) : found;
  }
  bool has_another() const { return number(entries_at_ + count_ * entry_bytes(), offset_bytes_) != 0; }

 private:
  explicit TiffDirectory(ByteSpan file) : file_(file), is_big_endian_(has_prefix(file, "MM")) {}
  // The values of a tag of that type.
  ByteSpan values(std::uint16_t tag, std::uint64_t wanted_type, std::uint64_t value_bytes) const {
    for (std::uint64_t i = 0; i < count_; ++i) {
      const std::uint64_t at = entries_at_ + i * entry_bytes();
      if (number(at, 2) != tag || number(at + 2, 2) != wanted_type) continue;
      const auto size = checked_mul(number(at + 4, offset_bytes_), value_bytes);
      if (!size) return {};
      std::uint64_t value_at = at + 4 + offset_bytes_;
      if (*size > offset_bytes_) value_at = number(value_at, offset_bytes_);
      if (!range_fits(value_at, *size, file_.size())) return {};
      return file_.subspan(static_cast<std::size_t>(value_at), static_cast<std::size_t>(*size));
    }
    return {};
  }
  std::uint64_t entry_bytes() const { return offset_bytes_ == 8 ? 20 : 12; }
  std::uint64_t number(std::uint64_t at, std::size_t bytes) const {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i)
      value = value << 8 | u8_at(file_, static_cast<std::size_t>(at) + (is_big_endian_ ? i : bytes - 1 - i));
    return value;
  }

  ByteSpan file_;
  bool is_big_endian_;
  std::size_t offset_bytes_ = 4;
  std::uint64_t count_ = 0, entries_at_ = 0;
};

// ---- AVIF ----

struct AvifBox {
  std::string_view type;
  ByteSpan bytes;
};

// The boxes in a range of the file, up to the first that does not fit.
std::vector<AvifBox> avif_boxes(ByteSpan bytes) {
  std::vector<AvifBox> out;
  while (bytes.size() >= 8) {
    std::uint64_t size = be32_at(bytes, 0);
    std::size_t head = 8;
    if (size == 1 && bytes.size() >= 16) {
      size = std::uint64_t{be32_at(bytes, 8)} << 32 | be32_at(bytes, 12);
      head = 16;
    }
    if (size == 0) size = bytes.size();
    if (size < head || size > bytes.size()) break;
    out.push_back({as_text(bytes.subspan(4, 4)), bytes.subspan(head, static_cast<std::size_t>(size) - head)});
    bytes = bytes.subspan(static_cast<std::size_t>(size));
  }
  return out;
}

ByteSpan find_avif_box(ByteSpan bytes, std::string_view type) {
  for (const AvifBox& box : avif_boxes(bytes)) {
    if (box.type == type) return box.bytes;
  }
  return {};
}

// A colr box: a profile, or code points of H.273. A light picture under PQ or HLG is not converted.
void declare_avif_color(ImageInfo& info, ByteSpan color) {
  if (color.size() < 4) return;
  const std::string_view type = as_text(color.first(4));
  if (type == "prof" || type == "rICC") {
    info.other_color = other_profile("AVIF profile", {}, profile_description(color.subspan(4)));
  } else if (type == "nclx" && color.size() >= 8) {
    constexpr std::uint32_t kPq = 16, kHlg = 18;
    const std::uint32_t primaries = be16_at(color, 4), transfer = be16_at(color, 6);
    if (transfer == kPq || transfer == kHlg) {
      info.other_color = {"AVIF colr", transfer == kPq ? "the transfer function PQ" : "the transfer function HLG"};
    } else if (const auto known = primaries_of_code(primaries)) {
      declare_primaries(info, "AVIF colr", *known);
    }
  }
}

}  // namespace

std::string image_program_signature() { return process::program_signature(kImageProgram); }
std::string image_program_version() {
  return process::program_version(kImageProgram, "--version", kImageProgramLimits);
}

bool needs_image_program(ByteSpan bytes) { return is_tiff(bytes) || is_avif(bytes); }

bool is_tiff(ByteSpan bytes) {
  using namespace std::string_view_literals;
  return has_prefix(bytes, "II*\0"sv) || has_prefix(bytes, "MM\0*"sv) || has_prefix(bytes, "II+\0"sv) ||
         has_prefix(bytes, "MM\0+"sv);
}
bool is_avif(ByteSpan bytes) { return bytes.size() >= 12 && as_text(bytes.subspan(4, 8)) == "ftypavif"; }

Result<ImageInfo> read_tiff_info(ByteSpan bytes) {
  ASSETC_TRY(const TiffDirectory directory, TiffDirectory::open(bytes));
  const std::uint64_t width = directory.value(kTiffWidth, 0), height = directory.value(kTiffHeight, 0);
  ASSETC_CHECK(check_image_size(width, height, "TIFF directory"));
  ImageInfo info{ImageFormat::kTiff, static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height)};
  constexpr std::uint64_t kSigned = 2, kFloatingPoint = 3;
  const std::uint64_t bits = directory.value(kTiffBits, 1), samples = directory.value(kTiffSamples, 1);
  const std::uint64_t photometric = directory.value(kTiffPhotometric, kTiffGray);
  const std::uint64_t colors = photometric == kTiffMinIsWhite || photometric == kTiffGray ? 1 : 3;
  const bool has_alpha = photometric != kTiffPalette && samples > colors && samples <= 4;
  const std::uint64_t format = directory.value(kTiffSampleFormat, 1);
  if (format == kFloatingPoint) {
    info.type = scene::PixelType::kF32;
  } else if (bits > 8) {
    info.type = scene::PixelType::kU16;
  }
  info.source_channels = static_cast<std::uint8_t>(colors + (has_alpha ? 1 : 0));
  if (directory.has_another()) leave_out(info, "the pages after the first");
  if (format != kFloatingPoint && bits > 16) leave_out(info, "the bits of each channel beyond 16");
  if (format == kSigned) leave_out(info, "negative values");
  const std::vector<double> c = directory.rationals(kTiffPrimaries, 6), white = directory.rationals(kTiffWhite, 2);
  if (const ByteSpan profile = directory.bytes(kTiffProfile); !profile.empty()) {
    info.other_color = other_profile("TIFF profile", {}, profile_description(profile));
  } else if (!c.empty()) {
    const Chromaticity of_white = white.empty() ? kBt709.white : Chromaticity{white[0], white[1]};
    declare_primaries(info, "TIFF PrimaryChromaticities", {{c[0], c[1]}, {c[2], c[3]}, {c[4], c[5]}, of_white});
  }
  info.scratch_bytes = info.decoded_bytes() * 3;  // in the program, in its output file, and in our copy of that
  return info;
}

Result<ImageInfo> read_avif_info(ByteSpan bytes) {
  ByteSpan meta = find_avif_box(bytes, "meta");
  if (meta.size() < 4) return header_cut_short(bytes, "AVIF");
  meta = meta.subspan(4);
  std::uint64_t width = 0, height = 0;
  bool has_alpha = false, is_deep = false;
  for (const AvifBox& box : avif_boxes(find_avif_box(find_avif_box(meta, "iprp"), "ipco"))) {
    if (box.type == "ispe" && box.bytes.size() >= 12) {
      const std::uint64_t w = be32_at(box.bytes, 4), h = be32_at(box.bytes, 8);
      if (w * h > width * height) width = w, height = h;
    }
    if (box.type == "auxC") has_alpha |= as_text(box.bytes).find("alpha") != std::string_view::npos;
    if (box.type == "av1C" && box.bytes.size() >= 4) is_deep |= (u8_at(box.bytes, 2) & 0x40) != 0;
  }
  ASSETC_CHECK(check_image_size(width, height, "AVIF properties"));
  const ByteSpan color = find_avif_box(find_avif_box(find_avif_box(meta, "iprp"), "ipco"), "colr");
  ImageInfo info{ImageFormat::kAvif, static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height)};
  info.source_channels = has_alpha ? 4 : 3;
  if (is_deep) leave_out(info, kBitsBeyond8);
  if (!find_avif_box(bytes, "moov").empty()) leave_out(info, "the frames of a sequence");
  declare_avif_color(info, color);
  info.scratch_bytes = info.decoded_bytes() * 3;
  return info;
}

Result<scene::Image> decode_with_program(ByteSpan bytes, const ImageInfo& info) {
  const bool is_tiff = info.format == ImageFormat::kTiff, is_light = info.type == scene::PixelType::kF32;
  const std::string name(to_string(info.format));
  ASSETC_TRY(const process::TemporaryFolder folder, process::TemporaryFolder::create("picture"));
  const std::string input = is_tiff ? "in.tif" : "in.avif", output = is_light ? "out.exr" : "out.png";
  ASSETC_CHECK(process::write_file(folder.path() / input, bytes));
  // Alpha stays as stored. In a picture of floats it becomes associated, as in an EXR.
  std::vector<std::string> words{std::string(kImageProgram), "--threads", "1",           "--oiioattrib",
                                 "try_all_readers",          "0",         "--autoorient"};
  if (!is_light) words.emplace_back("--no-autopremult");
  words.insert(words.end(), {"-i", input});
  if (is_light) {
    words.insert(words.end(), {"-d", "float", "--compression", "zip"});
  } else {
    words.insert(words.end(), {"-d", info.type == scene::PixelType::kU16 ? "uint16" : "uint8"});
  }
  words.insert(words.end(), {"-o", output});
  const process::Limits limits{.memory_bytes = (2ull << 30) + info.texel_count() * 64, .processor_seconds = 300};
  const auto log = folder.path() / "log";
  ASSETC_TRY(const auto exit, process::run_program(std::move(words), folder.path(), log, limits, kImageProgramWords));
  if (!exit) {
    return fail(ErrorCode::kNotFound, name + " needs the program oiiotool, which is not on PATH",
                "install OpenImageIO's programs (Debian: openimageio-tools), or save it as PNG or EXR");
  }
  if (!exit->status) return std::unexpected(process::crash_error(*exit, limits, kImageProgramWords));
  if (!exit->is(0)) {
    std::string said = process::read_text(log);
    constexpr std::size_t kMaxText = 200;
    said = said.substr(0, std::min(said.find_first_of("\r\n"), kMaxText));
    return fail(ErrorCode::kInvalidData,
                said.empty() ? "oiiotool cannot read it, and gives no reason" : "oiiotool cannot read it: " + said,
                "save the picture again, or as PNG");
  }
  // Incompressible texels take little more than their size. A program that was made to write more is not read.
  constexpr std::uint64_t kOutputOverheadBytes = 1 << 20;
  const std::uint64_t most_bytes = info.decoded_bytes() * 4 + kOutputOverheadBytes;
  std::error_code unknown;
  const std::uint64_t written_bytes = std::filesystem::file_size(folder.path() / output, unknown);
  if (!unknown && written_bytes > most_bytes) {
    return fail(
        ErrorCode::kInvalidData,
        "oiiotool wrote " + counted(written_bytes, "byte") + " for it, expected at most " + std::to_string(most_bytes),
        "save the picture as PNG");
  }
  const std::string written = process::read_text(folder.path() / output);
  auto image = decode_image(as_bytes(written));
  if (!image) {
    return fail(ErrorCode::kInvalidData, "the output of oiiotool cannot be read: " + image.error().what,
                "save the picture as PNG");
  }
  const auto is = [&](std::uint32_t w, std::uint32_t h) {
    return image->width_texels == w && image->height_texels == h;
  };
  if (!is(info.width_texels, info.height_texels) && !is(info.height_texels, info.width_texels)) {
    return fail(ErrorCode::kInvalidData,
                "its header says " + std::to_string(info.width_texels) + "x" + std::to_string(info.height_texels) +
                    " texels, oiiotool read " + std::to_string(image->width_texels) + "x" +
                    std::to_string(image->height_texels),
                "save the picture again");
  }
  return image;
}

}  // namespace assetc::importer
