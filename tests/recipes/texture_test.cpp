#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "corpus.hpp"
#include "import/exr_builders.hpp"
#include "import/image_builders.hpp"
#include "parallel/parallel.hpp"
#include "recipes/fake_inputs.hpp"
#include "recipes/ktx2_pixels.hpp"
#include "texture/color.hpp"

namespace assetc::recipes {
namespace {

using assetc::testing::encode_png;
using assetc::testing::encode_png_rgba8;
using assetc::testing::noise_bytes;
using assetc::testing::read_pixels;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Texel = std::array<int, 4>;

std::string text_of(ByteSpan bytes) { return std::string(as_text(bytes)); }

// A smooth picture, in which any encoder is off by at most a few codes.
ByteVector ramp(std::uint32_t width, std::uint32_t height, int alpha_step = 0) {
  ByteVector rgba;
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t x = 0; x < width; ++x) {
      for (std::uint32_t v : {40 + x * 2, 60 + y * 2, 100u, 255 - x * static_cast<std::uint32_t>(alpha_step)})
        rgba.push_back(static_cast<std::byte>(v));
    }
  }
  return rgba;
}

Step step_of(const Params& params = {}) {
  Step step;
  step.recipe = find_recipe("texture");
  step.source = step.input_path = "wall.png";
  step.stem = "wall";
  step.params = params;
  return step;
}

Result<Product> cook(const Step& step, ByteSpan file) {
  FakeInputs inputs;
  inputs.files = {{"wall.png", text_of(file)}};
  return step.recipe->cook(step, inputs);
}

double psnr(ByteSpan a, ByteSpan b, std::initializer_list<std::size_t> channels) {
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < a.size(); i += 4) {
    for (std::size_t c : channels) {
      const double d = std::to_integer<int>(a[i + c]) - std::to_integer<int>(b[i + c]);
      sum += d * d;
      count += 1;
    }
  }
  return sum == 0 ? 99 : 10 * std::log10(255.0 * 255.0 * count / sum);
}

TEST(TextureRecipe, claims_name_the_mode_and_the_stem) {
  const auto claim_of = [](std::string_view suffix) {
    for (const Claim& claim : find_recipe("texture")->claims) {
      if (claim.suffix == suffix) return claim;
    }
    return Claim{};
  };
  for (const char* extension : {".png", ".jpg", ".jpeg", ".webp", ".tga", ".bmp"}) {
    const std::string ext = extension;
    EXPECT_EQ(claim_of(ext).mode, TextureUsage::kColor);
    EXPECT_EQ(claim_of(".n" + ext).mode, TextureUsage::kNormal);
    EXPECT_EQ(claim_of(".ao" + ext).mode, TextureUsage::kGray);
    EXPECT_EQ(claim_of(".h" + ext).mode, TextureUsage::kGray);
    EXPECT_EQ(claim_of(".r" + ext).mode, TextureUsage::kGray);
    for (const char* part : {"", ".n", ".ao", ".h", ".r"}) EXPECT_EQ(claim_of(part + ext).strip, ext);
  }
}

TEST(TextureRecipe, color_is_srgb_uastc_with_a_full_chain) {
  const ByteVector rgba = ramp(33, 17);
  const auto product = cook(step_of(), encode_png_rgba8(33, 17, rgba));
  ASSERT_TRUE(product) << product.error().to_string();
  ASSERT_EQ(product->outputs.size(), 1u);
  const Output& output = product->outputs[0];
  EXPECT_EQ(output.suffix, ".ktx2");
  EXPECT_EQ(output.descriptor.kind, AssetKind::kTexture);
  EXPECT_TRUE(output.descriptor.srgb);
  const auto view = ktx2::View::open(output.bytes);
  ASSERT_TRUE(view) << view.error().to_string();
  EXPECT_EQ(view->format(), TexelFormat::kUastc);
  EXPECT_TRUE(view->is_srgb());
  EXPECT_EQ(view->levels().size(), 6u);
  EXPECT_EQ(view->supercompression(), ktx2::Supercompression::kNone);
  EXPECT_THAT(view->text("KTXwriter"), HasSubstr("assetc"));
  EXPECT_EQ(view->text("KTXorientation"), "rd");
  EXPECT_GT(psnr(read_pixels(output.bytes, 0).rgba, rgba, {0, 1, 2, 3}), 45);
}

TEST(TextureRecipe, normal_mode_writes_x_and_y_alone) {
  const auto product = cook(step_of({{"mode", "normal"}}), encode_png_rgba8(16, 16, ramp(16, 16)));
  ASSERT_TRUE(product);
  EXPECT_FALSE(product->outputs[0].descriptor.srgb);
  const auto level = read_pixels(product->outputs[0].bytes, 0);
  for (std::uint32_t i = 0; i < 16; ++i) {
    const Texel t = level.at(i, i);
    EXPECT_NEAR(t[0], 40 + static_cast<int>(i) * 2, 3);
    EXPECT_NEAR(t[1], 60 + static_cast<int>(i) * 2, 3);
    EXPECT_EQ(t[2], 0);
    EXPECT_EQ(t[3], 255);
  }
}

