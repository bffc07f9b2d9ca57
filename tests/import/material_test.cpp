#include "import/material.hpp"

#include <gtest/gtest.h>

#include "import/tiny_gltf.hpp"

namespace assetc::importer {
namespace {

using testing::bytes_of;
using testing::message;

Result<Imported> import_material_text(const std::string& text) {
  return import_material("materials/a.mat", bytes_of(text));
}

TEST(MaterialFile, an_empty_one_is_the_default_material) {
  const auto imported = import_material_text("# nothing\n");
  ASSERT_TRUE(imported) << message(imported);
  EXPECT_EQ(imported->scene.materials.at(0).base_color, (scene::Vec4{1, 1, 1, 1}));
  EXPECT_EQ(imported->scene.materials[0].metallic, 1);
}

TEST(MaterialFile, reads_every_key) {
  const auto imported = import_material_text(
      "name: Bricks\nbase_color: [0.5, 0.25, 1]\nbase_color_texture: bricks.png\nmetallic: 0\nroughness: 0.75\n"
      "metallic_roughness_texture: ../shared/orm.png\nnormal_texture: /textures/bricks.n.png\nnormal_scale: 2\n"
      "occlusion_texture: ../shared/orm.png\nocclusion_strength: 0.5\nemissive: [1, 0.5, 0]\nemissive_strength: 4\n"
      "emissive_texture: glow.png\nalpha_mode: mask\nalpha_cutoff: 0.25\ndouble_sided: true\nunlit: true\n");
  ASSERT_TRUE(imported) << message(imported);
  EXPECT_TRUE(imported->warnings.empty());
  const scene::Material& m = imported->scene.materials.at(0);
  EXPECT_EQ(m.name, "Bricks");
  EXPECT_EQ(m.base_color, (scene::Vec4{.5f, .25f, 1, 1}));
  EXPECT_EQ(m.metallic, 0);
  EXPECT_EQ(m.roughness, .75f);
  EXPECT_EQ(m.normal_scale, 2);
  EXPECT_EQ(m.occlusion_strength, .5f);
  EXPECT_EQ(m.emissive, (scene::Vec3{4, 2, 0}));
  EXPECT_EQ(m.alpha_mode, scene::AlphaMode::kMask);
  EXPECT_EQ(m.alpha_cutoff, .25f);
  EXPECT_TRUE(m.double_sided);
  EXPECT_TRUE(m.unlit);
  const auto path = [&](const scene::TextureUse& use) { return imported->scene.images.at(use.image).path; };
  EXPECT_EQ(path(m.base_color_texture), "materials/bricks.png");
  EXPECT_EQ(path(m.metallic_roughness_texture), "shared/orm.png");
  EXPECT_EQ(path(m.normal_texture), "textures/bricks.n.png");
  EXPECT_EQ(m.occlusion_texture.image, m.metallic_roughness_texture.image);
  EXPECT_EQ(path(m.emissive_texture), "materials/glow.png");
}

TEST(MaterialFile, says_how_its_textures_are_sampled) {
  const auto imported = import_material_text(
      "wrap: [clamp, mirror]\nbase_color_texture: a.png\nmag_filter: nearest\nmin_filter: linear\nmip_filter: none\n");
  ASSERT_TRUE(imported) << message(imported);
  EXPECT_TRUE(imported->warnings.empty());
  const scene::Material& m = imported->scene.materials.at(0);
  EXPECT_EQ(m.base_color_texture.sampler,
            (scene::Sampler{scene::Wrap::kClamp, scene::Wrap::kMirror, sampling::Filter::kNearest,
                            sampling::Filter::kLinear, sampling::MipFilter::kNone}));
  EXPECT_EQ(m.normal_texture.sampler, scene::Sampler{});
  const auto both = import_material_text("wrap: clamp\nnormal_texture: a.png\n");
  ASSERT_TRUE(both) << message(both);
  EXPECT_EQ(both->scene.materials.at(0).normal_texture.sampler,
            (scene::Sampler{scene::Wrap::kClamp, scene::Wrap::kClamp}));
  EXPECT_EQ(message(import_material_text("wrap: mirrored\n")),
            "line 1: wrap: found \"mirrored\", expected repeat, clamp or mirror, or a list of two of them");
  EXPECT_EQ(message(import_material_text("wrap: [clamp]\n")),
            "line 1: wrap: found a list of 1, expected repeat, clamp or mirror, or a list of two of them");
  EXPECT_EQ(message(import_material_text("mag_filter: none\n")),
            "line 1: mag_filter: found \"none\", expected nearest or linear");
}

TEST(MaterialFile, guesses_at_unknown_keys) {
  const auto imported = import_material_text("metallic: 0\nroughnes: 0.5\n");
  ASSERT_TRUE(imported) << message(imported);
  ASSERT_EQ(imported->warnings.size(), 1u);
  EXPECT_EQ(imported->warnings[0].to_string(),
            "line 2: found the unknown key \"roughnes\"; it is ignored; did you mean roughness?");
}

TEST(MaterialFile, refuses_wrong_types_with_their_line) {
  EXPECT_EQ(message(import_material_text("metallic: shiny\n")),
            "line 1: metallic: found \"shiny\", expected a number from 0 to 1");
  EXPECT_EQ(message(import_material_text("metallic: 2\n")),
            "line 1: metallic: found \"2\", expected a number from 0 to 1");
  EXPECT_EQ(message(import_material_text("\nbase_color: [1, 2]\n")),
            "line 2: base_color: found a list of 2, expected a list of 3 or 4 linear values from 0 to 1");
  EXPECT_EQ(message(import_material_text("alpha_mode: BLEND\n")),
            "line 1: alpha_mode: found \"BLEND\", expected opaque, mask or blend");
  EXPECT_EQ(message(import_material_text("unlit: 1\n")), "line 1: unlit: found \"1\", expected true or false");
  EXPECT_EQ(message(import_material_text("metallic: 0\nmetallic: 1\n")), "line 2: found the key metallic twice");
  EXPECT_EQ(message(import_material_text("normal_texture: ../../x.png\n")),
            "line 1: found the reference \"../../x.png\", which leaves the input folder; write the path "
            "relative to this file, inside the input folder");
  EXPECT_EQ(message(import_material_text("- a\n")).substr(0, 8), "line 1: ");
  EXPECT_EQ(message(import_material_text("a: [1\n")).substr(0, 5), "line ");
}

TEST(MaterialFile, takes_a_byte_order_mark_and_line_ends_of_windows) {
  const auto imported = import_material_text("\xEF\xBB\xBFmetallic: 0\r\nname: Bricks\r\nalpha_mode: blend\r\n");
  ASSERT_TRUE(imported) << message(imported);
  EXPECT_TRUE(imported->warnings.empty());
  EXPECT_EQ(imported->scene.materials.at(0).metallic, 0);
  EXPECT_EQ(imported->scene.materials.at(0).name, "Bricks");
  EXPECT_EQ(imported->scene.materials.at(0).alpha_mode, scene::AlphaMode::kBlend);
}

TEST(MaterialFile, tells_names_of_assets_from_paths) {
  const auto named = [](const std::string& text) {
    const auto imported = import_material_text("base_color_texture: " + text + "\n");
    const auto name = imported ? asset_name(imported->scene.images.at(0).path) : std::nullopt;
    return name ? std::string(*name) : "a path";
  };
  EXPECT_EQ(named("Engine/Textures/Wood"), "Engine/Textures/Wood");
  EXPECT_EQ(named("a9c1b3c0-6d6e-4e16-9f4d-2d0a4f2d9a0b"), "a9c1b3c0-6d6e-4e16-9f4d-2d0a4f2d9a0b");
  for (const char* path : {"wood", "wood.png", "Textures/wood.png", "/Textures/wood", "./Textures/wood", "../x/wood"})
    EXPECT_EQ(named(path), "a path") << path;
}

}  // namespace
}  // namespace assetc::importer
