// ktx create: every option that it takes changes the file as KTX-Software's manual says.
#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "import/image/image.hpp"
#include "ktx/program.hpp"
#include "texture/color.hpp"

namespace assetc::ktx {
namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Texel ramp(int x, int y) { return {x * 8, y * 8, 255 - x * 8, 128 + y * 4}; }
Texel opaque(int x, int y) { return {x * 8, y * 8, (x + y) * 4, 255}; }

int largest_difference(const std::vector<Texel>& a, const std::vector<Texel>& b, std::size_t channels) {
  EXPECT_EQ(a.size(), b.size());
  int largest = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    for (std::size_t c = 0; c < channels; ++c) largest = std::max(largest, std::abs(a[i][c] - b[i][c]));
  return largest;
}

class KtxCreate : public ::testing::Test {
 protected:
  KtxCreate() {
    ktx.put_png("ramp.png", 32, 16, ramp);
    ktx.put_png("opaque.png", 32, 16, opaque);
  }
  // Runs create with these options on ramp.png, or on other inputs, into out.ktx2.
  void create(const std::string& options, const std::string& inputs = "ramp.png") {
    EXPECT_EQ(ktx.run("create " + options + " " + inputs + " out.ktx2"), 0) << options << "\n" << ktx.err;
  }
  std::vector<Texel> out(const importer::ImageIndex& index = {}) const { return ktx.texels("out.ktx2", index); }
  Program ktx;
};

TEST_F(KtxCreate, uastc_is_what_the_picture_is) {
  create("--format R8G8B8A8_SRGB --encode uastc");
  const ktx2::View view = ktx.view("out.ktx2");
  EXPECT_EQ(view.color_model(), ktx2::ColorModel::kUastc);
  EXPECT_TRUE(view.is_srgb());
  EXPECT_EQ(view.primaries(), 1);
  EXPECT_EQ(view.first_channel(), static_cast<int>(UastcChannels::kRgba));
  EXPECT_EQ(view.supercompression(), ktx2::Supercompression::kNone);
  EXPECT_EQ(view.levels().size(), 1u);
  EXPECT_EQ(view.text("KTXorientation"), "rd");
  std::vector<Texel> source;
  for (int y = 0; y < 16; ++y)
    for (int x = 0; x < 32; ++x) source.push_back(ramp(x, y));
  EXPECT_LE(largest_difference(out(), source, 4), 12);
  EXPECT_EQ(ktx.err, "");
}

TEST_F(KtxCreate, the_format_decides_the_channels) {
  const auto channels = [&](const std::string& format) {
    create("--format " + format + " --encode uastc --assign-oetf " + (format.ends_with("SRGB") ? "srgb" : "linear"));
    return static_cast<UastcChannels>(ktx.view("out.ktx2").first_channel());
  };
  EXPECT_EQ(channels("R8_UNORM"), UastcChannels::kRrr);
  EXPECT_EQ(out()[40][1], out()[40][0]) << "one channel is gray";
  EXPECT_EQ(channels("R8G8_UNORM"), UastcChannels::kRg);
  EXPECT_EQ(channels("R8G8B8_SRGB"), UastcChannels::kRgb);
  EXPECT_EQ(out()[40][3], 255) << "alpha is not encoded";
  EXPECT_EQ(channels("R8G8B8A8_UNORM"), UastcChannels::kRgba);
}

// A Photoshop document of 32-bit floats, 1 texel high.
ByteVector float_psd(const std::vector<std::array<float, 3>>& texels) {
  ByteVector file;
  const auto be = [&](std::uint32_t value, int bytes) {
    for (int i = bytes; i-- > 0;) file.push_back(static_cast<std::byte>(value >> (8 * i)));
  };
  for (const char c : std::string_view("8BPS")) file.push_back(static_cast<std::byte>(c));
  be(1, 2), be(0, 4), be(0, 2);                                          // version 1
  be(3, 2), be(1, 4), be(static_cast<std::uint32_t>(texels.size()), 4);  // channels, height, width
  be(32, 2), be(3, 2);                                                   // bits, RGB
  be(0, 4), be(0, 4), be(0, 4), be(0, 2);  // no palette, resources or layers; not compressed
  for (std::size_t c = 0; c < 3; ++c) {
    for (const auto& texel : texels) be(std::bit_cast<std::uint32_t>(texel[c]), 4);
  }
  return file;
}

TEST_F(KtxCreate, half_floats_keep_negative_values_and_bc6h_counts_them) {
  ktx.put("signed.psd", float_psd({{-2, 0.5f, 1}, {0.25f, -1, 0}, {1, 1, 1}, {0, 0, 0}}));
  create("--format R16G16B16A16_SFLOAT", "signed.psd");
  EXPECT_EQ(ktx.err, "");
  const scene::Image image = *importer::decode_ktx2(ktx.file("out.ktx2"), {}, importer::Channels::kStored);
  ASSERT_EQ(image.type, scene::PixelType::kF32);
  EXPECT_EQ(load<float>(image.pixels, 0), -2.0f);
  EXPECT_EQ(load<float>(image.pixels, 4 * 5), -1.0f);
  create("--format BC6H_UFLOAT_BLOCK", "signed.psd");
  EXPECT_THAT(ktx.err, HasSubstr("signed.psd: 2 texels with negative values, the least is -2; BC6H_UFLOAT_BLOCK clips "
                                 "them to 0; R16G16B16A16_SFLOAT keeps them"));
}

TEST_F(KtxCreate, a_png_of_16_bits_that_says_nothing_is_linear) {
  const auto gray = [](int, int) { return Texel{143 * 257, 0, 0, 65535}; };
  ktx.put_png("gray16.png", 4, 4, gray, 16);
  ktx.put_png("gray8.png", 4, 4, [](int, int) { return Texel{143, 0, 0, 255}; });
  ASSERT_FALSE(importer::read_image_info(ktx.file("gray16.png"))->declares_transfer);
  create("--format R8_UNORM", "gray16.png");
  EXPECT_EQ(out()[0][0], 143);
  EXPECT_EQ(ktx.err, "");
  create("--format R8_UNORM", "gray8.png");
  EXPECT_EQ(out()[0][0], 70) << "8 bits are sRGB";
  create("--format R8_UNORM --assign-tf srgb --convert-tf linear", "gray16.png");
  EXPECT_EQ(out()[0][0], 70);
}

TEST_F(KtxCreate, plain_texels_are_exact) {
  const auto first = [&](const std::string& format) {
    create("--assign-tf " + std::string(format.ends_with("UNORM") ? "linear" : "srgb") + " --format " + format);
    return out()[3 * 32 + 5];
  };
  EXPECT_THAT(first("R8_UNORM"), ElementsAre(40, 0, 0, 255));
  EXPECT_THAT(first("R8G8_UNORM"), ElementsAre(40, 24, 0, 255));
  EXPECT_THAT(first("R8G8B8_SRGB"), ElementsAre(40, 24, 215, 255));
  EXPECT_THAT(first("vk_format_r8g8b8a8_srgb"), ElementsAre(40, 24, 215, 140));
  EXPECT_THAT(first("R16G16_UNORM"), ElementsAre(40 * 257, 24 * 257, 0, 65535));
  ktx.put_png("deep.png", 4, 4, [](int x, int y) { return Texel{x * 1000 + 7, y * 999, 3, 65535}; }, 16);
  create("--assign-tf linear --format R16G16B16A16_UNORM", "deep.png");
  EXPECT_THAT(out()[6], ElementsAre(2007, 999, 3, 65535));
}

TEST_F(KtxCreate, linear_formats_convert_color_unless_told) {
  create("--format R8G8B8A8_UNORM");
  EXPECT_THAT(ktx.err, HasSubstr("ktx create warning: ramp.png is converted from sRGB to linear"));
  EXPECT_EQ(out()[31][0], texture::unorm8(texture::srgb8_to_linear()[248]));
  EXPECT_EQ(out()[31][3], 128) << "alpha is never converted";
  create("--format R8G8B8A8_UNORM --no-warn-on-color-conversions");
  EXPECT_EQ(ktx.err, "");
  create("--format R8G8B8A8_UNORM --assign-tf linear");
  EXPECT_EQ(out()[31][0], 248);
  EXPECT_EQ(ktx.err, "");
  create("--format R8G8B8A8_SRGB --assign-oetf linear --convert-oetf srgb --warn-on-color-conversions");
  EXPECT_EQ(out()[31][0], texture::linear_to_srgb8(248 / 255.0f));
  EXPECT_THAT(ktx.err, HasSubstr("converted from linear to sRGB"));
  EXPECT_EQ(ktx.run("create --format R8G8B8A8_UNORM --fail-on-color-conversions ramp.png new.ktx2"), kInvalidFile);
  EXPECT_FALSE(ktx.has("new.ktx2"));
  EXPECT_EQ(ktx.run("create --format R8G8B8A8_UNORM --assign-tf srgb ramp.png new.ktx2"), kUsage);
  EXPECT_EQ(ktx.run("create --format R8G8B8A8_SRGB --assign-tf linear ramp.png new.ktx2"), kUsage);
  EXPECT_EQ(ktx.run("create --format R8G8B8A8_SRGB --assign-tf pq_eotf ramp.png new.ktx2"), kUnsupported);
}

TEST_F(KtxCreate, primaries_are_stated) {
  create("--format R8G8B8A8_UNORM --assign-tf KHR_DF_TRANSFER_LINEAR");
  EXPECT_EQ(ktx.view("out.ktx2").primaries(), 1);
  create("--format R8G8B8A8_UNORM --assign-tf linear --assign-primaries none");
  EXPECT_EQ(ktx.view("out.ktx2").primaries(), 0);
  EXPECT_EQ(ktx.run("create --format R8G8B8A8_SRGB --assign-primaries bt2020 ramp.png out.ktx2"), kUnsupported);
}

TEST_F(KtxCreate, mip_levels_are_made_or_given) {
  create("--format R8G8B8A8_SRGB --generate-mipmap");
  EXPECT_EQ(ktx.view("out.ktx2").levels().size(), 6u);
  ktx.put_png("edge.png", 32, 16, [](int x, int) { return Texel{x < 13 ? 255 : 0, 0, 0, 255}; });
  std::vector<std::vector<Texel>> made;
  for (const char* options : {"", "--mipmap-filter box", "--mipmap-filter KAISER", "--mipmap-wrap wrap"}) {
    create("--format R8G8B8A8_SRGB --generate-mipmap " + std::string(options), "edge.png");
    for (const std::vector<Texel>& other : made) EXPECT_NE(out({.level = 1}), other) << options;
    made.push_back(out({.level = 1}));
  }
  create("--format R8G8B8A8_SRGB --generate-mipmap --levels 3 --encode uastc");
  EXPECT_EQ(ktx.view("out.ktx2").levels().size(), 3u);
  create("--format R8G8B8A8_SRGB --generate-mipmap --mipmap-filter bell --mipmap-wrap reflect --mipmap-filter-scale 2");
  EXPECT_THAT(ktx.err, AllOf(HasSubstr("bell"), HasSubstr("reflect"), HasSubstr("--mipmap-filter-scale")));

  ktx.put_png("half.png", 16, 8, [](int, int) { return Texel{9, 8, 7, 255}; });
  for (const char* encode : {"", " --encode uastc"}) {
    create("--format R8G8B8_SRGB --levels 2" + std::string(encode), "opaque.png half.png");
    EXPECT_EQ(ktx.view("out.ktx2").levels().size(), 2u);
    EXPECT_THAT(out({.level = 1}), Each(ElementsAre(9, 8, 7, 255)));
  }
  EXPECT_EQ(ktx.run("create --format R8G8B8_SRGB --levels 2 opaque.png ramp.png x.ktx2"), kInvalidFile);
  EXPECT_THAT(ktx.err, HasSubstr("ramp.png: has 32x16 texels, expected 16x8 for level 1"));
  EXPECT_EQ(ktx.run("create --format R8G8B8_SRGB --levels 2 opaque.png x.ktx2"), kUsage);
  EXPECT_EQ(ktx.run("create --format R8G8B8_SRGB --generate-mipmap --levels 7 opaque.png x.ktx2"), kUsage);
  EXPECT_EQ(ktx.run("create --format R8G8B8_SRGB --runtime-mipmap opaque.png x.ktx2"), kUnsupported);
}

TEST_F(KtxCreate, stored_texels_of_a_3d_texture_are_those_of_all_slices) {
  std::string inputs;
  for (int i = 0; i < 4; ++i) {
    const std::string name = "slice" + std::to_string(i) + ".png";
    ktx.put_png(name, 2, 2, [i](int, int) { return Texel{i, 0, 0, 255}; });
    inputs += (i == 0 ? "" : " ") + name;
  }
  create("--format R8_UNORM --assign-tf linear --depth 4", inputs);
  const auto bytes = [&](const std::string& options) {
    EXPECT_EQ(ktx.run("extract " + options + " out.ktx2 out.raw"), 0) << ktx.err;
    std::string text;
    for (const std::byte b : ktx.file("out.raw").span()) text += std::to_string(std::to_integer<int>(b));
    return text;
  };
  EXPECT_EQ(bytes("--raw --level 0"), "0000111122223333");
  EXPECT_EQ(bytes("--raw"), "0000111122223333");
  EXPECT_EQ(bytes("--raw --depth 2"), "2222");
}

TEST_F(KtxCreate, faces_layers_and_slices_are_in_order) {
  std::string inputs;
  for (int i = 0; i < 12; ++i) {
    const std::string name = "face" + std::to_string(i) + ".png";
    ktx.put_png(name, 8, 8, [&](int, int) { return Texel{i * 16, 0, 0, 255}; });
    inputs += (i == 0 ? "" : " ") + name;
  }
  for (const char* encode : {"", " --encode uastc --zstd 3"}) {
    create("--format R8G8B8_SRGB --cubemap --layers 2 --generate-mipmap" + std::string(encode), inputs);
    const ktx2::View view = ktx.view("out.ktx2");
    EXPECT_TRUE(view.is_cubemap());
    EXPECT_EQ(view.layer_count(), 2u);
    EXPECT_EQ(view.levels().size(), 4u);
    EXPECT_EQ(out({.level = 2, .layer = 1, .face = 3})[0][0], 9 * 16);
  }
  create("--format R8G8B8_SRGB --depth 12", inputs);
  EXPECT_EQ(ktx.view("out.ktx2").depth_texels(), 12u);
  EXPECT_EQ(ktx.view("out.ktx2").text("KTXorientation"), "rdi");
  EXPECT_EQ(out({.slice = 7})[0][0], 7 * 16);
  create("--format R8G8B8_SRGB --layers 1", "face3.png");
  EXPECT_EQ(ktx.view("out.ktx2").layer_count(), 1u);
  EXPECT_EQ(ktx.run("create --format R8G8B8_SRGB --cubemap face0.png x.ktx2"), kUsage);
  EXPECT_THAT(ktx.err, HasSubstr("found 1 input, expected 6"));
}

TEST_F(KtxCreate, lists_name_inputs) {
  ktx.put("set/list.txt", "\xEF\xBB\xBFramp.png\r\n\r\nopaque.png\r\n");
  create("--format R8G8B8A8_SRGB --layers 2", "@set/list.txt");
  EXPECT_EQ(out({.layer = 1})[40], opaque(8, 1));
  ktx.put_png("set/ramp.png", 32, 16, [](int, int) { return Texel{1, 2, 3, 4}; });
  ktx.put_png("set/opaque.png", 32, 16, opaque);
  create("--format R8G8B8A8_SRGB --layers 2", "@@set/list.txt");
  EXPECT_THAT(out(), Each(ElementsAre(1, 2, 3, 4)));
  EXPECT_EQ(ktx.run("create --format R8G8B8A8_SRGB @none.txt x.ktx2"), kIo);
}

TEST_F(KtxCreate, raw_bytes_are_stored_as_given) {
  ByteVector blocks(2 * 2 * 16);
  for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i] = static_cast<std::byte>(i);
  ktx.put("blocks.raw", blocks);
  create("--raw --format BC7_SRGB_BLOCK --width 8 --height 7", "blocks.raw");
  const ktx2::View view = ktx.view("out.ktx2");
  EXPECT_EQ(view.format(), TexelFormat::kBc7);
  EXPECT_EQ(view.height_texels(), 7u);
  EXPECT_TRUE(std::ranges::equal(view.levels()[0].bytes, blocks));
  EXPECT_EQ(ktx.run("create --raw --format BC7_SRGB_BLOCK --width 12 --height 8 blocks.raw x.ktx2"), kInvalidFile);
  EXPECT_THAT(ktx.err, HasSubstr("blocks.raw: found 64 bytes, expected 96"));
  EXPECT_EQ(ktx.run("create --raw --format R8_UNORM blocks.raw x.ktx2"), kUsage);
  EXPECT_EQ(ktx.run("create --raw --format R8_UNORM --width 4000000000 --height 4000000000 blocks.raw x.ktx2"), kUsage);
}