TEST(TextureRecipe, normals_with_y_down_are_turned_up) {
  const ByteVector png = encode_png_rgba8(16, 16, ramp(16, 16));
  const auto green = [&](const Params& params, NormalY normal_y) {
    Step step = step_of(params);
    step.settings.texture.normal_y = normal_y;
    step.settings.texture.format = texture::TargetFormat::kRgba8;
    return read_pixels(cook(step, png)->outputs[0].bytes, 0).at(3, 5)[1];
  };
  const Params normal{{"mode", "normal"}}, down{{"mode", "normal"}, {std::string(kYDownParam), ""}};
  constexpr int kUp = 60 + 5 * 2, kDown = 255 - kUp;
  EXPECT_EQ(green(normal, NormalY::kAuto), kUp);
  EXPECT_EQ(green(normal, NormalY::kOpenGl), kUp);
  EXPECT_EQ(green(normal, NormalY::kDirectX), kDown);
  EXPECT_EQ(green(down, NormalY::kAuto), kDown);
  EXPECT_EQ(green(down, NormalY::kOpenGl), kUp);
  EXPECT_EQ(green(down, NormalY::kDirectX), kDown);
  for (const char* other : {"color", "linear", "gray"})
    EXPECT_EQ(green({{"mode", other}}, NormalY::kDirectX), kUp) << other;
}

TEST(TextureRecipe, gray_mode_writes_red_alone_and_warns_of_color) {
  const auto product = cook(step_of({{"mode", "gray"}}), encode_png_rgba8(16, 16, ramp(16, 16)));
  ASSERT_TRUE(product);
  EXPECT_FALSE(product->outputs[0].descriptor.srgb);
  const Texel t = read_pixels(product->outputs[0].bytes, 0).at(8, 3);
  EXPECT_NEAR(t[0], 56, 2);
  EXPECT_EQ((Texel{0, t[1], t[2], t[3]}), (Texel{0, 0, 0, 255}));
  ASSERT_EQ(product->diagnostics.size(), 1u);
  EXPECT_EQ(product->diagnostics[0].what.to_string(),
            "a grayscale map with colors: only red is kept; save it as grayscale, or set texture.usage: color or "
            "linear to keep all channels");
  const auto gray = cook(step_of({{"mode", "gray"}}), encode_png(8, 8, 8, SPNG_COLOR_TYPE_GRAYSCALE, noise_bytes(64)));
  ASSERT_TRUE(gray);
  EXPECT_THAT(gray->diagnostics, IsEmpty());
}

TEST(TextureRecipe, dropped_alpha_and_rotation_are_said) {
  const auto normal = cook(step_of({{"mode", "normal"}}), encode_png_rgba8(16, 16, ramp(16, 16, 3)));
  ASSERT_TRUE(normal);
  ASSERT_EQ(normal->diagnostics.size(), 1u);
  EXPECT_THAT(normal->diagnostics[0].what.what, HasSubstr("alpha is dropped"));
}

TEST(TextureRecipe, raw_texels_are_exact_and_zstd_compressed) {
  Step step = step_of();
  step.settings.texture.format = texture::TargetFormat::kRgba8;
  const ByteVector rgba = noise_bytes(13 * 7 * 4);
  const auto product = cook(step, encode_png_rgba8(13, 7, rgba));
  ASSERT_TRUE(product);
  const auto view = ktx2::View::open(product->outputs[0].bytes);
  ASSERT_TRUE(view) << view.error().to_string();
  EXPECT_EQ(view->format(), TexelFormat::kRgba8);
  EXPECT_TRUE(view->is_srgb());
  EXPECT_EQ(view->supercompression(), ktx2::Supercompression::kZstd);
  EXPECT_EQ(read_pixels(product->outputs[0].bytes, 0).rgba, rgba);

  step.params = {{"mode", "linear"}};
  const auto linear = cook(step, encode_png_rgba8(13, 7, rgba));
  ASSERT_TRUE(linear);
  EXPECT_FALSE(ktx2::View::open(linear->outputs[0].bytes)->is_srgb());
}

