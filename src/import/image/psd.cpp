// Reads Photoshop documents (PSD, PSB): the composite of all layers, which Photoshop stores at the end of the file. The
// layers are skipped. Source: Adobe, Photoshop File Formats Specification (2019).
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <type_traits>

#include "base/plural.hpp"
#include "import/image/formats.hpp"

namespace assetc::importer {
namespace psd {
namespace {

constexpr std::size_t kHeaderBytes = 26, kChannelsAt = 12, kHeightAt = 14, kDepthAt = 22, kModeAt = 24,
                      kPaletteBytes = 768;
constexpr std::uint32_t kMaxChannels = 56;
constexpr std::uint16_t kIccProfile = 1039, kVersionInfo = 1057;
constexpr float kLargestHalf = 65504.0f;
enum Mode : std::uint32_t { kGray = 1, kIndexed = 2, kRgb = 3, kCmyk = 4, kDuotone = 8 };

std::unexpected<Error> cut_short(ByteSpan file) {
  return fail_at(ErrorCode::kTruncated, byte_place(file.size()), "the file ends before the PSD picture does",
                 "save the picture again");
}

struct Header {
  bool is_large = false;  // PSB
  std::uint32_t channels = 0, width = 0, height = 0, bits = 0, mode = 0;

  // The number of color channels, without alpha and saved selections.
  std::uint32_t color_channels() const { return mode == kRgb ? 3 : mode == kCmyk ? 4 : 1; }
  bool has_alpha() const { return channels > color_channels(); }
};

Result<Header> read_header(ByteSpan file) {
  if (file.size() < kHeaderBytes) return cut_short(file);
  const Header h{be16_at(file, 4) == 2,    be16_at(file, kChannelsAt), be32_at(file, kHeightAt + 4),
                 be32_at(file, kHeightAt), be16_at(file, kDepthAt),    be16_at(file, kModeAt)};
  if (const std::uint32_t version = be16_at(file, 4); version != 1 && version != 2)
    return fail_at(ErrorCode::kInvalidData, byte_place(4),
                   "found PSD version " + std::to_string(version) + ", expected 1 or 2", "save the picture again");
  if (h.mode != kGray && h.mode != kIndexed && h.mode != kRgb && h.mode != kCmyk && h.mode != kDuotone) {
    return fail_at(ErrorCode::kUnsupported, byte_place(kModeAt),
                   "found color mode " + std::to_string(h.mode) + ", expected grayscale, indexed, RGB, CMYK or duotone",
                   "change its mode to RGB");
  }
  if (h.bits != 8 && h.bits != 16 && h.bits != 32) {
    return fail_at(ErrorCode::kUnsupported, byte_place(kDepthAt),
                   "found " + counted(h.bits, "bit") + " a channel, expected 8, 16 or 32", "change its mode to 8 bits");
  }
  if (h.channels < h.color_channels() || h.channels > kMaxChannels || (h.mode == kIndexed && h.bits != 8)) {
    return fail_at(ErrorCode::kInvalidData, byte_place(kChannelsAt),
                   "found " + counted(h.channels, "channel") + " of " + counted(h.bits, "bit") + " in color mode " +
                       std::to_string(h.mode),
                   "save the picture again");
  }
  return h;
}

// Returns a section that begins with its size, and moves `at` behind it.
Result<ByteSpan> section(ByteSpan file, std::uint64_t& at, bool is_wide) {
  const std::size_t field = is_wide ? 8 : 4;
  if (!range_fits(at, field, file.size())) return cut_short(file);
  const auto offset = static_cast<std::size_t>(at);
  const std::uint64_t size =
      is_wide ? std::uint64_t{be32_at(file, offset)} << 32 | be32_at(file, offset + 4) : be32_at(file, offset);
  at += field;
  if (!range_fits(at, size, file.size())) return cut_short(file);
  const ByteSpan bytes = file.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(size));
  at += size;
  return bytes;
}

struct Sections {
  ByteSpan palette, resources, layers;
  std::uint64_t picture_at = 0;
};
Result<Sections> read_sections(ByteSpan file, const Header& header) {
  Sections s;
  s.picture_at = kHeaderBytes;
  ASSETC_TRY(s.palette, section(file, s.picture_at, false));
  ASSETC_TRY(s.resources, section(file, s.picture_at, false));
  ASSETC_TRY(s.layers, section(file, s.picture_at, header.is_large));
  if (header.mode == kIndexed && s.palette.size() != kPaletteBytes) {
    return fail_at(ErrorCode::kInvalidData, byte_place(kHeaderBytes),
                   "found a palette of " + counted(s.palette.size(), "byte") + ", expected 768",
                   "save the picture again");
  }
  return s;
}

// Returns the data of a resource. Empty if it is missing or the resources are malformed.
ByteSpan find_resource(ByteSpan resources, std::uint16_t wanted) {
  constexpr std::size_t kLeast = 12;  // signature, id, an empty name, size
  while (resources.size() >= kLeast && has_prefix(resources, "8BIM")) {
    const std::size_t name = (std::size_t{u8_at(resources, 6)} + 2) / 2 * 2;
    if (resources.size() < 10 + name) return {};
    const std::uint64_t size = be32_at(resources, 6 + name), data = 10 + name;
    if (!range_fits(data, size, resources.size())) return {};
    if (be16_at(resources, 4) == wanted) return resources.subspan(data, static_cast<std::size_t>(size));
    resources = resources.subspan(std::min<std::size_t>(resources.size(), data + (size + 1) / 2 * 2));
  }
  return {};
}

// Whether colors are blended with white where alpha is below 1. Photoshop does so in documents with transparency, which
// have a negative number of layers.
bool is_on_white(const Header& header, ByteSpan layers) {
  const std::size_t field = header.is_large ? 8 : 4;
  return header.has_alpha() && layers.size() >= field + 2 && (be16_at(layers, field) & 0x8000) != 0;
}

// Decodes a row of PackBits: a count n >= 0 precedes n + 1 literal bytes, n < 0 precedes a byte that repeats 1 - n
// times.
bool unpack_row(ByteSpan packed, std::span<std::byte> row) {
  std::size_t at = 0, done = 0;
  while (at < packed.size() && done < row.size()) {
    const auto n = static_cast<std::int8_t>(packed[at++]);
    if (n == -128) continue;
    const std::size_t count = n >= 0 ? static_cast<std::size_t>(n) + 1 : static_cast<std::size_t>(1 - n);
    if (count > row.size() - done || (n >= 0 ? count > packed.size() - at : at == packed.size())) return false;
    if (n >= 0) {
      std::copy_n(packed.begin() + static_cast<std::ptrdiff_t>(at), count,
                  row.begin() + static_cast<std::ptrdiff_t>(done));
      at += count;
    } else {
      std::fill_n(row.begin() + static_cast<std::ptrdiff_t>(done), count, packed[at++]);
    }
    done += count;
  }
  return done == row.size();
}

// Reads the rows of the composite, channel by channel, plain or as PackBits.
class Rows {
 public:
  static Result<Rows> open(ByteSpan file, const Header& header, std::uint64_t at) {
    Rows rows(file, header);
    if (!range_fits(at, 2, file.size())) return cut_short(file);
    const std::uint32_t compression = be16_at(file, static_cast<std::size_t>(at));
    if (compression > 1) {
      return fail_at(ErrorCode::kUnsupported, byte_place(at),
                     "found compression " + std::to_string(compression) + ", expected none or PackBits",
                     "save the picture again");
    }
    rows.is_packed_ = compression == 1;
    rows.sizes_at_ = rows.at_ = at + 2;
    if (!rows.is_packed_) return rows;
    const std::uint64_t table = std::uint64_t{header.channels} * header.height * rows.size_bytes();
    if (!range_fits(rows.at_, table, file.size())) return cut_short(file);
    rows.at_ += table;
    return rows;
  }