TEST_F(KtxCreate, raw_textures_have_one_to_three_dimensions) {
  ktx.put("row.raw", ByteVector(8 * 4));
  create("--raw --1d --format R8G8B8A8_UINT --width 8 --height 1", "row.raw");
  EXPECT_EQ(ktx.view("out.ktx2").height_texels(), 0u);
  EXPECT_EQ(ktx.view("out.ktx2").text("KTXorientation"), "") << "raw texels say nothing";
  create("--raw --1d --format R8G8B8A8_UINT --width 8 --height 1 --assign-texcoord-origin top-left", "row.raw");
  EXPECT_EQ(ktx.view("out.ktx2").text("KTXorientation"), "r");
  EXPECT_EQ(ktx.run("create --raw --1d --format R8G8B8A8_UINT --width 4 --height 2 row.raw x.ktx2"), kUsage);
  ktx.put("block.raw", ByteVector(16));
  create("--raw --format ASTC_4x4x3_UNORM_BLOCK_EXT --width 4 --height 4 --depth 6", "block.raw block.raw");
  EXPECT_EQ(ktx.view("out.ktx2").depth_texels(), 6u);
  EXPECT_EQ(ktx.view("out.ktx2").block(), (BlockShape{4, 4, 3, 16}));
  EXPECT_EQ(ktx.run("create --raw --format R8_UNORM --width 4 --height 4 --levels 4 block.raw block.raw block.raw "
                    "block.raw x.ktx2"),
            kUsage);
}