TEST(TextureRecipe, every_setting_and_param_changes_the_bytes) {
  const ByteVector png = encode_png_rgba8(64, 32, noise_bytes(64 * 32 * 4));
  const auto bytes_with = [&](auto change) {
    Step step = step_of();
    change(step);
    auto product = cook(step, png);
    EXPECT_TRUE(product) << product.error().to_string();
    return product ? text_of(product->outputs.at(0).bytes) : std::string();
  };
  const std::string base = bytes_with([](Step&) {});
  EXPECT_EQ(base, bytes_with([](Step&) {}));
  EXPECT_NE(base, bytes_with([](Step& s) { s.settings.texture.format = texture::TargetFormat::kRgba8; }));
  EXPECT_NE(base, bytes_with([](Step& s) { s.settings.texture.quality = codec::Effort::kFast; }));
  EXPECT_NE(base, bytes_with([](Step& s) { s.settings.texture.quality = codec::Effort::kBest; }));
  EXPECT_NE(base, bytes_with([](Step& s) { s.settings.texture.metric = codec::Metric::kColorPerceptual; }));
  EXPECT_NE(base, bytes_with([](Step& s) { s.settings.texture.mips = false; }));
  EXPECT_NE(base, bytes_with([](Step& s) { s.settings.texture.mip_filter = texture::Filter::kBox; }));
  EXPECT_NE(base, bytes_with([](Step& s) { s.settings.texture.mip_filter = texture::Filter::kLanczos; }));
  EXPECT_NE(base, bytes_with([](Step& s) { s.settings.texture.wrap = texture::Wrap::kClamp; }));
  EXPECT_NE(base, bytes_with([](Step& s) { s.settings.texture.max_size_texels = 16; }));
  EXPECT_NE(base, bytes_with([](Step& s) { s.settings.texture.zstd_level = 3; }));
  EXPECT_NE(base, bytes_with([](Step& s) { s.settings.texture.rdo = 10; }));
  EXPECT_NE(base, bytes_with([](Step& s) { s.params = {{"mode", "linear"}}; }));
  EXPECT_NE(base, bytes_with([](Step& s) { s.params = {{"mode", "normal"}}; }));
  EXPECT_NE(base, bytes_with([](Step& s) { s.params = {{"mode", "gray"}}; }));
  EXPECT_NE(base, bytes_with([](Step& s) { s.params = {{"alpha_cutoff", "0.75"}}; }));
}

TEST(TextureRecipe, params_of_other_values_are_refused) {
  const ByteVector png = encode_png_rgba8(4, 4, noise_bytes(64));
  const auto refusal = [&](const Params& params) {
    const auto product = cook(step_of(params), png);
    EXPECT_FALSE(product);
    return product ? std::string() : product.error().to_string();
  };
  EXPECT_EQ(refusal({{"mode", "bump"}}),
            "mode: found \"bump\", expected one of color, linear, normal, gray, orm, hdr, lut");
  EXPECT_EQ(refusal({{"alpha_cutoff", "half"}}), "alpha_cutoff: found \"half\", expected a number of 0 or more");
}

TEST(TextureRecipe, supercompressed_blocks_are_the_same_blocks) {
  const ByteVector png = encode_png_rgba8(32, 32, ramp(32, 32));
  Step step = step_of();
  const auto plain = cook(step, png);
  step.settings.texture.zstd_level = 5;
  const auto squeezed = cook(step, png);
  ASSERT_TRUE(plain && squeezed);
  EXPECT_LT(squeezed->outputs[0].bytes.size(), plain->outputs[0].bytes.size());
  for (std::size_t level = 0; level < 6; ++level) {
    EXPECT_EQ(read_pixels(plain->outputs[0].bytes, level).rgba, read_pixels(squeezed->outputs[0].bytes, level).rgba);
  }
}

TEST(TextureRecipe, ktx2_files_pass_through_once_they_prove_valid) {
  const auto made = cook(step_of(), encode_png_rgba8(8, 8, ramp(8, 8)));
  ASSERT_TRUE(made);
  const auto copied = cook(step_of({{"mode", "copy"}}), made->outputs[0].bytes);
  ASSERT_TRUE(copied) << copied.error().to_string();
  EXPECT_EQ(text_of(copied->outputs[0].bytes), text_of(made->outputs[0].bytes));
  EXPECT_TRUE(copied->outputs[0].descriptor.srgb);
  // An image with KHR_texture_basisu of a glTF has the mode of its slot.
  const auto embedded = cook(step_of({{"mode", "color"}}), made->outputs[0].bytes);
  ASSERT_TRUE(embedded);
  EXPECT_EQ(text_of(embedded->outputs[0].bytes), text_of(made->outputs[0].bytes));
  const auto cut = cook(step_of({{"mode", "copy"}}), made->outputs[0].bytes.span().first(100));
  ASSERT_FALSE(cut);
}

TEST(TextureRecipe, raw_texels_are_exact_for_every_usage_and_nothing_is_dropped) {
  const ByteVector rgba = noise_bytes(13 * 7 * 4);
  for (const char* mode : {"color", "linear", "normal", "gray", "orm", "lut"}) {
    Step step = step_of({{"mode", mode}});
    ASSERT_TRUE(find_setting("texture.compress")->set(step.settings, "false"));
    const auto product = cook(step, encode_png_rgba8(13, 7, rgba));
    ASSERT_TRUE(product) << mode;
    EXPECT_EQ(read_pixels(product->outputs[0].bytes, 0).rgba, rgba) << mode;
    for (const Diagnostic& d : product->diagnostics)
      EXPECT_THAT(d.what.what, ::testing::Not(HasSubstr("dropped"))) << mode;
    const auto view = ktx2::View::open(product->outputs[0].bytes);
    EXPECT_EQ(view->levels().size(), std::string_view(mode) == "lut" ? 1u : 4u) << mode;
  }
}

