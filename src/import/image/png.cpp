// Reads PNG (W3C REC-PNG, second and third edition) with libspng.
#include <spng.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/plural.hpp"
#include "import/image/formats.hpp"

namespace assetc::importer {
namespace {

constexpr std::size_t kSignatureBytes = 8;
constexpr std::size_t kIhdrEnd = kSignatureBytes + 25;
// One byte of DEFLATE expands to at most 1032 bytes (RFC 1951: a match of 258 bytes takes at least two bits).
constexpr std::uint64_t kMaxDeflateRatio = 1032;
// Maximum bytes of decompressed profiles and texts in the library.
constexpr std::size_t kMaxMetadataBytes = 64u << 20;

struct FreeContext {
  void operator()(spng_ctx* ctx) const { spng_ctx_free(ctx); }
};

std::unexpected<Error> spng_failure(int error, std::string_view place) {
  ErrorCode code = ErrorCode::kInvalidData;
  if (error == SPNG_IO_EOF || error == SPNG_EOF || error == SPNG_EIDAT_TOO_SHORT) code = ErrorCode::kTruncated;
  if (error == SPNG_EMEM || error == SPNG_EOVERFLOW || error == SPNG_ECHUNK_LIMITS) code = ErrorCode::kLimit;
  return fail_at(code, std::string(place), std::string("damaged: ") + spng_strerror(error), "export the picture again");
}

// The position of the first chunk of that type before IDAT.
std::optional<std::uint64_t> find_chunk(ByteSpan bytes, std::string_view wanted) {
  for (std::uint64_t at = kIhdrEnd; range_fits(at, 8, bytes.size());) {
    const auto type = as_text(bytes.subspan(at + 4, 4));
    if (type == wanted) return at;
    if (type == "IDAT" || type == "IEND") return std::nullopt;
    at += std::uint64_t{12} + be32_at(bytes, at);
  }
  return std::nullopt;
}

// Searches the whole file, because eXIf may follow the texels.
std::uint8_t png_orientation(ByteSpan bytes) {
  for (std::uint64_t at = kIhdrEnd; range_fits(at, 8, bytes.size());) {
    const std::uint64_t size = be32_at(bytes, at);
    if (as_text(bytes.subspan(at + 4, 4)) == "eXIf")
      return range_fits(at + 8, size, bytes.size()) ? exif_orientation(bytes.subspan(at + 8, size)) : 1;
    at += 12 + size;
  }
  return 1;
}

// Describes the frames of an animation that are not read. acTL has their number.
std::string left_out_frames(ByteSpan bytes) {
  const auto control = find_chunk(bytes, "acTL");
  if (!control || !range_fits(*control, 12, bytes.size())) return {};
  const std::uint32_t frames = be32_at(bytes, *control + 8);
  return frames < 2 ? std::string() : "the other frames of an animation of " + std::to_string(frames);
}

// Profiles usually have tables of some kilobytes. Of a larger one, only the name is read.
constexpr std::size_t kMaxProfileBytes = 4u << 20;
// Encoding exponents, times 100000. A deviation from sRGB of up to a twentieth is not visible.
constexpr std::uint32_t kGammaUnit = 100000, kSrgbGamma = 45455, kGammaTolerance = kSrgbGamma / 20;

std::string inflated_profile_description(ByteSpan bytes) {
  const std::unique_ptr<spng_ctx, FreeContext> ctx(spng_ctx_new(0));
  spng_iccp profile{};
  if (!ctx || spng_set_image_limits(ctx.get(), scene::kMaxImageSide, scene::kMaxImageSide) ||
      spng_set_chunk_limits(ctx.get(), kMaxProfileBytes, kMaxMetadataBytes) ||
      spng_set_png_buffer(ctx.get(), bytes.data(), bytes.size()) || spng_get_iccp(ctx.get(), &profile)) {
    return {};
  }
  return profile_description(std::as_bytes(std::span(profile.profile, profile.profile_len)));
}

// Coding-independent code points (ITU-T H.273). Pictures take the transfer functions of video for that of sRGB.
std::optional<OtherColor> other_code_points(ByteSpan bytes, std::uint64_t chunk) {
  constexpr std::array<std::uint32_t, 5> kNearSrgb{1, 6, 13, 14, 15};
  constexpr std::uint32_t kUnsaid = 2, kLinear = 8, kPq = 16, kHlg = 18;
  if (be32_at(bytes, chunk) != 4 || !range_fits(chunk, 12, bytes.size())) return std::nullopt;
  const std::uint32_t primaries = u8_at(bytes, chunk + 8), transfer = u8_at(bytes, chunk + 9);
  std::string found;
  if (const auto known = primaries_of_code(primaries); known ? !are_bt709(*known) : primaries != kUnsaid)
    found = "the primaries " + (known ? name_of(*known) : std::to_string(primaries));
  if (transfer != kUnsaid && std::ranges::find(kNearSrgb, transfer) == kNearSrgb.end()) {
    found += found.empty() ? "" : " and ";
    found += "the transfer function " + (transfer == kPq       ? std::string("PQ")
                                         : transfer == kHlg    ? std::string("HLG")
                                         : transfer == kLinear ? std::string("linear")
                                                               : std::to_string(transfer));
  }
  return found.empty() ? std::nullopt : std::optional(OtherColor{"PNG cICP", found});
}

// Primaries of cHRM. 100000 is 1.
std::optional<OtherColor> other_chromaticities(ByteSpan bytes, std::uint64_t chunk) {
  constexpr std::uint32_t kBytes = 32;
  if (be32_at(bytes, chunk) != kBytes || !range_fits(chunk, 8 + kBytes, bytes.size())) return std::nullopt;
  const auto at = [&](std::size_t i) {
    const auto value = [&](std::size_t j) { return be32_at(bytes, chunk + 8 + 4 * j) / double{kGammaUnit}; };
    return Chromaticity{value(2 * i), value(2 * i + 1)};
  };
  const Primaries primaries{at(1), at(2), at(3), at(0)};
  return are_bt709(primaries) ? std::nullopt
                              : std::optional(OtherColor{"PNG cHRM", "the primaries " + name_of(primaries)});
}

// What a PNG declares. cICP takes precedence over a profile, that over sRGB, and that over gAMA and cHRM.
std::optional<OtherColor> other_color(ByteSpan bytes) {
  if (const auto points = find_chunk(bytes, "cICP")) return other_code_points(bytes, *points);
  if (const auto profile = find_chunk(bytes, "iCCP")) {
    std::string_view name = as_text(bytes.subspan(*profile + 8));
    name = name.substr(0, std::min<std::size_t>({name.find('\0'), 79, be32_at(bytes, *profile)}));
    if (names_srgb(name)) return std::nullopt;  // the profile need not be inflated
    return other_profile("PNG iCCP", name, inflated_profile_description(bytes));
  }
  if (find_chunk(bytes, "sRGB")) return std::nullopt;
  if (const auto chunk = find_chunk(bytes, "cHRM")) {
    if (auto other = other_chromaticities(bytes, *chunk)) return other;
  }
  const auto chunk = find_chunk(bytes, "gAMA");
  if (!chunk || !range_fits(*chunk, 12, bytes.size())) return std::nullopt;
  const std::uint32_t gamma = be32_at(bytes, *chunk + 8);
  if (gamma == 0 || (gamma >= kSrgbGamma - kGammaTolerance && gamma <= kSrgbGamma + kGammaTolerance))
    return std::nullopt;
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, static_cast<double>(gamma) / kGammaUnit).ptr;
  return OtherColor{"PNG gAMA", "a gamma of " + std::string(text, end)};
}

// Reads the texels of a picture with a palette. The library would draw a missing palette entry black.
Result<void> decode_indexed(spng_ctx* ctx, const spng_ihdr& ihdr, scene::Image& image) {
  spng_plte palette{};
  spng_trns alpha{};
  if (const int error = spng_get_plte(ctx, &palette)) return spng_failure(error, "PNG PLTE");
  if (const int error = spng_get_trns(ctx, &alpha); error && error != SPNG_ECHUNKAVAIL)
    return spng_failure(error, "PNG tRNS");
  std::size_t size = 0;
  if (const int error = spng_decoded_image_size(ctx, SPNG_FMT_PNG, &size)) return spng_failure(error, "PNG header");
  ByteVector indices(size);
  if (const int error = spng_decode_image(ctx, indices.data(), size, SPNG_FMT_PNG, 0))
    return spng_failure(error, "PNG IDAT");
  const std::size_t row_bytes = size / ihdr.height;
  const unsigned depth = ihdr.bit_depth, mask = (1u << depth) - 1;
  std::byte* out = image.pixels.data();
  for (std::uint32_t y = 0; y < ihdr.height; ++y) {
    const std::byte* row = indices.data() + y * row_bytes;
    for (std::uint32_t x = 0; x < ihdr.width; ++x, out += 4) {
      const std::size_t bit = std::size_t{x} * depth;
      const unsigned index = std::to_integer<unsigned>(row[bit / 8]) >> (8 - depth - bit % 8) & mask;
      if (index >= palette.n_entries) {
        return fail_at(ErrorCode::kInvalidData, "PNG IDAT",
                       "texel " + std::to_string(x) + ", " + std::to_string(y) + " has palette entry " +
                           std::to_string(index) + ", the palette has " + std::to_string(palette.n_entries),
                       "export the picture again");
      }
      const spng_plte_entry& color = palette.entries[index];
      const unsigned opacity = index < alpha.n_type3_entries ? alpha.type3_alpha[index] : 255u;
      for (std::size_t c = 0; c < 4; ++c)
        out[c] = static_cast<std::byte>(std::array<unsigned, 4>{color.red, color.green, color.blue, opacity}[c]);
    }
  }
  return {};
}

}  // namespace