TEST_F(KtxCreate, formats_of_blocks_are_encoded) {
  for (const auto& [name, format] :
       {std::pair{"BC7_SRGB_BLOCK", TexelFormat::kBc7}, std::pair{"ASTC_4x4_SRGB_BLOCK", TexelFormat::kAstc4x4},
        std::pair{"ASTC_6x6_SRGB_BLOCK", TexelFormat::kAstc6x6}, std::pair{"BC3_SRGB_BLOCK", TexelFormat::kBc3}}) {
    create("--astc-quality fast --format " + std::string(name));
    EXPECT_EQ(ktx.view("out.ktx2").format(), format);
    EXPECT_LE(std::abs(out()[5 * 32 + 9][0] - 72), 12) << name;
  }
  EXPECT_EQ(ktx.run("create --format ASTC_12x12_SRGB_BLOCK ramp.png x.ktx2"), kUnsupported);
}

TEST_F(KtxCreate, pictures_are_changed_before_they_are_encoded) {
  create("--format R8G8B8A8_SRGB --input-swizzle bgr1");
  EXPECT_THAT(out()[3 * 32 + 5], ElementsAre(215, 24, 40, 255));
  create("--format R8G8B8A8_SRGB --swizzle rrr1");
  EXPECT_EQ(ktx.view("out.ktx2").text("KTXswizzle"), "rrr1");
  EXPECT_EQ(out()[5][0], 40) << "the swizzle is only stated";
  create("--format R8G8B8A8_SRGB --premultiply-alpha");
  EXPECT_TRUE(ktx.view("out.ktx2").is_alpha_premultiplied());
  EXPECT_EQ(out()[5][0], 27) << "half of the light of code 40";
  create("--format R8G8B8A8_UNORM --assign-tf linear --premultiply-alpha");
  EXPECT_EQ(out()[5][0], (40 * 128 + 127) / 255);
  create("--format R8G8B8A8_SRGB --convert-texcoord-origin bottom-left --warn-on-origin-changes");
  EXPECT_EQ(ktx.view("out.ktx2").text("KTXorientation"), "ru");
  EXPECT_EQ(out()[0], ramp(0, 15));
  EXPECT_THAT(ktx.err, HasSubstr("upside down"));
  create("--format R8G8B8A8_SRGB --assign-texcoord-origin bottom-left");
  EXPECT_EQ(ktx.view("out.ktx2").text("KTXorientation"), "ru");
  EXPECT_EQ(out()[0], ramp(0, 0));
  EXPECT_EQ(ktx.run("create --format R8G8B8A8_SRGB --convert-texcoord-origin bottom-left --fail-on-origin-changes "
                    "ramp.png x.ktx2"),
            kInvalidFile);
}

