// texture.share: models with one picture have one texture.
#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "assetc/base/hash.hpp"
#include "assetc/formats/hman.hpp"
#include "e2e/model.hpp"
#include "e2e/project.hpp"

namespace assetc::e2e {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr std::string_view kContent = "default: {texture: {share: content}}\n";

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) text += i + k > bytes.size() ? '=' : kDigits[bits >> (18 - 6 * k) & 63];
  }
  return text;
}

// The same texels with a comment, as another program would write them.
std::string with_comment(std::string png) {
  const std::string empty_text("\0\0\0\3tEXta\0b\xdc\x49\xa2\x3b", 15);  // length, type, "a", "b" and their CRC
  return png.insert(33, empty_text);
}

class SharedTextures : public Project {
 protected:
  // A model with a picture inside.
  void model(const std::string& name, std::string_view picture) const {
    const Model made = grid_model(name.substr(name.rfind('/') + 1), "data:image/png;base64," + base64(picture), 2);
    write("assets/" + name + ".gltf", made.gltf);
    write("assets/" + name + ".bin", made.bin);
  }
  // The names of the shared textures.
  std::vector<std::string> shared(const std::string& folder = "runtime") const {
    std::vector<std::string> names;
    for (const auto& [path, bytes] : tree(folder)) {
      if (path.starts_with("shared/")) names.push_back(path);
    }
    return names;
  }
};

// Materials that an engine could draw as one.
TEST_F(SharedTextures, info_lists_materials_that_are_equal_but_for_names_or_textures) {
  for (const char* name : {"a", "b", "c"}) model(name, png(16, 16, *name == 'c' ? 2 : 1));
  build();
  const Finished listed = run("info --materials");
  EXPECT_EQ(listed.exit_code, 0) << listed.err;
  EXPECT_EQ(listed.out,
            "2 materials are equal: a.hmat row 0, b.hmat row 0\n"
            "2 materials differ only in their textures: a.hmat row 0, c.hmat row 0\n"
            "3 materials: 2 different, 1 if textures are not compared\n");
  EXPECT_THAT(
      run("info --materials --json").out,
      AllOf(HasSubstr(R"("same_textures":true,"materials":[{"path":"a.hmat","row":0},{"path":"b.hmat","row":0}])"),
            HasSubstr(R"("materials":3,"different":2,"different_without_textures":1)")));
  EXPECT_EQ(run("info --materials runtime/a.hmat").exit_code, 2);
  write("runtime/b.hmat", "HMAT");
  EXPECT_EQ(run("info --materials").exit_code, 1);
}

TEST_F(SharedTextures, one_picture_of_several_models_is_one_texture) {
  write("assetc.yml", kContent);
  model("a", png(16, 16, 1));
  model("b", png(16, 16, 1));
  model("deep/c", with_comment(png(16, 16, 1)));
  model("d", png(16, 16, 2));
  EXPECT_EQ(build().exit_code, 0);
  const std::vector<std::string> both = shared();
  EXPECT_THAT(both, SizeIs(2));
  EXPECT_FALSE(exists("runtime/a/tex_0.ktx2"));
  // The name of a texture is what materials and the manifest call it.
  const std::string bytes = read("runtime/assets.hman");
  const auto manifest = hman::View::open(as_bytes(bytes));
  ASSERT_TRUE(manifest);
  for (const std::string& path : both)
    EXPECT_NE(manifest->find(hash_asset_ref(path.substr(0, path.size() - 5))), nullptr) << path;
  EXPECT_EQ(run("check").exit_code, 0);
  EXPECT_EQ(read("runtime/a.hmat"), read("runtime/b.hmat"));
  EXPECT_THAT(build().out, HasSubstr(" 0 built"));
  build("--no-cache -q -o clean");
  EXPECT_EQ(tree(), tree("clean"));
}

TEST_F(SharedTextures, other_models_do_not_rename_a_texture) {
  write("assetc.yml", kContent);
  model("a", png(16, 16, 1));
  build();
  const std::vector<std::string> before = shared();
  ASSERT_THAT(before, SizeIs(1));
  model("0", png(16, 16, 1));
  model("b", png(16, 16, 1));
  build();
  EXPECT_EQ(shared(), before);
  // The first model that had the picture goes, and then the others.
  remove("assets/a.gltf");
  build();
  EXPECT_EQ(shared(), before);
  EXPECT_THAT(build().out, HasSubstr(" 0 built"));
  model("0", png(16, 16, 2));
  build();
  EXPECT_THAT(shared(), AllOf(SizeIs(2), Contains(before[0])));
  model("b", png(16, 16, 2));
  build();
  EXPECT_THAT(shared(), AllOf(SizeIs(1), Not(Contains(before[0]))));
}

TEST_F(SharedTextures, settings_and_uses_are_part_of_the_name) {
  write("assetc.yml",
        "default:\n  texture: {share: content}\n  rules:\n    - match: b.gltf\n      texture: {max_size: 8}\n"
        "    - match: c.gltf\n      texture: {share: source}\n");
  for (const char* name : {"a", "b", "c", "d"}) model(name, png(16, 16, 1));
  replace("assets/d.gltf", "\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0}}",
          "\"normalTexture\":{\"index\":0}");
  EXPECT_EQ(build().exit_code, 0);
  EXPECT_THAT(shared(), SizeIs(3));
  EXPECT_TRUE(exists("runtime/c/tex_0.ktx2"));
  // Now b has the settings of a.
  replace("assetc.yml", "max_size: 8", "max_size: 0");
  EXPECT_EQ(build().exit_code, 0);
  EXPECT_THAT(shared(), SizeIs(2));
  write("assetc.yml", "");
  EXPECT_EQ(build().exit_code, 0);
  EXPECT_THAT(shared(), IsEmpty());
  EXPECT_TRUE(exists("runtime/a/tex_0.ktx2"));
}