Result<ImageInfo> read_png_info(ByteSpan bytes) {
  if (bytes.size() < kIhdrEnd) {
    return fail_at(ErrorCode::kTruncated, byte_place(bytes.size()), "the file ends inside the PNG header");
  }
  if (be32_at(bytes, 8) != 13 || as_text(bytes.subspan(12, 4)) != "IHDR") {
    return fail_at(ErrorCode::kInvalidData, byte_place(8), "expected the PNG IHDR chunk of 13 bytes");
  }
  ImageInfo info{ImageFormat::kPng, be32_at(bytes, 16), be32_at(bytes, 20)};
  ASSETC_CHECK(check_image_size(info.width_texels, info.height_texels, "PNG IHDR"));
  const int depth = u8_at(bytes, 24);
  int channels = 0;
  bool depth_ok = depth == 8 || depth == 16;
  switch (u8_at(bytes, 25)) {
    case SPNG_COLOR_TYPE_GRAYSCALE:
      channels = 1;
      depth_ok |= depth == 1 || depth == 2 || depth == 4;
      break;
    case SPNG_COLOR_TYPE_TRUECOLOR:
      channels = 3;
      break;
    case SPNG_COLOR_TYPE_INDEXED:
      channels = 1;
      depth_ok = depth == 1 || depth == 2 || depth == 4 || depth == 8;
      break;
    case SPNG_COLOR_TYPE_GRAYSCALE_ALPHA:
      channels = 2;
      break;
    case SPNG_COLOR_TYPE_TRUECOLOR_ALPHA:
      channels = 4;
      break;
    default:
      return fail_at(ErrorCode::kInvalidData, "PNG IHDR",
                     "found color type " + std::to_string(u8_at(bytes, 25)) + ", expected 0, 2, 3, 4 or 6");
  }
  if (!depth_ok) {
    return fail_at(ErrorCode::kInvalidData, "PNG IHDR",
                   "found " + counted(depth, "bit") + " a channel, which its color type does not allow");
  }
  const std::uint64_t raw_bytes =
      std::uint64_t{info.height_texels} *
      ((std::uint64_t{info.width_texels} * static_cast<unsigned>(channels * depth) + 7) / 8 + 1);
  if (raw_bytes / kMaxDeflateRatio > bytes.size()) ASSETC_CHECK(check_image_ratio(info, bytes.size(), 1));
  info.type = depth == 16 ? scene::PixelType::kU16 : scene::PixelType::kU8;
  if (u8_at(bytes, 25) == SPNG_COLOR_TYPE_INDEXED) {
    channels = 3;
    info.scratch_bytes = raw_bytes;
  }
  if ((channels == 1 || channels == 3) && find_chunk(bytes, "tRNS")) ++channels;
  info.source_channels = static_cast<std::uint8_t>(channels);
  info.left_out = left_out_frames(bytes);
  info.other_color = other_color(bytes);
  for (const char* chunk : {"cICP", "iCCP", "sRGB", "gAMA"})
    info.declares_transfer |= find_chunk(bytes, chunk).has_value();
  info.exif_orientation = png_orientation(bytes);
  return info;
}