TEST_F(KtxCreate, normals_are_normalized_and_split) {
  ktx.put_png("long.png", 8, 8, [](int, int) { return Texel{153, 128, 204, 9}; });  // (0.2, 0, 0.6)
  create("--format R8G8B8A8_UNORM --assign-tf linear --normalize", "long.png");
  EXPECT_THAT(out(), Each(ElementsAre(168, 128, 248, 255)));
  create("--format R8G8B8_UNORM --assign-tf linear --normal-mode --encode uastc", "long.png");
  EXPECT_EQ(ktx.view("out.ktx2").first_channel(), static_cast<int>(UastcChannels::kRrrg));
  EXPECT_THAT(out(), Each(ElementsAre(153, 153, 153, 128)));
  EXPECT_EQ(ktx.run("create --format R8G8B8A8_SRGB --normalize long.png x.ktx2"), kUsage);
}

TEST_F(KtxCreate, encoder_options_have_an_effect) {
  ktx.put_png("noise.png", 256, 256, [](int x, int y) {
    const int n = (x * 7919 + y * 104729 + x * y * 31) % 97;
    return Texel{100 + n, 90 + n / 2, 60 + x / 4 + n / 3, 255};
  });
  const auto size = [&](const std::string& options) {
    create("--format R8G8B8_SRGB --encode uastc --zstd 12 " + options, "noise.png");
    return ktx.file("out.ktx2").size();
  };
  const std::size_t usual = size(""), rdo = size("--uastc-rdo"), more = size("--uastc-rdo --uastc-rdo-l 5");
  EXPECT_LT(rdo, usual);
  EXPECT_LT(more, rdo);
  const std::vector<Texel> normal = (size("--uastc-quality 2 --threads 1 --no-sse"), out());
  size("--uastc-quality 0");
  EXPECT_NE(out(), normal);
  size("--uastc-quality 2 --threads 2 --testrun");
  EXPECT_EQ(out(), normal) << "threads change nothing";
  EXPECT_EQ(ktx.view("out.ktx2").text("KTXwriterScParams"), "zstd 12");
  size("--uastc-rdo --uastc-rdo-d 1024 --uastc-rdo-m");
  EXPECT_THAT(ktx.err, AllOf(HasSubstr("--uastc-rdo-d has no effect"), HasSubstr("--uastc-rdo-m has no effect")));
}