TEST(TextureRecipe, graphics_keep_their_texels_under_auto) {
  // Stripes of two texels in four colors.
  ByteVector rgba;
  for (int i = 0; i < 40 * 24; ++i) {
    for (const int v : {i / 2 % 4 * 80, 200 - i / 80 % 3 * 90, 30, 255}) rgba.push_back(static_cast<std::byte>(v));
  }
  struct Expected {
    Params params;
    const char* compress;
    TexelFormat format;
    std::size_t levels;
  };
  const Expected kExpected[] = {
      {{{"mode", "color"}, {std::string(kAloneParam), ""}}, "auto", TexelFormat::kRgba8, 1},
      {{{"mode", "color"}}, "auto", TexelFormat::kRgba8, 6},
      {{{"mode", "linear"}}, "auto", TexelFormat::kRgba8, 6},
      {{{"mode", "normal"}}, "auto", TexelFormat::kUastc, 6},
      // A .glb with KHR_texture_basisu takes no other format.
      {{{"mode", "color"}, {"block_sides", ""}}, "auto", TexelFormat::kUastc, 6},
      {{{"mode", "color"}}, "true", TexelFormat::kUastc, 6},
  };
  for (const Expected& expected : kExpected) {
    Step step = step_of(expected.params);
    ASSERT_TRUE(find_setting("texture.compress")->set(step.settings, expected.compress));
    const auto product = cook(step, encode_png_rgba8(40, 24, rgba));
    ASSERT_TRUE(product) << product.error().to_string();
    const auto view = ktx2::View::open(product->outputs[0].bytes);
    ASSERT_TRUE(view);
    EXPECT_EQ(view->format(), expected.format);
    EXPECT_EQ(view->levels().size(), expected.levels);
    if (expected.format == TexelFormat::kRgba8) {
      EXPECT_EQ(read_pixels(product->outputs[0].bytes, 0).rgba, rgba);
    }
    const bool is_told = find_statistic<texture::GraphicsReport>(product->statistics) != nullptr;
    EXPECT_EQ(is_told, expected.format == TexelFormat::kUastc && expected.params.at("mode") == "color");
  }
}

TEST(TextureRecipe, raw_normal_maps_keep_z_of_unit_length_and_other_blue_as_data) {
  const auto levels_of = [](const ByteVector& rgba) {
    Step step = step_of({{"mode", "normal"}});
    step.settings.texture.format = texture::TargetFormat::kRgba8;
    return read_pixels(cook(step, encode_png_rgba8(2, 2, rgba))->outputs[0].bytes, 1).at(0, 0);
  };
  const auto four = [](std::initializer_list<Texel> texels) {
    ByteVector rgba;
    for (const Texel& t : texels) {
      for (const int v : t) rgba.push_back(static_cast<std::byte>(v));
    }
    return rgba;
  };
  // Normals that lean by 45 degrees to either side; their average points up.
  const Texel up = levels_of(four({{218, 128, 218, 10}, {37, 128, 218, 30}, {218, 128, 218, 10}, {37, 128, 218, 30}}));
  EXPECT_NEAR(up[0], 128, 1);
  EXPECT_NEAR(up[2], 255, 1);
  EXPECT_NEAR(up[3], 20, 1);
  const Texel packed =
      levels_of(four({{128, 128, 40, 255}, {128, 128, 80, 255}, {128, 128, 40, 255}, {128, 128, 80, 255}}));
  EXPECT_NEAR(packed[2], 60, 1);
}

// A .ktx2 in the form of another tool: `format` decides its contents.
Bytes ktx2_of(const char* format, bool srgb = true) {
  Step step = step_of({{"mode", srgb ? "color" : "linear"}});
  EXPECT_TRUE(find_setting("texture.format")->set(step.settings, format));
  step.settings.texture.mips = false;
  step.settings.texture.zstd_level = 3;
  return cook(step, encode_png_rgba8(16, 16, ramp(16, 16)))->outputs[0].bytes;
}

TEST(TextureRecipe, ktx2_files_of_plain_texels_become_what_format_says) {
  for (const bool srgb : {true, false}) {
    const auto product = cook(step_of({{"mode", "copy"}}), ktx2_of("rgba8", srgb));
    ASSERT_TRUE(product) << product.error().to_string();
    EXPECT_THAT(product->diagnostics, IsEmpty());
    const auto view = ktx2::View::open(product->outputs[0].bytes);
    EXPECT_EQ(view->format(), TexelFormat::kUastc);
    EXPECT_EQ(view->is_srgb(), srgb);
    EXPECT_EQ(view->levels().size(), 5u);
    EXPECT_GT(psnr(read_pixels(product->outputs[0].bytes, 0).rgba, ramp(16, 16), {0, 1, 2, 3}), 40);
  }
}

