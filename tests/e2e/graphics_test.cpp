// texture.compress: auto keeps pixel art and other graphics as texels, and builds without it say what they cost.
#include <gmock/gmock.h>

#include <functional>

#include "e2e/cook.hpp"
#include "e2e/project.hpp"

namespace assetc::e2e {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kAuto = "default: {texture: {compress: auto}}\n";

// An uncompressed TGA. A texel is 0xAARRGGBB.
std::string tga(std::uint32_t width, std::uint32_t height,
                const std::function<std::uint32_t(std::uint32_t x, std::uint32_t y)>& texel) {
  std::string file("\0\0\2\0\0\0\0\0\0\0\0\0", 12);
  for (const std::uint32_t side : {width, height}) file += {static_cast<char>(side), static_cast<char>(side >> 8)};
  file += {'\x20', '\x28'};  // 32 bits, the top row first
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t x = 0; x < width; ++x) {
      for (int shift = 0; shift < 32; shift += 8) file += static_cast<char>(texel(x, y) >> shift);
    }
  }
  return file;
}

// Cells of two by two texels in a few colors, some of them invisible.
std::string sprite(std::uint32_t side) {
  return tga(side, side, [](std::uint32_t x, std::uint32_t y) -> std::uint32_t {
    const std::uint32_t cell = (x / 2 * 7 + y / 2 * 13 + x / 2 * (y / 2) * 5) % 11;
    return cell < 3 ? 0 : 0xFF000000 | (cell * 0x3A5F71 & 0xFFFFFF);
  });
}

class Graphics : public Project {
 protected:
  // "rgba8 1": the format and the number of levels.
  std::string texture(const std::string& path) const {
    const std::string info = build("info --json " + path).out;
    const auto value = [&](const std::string& key) {
      const std::size_t at = info.find("\"" + key + "\":") + key.size() + 3;
      return info.substr(at, info.find_first_of(",}", at) - at);
    };
    return value("format") + " " + value("levels");
  }
  // A model of one triangle with a picture.
  void model(const std::string& name, const std::string& picture) const {
    write("assets/" + name + ".obj",
          "mtllib " + name + ".mtl\nusemtl m\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nf 1/1 2/2 3/3\n");
    write("assets/" + name + ".mtl", "newmtl m\nmap_Kd " + picture + "\n");
  }
  // The paths of the shared textures.
  std::vector<std::string> shared() const {
    std::vector<std::string> paths;
    for (const auto& [path, bytes] : tree()) {
      if (path.starts_with("shared/")) paths.push_back("runtime/" + path);
    }
    return paths;
  }
};

constexpr const char *kTexels = "\"rgba8\" 1", *kTexelsAndMips = "\"rgba8\" 7", *kBlocks = "\"uastc\" 7";

TEST_F(Graphics, a_build_says_once_what_its_graphics_cost) {
  write("assets/photo.png", png(100, 100, 1));
  EXPECT_THAT(build().err, Not(HasSubstr("compressed-graphics")));
  write("assets/a.tga", sprite(100));
  write("assets/b.tga", sprite(80));
  const std::string told = build().err;
  EXPECT_THAT(told,
              HasSubstr("warning: a.tga: one of 2 pictures that are pixel art or other graphics, stored in blocks, "
                        "which lowers its quality to "));
  EXPECT_THAT(told, HasSubstr("; they take 21.8 KiB in blocks and about "));
  EXPECT_THAT(told, HasSubstr("default: {texture: {compress: auto}} in assetc.yml stores such pictures without loss "
                              "[compressed-graphics]"));
  write("assets/c.tga", sprite(60));
  EXPECT_THAT(build().err, Not(HasSubstr("compressed-graphics")));
}

TEST_F(Graphics, auto_keeps_them_and_compresses_the_rest) {
  write("assetc.yml", kAuto);
  write("assets/photo.png", png(100, 100, 1));
  write("assets/sprite.tga", sprite(100));
  const Finished done = build();
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_EQ(done.err, "");
  EXPECT_EQ(texture("runtime/sprite.ktx2"), kTexels);
  EXPECT_EQ(texture("runtime/photo.ktx2"), kBlocks);
  EXPECT_THAT(build("diff assets/sprite.tga runtime/sprite.ktx2").out, HasSubstr("equal"));
  EXPECT_EQ(run("check").exit_code, 0);
  // The same as texels without mips; blocks as without the setting.
  write("assetc.yml", "");
  build("-q -o blocks");
  EXPECT_EQ(read("runtime/photo.ktx2"), read("blocks/photo.ktx2"));
  write("assetc.yml", "default: {texture: {compress: false, mips: false}}\n");
  build("-q -o texels");
  EXPECT_EQ(read("runtime/sprite.ktx2"), read("texels/sprite.ktx2"));
}