TEST_F(KtxCreate, basis_lz_has_a_quality_and_the_channels_of_the_format) {
  const auto made = [&](const std::string& options) {
    EXPECT_EQ(ktx.run("create --encode basis-lz " + options + " ramp.png out.ktx2"), 0) << ktx.err;
    EXPECT_EQ(ktx.run("validate out.ktx2"), 0) << ktx.out;
    return ktx.view("out.ktx2");
  };
  const auto size = [&](const std::string& options) {
    made("--format R8G8B8A8_SRGB --generate-mipmap " + options);
    return ktx.file("out.ktx2").size();
  };
  EXPECT_LT(size("--qlevel 1"), size("--qlevel 255"));
  EXPECT_EQ(size("--qlevel 128 --clevel 1"), size(""));
  EXPECT_EQ(ktx.run("create --encode basis-lz --format R8G8B8A8_SRGB --qlevel 256 ramp.png x.ktx2"), kUsage);
  const auto channels = [&](const std::string& options) { return made(options).etc1s_channels(); };
  EXPECT_EQ(channels("--format R8G8B8A8_SRGB"), ktx2::Etc1sChannels::kRgba);
  EXPECT_EQ(channels("--format R8G8B8_SRGB"), ktx2::Etc1sChannels::kRgb);
  EXPECT_EQ(channels("--format R8G8_UNORM --assign-tf linear"), ktx2::Etc1sChannels::kRedGreen);
  EXPECT_EQ(channels("--format R8_UNORM --assign-tf linear"), ktx2::Etc1sChannels::kRed);
  EXPECT_EQ(channels("--format R8G8B8_UNORM --assign-tf linear --normal-mode"), ktx2::Etc1sChannels::kRedGreen);
}