TEST_F(SharedTextures, a_picture_file_of_the_same_use_is_the_texture) {
  write("assetc.yml", kContent);
  write("assets/atlas.png", png(16, 16, 1));
  for (const std::string name : {"a", "b"}) {
    const Model made = grid_model(name, "atlas.png", 2);
    write("assets/" + name + ".gltf", made.gltf);
    write("assets/" + name + ".bin", made.bin);
  }
  write("assets/c.obj", "mtllib c.mtl\nusemtl w\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf 1/1 2/1 3/1\n");
  write("assets/c.mtl", "newmtl w\nmap_Kd atlas.png\nmap_Bump atlas.png\n");
  EXPECT_EQ(build().exit_code, 0);
  EXPECT_TRUE(exists("runtime/atlas.ktx2"));
  EXPECT_THAT(shared(), SizeIs(1)) << "the normal map of c";
  EXPECT_EQ(run("check").exit_code, 0);
  EXPECT_THAT(build().out, HasSubstr(" 0 built"));
  // A rule for the picture alone: it is not what the models want any more.
  const std::string rule = "  rules:\n    - match: atlas.png\n      texture: {share: source, max_size: 4}\n";
  write("assetc.yml", "default:\n  texture: {share: content}\n" + rule);
  EXPECT_EQ(build().exit_code, 0);
  build("--no-cache -q -o clean");
  EXPECT_EQ(tree(), tree("clean"));
  write("assetc.yml", kContent);
  EXPECT_EQ(build().exit_code, 0);
  // A picture that only has another use is not compiled as color, too.
  for (const char* gone : {"assets/a.gltf", "assets/b.gltf"}) remove(gone);
  write("assets/c.mtl", "newmtl w\nmap_Bump atlas.png\n");
  EXPECT_EQ(build().exit_code, 0);
  EXPECT_FALSE(exists("runtime/atlas.ktx2"));
  EXPECT_THAT(shared(), SizeIs(1));
}

TEST_F(SharedTextures, a_picture_that_is_stored_often_is_told_once) {
  for (int i = 0; i < 5; ++i) model("m" + std::to_string(i), png(16, 16, 1));
  const std::string told =
      "warning: m0.gltf image 0 (image 0): 5 textures of models are equal, like m0/tex_0.ktx2; "
      "default: {texture: {share: content}} in assetc.yml stores each picture once and saves ";
  EXPECT_THAT(build().err, HasSubstr(told));
  model("other", png(16, 16, 2));
  EXPECT_THAT(build().err, Not(HasSubstr("repeated-texture")));
}

TEST_F(SharedTextures, a_folder_of_their_name_is_refused) {
  write("assetc.yml", kContent);
  write("assets/shared/x.png", png(4, 4, 1));
  model("a", png(16, 16, 1));
  const Finished refused = run("");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("error: a.gltf: the input has a folder named shared, where the shared textures of "
                                     "models would be; rename the folder, or set texture.share: source"));
  write("assetc.yml", std::string(kContent) + "ignore: [\"shared/*\"]\n");
  EXPECT_EQ(build().exit_code, 0);
  write("assetc.yml", "");
  EXPECT_EQ(build().exit_code, 0);
}

TEST_F(SharedTextures, a_damaged_picture_is_an_error_of_a_model) {
  write("assetc.yml", kContent);
  std::string damaged = png(16, 16, 1);
  damaged[60] = static_cast<char>(damaged[60] + 1);
  model("a", damaged);
  model("b", png(16, 16, 1));
  EXPECT_THAT(run("").err, HasSubstr("error: a.gltf image 0"));
  model("a", png(16, 16, 1));
  EXPECT_EQ(build().exit_code, 0);
  EXPECT_THAT(shared(), SizeIs(1));
}

// Whatever happens to a project, its outputs are those of a build from nothing.
TEST_F(SharedTextures, incremental_builds_equal_clean_ones) {
  std::mt19937 random(7);
  const auto one_of = [&](std::uint32_t count) { return static_cast<int>(random() % count); };
  model("m0", png(8, 8, 0));
  for (int round = 0; round < 16; ++round) {
    for (int edits = one_of(3) + 1; edits > 0; --edits) {
      const std::string name = "m" + std::to_string(one_of(4));
      switch (one_of(5)) {
        case 0:
          remove("assets/" + name + ".gltf");
          break;
        case 1:
          write("assetc.yml", one_of(3) == 0 ? "" : kContent);
          break;
        case 2:
          write("assetc.yml", std::string("default:\n  texture: {share: content}\n  rules:\n    - match: ") + name +
                                  ".gltf\n      texture: {mips: false}\n");
          break;
        default:
          model(name, one_of(2) == 0 ? png(8, 8, static_cast<std::uint32_t>(one_of(2)))
                                     : with_comment(png(8, 8, static_cast<std::uint32_t>(one_of(2)))));
      }
    }
    model("m0", png(8, 8, static_cast<std::uint32_t>(one_of(2))));
    ASSERT_EQ(build("-q").exit_code, 0) << "round " << round;
    EXPECT_THAT(build().out, HasSubstr(" 0 built")) << "round " << round;
    build("--no-cache -q -o clean");
    ASSERT_EQ(tree(), tree("clean")) << "round " << round;
    remove("clean");
  }
}

}  // namespace
}  // namespace assetc::e2e