TEST(TextureRecipe, ktx2_files_that_are_only_copied_say_why) {
  const Bytes bc7 = ktx2_of("bc7");
  const auto copied = cook(step_of({{"mode", "copy"}}), bc7);
  ASSERT_TRUE(copied);
  EXPECT_EQ(text_of(copied->outputs[0].bytes), text_of(bc7));
  ASSERT_EQ(copied->diagnostics.size(), 1u);
  EXPECT_EQ(copied->diagnostics[0].what.to_string(),
            "copied unchanged instead of compiled to texture.format (uastc): it holds bc7, and another "
            "encoding would only lose quality; set texture.format: auto, or its format, in a rule for it");
  for (const char* format : {"bc7", "auto"}) {
    Step step = step_of({{"mode", "copy"}});
    ASSERT_TRUE(find_setting("texture.format")->set(step.settings, format));
    EXPECT_THAT(cook(step, bc7)->diagnostics, IsEmpty()) << format;
  }
  const auto data = cook(step_of({{"mode", "normal"}}), ktx2_of("rgba8"));
  ASSERT_EQ(data->diagnostics.size(), 1u);
  EXPECT_THAT(data->diagnostics[0].what.what, HasSubstr("it is sRGB, but used as data"));
  Step raw = step_of({{"mode", "copy"}});
  raw.settings.texture.format = texture::TargetFormat::kRgba8;
  EXPECT_EQ(ktx2::View::open(cook(raw, bc7)->outputs[0].bytes)->format(), TexelFormat::kRgba8);
}

TEST(TextureRecipe, ktx2_files_of_normals_with_y_down_are_compiled_again) {
  Step made = step_of({{"mode", "normal"}});
  made.settings.texture.format = texture::TargetFormat::kRgba8;
  made.settings.texture.mips = false;
  const Bytes plain = cook(made, encode_png_rgba8(16, 16, ramp(16, 16)))->outputs[0].bytes;
  EXPECT_EQ(text_of(cook(made, plain)->outputs[0].bytes), text_of(plain)) << "Y is up: it is copied";
  made.settings.texture.normal_y = NormalY::kDirectX;
  const auto turned = cook(made, plain);
  EXPECT_THAT(turned->diagnostics, IsEmpty());
  const auto before = read_pixels(plain, 0), after = read_pixels(turned->outputs[0].bytes, 0);
  EXPECT_EQ(after.at(3, 5)[0], before.at(3, 5)[0]);
  EXPECT_EQ(after.at(3, 5)[1], 255 - before.at(3, 5)[1]);
}

TEST(TextureRecipe, a_ktx2_file_with_a_broken_level_is_refused) {
  for (const char* format : {"uastc", "rgba8", "bc7"}) {
    const Bytes good = ktx2_of(format);
    ByteVector bytes(good.span().begin(), good.span().end());
    const auto view = ktx2::View::open(good);
    ASSERT_EQ(view->supercompression(), ktx2::Supercompression::kZstd);
    const std::size_t at = static_cast<std::size_t>(view->levels()[0].bytes.data() - good.span().data());
    bytes[at + 5] ^= std::byte{0xFF};
    EXPECT_FALSE(cook(step_of({{"mode", "copy"}}), bytes)) << format;
  }
}

TEST(TextureRecipe, hdr_pictures_become_half_floats) {
  // Two texels of RGBE: (0.5, 1, 255/128) and 2^14 in each channel.
  std::string hdr = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 2\n";
  for (int v : {64, 128, 255, 129, 128, 128, 128, 143}) hdr.push_back(static_cast<char>(v));
  const auto product = cook(step_of({{"mode", "hdr"}}), as_bytes(hdr));
  ASSERT_TRUE(product) << product.error().to_string();
  EXPECT_FALSE(product->outputs[0].descriptor.srgb);
  const auto view = ktx2::View::open(product->outputs[0].bytes);
  ASSERT_TRUE(view) << view.error().to_string();
  EXPECT_EQ(view->format(), TexelFormat::kRgba16f);
  EXPECT_EQ(view->levels().size(), 2u);
  const ByteVector level0 = assetc::testing::inflate_level(*view, 0), level1 = assetc::testing::inflate_level(*view, 1);
  const auto half = [](ByteSpan bytes, std::size_t i) { return load<std::uint16_t>(bytes, i * 2); };
  EXPECT_EQ(half(level0, 0), 0x3800);  // 0.5
  EXPECT_EQ(half(level0, 1), 0x3C00);  // 1
  EXPECT_EQ(half(level0, 2), 0x3FF8);  // 255/128
  EXPECT_EQ(half(level0, 3), 0x3C00);
  EXPECT_EQ(half(level0, 4), 0x7400);  // 2^14
  EXPECT_EQ(half(level1, 0), 0x7000);  // (0.5 + 2^14) / 2 rounds to 2^13
}