// One of 12 pictures that differ in all channels.
Texel plain(int i) { return {i * 20, 255 - i * 20, i * 7 + 90, i * 10 + 120}; }

TEST_F(KtxCreate, basis_lz_has_the_images_of_arrays_and_cubemaps_in_their_places) {
  std::string inputs;
  for (int i = 0; i < 12; ++i) {
    const std::string name = std::to_string(i) + ".png";
    ktx.put_png(name, 16, 16, [&](int, int) { return plain(i); });
    inputs += name + " ";
  }
  for (const std::string shape : {"--layers 12", "--layers 2 --cubemap"}) {
    for (const std::string levels : {"", "--generate-mipmap", "--generate-mipmap --levels 2"}) {
      SCOPED_TRACE(shape + " " + levels);
      create("--format R8G8B8A8_SRGB --encode basis-lz --qlevel 255 " + shape + " " + levels, inputs);
      EXPECT_EQ(ktx.run("validate out.ktx2"), 0) << ktx.out;
      const std::size_t level_count = levels.empty() ? 1 : levels.ends_with("2") ? 2 : 5;
      ASSERT_EQ(ktx.view("out.ktx2").levels().size(), level_count);
      for (std::uint32_t i = 0; i < 12; ++i) {
        const bool is_cube = shape.ends_with("cubemap");
        importer::ImageIndex index;
        index.layer = is_cube ? i / 6 : i;
        index.face = is_cube ? i % 6 : 0;
        for (index.level = 0; index.level < level_count; ++index.level) {
          const std::vector<Texel> texels = out(index);
          ASSERT_FALSE(texels.empty());
          EXPECT_LE(largest_difference({texels.front()}, {plain(static_cast<int>(i))}, 4), 12) << i;
        }
      }
    }
  }
}

