// Reads Radiance RGBE pictures: flat, old runs and new runs. Sources: Ward, "Real Pixels", Graphics Gems II; the
// Radiance file format notes.
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include "import/image/formats.hpp"
#include "text/format.hpp"

namespace assetc::importer {
namespace {

constexpr std::size_t kMaxHeaderBytes = 64u << 10;

struct HdrHeader {
  std::uint32_t width = 0, height = 0;
  std::size_t data_at = 0;
  double exposure = 1;  // the product of all, by which radiance was multiplied
  std::string correction;
  std::optional<Primaries> primaries;
};

// Reads numbers between spaces. Returns false if there are others than `count`.
bool parse_numbers(std::string_view text, std::span<double> numbers) {
  for (double& number : numbers) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || !std::isfinite(number)) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  return text.find_first_not_of(" \t") == std::string_view::npos;
}

// Lines that are malformed say nothing, as to other readers.
void read_variable(std::string_view line, HdrHeader& header) {
  const std::size_t equals = line.find('=');
  const std::string_view name = line.substr(0, equals), text = line.substr(std::min(equals, line.size() - 1) + 1);
  if (name == "EXPOSURE") {
    double value = 1;
    if (parse_numbers(text, {&value, 1}) && value > 0) header.exposure *= value;
  } else if (name == "COLORCORR") {
    std::array<double, 3> factors{};
    if (parse_numbers(text, factors) && factors != std::array<double, 3>{1, 1, 1})
      header.correction = text.substr(0, 40);
  } else if (name == "PRIMARIES") {
    std::array<double, 8> v{};
    if (parse_numbers(text, v)) header.primaries = {{v[0], v[1]}, {v[2], v[3]}, {v[4], v[5]}, {v[6], v[7]}};
  }
}

bool parse_number(std::string_view text, std::uint32_t& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

Result<HdrHeader> read_hdr_header(ByteSpan bytes) {
  const std::string_view text = as_text(bytes.first(std::min(bytes.size(), kMaxHeaderBytes)));
  std::size_t at = 0;
  int line_number = 0;
  bool in_variables = true;
  HdrHeader header;
  for (;;) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos)
      return fail_at(ErrorCode::kTruncated, byte_place(text.size()), "the HDR header has no end");
    std::string_view line = text.substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    at = end + 1;
    ++line_number;
    const std::string place = "line " + std::to_string(line_number);
    if (in_variables) {
      if (line.empty()) in_variables = false;
      if (line.starts_with("FORMAT=") && line != "FORMAT=32-bit_rle_rgbe") {
        return fail_at(ErrorCode::kUnsupported, place,
                       "found HDR " + std::string(line) + ", expected FORMAT=32-bit_rle_rgbe", "convert it to RGBE");
      }
      if (!line.empty()) read_variable(line, header);
      continue;
    }
    // "-Y <height> +X <width>"
    const std::size_t x = line.find(" +X ");
    if (!line.starts_with("-Y ") || x == std::string_view::npos ||
        !parse_number(line.substr(3, x - 3), header.height) || !parse_number(line.substr(x + 4), header.width)) {
      return fail_at(
          ErrorCode::kUnsupported, place,
          "found HDR resolution \"" + std::string(line.substr(0, 40)) + "\", expected \"-Y height +X width\"",
          "save it with the first row at the top");
    }
    ASSETC_CHECK(check_image_size(header.width, header.height, place));
    header.data_at = at;
    return header;
  }
}

// 2^(exponent - 136), exactly: the scale of an 8-bit mantissa. Exponent 0 means black. 2^-135 is larger than the
// smallest denormal, so every scale is representable.
float scale_of(unsigned exponent) {
  if (exponent == 0) return 0.0f;
  const int power = static_cast<int>(exponent) - 136;
  if (power >= -126) return std::bit_cast<float>(static_cast<std::uint32_t>(power + 127) << 23);
  return std::bit_cast<float>(1u << (power + 149));
}

}  // namespace

bool is_hdr(ByteSpan bytes) { return has_prefix(bytes, "#?RADIANCE") || has_prefix(bytes, "#?RGBE"); }