Result<scene::Image> decode_png(ByteSpan bytes, const ImageInfo& info) {
  const std::unique_ptr<spng_ctx, FreeContext> ctx(spng_ctx_new(0));
  if (!ctx) return fail(ErrorCode::kLimit, "no memory for the PNG decoder");
  // Refuse every wrong checksum. Otherwise a damaged tRNS could make a picture opaque without notice.
  int error = spng_set_crc_action(ctx.get(), SPNG_CRC_ERROR, SPNG_CRC_ERROR);
  if (!error) error = spng_set_image_limits(ctx.get(), scene::kMaxImageSide, scene::kMaxImageSide);
  if (!error) error = spng_set_chunk_limits(ctx.get(), kMaxMetadataBytes, kMaxMetadataBytes);
  if (!error) error = spng_set_png_buffer(ctx.get(), bytes.data(), bytes.size());
  spng_ihdr ihdr{};
  if (!error) error = spng_get_ihdr(ctx.get(), &ihdr);
  if (error) return spng_failure(error, "PNG header");

  const int format = info.type == scene::PixelType::kU16 ? SPNG_FMT_RGBA16 : SPNG_FMT_RGBA8;
  std::size_t size = 0;
  error = spng_decoded_image_size(ctx.get(), format, &size);
  if (error) return spng_failure(error, "PNG header");
  scene::Image image = make_image(info);
  if (size != image.pixels.size())
    return fail_at(ErrorCode::kInvalidData, "PNG header", "found two headers that disagree");
  if (ihdr.color_type == SPNG_COLOR_TYPE_INDEXED) {
    ASSETC_CHECK(decode_indexed(ctx.get(), ihdr, image));
  } else {
    error = spng_decode_image(ctx.get(), image.pixels.data(), size, format, SPNG_DECODE_TRNS);
    if (error) return spng_failure(error, "PNG IDAT");
  }
  error = spng_decode_chunks(ctx.get());
  if (error) return spng_failure(error, "PNG after IDAT");
  return image;
}

}  // namespace assetc::importer