TEST(TextureRecipe, light_and_data_that_are_clipped_are_counted) {
  std::string hdr = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 3\n";
  for (int v : {128, 128, 128, 150, 128, 128, 128, 143, 128, 128, 128, 145})  // 2^21, 2^14 and 2^16
    hdr.push_back(static_cast<char>(v));
  const auto light = cook(step_of({{"mode", "hdr"}}), as_bytes(hdr));
  ASSERT_TRUE(light) << light.error().to_string();
  ASSERT_EQ(light->diagnostics.size(), 1u);
  EXPECT_EQ(light->diagnostics[0].what.to_string(),
            "2 texels are brighter than 65504, the maximum of half floats; clipped to 65504; scale the picture "
            "down, and raise the exposure in the engine");
  const auto data = cook(step_of({{"mode", "gray"}}), as_bytes(hdr));
  ASSERT_TRUE(data) << data.error().to_string();
  ASSERT_EQ(data->diagnostics.size(), 1u);
  EXPECT_THAT(data->diagnostics[0].what.to_string(), HasSubstr("3 texels are outside 0 to 1"));
}

// Two texels: (-2, 0.5, 1) and (0.25, -1, 0).
ByteVector signed_exr() {
  assetc::testing::ExrSpec spec;
  spec.data = spec.display = Imath::Box2i({0, 0}, {1, 0});
  constexpr double kValues[2][3] = {{-2, 0.5, 1}, {0.25, -1, 0}};
  return assetc::testing::encode_exr(spec, [&](std::size_t channel, int x, int) { return kValues[x][channel]; });
}

TEST(TextureRecipe, half_floats_keep_negative_values_for_every_usage) {
  for (const char* usage : {"hdr", "linear", "color"}) {
    Step step = step_of({{"mode", usage}});
    step.settings.texture.format = texture::TargetFormat::kRgba16f;
    const auto product = cook(step, signed_exr());
    ASSERT_TRUE(product) << product.error().to_string();
    EXPECT_THAT(product->diagnostics, IsEmpty()) << usage;
    const auto view = ktx2::View::open(product->outputs[0].bytes);
    ASSERT_TRUE(view) << view.error().to_string();
    const ByteVector level0 = assetc::testing::inflate_level(*view, 0),
                     level1 = assetc::testing::inflate_level(*view, 1);
    const auto half = [](ByteSpan bytes, std::size_t i) { return load<std::uint16_t>(bytes, i * 2); };
    EXPECT_EQ(half(level0, 0), 0xC000) << usage;  // -2
    EXPECT_EQ(half(level0, 1), 0x3800) << usage;  // 0.5
    EXPECT_EQ(half(level0, 5), 0xBC00) << usage;  // -1
    EXPECT_EQ(half(level1, 0), 0xBB00) << usage;  // (-2 + 0.25) / 2
    EXPECT_EQ(half(level1, 1), 0xB400) << usage;  // (0.5 - 1) / 2
  }
}

TEST(TextureRecipe, declared_primaries_of_light_and_color_are_converted) {
  std::string hdr =
      "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\nEXPOSURE=2\nPRIMARIES=.68 .32 .265 .69 .15 .06 .3127 .329\n\n-Y 1 +X 1\n";
  for (int v : {128, 128, 0, 129}) hdr.push_back(static_cast<char>(v));  // (1, 1, 0)
  const auto texel = [&](const char* usage, std::string& warnings) {
    Step step = step_of({{"mode", usage}});
    step.settings.texture.format = texture::TargetFormat::kRgba16f;
    const auto product = cook(step, as_bytes(hdr));
    EXPECT_TRUE(product) << product.error().to_string();
    for (const Diagnostic& d : product->diagnostics) warnings += d.what.to_string();
    const auto view = ktx2::View::open(product->outputs[0].bytes);
    const ByteVector halves = assetc::testing::inflate_level(*view, 0);
    std::array<float, 3> out{};
    for (std::size_t c = 0; c < 3; ++c) out[c] = texture::float_from_half(load<std::uint16_t>(halves, c * 2));
    return out;
  };
  for (const char* usage : {"hdr", "color"}) {
    std::string warnings;
    const auto converted = texel(usage, warnings);
    EXPECT_NEAR(converted[0], 1.0, 0.001) << usage;
    EXPECT_NEAR(converted[1], 1.0, 0.001) << usage;
    EXPECT_NEAR(converted[2], -0.0983, 0.001) << usage;
    EXPECT_EQ(
        warnings,
        "HDR EXPOSURE: found an exposure of 2; it is not applied, and the texels are used as linear light; apply it "
        "in the tool that made the picture, or save it without this declaration");
  }
  std::string warnings;
  EXPECT_EQ(texel("linear", warnings), (std::array<float, 3>{1, 1, 0}));
  EXPECT_EQ(warnings, "");
}

