// Every container must render like its source: the source's picture is the golden image.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "convert/support.hpp"
#include "export/glb.hpp"
#include "export/png.hpp"
#include "render/render.hpp"

namespace assetc::convert {
namespace {

using namespace testing;

// Octahedral normals and unorm colors move a channel by at most one of its 255 steps, and a sample on an edge may fall
// to either side: 44 dB is a root mean square of 1.6 steps. A missing submesh, a flipped triangle or visibly turned
// normals give less than 30 dB.
constexpr double kLeastPsnr = 44;

std::optional<scene::Image> draw(const std::string& path, const Files& files, render::Style style) {
  auto model = load_model(path, files.reader());
  EXPECT_TRUE(model) << model.error().to_string();
  if (!model) return std::nullopt;
  // If a source has no texture coordinates, a container that requires them holds zeros.
  for (scene::Mesh& mesh : model->scene.meshes) {
    for (scene::Primitive& p : mesh.primitives) {
      if (p.texcoords.empty() || p.texcoords[0].empty()) p.texcoords = {std::vector<scene::Vec2>(p.positions.size())};
    }
  }
  const std::vector<scene::Image> none(model->scene.images.size());
  auto picture = render::render(model->scene, none, {.width_texels = 128, .height_texels = 128, .style = style});
  EXPECT_TRUE(picture) << path << ": " << picture.error().to_string();
  return picture ? std::optional(std::move(*picture)) : std::nullopt;
}

double psnr(const scene::Image& a, const scene::Image& b) {
  EXPECT_EQ(a.pixels.size(), b.pixels.size());
  double sum = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i) {
    const double d = static_cast<double>(a.pixels[i]) - static_cast<double>(b.pixels[i]);
    sum += d * d;
  }
  return sum == 0 ? 99 : 10 * std::log10(255 * 255 * static_cast<double>(a.pixels.size()) / sum);
}

class Pictures : public ::testing::TestWithParam<ContainerCase> {
 protected:
  // The least PSNR over the styles that show geometry.
  double compare(const std::string& path, Files& files) {
    const std::string compiled = path + GetParam().suffix;
    const auto converted = convert_file(path, compiled, files.reader(), into(GetParam().container));
    EXPECT_TRUE(converted) << converted.error().to_string();
    if (!converted) return 0;
    files.put(*converted);
    const auto source = load_model(path, files.reader());
    if (!source) return 0;
    // Version 1 holds no skin and no morph targets, so it shows the rest pose.
    const bool is_posed =
        !source->scene.skins.empty() || std::ranges::any_of(source->scene.meshes, [](const scene::Mesh& mesh) {
          return std::ranges::any_of(mesh.morph_weights, [](float weight) { return weight != 0; });
        });
    const bool has_lines_or_points = std::ranges::any_of(source->scene.meshes, [](const scene::Mesh& mesh) {
      return std::ranges::any_of(mesh.primitives,
                                 [](const scene::Primitive& p) { return p.topology != scene::Topology::kTriangles; });
    });
    if (GetParam().container == recipes::MeshFormat::kHmeshV1 && (is_posed || has_lines_or_points)) return 99;
    double least = 99;
    for (const render::Style style : {render::Style::kUv, render::Style::kShaded, render::Style::kNormals}) {
      const auto before = draw(path, files, style), after = draw(compiled, files, style);
      if (!before || !after) return 0;
      least = std::min(least, psnr(*before, *after));
    }
    return least;
  }
};

TEST_P(Pictures, a_sheet_looks_the_same) {
  Files files;
  files.put("sheet.glb", Bytes(*exporter::write_glb(sheet(9, 1, true))));
  EXPECT_GE(compare("sheet.glb", files), kLeastPsnr);
}

TEST_P(Pictures, a_missing_part_shows) {
  scene::Scene scene = sheet(9, 1, false);
  Files files;
  files.put("whole.glb", Bytes(*exporter::write_glb(scene)));
  scene.meshes[0].primitives[0].indices.resize(9 * 9 * 6 - 5 * 9 * 6);
  files.put("part.glb", Bytes(*exporter::write_glb(scene)));
  const auto whole = draw("whole.glb", files, render::Style::kShaded),
             part = draw("part.glb", files, render::Style::kShaded);
  ASSERT_TRUE(whole && part);
  EXPECT_LT(psnr(*whole, *part), 30);
}

TEST_P(Pictures, every_model_of_the_corpus_looks_the_same) {
  for (const auto& [folder, model] : corpus_models()) {
    Files files(folder);
    const double least = compare(model, files);
    EXPECT_GE(least, kLeastPsnr) << model;
    std::printf("%-50s %-9s %6.1f dB\n", model.c_str(), GetParam().name, least);
  }
}

INSTANTIATE_TEST_SUITE_P(Containers, Pictures, ::testing::ValuesIn(kContainers), [](const auto& of) {
  return std::string(of.param.suffix + 1) + (of.param.container == recipes::MeshFormat::kHmeshV1 ? "_v1" : "");
});

TEST(DecodedImages, have_a_limit_in_total) {
  scene::Image image{.width_texels = 4, .height_texels = 4, .pixels = ByteVector(64)};
  const Bytes file(*exporter::write_png(image));
  scene::Scene scene;
  for (const char* const name : {"a.png", "b.png", "c.png"}) scene.images.push_back({name, {}, file});
  std::vector<Warning> warnings;
  const std::vector<scene::Image> decoded = decode_images(scene, warnings, 40);
  ASSERT_EQ(decoded.size(), 3u);
  EXPECT_EQ(decoded[1].width_texels, 4u);
  EXPECT_EQ(decoded[2].width_texels, 0u);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].to_string(),
            "c.png: found 16 texels beside 32 of other pictures, expected at most 40; make the pictures smaller");
}

}  // namespace
}  // namespace assetc::convert
