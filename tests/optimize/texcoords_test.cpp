// Texture coordinates become integers that the materials scale back.
#include "optimize/texcoords.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "export/png.hpp"
#include "optimize/support.hpp"

namespace assetc::optimize {
namespace {

using namespace testing;
using scene::TextureUse;
using scene::Vec2;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr float kHalfStep = 0.5f / 4095;

// A sheet with a texture on each of its sets.
scene::Scene textured_sheet(float tiles) {
  scene::Scene scene = sheet(8, tiles, true);
  scene::Image picture;
  picture.width_texels = picture.height_texels = 1;
  picture.pixels = ByteVector(4, std::byte{200});
  scene.images.push_back({"wood.png", {}, Bytes(*exporter::write_png(picture))});
  scene.materials[0].base_color_texture.image = 0;
  TextureUse& normal = scene.materials[0].normal_texture;
  normal.image = 0;
  normal.texcoord = 1;
  normal.transform = {{0.25f, -0.5f}, 0.7f, {2, -3}};
  return scene;
}

// Where a texture is sampled: KHR_texture_transform scales, rotates and moves.
Vec2 sampled(const TextureUse& use, Vec2 uv) {
  const auto& [offset, rotation, scale] = use.transform;
  const float c = std::cos(rotation), s = std::sin(rotation), x = uv.x * scale.x, y = uv.y * scale.y;
  return {c * x + s * y + offset.x, -s * x + c * y + offset.y};
}

// The largest distance between the places where two materials sample, of the vertex at the same place.
float largest_shift(const scene::Scene& a, const TextureUse& in_a, const scene::Scene& b, const TextureUse& in_b) {
  const scene::Primitive &from = a.meshes[0].primitives[0], &to = b.meshes[0].primitives[0];
  float worst = 0;
  for (std::size_t v = 0; v < from.positions.size(); ++v) {
    const Vec2 wanted = sampled(in_a, from.texcoords[in_a.texcoord][v]),
               made = sampled(in_b, to.texcoords[in_b.texcoord][v]);
    worst = std::max({worst, std::fabs(wanted.x - made.x), std::fabs(wanted.y - made.y)});
  }
  return worst;
}

TEST(SmallTexcoords, sample_every_texture_where_it_was) {
  for (const float tiles : {1.0f, 6.0f, -2.5f}) {
    const scene::Scene source = textured_sheet(tiles);
    scene::Scene made = source;
    apply_texcoord_grids(made, choose_texcoord_grids(made, 12));
    for (const std::vector<Vec2>& set : made.meshes[0].primitives[0].texcoords) {
      for (const Vec2& uv : set) {
        EXPECT_EQ(uv.x, std::floor(uv.x));
        EXPECT_TRUE(uv.x >= 0 && uv.y >= 0 && uv.x <= 4095 && uv.y <= 4095) << uv.x << " " << uv.y;
      }
    }
    const scene::Material &a = source.materials[0], &b = made.materials[0];
    EXPECT_LE(largest_shift(source, a.base_color_texture, made, b.base_color_texture),
              std::max(1.0f, std::fabs(tiles)) * kHalfStep + 1e-6f);
    // Scaled by up to 3, and rotated.
    EXPECT_LE(largest_shift(source, a.normal_texture, made, b.normal_texture), (2 + 3) * kHalfStep + 1e-6f);
  }
}

TEST(SmallTexcoords, of_an_optimized_file_sample_where_the_source_did) {
  const Pair pair = pair_of(textured_sheet(3), [] {
    OptimizeOptions options = usual();
    options.keep_pictures = true;
    options.settings.mesh.compress = recipes::MeshCompression::kNone;
    return options;
  }());
  EXPECT_THAT(pair.text, HasSubstr("\"extensionsRequired\":[\"KHR_mesh_quantization\",\"KHR_texture_transform\"]"));
  EXPECT_THAT(pair.text, Not(HasSubstr("\"rotation\":0,")));
  const auto places = [](const scene::Scene& scene, const TextureUse& use) {
    std::vector<std::pair<float, float>> out;
    for (const Vec2& uv : scene.meshes[0].primitives[0].texcoords[use.texcoord]) {
      const Vec2 at = sampled(use, uv);
      out.emplace_back(std::round(at.x * 200), std::round(at.y * 200));
    }
    std::ranges::sort(out);
    return out;
  };
  EXPECT_EQ(places(pair.source, pair.source.materials[0].base_color_texture),
            places(pair.made, pair.made.materials[0].base_color_texture));
}

TEST(SmallTexcoords, of_primitives_that_share_materials_have_one_grid) {
  scene::Scene scene = textured_sheet(1);
  scene.variants = {"Night"};
  scene.materials.push_back(scene.materials[0]);
  scene.meshes.push_back(scene.meshes[0]);
  for (Vec2& uv : scene.meshes[1].primitives[0].texcoords[0]) uv = {uv.x * 9, uv.y * 4};
  scene.meshes[0].primitives[0].variant_materials = {{0, 1}};
  scene.meshes[1].primitives[0].material = 1;
  const TexcoordGrids grids = choose_texcoord_grids(scene, 12);
  EXPECT_FLOAT_EQ(grids[0][0][0].step, 9.0f / 4095);
  EXPECT_EQ(grids[0][0][0].step, grids[1][0][0].step);
  EXPECT_FLOAT_EQ(grids[0][0][1].step, 1.0f / 4095);
  apply_texcoord_grids(scene, grids);
  EXPECT_EQ(scene.materials[0].base_color_texture.transform, scene.materials[1].base_color_texture.transform);
}

TEST(SmallTexcoords, that_no_material_can_scale_back_stay) {
  const auto has_grid = [](const auto& change, std::size_t set = 0) {
    scene::Scene scene = textured_sheet(1);
    change(scene, scene.meshes[0].primitives[0]);
    return choose_texcoord_grids(scene, 12)[0][0][set].is_used();
  };
  const auto nothing = [](scene::Scene&, scene::Primitive&) {};
  EXPECT_TRUE(has_grid(nothing));
  EXPECT_TRUE(has_grid(nothing, 1));
  EXPECT_FALSE(has_grid([](scene::Scene&, scene::Primitive& p) { p.material = scene::kNone; }));
  EXPECT_FALSE(has_grid([](scene::Scene& s, scene::Primitive&) { s.materials[0].base_color_texture = {}; }));
  EXPECT_TRUE(has_grid([](scene::Scene& s, scene::Primitive&) { s.materials[0].base_color_texture = {}; }, 1));
  EXPECT_FALSE(has_grid([](scene::Scene& s, scene::Primitive&) {
    s.materials[0].extra = R"({"extensions":{"VENDOR_decal":{"decalTexture":{"index":0}}}})";
  }));
  EXPECT_FALSE(has_grid([](scene::Scene&, scene::Primitive& p) { p.texcoords[0][3].x = NAN; }));
  EXPECT_FALSE(has_grid([](scene::Scene&, scene::Primitive& p) {
    for (Vec2& uv : p.texcoords[0]) uv = {1e6f, uv.y * 1e-3f};
  }));
  EXPECT_FALSE(has_grid([](scene::Scene&, scene::Primitive& p) {
    p.morphs.resize(1);
    p.morphs[0].vertices = {0};
    p.morphs[0].texcoords = {{{0.5f, 0}}};
  }));
  EXPECT_FALSE(has_grid([](scene::Scene& s, scene::Primitive& p) {
    s.meshes.push_back({"other", {p}});
    s.meshes[1].primitives[0].material = scene::kNone;
    s.meshes[1].primitives[0].variant_materials = {{0, 0}};
  }));
  EXPECT_FALSE(has_grid([](scene::Scene& s, scene::Primitive& p) {
    s.materials.push_back({});
    p.variant_materials = {{0, 1}};
  }));
}

}  // namespace
}  // namespace assetc::optimize