TEST_F(KtxCreate, what_is_not_supported_is_named) {
  EXPECT_EQ(ktx.run("create --format R8G8B8A8_SRGB --encode basis-lz --depth 1 ramp.png x.ktx2"), kUnsupported);
  EXPECT_THAT(ktx.err, HasSubstr("ktx create fatal: --encode basis-lz of 3D textures is not supported"));
  EXPECT_EQ(std::ranges::count(ktx.err, '\n'), 1) << "one line";
  EXPECT_EQ(ktx.run("create --format R8G8B8A8_SRGB --encode basis-lz --zstd 5 ramp.png x.ktx2"), kUsage);
  EXPECT_EQ(ktx.run("create --format BC7_SRGB_BLOCK --encode basis-lz ramp.png x.ktx2"), kUsage);
  EXPECT_EQ(ktx.run("create --format R8G8B8A8_SRGB --zlib 5 ramp.png x.ktx2"), kUsage);
  EXPECT_EQ(ktx.run("create --format R8G8B8A8_SRGB --1d ramp.png x.ktx2"), kUnsupported);
  EXPECT_EQ(ktx.run("create --format D16_UNORM ramp.png x.ktx2"), kUnsupported);
  EXPECT_EQ(ktx.run("create --format R32G32B32A32_SFLOAT ramp.png x.ktx2"), kUnsupported);
  EXPECT_THAT(ktx.err, HasSubstr("--format R32G32B32A32_SFLOAT cannot be made from pictures"));
  EXPECT_EQ(ktx.run("create --format R8_USCALED ramp.png x.ktx2"), kUsage);
  EXPECT_EQ(ktx.run("create --format R8G8B8A8_SRGB --width 64 ramp.png x.ktx2"), kUnsupported);
  EXPECT_EQ(ktx.run("create --format R16G16B16A16_SFLOAT ramp.png x.ktx2"), kInvalidFile);
  EXPECT_EQ(ktx.run("create --format R8G8B8A8_BOGUS ramp.png x.ktx2"), kUsage);
  EXPECT_EQ(ktx.run("create --format R8G8B8A8_SRGB --swizzle rgxy ramp.png x.ktx2"), kUsage);
  EXPECT_EQ(ktx.run("create --format R8G8B8A8_SRGB --frobnicate ramp.png x.ktx2"), kUsage);
  EXPECT_THAT(ktx.err, HasSubstr("See 'ktx create --help'."));
  EXPECT_EQ(ktx.run("create --format R8G8B8A8_SRGB none.png x.ktx2"), kIo);
  ktx.put("broken.png", "not a picture");
  EXPECT_EQ(ktx.run("create --format R8G8B8A8_SRGB broken.png x.ktx2"), kInvalidFile);
  EXPECT_THAT(ktx.err, HasSubstr("broken.png"));
  EXPECT_FALSE(ktx.has("x.ktx2"));
}

}  // namespace
}  // namespace assetc::ktx