  Result<void> next(std::span<std::byte> row) {
    std::uint64_t size = row.size();
    if (is_packed_) {
      const auto field = static_cast<std::size_t>(sizes_at_);
      size = header_.is_large ? be32_at(file_, field) : be16_at(file_, field);
      sizes_at_ += size_bytes();
    }
    if (!range_fits(at_, size, file_.size())) return cut_short(file_);
    const ByteSpan stored = file_.subspan(static_cast<std::size_t>(at_), static_cast<std::size_t>(size));
    if (!is_packed_) {
      std::ranges::copy(stored, row.begin());
    } else if (!unpack_row(stored, row)) {
      return fail_at(ErrorCode::kInvalidData, byte_place(at_),
                     "found a row of PackBits of another length than the picture's", "save the picture again");
    }
    at_ += size;
    return {};
  }

 private:
  Rows(ByteSpan file, const Header& header) : file_(file), header_(header) {}
  std::size_t size_bytes() const { return header_.is_large ? 4 : 2; }

  ByteSpan file_;
  Header header_;
  bool is_packed_ = false;
  std::uint64_t sizes_at_ = 0, at_ = 0;
};

template <class T>
T stored_value(ByteSpan row, std::size_t i) {
  if constexpr (sizeof(T) == 1) return static_cast<T>(row[i]);
  if constexpr (sizeof(T) == 2) return static_cast<T>(be16_at(row, i * 2));
  if constexpr (sizeof(T) == 4) {
    const auto value = std::bit_cast<T>(be32_at(row, i * 4));
    return std::isnan(value) ? T{0} : std::clamp(value, T{-kLargestHalf}, T{kLargestHalf});
  }
}

// Converts texels in place from the channels of the file to RGBA.
template <class T, class Wide>
void to_rgba(const Header& header, bool on_white, T full, std::span<T> texels) {
  for (std::size_t i = 0; i < texels.size(); i += 4) {
    T* t = &texels[i];
    if (header.mode == kGray || header.mode == kDuotone) {
      if (header.has_alpha()) t[3] = t[1];
      t[1] = t[2] = t[0];
    } else if (header.mode == kCmyk) {  // 0 is full ink
      const Wide black = t[3], half = std::is_integral_v<T> ? full / 2 : T{0};
      for (int c = 0; c < 3; ++c) t[c] = static_cast<T>((Wide{t[c]} * black + half) / full);
      t[3] = full;
    }
    if (on_white && t[3] != full && t[3] > T{0}) {
      for (int c = 0; c < 3; ++c) {
        const Wide light = Wide{full} - t[3], color = t[c];
        t[c] = color <= light ? T{0}
                              : static_cast<T>(std::min<Wide>((color - light) * full / t[3], static_cast<Wide>(full)));
      }
    }
  }
}

template <class T>
T* texels_of(scene::Image& image) {
  return reinterpret_cast<T*>(image.pixels.data());
}

template <class T, class Wide>
Result<void> decode(Rows rows, const Header& header, bool on_white, T full, scene::Image& image) {
  const std::uint32_t read = std::min(header.channels, header.color_channels() + (header.mode == kCmyk ? 0 : 1));
  std::span<T> texels(texels_of<T>(image), image.pixels.size() / sizeof(T));
  for (std::size_t i = 3; i < texels.size(); i += 4) texels[i] = full;
  ByteVector row(std::size_t{header.width} * sizeof(T));
  for (std::uint32_t channel = 0; channel < read; ++channel) {
    for (std::uint32_t y = 0; y < header.height; ++y) {
      ASSETC_CHECK(rows.next(row));
      T* to = &texels[std::size_t{y} * header.width * 4 + channel];
      for (std::size_t x = 0; x < header.width; ++x) to[x * 4] = stored_value<T>(row, x);
    }
  }
  to_rgba<T, Wide>(header, on_white, full, texels);
  return {};
}

void look_up(ByteSpan palette, scene::Image& image) {
  for (std::size_t i = 0; i < image.pixels.size(); i += 4) {
    const auto index = std::to_integer<std::size_t>(image.pixels[i]);
    for (std::size_t c = 0; c < 3; ++c) image.pixels[i + c] = palette[c * 256 + index];
    image.pixels[i + 3] = std::byte{255};
  }
}

}  // namespace

Result<ImageInfo> read_info(ByteSpan file) {
  ASSETC_TRY(const Header header, read_header(file));
  ImageInfo info{ImageFormat::kPsd, header.width, header.height};
  info.type = header.bits == 8    ? scene::PixelType::kU8
              : header.bits == 16 ? scene::PixelType::kU16
                                  : scene::PixelType::kF32;
  const bool is_gray = header.mode == kGray || header.mode == kDuotone;
  const bool has_alpha = header.has_alpha() && header.mode != kCmyk && header.mode != kIndexed;
  info.source_channels = static_cast<std::uint8_t>((is_gray ? 1 : 3) + (has_alpha ? 1 : 0));
  ASSETC_CHECK(check_image_size(info.width_texels, info.height_texels, "PSD header"));
  constexpr std::uint64_t kMaxTexelsPerByte = 64;  // PackBits stores 128 equal bytes in two
  ASSETC_CHECK(check_image_ratio(info, file.size(), kMaxTexelsPerByte));
  const std::uint32_t kept = header.color_channels() + (has_alpha ? 1 : 0);
  if (header.channels > kept) info.left_out = counted(header.channels - kept, "channel") + " beyond color and alpha";
  if (const auto sections = read_sections(file, header)) {
    const ByteSpan profile = find_resource(sections->resources, kIccProfile);
    if (!profile.empty()) info.other_color = other_profile("PSD profile", {}, profile_description(profile));
  }
  return info;
}

Result<scene::Image> decode_picture(ByteSpan file, const ImageInfo& info) {
  ASSETC_TRY(const Header header, read_header(file));
  ASSETC_TRY(const Sections sections, read_sections(file, header));
  const ByteSpan version = find_resource(sections.resources, kVersionInfo);
  if (version.size() >= 5 && version[4] == std::byte{0}) {
    return fail(ErrorCode::kUnsupported, "the document was saved without the picture of all layers together",
                "save it with Maximize Compatibility (Preferences, File Handling)");
  }
  ASSETC_TRY(Rows rows, Rows::open(file, header, sections.picture_at));
  scene::Image image = make_image(info);
  const bool on_white = is_on_white(header, sections.layers);
  switch (header.bits) {
    case 8:
      ASSETC_CHECK((decode<std::uint8_t, std::uint32_t>(rows, header, on_white, 255, image)));
      break;
    case 16:
      ASSETC_CHECK((decode<std::uint16_t, std::uint64_t>(rows, header, on_white, 65535, image)));
      break;
    default:
      ASSETC_CHECK((decode<float, float>(rows, header, on_white, 1.0f, image)));
  }
  if (header.mode == kIndexed) look_up(sections.palette, image);
  return image;
}

}  // namespace psd

Result<ImageInfo> read_psd_info(ByteSpan bytes) { return psd::read_info(bytes); }
Result<scene::Image> decode_psd(ByteSpan bytes, const ImageInfo& info) { return psd::decode_picture(bytes, info); }

}  // namespace assetc::importer