TEST(TextureRecipe, a_kernel_makes_no_negative_values_of_others) {
  assetc::testing::ExrSpec spec;
  spec.data = spec.display = Imath::Box2i({0, 0}, {63, 0});
  const ByteVector exr =
      assetc::testing::encode_exr(spec, [](std::size_t, int x, int) { return x / 16 % 2 == 0 ? 0 : 1000; });
  Step step = step_of({{"mode", "linear"}});
  step.settings.texture.format = texture::TargetFormat::kRgba16f;
  const auto product = cook(step, exr);
  ASSERT_TRUE(product) << product.error().to_string();
  const auto view = ktx2::View::open(product->outputs[0].bytes);
  for (std::size_t level = 0; level < view->levels().size(); ++level) {
    const ByteVector halves = assetc::testing::inflate_level(*view, level);
    for (std::size_t i = 0; i < halves.size(); i += 2) EXPECT_LT(load<std::uint16_t>(halves, i), 0x8000u) << level;
  }
}

TEST(TextureRecipe, negative_values_that_bc6h_clips_are_counted) {
  Step step = step_of({{"mode", "hdr"}});
  step.settings.texture.format = texture::TargetFormat::kAuto;
  const auto product = cook(step, signed_exr());
  ASSERT_TRUE(product) << product.error().to_string();
  ASSERT_EQ(product->diagnostics.size(), 1u);
  EXPECT_EQ(product->diagnostics[0].what.to_string(),
            "2 texels have negative values, the least is -2, which BC6H cannot store; clipped to 0; use "
            "texture.format: rgba16f to keep them, or clip them in the tool that made the picture");
  const auto data = cook(step_of({{"mode", "linear"}}), signed_exr());
  ASSERT_TRUE(data) << data.error().to_string();
  ASSERT_EQ(data->diagnostics.size(), 1u);
  EXPECT_EQ(data->diagnostics[0].what.to_string(),
            "2 texels are outside 0 to 1, the range of the texture format; clipped (the values are -2 to 1); scale the "
            "picture into 0 to 1, or use rgba16f");
}

TEST(TextureRecipe, texels_of_16_bits_that_rgba8_rounds_are_counted) {
  Step step = step_of({{"mode", "linear"}});
  const auto warnings = [&](std::array<std::uint16_t, 8> texels) {
    const auto product =
        cook(step, encode_png(2, 1, 16, SPNG_COLOR_TYPE_TRUECOLOR_ALPHA, std::as_bytes(std::span(texels))));
    EXPECT_TRUE(product);
    std::string text;
    for (const Diagnostic& d : product->diagnostics) text += d.what.to_string();
    return text;
  };
  step.settings.texture.format = texture::TargetFormat::kRgba8;
  EXPECT_EQ(warnings({257, 0, 65535, 514, 257 * 99, 1, 2, 3}),
            "1 texel has 16-bit values that rgba8 cannot store exactly (8 bits per channel); rounded; "
            "use rgba16f, or bc4, bc5 or etc2 for maps of one or two channels; or save the picture with 8 bits");
  EXPECT_EQ(warnings({257, 0, 65535, 514, 257 * 99, 0, 0, 0}), "");
  step.settings.texture.format = texture::TargetFormat::kRgba16f;
  EXPECT_EQ(warnings({257, 0, 65535, 514, 257 * 99, 1, 2, 3}), "");
}

// The texels do not change, and data has no color that could be wrong.
TEST(TextureRecipe, color_that_is_not_srgb_is_named) {
  const ByteVector rgb(4 * 4 * 3, std::byte{90});
  const ByteVector plain = assetc::testing::encode_png(4, 4, 8, 2, rgb);
  const ByteVector linear = assetc::testing::encode_png(4, 4, 8, 2, rgb, false, nullptr, nullptr, {.gamma = 100000});
  for (const char* mode : {"normal", "gray", "linear"})
    EXPECT_THAT(cook(step_of({{"mode", mode}}), linear)->diagnostics, IsEmpty());
  const auto cooked = cook(step_of({{"mode", "color"}}), linear);
  ASSERT_TRUE(cooked) << cooked.error().to_string();
  ASSERT_EQ(cooked->diagnostics.size(), 1u);
  EXPECT_EQ(cooked->diagnostics[0].what.to_string(),
            "PNG gAMA: found a gamma of 1; it is not applied, and the texels are used as sRGB; convert the picture to "
            "sRGB; if it looks right already, save it without the profile or gamma");
  const auto expected = cook(step_of({{"mode", "color"}}), plain);
  EXPECT_TRUE(std::ranges::equal(ByteSpan(cooked->outputs[0].bytes), ByteSpan(expected->outputs[0].bytes)));
}

