// JPEG (ITU-T T.81, JFIF, Exif 2.3 for the orientation) through libjpeg-turbo.
#include <turbojpeg.h>

#include <memory>

#include "base/plural.hpp"
#include "import/image_formats.hpp"

namespace assetc::importer {
namespace {

// One bit a block of 8x8 luma texels is the least that Huffman coding writes; arithmetic coding goes a little lower.
constexpr std::uint64_t kMaxJpegTexelsPerByte = 8 * 64 * 16;

struct Destroy {
  void operator()(void* handle) const { tjDestroy(handle); }
};

// The orientation tag (0x0112) of IFD 0 in an Exif APP1 payload; 1 when absent or out of range.
std::uint8_t exif_orientation(ByteSpan app1) {
  if (!has_prefix(app1, std::string_view("Exif\0\0", 6))) return 1;
  const ByteSpan tiff = app1.subspan(6);
  if (tiff.size() < 8) return 1;
  const bool big = u8_at(tiff, 0) == 'M';
  const auto u16 = [&](std::size_t at) { return big ? be16_at(tiff, at) : load<std::uint16_t>(tiff, at); };
  const auto u32 = [&](std::size_t at) { return big ? be32_at(tiff, at) : load<std::uint32_t>(tiff, at); };
  const std::uint64_t ifd = u32(4);
  if (!range_fits(ifd, 2, tiff.size())) return 1;
  const std::uint32_t count = u16(ifd);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t entry = ifd + 2 + std::uint64_t{12} * i;
    if (!range_fits(entry, 12, tiff.size())) return 1;
    if (u16(entry) != 0x0112) continue;
    const std::uint32_t value = u16(entry + 8);
    return static_cast<std::uint8_t>(value >= 1 && value <= 8 ? value : 1);
  }
  return 1;
}

// Whether the picture's data ends with the marker that says so. A cut file may have one inside an embedded thumbnail,
// but not after its last scan begins.
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
    if (u8_at(bytes, at) != 0xFF || marker == 0) {  // stray bytes, which the decoder skips and tells of
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
    if (marker == 0xE1 && info.exif_orientation == 1) info.exif_orientation = exif_orientation(segment);
    constexpr std::string_view kProfile("ICC_PROFILE\0\1",
                                        13);  // the first part, with the profile's tags; how many follows
    if (marker == 0xE2 && has_prefix(segment, kProfile) && segment.size() > kProfile.size())
      info.other_color =
          other_profile("JPEG ICC profile", {}, profile_description(segment.subspan(kProfile.size() + 1)));
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
    if (components == 4) {
      return fail_at(ErrorCode::kUnsupported, byte_place(at + 9),
                     "found a CMYK JPEG, whose colors need its printer's profile",
                     "convert it to RGB in an image editor");
    }
    if (components != 1 && components != 3) {
      return fail_at(ErrorCode::kInvalidData, byte_place(at + 9),
                     "found a JPEG of " + counted(components, "component") + ", expected 1 or 3");
    }
    info.height_texels = be16_at(segment, 1);
    info.width_texels = be16_at(segment, 3);
    info.source_channels = static_cast<std::uint8_t>(components);
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
  const auto decode = [&](int flags) {
    // The accurate DCT gives the same bits with and without SIMD.
    return tjDecompress2(handle.get(), data, bytes.size(), reinterpret_cast<unsigned char*>(image.pixels.data()), width,
                         0, height, TJPF_RGBA, TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS | flags) == 0;
  };
  if (decode(TJFLAG_STOPONWARNING)) return image;
  if (!only_warned() || !has_end(bytes)) return failure();
  std::string first_fault = tjGetErrorStr2(handle.get());
  if (first_fault == "Premature end of JPEG file") return failure();
  if (!decode(0) && !only_warned()) return failure();
  image.damage = std::move(first_fault);
  return image;
}

}  // namespace assetc::importer
