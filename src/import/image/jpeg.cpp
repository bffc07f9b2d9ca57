// Reads JPEG (ITU-T T.81, JFIF) with libjpeg-turbo.
#include <turbojpeg.h>

#include <memory>

#include "base/plural.hpp"
#include "import/image/formats.hpp"

namespace assetc::importer {
namespace {

// Huffman coding writes at least one bit per block of 8x8 luma texels. Arithmetic coding can go slightly lower.
constexpr std::uint64_t kMaxJpegTexelsPerByte = 8 * 64 * 16;

struct Destroy {
  void operator()(void* handle) const { tjDestroy(handle); }
};

// Whether there is an Adobe segment. Writers of such files store the light that each ink transmits, not the amount of
// ink.
bool has_adobe_segment(ByteSpan bytes) {
  for (std::uint64_t at = 2; range_fits(at, 4, bytes.size()) && u8_at(bytes, at) == 0xFF;) {
    const unsigned marker = u8_at(bytes, at + 1);
    if (marker == 0xDA) return false;
    const std::uint64_t length = be16_at(bytes, at + 2);
    if (marker == 0xEE && range_fits(at + 4, 5, bytes.size()) && has_prefix(bytes.subspan(at + 4), "Adobe"))
      return true;
    at += 2 + length;
  }
  return false;
}

// Converts CMYK texels to RGB, in place: the light of a color is the light that its ink and the black ink transmit.
void cmyk_to_rgb(ByteVector& texels, bool stores_light) {
  for (std::size_t i = 0; i < texels.size(); i += 4) {
    const auto light = [&](std::size_t c) {
      const unsigned value = std::to_integer<unsigned>(texels[i + c]);
      return stores_light ? value : 255 - value;
    };
    const unsigned black = light(3);
    for (std::size_t c = 0; c < 3; ++c) texels[i + c] = static_cast<std::byte>((light(c) * black + 127) / 255);
    texels[i + 3] = std::byte{255};
  }
}

// Whether the last scan is followed by the end marker. A truncated file may have an end marker in an embedded
// thumbnail, but not after its last scan begins.
bool has_end(ByteSpan bytes) {
  const std::string_view text = as_text(bytes);
  const std::size_t end = text.rfind("\xFF\xD9"), scan = text.rfind("\xFF\xDA");
  return end != text.npos && scan != text.npos && end > scan;
}

}  // namespace

Result<ImageInfo> read_jpeg_info(ByteSpan bytes) {
  ImageInfo info{ImageFormat::kJpeg};
  std::uint64_t at = 2;
  for (;;) {
    if (!range_fits(at, 4, bytes.size())) break;
    const unsigned marker = u8_at(bytes, at + 1);
    if (u8_at(bytes, at) != 0xFF || marker == 0) {  // stray bytes, which the decoder skips and reports
      ++at;
      continue;
    }
    if (marker == 0xFF) {  // a fill byte
      ++at;
      continue;
    }
    if (marker == 0x01 || (marker >= 0xD0 && marker <= 0xD7)) {  // markers without a segment
      at += 2;
      continue;
    }
    const std::uint64_t length = be16_at(bytes, at + 2);
    if (length < 2)
      return fail_at(ErrorCode::kInvalidData, byte_place(at + 2), "found a JPEG segment shorter than its own length");
    if (!range_fits(at + 2, length, bytes.size())) break;
    const ByteSpan segment = bytes.subspan(at + 4, length - 2);
    if (marker == 0xE1 && info.exif_orientation == 1 && has_prefix(segment, std::string_view("Exif\0\0", 6)))
      info.exif_orientation = exif_orientation(segment);
    constexpr std::string_view kProfile("ICC_PROFILE\0\1",
                                        13);  // the first part, with the tags; then the number of parts
    if (marker == 0xE2 && has_prefix(segment, kProfile) && segment.size() > kProfile.size())
      info.other_color =
          other_profile("JPEG ICC profile", {}, profile_description(segment.subspan(kProfile.size() + 1)));
    // CIPA DC-007: cameras and phones put further pictures behind the first, such as a gain map.
    if (marker == 0xE2 && has_prefix(segment, std::string_view("MPF\0", 4)) && info.left_out.empty())
      info.left_out = "the other pictures of the file (MPF), such as a gain map";
    const bool frame = marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
    if (marker == 0xDA || marker == 0xD9)
      return fail_at(ErrorCode::kInvalidData, byte_place(at), "found JPEG data before its frame header");
    if (!frame) {
      at += 2 + length;
      continue;
    }
    if (segment.size() < 6)
      return fail_at(ErrorCode::kTruncated, byte_place(at + 4), "the JPEG frame header is cut short");
    if (marker != 0xC0 && marker != 0xC1 && marker != 0xC2 && marker != 0xC9 && marker != 0xCA) {
      return fail_at(ErrorCode::kUnsupported, byte_place(at), "found a lossless or hierarchical JPEG",
                     "save it as a baseline or progressive JPEG, or as PNG");
    }
    if (u8_at(segment, 0) != 8) {
      return fail_at(ErrorCode::kUnsupported, byte_place(at + 4),
                     "found a JPEG of " + counted(u8_at(segment, 0), "bit") + " a channel, expected 8",
                     "save it as a 16-bit PNG");
    }
    const unsigned components = u8_at(segment, 5);
    if (components != 1 && components != 3 && components != 4) {
      return fail_at(ErrorCode::kInvalidData, byte_place(at + 9),
                     "found a JPEG of " + counted(components, "component") + ", expected 1, 3 or 4");
    }
    info.height_texels = be16_at(segment, 1);
    info.width_texels = be16_at(segment, 3);
    info.source_channels = static_cast<std::uint8_t>(components == 4 ? 3 : components);
    ASSETC_CHECK(check_image_size(info.width_texels, info.height_texels, "JPEG frame header"));
    ASSETC_CHECK(check_image_ratio(info, bytes.size(), kMaxJpegTexelsPerByte));
    return info;
  }
  return fail_at(ErrorCode::kTruncated, byte_place(bytes.size()), "the file ends before the JPEG frame header");
}

Result<scene::Image> decode_jpeg(ByteSpan bytes, const ImageInfo& info) {
  const std::unique_ptr<void, Destroy> handle(tjInitDecompress());
  if (!handle) return fail(ErrorCode::kLimit, "no memory for the JPEG decoder");
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  int width = 0, height = 0, subsampling = 0, color = 0;
  const auto failure = [&]() -> std::unexpected<Error> {
    const std::string message = tjGetErrorStr2(handle.get());
    const bool cut = message.find("remature end") != std::string::npos;
    return fail_at(cut ? ErrorCode::kTruncated : ErrorCode::kInvalidData, "JPEG data", "damaged: " + message,
                   "export the picture again");
  };
  const auto only_warned = [&] { return tjGetErrorCode(handle.get()) == TJERR_WARNING; };
  if (tjDecompressHeader3(handle.get(), data, bytes.size(), &width, &height, &subsampling, &color) != 0 &&
      !only_warned())
    return failure();
  if (static_cast<std::uint32_t>(width) != info.width_texels ||
      static_cast<std::uint32_t>(height) != info.height_texels) {
    return fail_at(ErrorCode::kInvalidData, "JPEG data", "found two frame headers of different sizes");
  }
  scene::Image image = make_image(info);
  const bool is_cmyk = color == TJCS_CMYK || color == TJCS_YCCK;
  const auto decode = [&](int flags) {
    // The accurate DCT gives the same result with and without SIMD.
    return tjDecompress2(handle.get(), data, bytes.size(), reinterpret_cast<unsigned char*>(image.pixels.data()), width,
                         0, height, is_cmyk ? TJPF_CMYK : TJPF_RGBA,
                         TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS | flags) == 0;
  };
  const auto finished = [&]() -> scene::Image {
    if (is_cmyk) cmyk_to_rgb(image.pixels, has_adobe_segment(bytes));
    return std::move(image);
  };
  if (decode(TJFLAG_STOPONWARNING)) return finished();
  if (!only_warned() || !has_end(bytes)) return failure();
  std::string first_fault = tjGetErrorStr2(handle.get());
  if (first_fault == "Premature end of JPEG file") return failure();
  if (!decode(0) && !only_warned()) return failure();
  image.damage = std::move(first_fault);
  return finished();
}

}  // namespace assetc::importer