TEST(TextureRecipe, alpha_of_light_is_kept_or_named) {
  assetc::testing::ExrSpec spec;
  spec.channels.push_back({"A"});
  const ByteVector exr =
      assetc::testing::encode_exr(spec, [](std::size_t channel, int x, int) { return channel == 3 ? x * 0.25 : 2.0; });
  const auto cooked = [&](texture::TargetFormat format, const char* channels) {
    Step step = step_of({{"mode", "hdr"}});
    step.settings.texture.format = format;
    EXPECT_TRUE(find_setting("texture.channels")->set(step.settings, channels));
    return cook(step, exr);
  };
  const auto halves = cooked(texture::TargetFormat::kRgba16f, "auto");
  ASSERT_TRUE(halves) << halves.error().to_string();
  EXPECT_THAT(halves->diagnostics, IsEmpty());
  const auto view = ktx2::View::open(halves->outputs[0].bytes);
  ASSERT_TRUE(view);
  const ByteVector level0 = assetc::testing::inflate_level(*view, 0);
  EXPECT_EQ(load<std::uint16_t>(level0, 8 + 6), 0x3400);  // 0.25
  const auto blocks = cooked(texture::TargetFormat::kAuto, "auto");
  ASSERT_TRUE(blocks) << blocks.error().to_string();
  ASSERT_EQ(blocks->diagnostics.size(), 1u);
  EXPECT_EQ(
      blocks->diagnostics[0].what.to_string(),
      "BC6H from a picture with alpha: alpha is dropped; use rgba16f to keep alpha, or set texture.channels: rgb");
  EXPECT_THAT(cooked(texture::TargetFormat::kAuto, "rgb")->diagnostics, IsEmpty());
}

TEST(TextureRecipe, small_and_odd_sizes) {
  for (auto [width, height] : {std::pair{1u, 1u}, {1u, 9u}, {7u, 1u}, {5u, 3u}, {2u, 2u}, {4u, 4u}, {37u, 64u}}) {
    const ByteVector rgba = ramp(width, height);
    const auto product = cook(step_of(), encode_png_rgba8(width, height, rgba));
    ASSERT_TRUE(product) << width << "x" << height << " " << product.error().to_string();
    EXPECT_GT(psnr(read_pixels(product->outputs[0].bytes, 0).rgba, rgba, {0, 1, 2, 3}), 40) << width << "x" << height;
  }
}

TEST(TextureRecipe, same_bytes_on_one_thread_and_on_many) {
  const ByteVector png = encode_png_rgba8(130, 70, noise_bytes(130 * 70 * 4));
  std::string alone;
  {
    const ThreadLimit one(1);
    alone = text_of(cook(step_of(), png)->outputs.at(0).bytes);
  }
  EXPECT_EQ(alone, text_of(cook(step_of(), png)->outputs.at(0).bytes));
}

TEST(TextureRecipe, damage_is_told_and_nothing_is_written) {
  const ByteVector png = encode_png_rgba8(64, 64, noise_bytes(64 * 64 * 4));
  const auto product = cook(step_of(), ByteSpan(png).first(png.size() / 2));
  ASSERT_FALSE(product);
  EXPECT_EQ(product.error().code, ErrorCode::kTruncated);
  EXPECT_THAT(product.error().to_string(), HasSubstr("PNG IDAT: damaged"));
}

TEST(TextureRecipe, estimate_covers_the_picture_and_its_blocks) {
  FakeInputs inputs;
  const ByteVector png = encode_png_rgba8(64, 64, noise_bytes(64 * 64 * 4));
  inputs.files = {{"wall.png", text_of(png)}};
  const Step step = step_of();
  const std::uint64_t bytes = step.recipe->estimate_peak_bytes(step, inputs);
  EXPECT_GE(bytes, png.size() + 64 * 64 * 4 + 32 * 32 * 16 + 64 * 64);
  EXPECT_LE(bytes, 3 * (png.size() + 64 * 64 * 4));
}

TEST(TextureRecipe, photographs_are_good_on_every_large_level) {
  for (const auto& folder : corpus::folders("images")) {
    for (const char* name : {"hills.png", "kodim03.png"}) {
      const auto png = corpus::read_file(folder / name);
      if (!png) continue;
      const auto product = cook(step_of(), *png);
      ASSERT_TRUE(product) << product.error().to_string();
      Step raw = step_of();
      raw.settings.texture.format = texture::TargetFormat::kRgba8;
      const auto exact = cook(raw, *png);
      ASSERT_TRUE(exact);
      // At sizes below 48 texels, a block of 4x4 covers a large part of the picture, more than any block format can
      // represent well.
      for (std::size_t level = 0; read_pixels(exact->outputs[0].bytes, level).width >= 48; ++level) {
        EXPECT_GT(psnr(read_pixels(product->outputs[0].bytes, level).rgba,
                       read_pixels(exact->outputs[0].bytes, level).rgba, {0, 1, 2}),
                  35)
            << name << ", level " << level;
      }
    }
  }
}

}  // namespace
}  // namespace assetc::recipes
