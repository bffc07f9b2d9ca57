// ETC1S textures under BasisLZ as sources.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assetc/formats/aas1_texture.hpp"
#include "etc1s_files.hpp"
#include "recipes/container/containers.hpp"
#include "recipes/cooked_inputs.hpp"
#include "recipes/ktx2_pixels.hpp"

namespace assetc::recipes {
namespace {

using assetc::testing::read_pixels;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ByteVector bytes_of(const std::vector<Rgba8>& texels) {
  const auto bytes = std::as_bytes(std::span(texels));
  return {bytes.begin(), bytes.end()};
}

struct Source {
  etc1s::Writer writer;
  FakeInputs inputs;
  Step step;
  Source(const etc1s::Shape& shape, const Params& params) : writer(shape, 11) {
    inputs.files = {{"wall.ktx2", std::string(as_text(writer.file()))}};
    step.recipe = find_recipe("texture");
    step.source = step.input_path = "wall.ktx2";
    step.stem = "wall";
    step.params = params;
  }
  Result<Product> cook() { return step.recipe->cook(step, inputs); }
};

TEST(Etc1sSource, becomes_the_format_that_is_asked_for) {
  for (const auto format : {texture::TargetFormat::kUastc, texture::TargetFormat::kAuto, texture::TargetFormat::kBc7,
                            texture::TargetFormat::kRgba8}) {
    Source source({.width = 36, .height = 20, .levels = 3, .alpha = true}, {{"mode", "color"}});
    source.step.settings.texture.format = format;
    const auto product = source.cook();
    ASSERT_TRUE(product) << product.error().to_string();
    EXPECT_THAT(product->diagnostics, IsEmpty());
    const auto view = ktx2::View::open(product->outputs[0].bytes);
    ASSERT_TRUE(view);
    EXPECT_NE(view->format(), TexelFormat::kEtc1s);
    EXPECT_EQ(view->basis_lz(), nullptr);
    EXPECT_TRUE(view->is_srgb());
    EXPECT_EQ(view->levels().size(), 6u);
    if (format == texture::TargetFormat::kRgba8) {
      EXPECT_EQ(read_pixels(product->outputs[0].bytes, 0).rgba, bytes_of(source.writer.texels(0)));
    }
  }
}

TEST(Etc1sSource, keeps_faces_and_layers) {
  for (const auto& [layers, faces] : {std::pair{0u, 6u}, std::pair{3u, 1u}}) {
    Source source({.width = 16, .height = 16, .layers = layers, .faces = faces}, {{"mode", "color"}});
    source.step.settings.texture.format = texture::TargetFormat::kRgba8;
    const auto product = source.cook();
    ASSERT_TRUE(product) << product.error().to_string();
    for (std::uint32_t i = 0; i < faces * std::max(layers, 1u); ++i)
      EXPECT_EQ(read_pixels(product->outputs[0].bytes, 0, i).rgba, bytes_of(source.writer.texels(i))) << i;
  }
}

TEST(Etc1sSource, red_and_green_are_in_their_channels) {
  Source source({.width = 8, .height = 8, .alpha = true, .gray = true, .srgb = false, .red_green = true},
                {{"mode", "linear"}});
  source.step.settings.texture.format = texture::TargetFormat::kRgba8;
  const auto product = source.cook();
  ASSERT_TRUE(product) << product.error().to_string();
  const auto pixels = read_pixels(product->outputs[0].bytes, 0);
  for (std::uint32_t t = 0; t < 64; ++t) {
    const Rgba8 stored = source.writer.texels(0)[t];
    EXPECT_EQ(pixels.at(t % 8, t / 8), (std::array<int, 4>{stored.r, stored.a, 0, 255}));
  }
}

TEST(Etc1sSource, is_cooked_into_blobs_also_where_it_is_not_compiled_anew) {
  for (const char* mode : {"color", "linear"}) {  // linear: differs from the sRGB of the file
    CookedInputs inputs;
    const etc1s::Writer writer({.width = 20, .height = 12, .levels = 2}, 4);
    inputs.files["wall.ktx2"] = std::string(as_text(writer.file()));
    Step step = cooked_step(inputs, "wall.ktx2");
    step.params = {{"mode", mode}};
    const auto product = step.recipe->cook(step, inputs);
    ASSERT_TRUE(product) << product.error().to_string();
    const auto view = aas1::TextureView::open(product->outputs[0].bytes);
    ASSERT_TRUE(view) << view.error().to_string();
    if (std::string_view(mode) == "color") continue;
    EXPECT_THAT(product->diagnostics[0].what.what, HasSubstr("it is sRGB, but used as data"));
    EXPECT_EQ(view->format(), TexelFormat::kRgba8);
    EXPECT_EQ(view->levels().size(), 2u);
    const ByteSpan texels = view->levels()[0].bytes;
    EXPECT_EQ(ByteVector(texels.begin(), texels.end()), bytes_of(writer.texels(0)));
  }
}

TEST(Etc1sSource, a_damaged_stream_is_refused) {
  Source source({.width = 64, .height = 64, .levels = 2}, {{"mode", "color"}});
  std::string& file = source.inputs.files["wall.ktx2"];
  const auto view = ktx2::View::open(as_bytes(file));
  ASSERT_TRUE(view) << view.error().to_string();
  // Fills the slice of the smaller level, which no product uses, with ones.
  const auto& level = view->levels()[1];
  std::fill_n(file.begin() + static_cast<std::ptrdiff_t>(level.offset_bytes), level.size_bytes, '\xff');
  const auto product = source.cook();
  ASSERT_FALSE(product);
  EXPECT_THAT(product.error().place, ::testing::StartsWith("level 1, image 0, block "));
}

}  // namespace
}  // namespace assetc::recipes