TEST_F(Graphics, rules_decide_for_one_picture) {
  write("assetc.yml",
        "default:\n  texture: {compress: auto}\n  rules:\n    - {match: a.tga, texture: {compress: true}}\n"
        "    - {match: b.tga, texture: {compress: false}}\n    - {match: c.tga, texture: {format: bc7}}\n");
  for (const char* name : {"a", "b", "c"}) write("assets/" + std::string(name) + ".tga", sprite(100));
  write("assets/c.png", png(100, 100, 1));
  write("assetc.yml", read("assetc.yml") + "    - {match: photo.png, texture: {format: bc7}}\n");
  fs::rename(root_ / "assets/c.png", root_ / "assets/photo.png");
  EXPECT_EQ(build().exit_code, 0);
  EXPECT_EQ(texture("runtime/a.ktx2"), kBlocks);
  EXPECT_EQ(texture("runtime/b.ktx2"), kTexelsAndMips);
  EXPECT_EQ(texture("runtime/c.ktx2"), kTexels);
  EXPECT_EQ(texture("runtime/photo.ktx2"), "\"bc7\" 7");
}

TEST_F(Graphics, a_model_gets_the_mips_of_its_pixel_art) {
  write("assets/sprite.tga", sprite(100));
  write("assets/photo.png", png(100, 100, 1));
  model("a", "sprite.tga");
  model("b", "photo.png");
  write("assets/c.mat", "base_color_texture: sprite.tga\n");
  write("assetc.yml", kAuto);
  EXPECT_EQ(build().exit_code, 0);
  EXPECT_EQ(texture("runtime/a/tex_0.ktx2"), kTexelsAndMips);
  EXPECT_EQ(texture("runtime/b/tex_0.ktx2"), kBlocks);
  EXPECT_EQ(texture("runtime/sprite.ktx2"), kTexels) << "that of the .mat";
  write("assetc.yml", "default: {texture: {compress: auto, share: content}}\n");
  model("d", "sprite.tga");
  EXPECT_EQ(build().exit_code, 0);
  ASSERT_EQ(shared().size(), 2u);
  const std::vector<std::string> kinds{texture(shared()[0]), texture(shared()[1])};
  EXPECT_THAT(kinds, testing::UnorderedElementsAre(kTexelsAndMips, kBlocks));
  EXPECT_EQ(texture("runtime/sprite.ktx2"), kTexels);
  EXPECT_EQ(run("check").exit_code, 0);
  EXPECT_THAT(build().out, HasSubstr(" 0 built"));
  build("--no-cache -q -o clean");
  EXPECT_EQ(tree(), tree("clean"));
  // Without auto, the picture of its own is that of the models.
  write("assetc.yml", "default: {texture: {share: content}}\n");
  EXPECT_EQ(build().exit_code, 0);
  EXPECT_TRUE(shared().empty());
  build("--no-cache -q -o clean");
  EXPECT_EQ(tree(), tree("clean"));
}

TEST_F(Graphics, layers_of_an_array_are_decided_together) {
  write("assetc.yml", kAuto);
  write("assets/tiles.array/0.tga", sprite(100));
  write("assets/tiles.array/1.tga", sprite(100));
  write("assets/mixed.array/0.tga", sprite(100));
  write("assets/mixed.array/1.png", png(100, 100, 1));
  EXPECT_EQ(build().exit_code, 0);
  EXPECT_EQ(texture("runtime/tiles.arr.ktx2"), kTexels);
  EXPECT_EQ(texture("runtime/mixed.arr.ktx2"), kBlocks);
}

TEST_F(Graphics, a_conversion_takes_the_setting) {
  write("sprite.tga", sprite(100));
  EXPECT_EQ(build("convert sprite.tga a.ktx2 --texture.compress auto").exit_code, 0);
  EXPECT_EQ(texture("a.ktx2"), kTexels);
  EXPECT_EQ(build("convert sprite.tga b.ktx2").exit_code, 0);
  EXPECT_EQ(texture("b.ktx2"), kBlocks);
}

class CookedGraphics : public Cook {};

// A cook has one texture for a picture, whoever uses it.
TEST_F(CookedGraphics, a_picture_of_a_model_and_its_own_asset_are_one) {
  write("AssetPipeline.json", R"({"Settings": {"texture": {"compress": "auto"}}})");
  write("Assets/Textures/wood.tga", sprite(100));
  remove("Assets/Textures/wood.png");
  write("Demo/Minimal/Assets/crate.mtl", "newmtl Planks\nmap_Kd ../../../Assets/Textures/wood.tga\n");
  EXPECT_EQ(import().exit_code, 0);
  const Finished done = cook();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(run("validate --platform Win64").exit_code, 0);
}

}  // namespace
}  // namespace assetc::e2e
