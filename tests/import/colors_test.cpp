// What pictures declare about their colors: found in every container, and primaries converted.
#include <ImfStandardAttributes.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <cmath>
#include <fstream>
#include <iterator>

#include "import/exr_builders.hpp"
#include "import/image/declarations.hpp"
#include "import/image/image.hpp"
#include "import/image_builders.hpp"
#include "places.hpp"

namespace assetc::importer {
namespace {

using assetc::testing::encode_png;
using assetc::testing::icc_profile;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

constexpr Primaries kDisplayP3{{0.680, 0.320}, {0.265, 0.690}, {0.150, 0.060}, {0.3127, 0.3290}};
constexpr Primaries kAp0{{0.7347, 0.2653}, {0.0, 1.0}, {0.0001, -0.077}, {0.32168, 0.33767}};

// What a picture declares: what is reported, or what is converted.
std::string declared(ByteSpan picture) {
  const auto info = read_image_info(picture);
  if (!info) return info.error().to_string();
  if (info->primaries) return "converted: " + info->primaries->place + ": " + name_of(info->primaries->primaries);
  return info->other_color ? "reported: " + info->other_color->place + ": " + info->other_color->found : "";
}

std::string be32(std::uint32_t v) {
  return {static_cast<char>(v >> 24), static_cast<char>(v >> 16), static_cast<char>(v >> 8), static_cast<char>(v)};
}
std::string le32(std::uint32_t v) {
  return {static_cast<char>(v), static_cast<char>(v >> 8), static_cast<char>(v >> 16), static_cast<char>(v >> 24)};
}
std::string le16(std::uint32_t v) { return le32(v).substr(0, 2); }

// A PNG of one texel with a chunk behind IHDR.
std::string png_with(const std::string& type, const std::string& content, assetc::testing::PngColor color = {}) {
  const std::array texel{std::byte{7}, std::byte{8}, std::byte{9}};
  const ByteVector png = encode_png(1, 1, 8, 2, texel, false, nullptr, nullptr, std::move(color));
  std::string file(as_text(png));
  const std::string chunk = type + content;
  const auto crc = crc32(0, reinterpret_cast<const Bytef*>(chunk.data()), static_cast<uInt>(chunk.size()));
  file.insert(33, be32(static_cast<std::uint32_t>(content.size())) + chunk + be32(static_cast<std::uint32_t>(crc)));
  EXPECT_TRUE(decode_image(as_bytes(file)));
  return file;
}
std::string chromaticities(const std::array<std::uint32_t, 8>& values) {
  std::string text;
  for (const std::uint32_t v : values) text += be32(v);
  return text;
}

TEST(colors, of_png) {
  const auto cicp = [](int primaries, int transfer) {
    return declared(as_bytes(png_with("cICP", {static_cast<char>(primaries), static_cast<char>(transfer), 0, 1})));
  };
  EXPECT_EQ(cicp(1, 13), "");
  EXPECT_EQ(cicp(2, 2), "");
  EXPECT_EQ(cicp(12, 13), "reported: PNG cICP: the primaries Display P3");
  EXPECT_EQ(cicp(1, 8), "reported: PNG cICP: the transfer function linear");
  EXPECT_EQ(cicp(9, 16), "reported: PNG cICP: the primaries BT.2020 and the transfer function PQ");
  EXPECT_EQ(cicp(9, 18), "reported: PNG cICP: the primaries BT.2020 and the transfer function HLG");
  EXPECT_EQ(cicp(99, 77), "reported: PNG cICP: the primaries 99 and the transfer function 77");
  const std::string srgb = chromaticities({31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000});
  const std::string p3 = chromaticities({31270, 32900, 68000, 32000, 26500, 69000, 15000, 6000});
  EXPECT_EQ(declared(as_bytes(png_with("cHRM", srgb))), "");
  EXPECT_EQ(declared(as_bytes(png_with("cHRM", p3))), "reported: PNG cHRM: the primaries Display P3");
  EXPECT_EQ(declared(as_bytes(png_with("cHRM", p3, {.srgb = true}))), "") << "sRGB takes precedence";
  // cICP takes precedence over everything.
  EXPECT_EQ(declared(as_bytes(png_with("cICP", {1, 13, 0, 1}, {.gamma = 100000}))), "");
}

ByteVector plain_webp() {
  const std::array texel{std::byte{7}, std::byte{8}, std::byte{9}, std::byte{255}};
  return assetc::testing::encode_webp_lossless(1, 1, texel);
}
std::string webp_with(const std::string& name) {
  const ByteVector plain = plain_webp();
  const ByteVector profile = icc_profile(name);
  std::string body = "WEBPVP8X" + le32(10) + std::string("\x20\0\0\0\0\0\0\0\0\0", 10);
  body += "ICCP" + le32(static_cast<std::uint32_t>(profile.size())) + std::string(as_text(profile));
  if (profile.size() % 2 != 0) body += '\0';
  body += as_text(plain).substr(12);
  return "RIFF" + le32(static_cast<std::uint32_t>(body.size())) + body;
}

TEST(colors, of_webp_profiles) {
  const ByteVector plain = plain_webp();
  const auto with = webp_with;
  EXPECT_EQ(declared(plain), "");
  EXPECT_EQ(declared(as_bytes(with("sRGB IEC61966-2.1"))), "");
  EXPECT_EQ(declared(as_bytes(with("Display P3"))), "reported: WebP ICCP: the profile \"Display P3\"");
  EXPECT_TRUE(decode_image(as_bytes(with("Display P3"))));
}

TEST(colors, of_hdr_variables) {
  const auto hdr = [](const std::string& lines) {
    return "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n" + lines + "\n-Y 1 +X 1\n" + std::string("\x80\x80\x80\x81", 4);
  };
  EXPECT_EQ(declared(as_bytes(hdr(""))), "");
  EXPECT_EQ(declared(as_bytes(hdr("EXPOSURE=1.0\n"))), "");
  EXPECT_EQ(declared(as_bytes(hdr("EXPOSURE=0.5\nEXPOSURE= 4\n"))), "reported: HDR EXPOSURE: an exposure of 2");
  EXPECT_EQ(declared(as_bytes(hdr("EXPOSURE=bright\n"))), "");
  EXPECT_EQ(declared(as_bytes(hdr("EXPOSURE=\n"))), "");
  EXPECT_EQ(declared(as_bytes(hdr("COLORCORR=1 1 1\n"))), "");
  EXPECT_EQ(declared(as_bytes(hdr("COLORCORR=1 2 1\n"))), "reported: HDR COLORCORR: a color correction of 1 2 1");
  EXPECT_EQ(declared(as_bytes(hdr("PRIMARIES=0.640 0.330 0.300 0.600 0.150 0.060 0.3127 0.329\n"))), "");
  EXPECT_EQ(declared(as_bytes(hdr("PRIMARIES=0.708 0.292 0.170 0.797 0.131 0.046 0.3127 0.3290\n"))),
            "converted: HDR PRIMARIES: BT.2020");
  EXPECT_EQ(declared(as_bytes(hdr("PRIMARIES=0.3 0.3 0.3 0.3 0.3 0.3 0.3 0.3\n"))),
            "reported: HDR PRIMARIES: primaries that describe no colors (red 0.3 0.3, green 0.3 0.3, blue 0.3 0.3, "
            "white 0.3 0.3)");
}

// The header of a little-endian TIFF of one RGB texel. Values of a tag follow the directory.
std::string tiff(const std::vector<std::array<std::string, 2>>& tags) {  // tag and type; values
  std::string directory = le16(static_cast<std::uint32_t>(4 + tags.size()));
  const std::size_t values_at = 8 + 2 + 12 * (4 + tags.size()) + 4;
  std::string values;
  const auto small = [](std::uint32_t tag, std::uint32_t value) { return le16(tag) + le16(3) + le32(1) + le32(value); };
  directory += small(256, 1) + small(257, 1) + small(262, 2) + small(277, 3);
  for (const auto& [head, value] : tags) {
    const std::uint32_t each = head.substr(2) == le16(5) ? 8 : 1;
    directory += head + le32(static_cast<std::uint32_t>(value.size()) / each) +
                 le32(static_cast<std::uint32_t>(values_at + values.size()));
    values += value;
  }
  return std::string("II*\0", 4) + le32(8) + directory + le32(0) + values;
}

TEST(colors, of_tiff_tags) {
  const auto rationals = [](std::initializer_list<std::uint32_t> thousandths) {
    std::string text;
    for (const std::uint32_t v : thousandths) text += le32(v) + le32(1000);
    return text;
  };
  const std::array<std::string, 2> p3{le16(319) + le16(5), rationals({680, 320, 265, 690, 150, 60})};
  const std::array<std::string, 2> white{le16(318) + le16(5), rationals({313, 329})};
  const std::array<std::string, 2> srgb{le16(319) + le16(5), rationals({640, 330, 300, 600, 150, 60})};
  EXPECT_EQ(declared(as_bytes(tiff({}))), "");
  EXPECT_EQ(declared(as_bytes(tiff({white, srgb}))), "");
  EXPECT_EQ(declared(as_bytes(tiff({white, p3}))), "converted: TIFF PrimaryChromaticities: Display P3");
  const std::array<std::string, 2> no_divisor{le16(319) + le16(5), std::string(48, '\0')};
  EXPECT_EQ(declared(as_bytes(tiff({no_divisor}))), "");
  const auto profile = [](const std::string& name) {
    return std::array<std::string, 2>{le16(34675) + le16(7), std::string(as_text(icc_profile(name)))};
  };
  EXPECT_EQ(declared(as_bytes(tiff({profile("WIDE built-in")}))),
            "reported: TIFF profile: the profile \"WIDE built-in\"");
  EXPECT_EQ(declared(as_bytes(tiff({profile("sRGB built-in")}))), "");
  const std::string whole = tiff({white, p3, profile("Wide")});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::vector<char> prefix(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    (void)declared(as_bytes({prefix.data(), prefix.size()}));  // sanitizers look for reads past the end
  }
}

std::string box(const std::string& type, const std::string& content) {
  return be32(static_cast<std::uint32_t>(content.size() + 8)) + type + content;
}
std::string avif(const std::string& colr) {
  const std::string properties = box("ispe", be32(0) + be32(1) + be32(1)) + box("colr", colr);
  return box("ftyp", "avif" + be32(0)) + box("meta", be32(0) + box("iprp", box("ipco", properties)));
}
std::string nclx(int primaries, int transfer) {
  return "nclx" + std::string{0, static_cast<char>(primaries), 0, static_cast<char>(transfer), 0, 1, 0};
}

TEST(colors, of_avif_boxes) {
  EXPECT_EQ(declared(as_bytes(avif(nclx(1, 13)))), "");
  EXPECT_EQ(declared(as_bytes(avif(nclx(2, 2)))), "");
  EXPECT_EQ(declared(as_bytes(avif(nclx(12, 13)))), "converted: AVIF colr: Display P3");
  EXPECT_EQ(declared(as_bytes(avif(nclx(9, 16)))), "reported: AVIF colr: the transfer function PQ");
  EXPECT_EQ(declared(as_bytes(avif("prof" + std::string(as_text(icc_profile("Display P3")))))),
            "reported: AVIF profile: the profile \"Display P3\"");
}

// A picture that declares what a row of the table says.
std::string sample_of(const ColorDeclaration& row) {
  const std::string profile(as_text(icc_profile("Display P3")));
  const std::string p3 = chromaticities({31270, 32900, 68000, 32000, 26500, 69000, 15000, 6000});
  const auto png = [](assetc::testing::PngColor color) {
    return png_with("tEXt", std::string("a\0b", 3), std::move(color));
  };
  const auto hdr = [](const std::string& line) {
    return "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n" + line + "\n\n-Y 1 +X 1\n" + std::string("\x80\x80\x80\x81", 4);
  };
  if (row.place == "EXR chromaticities") {
    assetc::testing::ExrSpec spec;
    Imf::Header header = assetc::testing::exr_header(spec);
    Imf::addChromaticities(header, {{0.7347f, 0.2653f}, {0, 1}, {0.0001f, -0.077f}, {0.32168f, 0.33767f}});
    assetc::testing::ExrPlanes planes(spec, assetc::testing::exr_value);
    assetc::testing::ExrMemory memory;
    {
      Imf::OutputFile file(memory, header, 0);
      file.setFrameBuffer(planes.frame);
      file.writePixels(3);
    }
    return std::string(as_text(memory.bytes));
  }
  if (row.place == "HDR PRIMARIES") return hdr("PRIMARIES=.68 .32 .265 .69 .15 .06 .3127 .329");
  if (row.place == "HDR EXPOSURE") return hdr("EXPOSURE=2");
  if (row.place == "HDR COLORCORR") return hdr("COLORCORR=1 2 1");
  if (row.place == "TIFF profile") return tiff({{le16(34675) + le16(7), profile}});
  if (row.place == "TIFF PrimaryChromaticities") {
    std::string text;
    for (const std::uint32_t v : {680u, 320u, 265u, 690u, 150u, 60u}) text += le32(v) + le32(1000);
    return tiff({{le16(319) + le16(5), text}});
  }
  if (row.place == "AVIF profile") return avif("prof" + profile);
  if (row.place == "AVIF colr") return avif(row.is_converted ? nclx(12, 13) : nclx(9, 16));
  if (row.place == "PNG cICP") return png_with("cICP", {9, 16, 0, 1});
  if (row.place == "PNG iCCP") return png({.profile_name = "P3", .profile = icc_profile("Display P3")});
  if (row.place == "PNG cHRM") return png_with("cHRM", p3);
  if (row.place == "PNG gAMA") return png({.gamma = 100000});
  if (row.place == "WebP ICCP") return webp_with("Display P3");
  if (row.place == "JPEG ICC profile") {
    const std::array texel{std::byte{7}, std::byte{8}, std::byte{9}};
    std::string file(as_text(assetc::testing::encode_jpeg(1, 1, 3, texel)));
    const std::string segment = std::string("ICC_PROFILE\0\1\1", 14) + profile;
    const std::size_t size = segment.size() + 2;
    return file.insert(2, std::string("\xFF\xE2") + static_cast<char>(size >> 8) + static_cast<char>(size) + segment);
  }
  if (row.place == "PSD profile") {
    const std::string resource = std::string("8BIM\x04\x0F\0\0", 8) + be32(static_cast<std::uint32_t>(profile.size())) +
                                 profile + std::string(profile.size() % 2, '\0');
    return std::string("8BPS\0\1\0\0\0\0\0\0\0\3", 14) + be32(1) + be32(1) + std::string("\0\x08\0\3", 4) + be32(0) +
           be32(static_cast<std::uint32_t>(resource.size())) + resource + be32(0) + std::string("\0\0\7\x08\x09", 5);
  }
  return {};
}

TEST(colors, each_row_of_the_table_is_what_happens_and_the_guide_prints_it) {
  std::string table = "| source | declared by | effect |\n|---|---|---|\n";
  for (const ColorDeclaration& row : kColorDeclarations) {
    const std::string sample = sample_of(row);
    const std::string expected =
        std::string(row.is_converted ? "converted: " : "reported: ") + std::string(row.place) + ": ";
    EXPECT_THAT(declared(as_bytes(sample)), ::testing::StartsWith(expected)) << row.source << " " << row.by;
    table.append("| ").append(row.source).append(" | ").append(row.by).append(" | ");
    table.append(row.is_converted ? "converted" : "warning `picture-colors`").append(" |\n");
  }
  std::ifstream guide(std::string(places::kSource) + "/docs/guide/textures.md");
  const std::string text{std::istreambuf_iterator<char>(guide), {}};
  EXPECT_THAT(text, ::testing::HasSubstr(table + "\n")) << "docs/guide/textures.md has another table";
}

TEST(colors, matrices_agree_with_published_ones) {
  // CSS Color 4 has the first; ACES has the second with Bradford's adaptation.
  constexpr double kRounding = 0.0006;
  EXPECT_THAT(*matrix_to_bt709(kDisplayP3),
              Pointwise(DoubleNear(kRounding),
                        std::array{1.2249, -0.2249, 0.0, -0.0421, 1.0421, 0.0, -0.0196, -0.0786, 1.0979}));
  EXPECT_THAT(*matrix_to_bt709(kAp0),
              Pointwise(DoubleNear(kRounding),
                        std::array{2.5214, -1.1340, -0.3876, -0.2762, 1.3726, -0.0963, -0.0153, -0.1530, 1.1684}));
  for (const Primaries& primaries : {kBt709, kDisplayP3, kAp0}) {
    const ColorMatrix m = *matrix_to_bt709(primaries);
    for (std::size_t row = 0; row < 3; ++row) EXPECT_NEAR(m[row * 3] + m[row * 3 + 1] + m[row * 3 + 2], 1, 1e-12);
  }
  Primaries broken = kBt709;
  broken.white.y = 0;
  EXPECT_FALSE(matrix_to_bt709(broken));
  broken.white.y = std::nan("");
  EXPECT_FALSE(matrix_to_bt709(broken));
  broken = {{0.1, 0.1}, {0.2, 0.2}, {0.3, 0.3}, {0.31, 0.33}};
  EXPECT_FALSE(matrix_to_bt709(broken)) << "primaries on a line";
}

TEST(colors, integers_are_converted_in_linear_light_and_clipped) {
  const ColorMatrix p3 = *matrix_to_bt709(kDisplayP3), same = *matrix_to_bt709(kBt709);
  scene::Image image{3, 1, scene::PixelType::kU8, 4, {}};
  for (const int v : {255, 255, 255, 7, 255, 0, 0, 8, 100, 90, 80, 9})
    image.pixels.push_back(static_cast<std::byte>(v));
  EXPECT_EQ(convert_to_bt709(image, p3), 1u) << "red of P3";
  std::vector<int> codes;
  for (const std::byte b : image.pixels) codes.push_back(std::to_integer<int>(b));
  EXPECT_THAT(codes, ElementsAre(255, 255, 255, 7, 255, 0, 0, 8, 102, 90, 79, 9));
  scene::Image wide{4096, 4, scene::PixelType::kU16, 4, {}};
  for (std::uint32_t code = 0; code < 65536; ++code) {
    const auto v = static_cast<std::uint16_t>(code);
    append(wide.pixels, v);
  }
  wide.width_texels = 16384, wide.height_texels = 1;
  const ByteVector before = wide.pixels;
  EXPECT_EQ(convert_to_bt709(wide, same), 0u);
  EXPECT_EQ(wide.pixels, before) << "the same primaries change no code";
}

TEST(colors, floats_may_leave_the_gamut) {
  scene::Image image{1, 1, scene::PixelType::kF32, 4, {}};
  for (const float v : {4.0f, 0.0f, 0.0f, 0.5f}) append(image.pixels, v);
  EXPECT_EQ(convert_to_bt709(image, *matrix_to_bt709(kAp0)), 0u);
  EXPECT_NEAR(load<float>(image.pixels, 0), 4 * 2.5214, 0.003);
  EXPECT_NEAR(load<float>(image.pixels, 4), 4 * -0.2762, 0.003);
  EXPECT_EQ(load<float>(image.pixels, 12), 0.5f);
}

}  // namespace
}  // namespace assetc::importer