Result<ImageInfo> read_hdr_info(ByteSpan bytes) {
  ASSETC_TRY(const HdrHeader header, read_hdr_header(bytes));
  ImageInfo info{ImageFormat::kHdr, header.width, header.height, scene::PixelType::kF32, 3};
  // A new run encodes 127 values of one channel in two bytes. An old run encodes up to 2^24 texels in four bytes, but
  // only after the texel that it repeats, and no known writer exceeds 255.
  ASSETC_CHECK(check_image_ratio(info, bytes.size(), 64));
  if (header.primaries) declare_primaries(info, "HDR PRIMARIES", *header.primaries);
  constexpr double kRounding = 1e-6;
  if (std::abs(header.exposure - 1) > kRounding) {
    info.other_color = {"HDR EXPOSURE", formatted("an exposure of {:.6g}", header.exposure)};
  } else if (!header.correction.empty()) {
    info.other_color = {"HDR COLORCORR", "a color correction of " + header.correction};
  }
  return info;
}

Result<scene::Image> decode_hdr(ByteSpan bytes, const ImageInfo& info) {
  ASSETC_TRY(const HdrHeader header, read_hdr_header(bytes));
  const std::uint32_t width = header.width;
  std::uint64_t at = header.data_at;
  const auto cut_short = [&] {
    return fail_at(ErrorCode::kTruncated, byte_place(bytes.size()),
                   "the file ends before the last texel of the HDR picture", "export the picture again");
  };
  const auto invalid = [&](std::string what) {
    return fail_at(ErrorCode::kInvalidData, byte_place(at), std::move(what), "export the picture again");
  };

  scene::Image image = make_image(info);
  std::vector<std::uint8_t> row(std::size_t{width} * 4);  // RGBE, interleaved
  for (std::uint32_t y = 0; y < header.height; ++y) {
    if (!range_fits(at, 4, bytes.size())) return cut_short();
    const bool new_runs =
        width >= 8 && width < 32768 && u8_at(bytes, at) == 2 && u8_at(bytes, at + 1) == 2 && u8_at(bytes, at + 2) < 128;
    if (new_runs) {
      if (be16_at(bytes, at + 2) != width) return invalid("found an HDR row of another width");
      at += 4;
      for (std::size_t channel = 0; channel < 4; ++channel) {
        for (std::uint32_t x = 0; x < width;) {
          if (!range_fits(at, 2, bytes.size())) return cut_short();
          unsigned count = u8_at(bytes, at);
          const bool run = count > 128;
          if (run) count -= 128;
          if (count == 0 || count > width - x) return invalid("found an HDR run that leaves its row");
          ++at;
          if (!range_fits(at, run ? 1 : count, bytes.size())) return cut_short();
          for (unsigned i = 0; i < count; ++i) row[std::size_t{x + i} * 4 + channel] = u8_at(bytes, at + (run ? 0 : i));
          at += run ? 1 : count;
          x += count;
        }
      }
    } else {
      unsigned shift = 0;
      for (std::uint32_t x = 0; x < width;) {
        if (!range_fits(at, 4, bytes.size())) return cut_short();
        const bool run = u8_at(bytes, at) == 1 && u8_at(bytes, at + 1) == 1 && u8_at(bytes, at + 2) == 1;
        if (!run) {
          std::memcpy(&row[std::size_t{x} * 4], bytes.data() + at, 4);
          ++x;
          shift = 0;
        } else {
          if (x == 0 || shift > 16) return invalid("found an HDR run without a texel to repeat");
          const std::uint32_t count = std::uint32_t{u8_at(bytes, at + 3)} << shift;
          if (count > width - x) return invalid("found an HDR run that leaves its row");
          for (std::uint32_t i = 0; i < count; ++i, ++x)
            std::memcpy(&row[std::size_t{x} * 4], &row[std::size_t{x - 1} * 4], 4);
          shift += 8;
        }
        at += 4;
      }
    }
    auto* out = reinterpret_cast<float*>(image.pixels.data() + image.row_bytes() * y);
    for (std::uint32_t x = 0; x < width; ++x) {
      const std::uint8_t* rgbe = &row[std::size_t{x} * 4];
      const float scale = scale_of(rgbe[3]);
      for (int c = 0; c < 3; ++c) out[x * 4 + static_cast<unsigned>(c)] = static_cast<float>(rgbe[c]) * scale;
      out[x * 4 + 3] = 1.0f;
    }
  }
  return image;
}

}  // namespace assetc::importer
