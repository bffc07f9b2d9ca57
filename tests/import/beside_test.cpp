#include "import/engines/beside.hpp"

#include <gmock/gmock.h>

#include <random>

namespace assetc::importer {
namespace {

using testing::ElementsAre;

const std::string kHead = "fileFormatVersion: 2\nguid: 0123456789abcdef0123456789abcdef\n";

std::vector<std::string> lines_of(const Result<Beside>& said) {
  if (!said) return {said.error().to_string()};
  std::vector<std::string> lines;
  for (const BesideSetting& s : said->settings)
    lines.push_back(s.key + "=" + s.value + " line " + std::to_string(s.line));
  for (const Warning& w : said->warnings) lines.push_back(w.to_string());
  return lines;
}
std::vector<std::string> unity(const std::string& body, const std::string& source = "a.png") {
  return lines_of(read_beside(OtherEngine::kUnity, source, kHead + body));
}
std::vector<std::string> godot(const std::string& importer, const std::string& params,
                               const std::string& source = "a.png") {
  return lines_of(
      read_beside(OtherEngine::kGodot, source, "[remap]\n\nimporter=\"" + importer + "\"\n\n[params]\n\n" + params));
}

TEST(Beside, each_value_of_unity) {
  const struct {
    const char* body;
    const char* means;  // one line, or none
  } kRows[] = {
      {"TextureImporter:\n  mipmaps:\n    sRGBTexture: 0\n", "texture.usage=linear line 5"},
      {"TextureImporter:\n  mipmaps:\n    sRGBTexture: 1\n", "texture.usage=color line 5"},
      {"TextureImporter:\n  mipmaps:\n    enableMipMap: 0\n", "texture.mips=false line 5"},
      {"TextureImporter:\n  mipmaps:\n    enableMipMap: 1\n", "texture.mips=true line 5"},
      {"TextureImporter:\n  textureType: 1\n", "texture.usage=normal line 4"},
      {"TextureImporter:\n  textureType: 8\n", nullptr},
      {"TextureImporter:\n  bumpmap:\n    flipGreenChannel: 1\n", "texture.normal_y=directx line 5"},
      {"TextureImporter:\n  bumpmap:\n    flipGreenChannel: 0\n", nullptr},
      {"TextureImporter:\n  alphaUsage: 0\n", "texture.channels=rgb line 4"},
      {"TextureImporter:\n  alphaUsage: 1\n", nullptr},
      {"TextureImporter:\n  alphaUsage: 2\n",
       "line 4: Unity makes alpha from the gray value of this picture; assetc does not; set texture.channels: rgbr in "
       "a "
       "rule if the picture is gray, or store alpha in the file"},
      {"TextureImporter:\n  alphaIsTransparency: 1\n",
       "line 4: Unity spreads colors into transparent texels; assetc does so in mips only; if edges have a fringe, "
       "spread the colors in the file"},
      {"TextureImporter:\n  alphaIsTransparency: 0\n", nullptr},
      {"TextureImporter:\n  maxTextureSize: 512\n", "texture.max_size=512 line 4"},
      {"TextureImporter:\n  maxTextureSize: many\n", nullptr},
      {"TextureImporter:\n  platformSettings:\n  - buildTarget: DefaultTexturePlatform\n    maxTextureSize: 64\n",
       "texture.max_size=64 line 6"},
      {"TextureImporter:\n  platformSettings:\n  - buildTarget: Android\n    maxTextureSize: 64\n", nullptr},
      {"TextureImporter:\n  platformSettings:\n  - buildTarget: DefaultTexturePlatform\n    textureCompression: 0\n",
       "texture.compress=false line 6"},
      {"TextureImporter:\n  bumpmap:\n    convertToNormalMap: 1\n",
       "line 5: Unity makes a normal map of this height map; assetc does not; store the normal map in the file"},
      {"ModelImporter:\n  meshes:\n    globalScale: 0.01\n", "mesh.scale=0.01 line 5"},
      {"ModelImporter:\n  meshes:\n    useFileScale: 0\n",
       "line 5: Unity ignores the unit of the file; assetc does not; set mesh.scale in a rule if the size differs"},
      {"AudioImporter:\n  mipmaps:\n    sRGBTexture: 0\n", nullptr},
      {"TextureImporter: none\nuserData: \n", nullptr},
      {"", nullptr},
  };
  for (const auto& row : kRows) {
    const std::vector<std::string> expected =
        row.means == nullptr ? std::vector<std::string>{} : std::vector<std::string>{row.means};
    EXPECT_EQ(unity(row.body), expected) << row.body;
  }
}

TEST(Beside, overrides_of_unity_hold_for_the_platform_that_is_built_for) {
  const std::string text = kHead +
                           "TextureImporter:\n  maxTextureSize: 2048\n  platformSettings:\n"
                           "  - buildTarget: DefaultTexturePlatform\n    maxTextureSize: 1024\n    overridden: 0\n"
                           "  - buildTarget: Android\n    maxTextureSize: 256\n    textureCompression: 0\n"
                           "    overridden: 1\n"
                           "  - buildTarget: iPhone\n    maxTextureSize: 128\n    overridden: 0\n"
                           "  - buildTarget: Standalone\n    maxTextureSize: 4096\n    textureCompression: 2\n"
                           "    overridden: 1\n";
  const auto on = [&](std::string_view platform) {
    std::vector<std::string> lines = lines_of(read_beside(OtherEngine::kUnity, "a.png", text, platform));
    lines.erase(lines.begin(), lines.begin() + 2);  // of all platforms
    return lines;
  };
  EXPECT_THAT(on(""), testing::IsEmpty());
  EXPECT_THAT(on("Android"), ElementsAre("texture.max_size=256 line 10", "texture.compress=false line 11"));
  EXPECT_THAT(on("iOS"), testing::IsEmpty());
  for (const std::string_view desktop : {"Win64", "Linux", "macos", "desktop"})
    EXPECT_THAT(on(desktop), ElementsAre("texture.max_size=4096 line 17", "texture.compress=true line 18"));
  EXPECT_THAT(on("console"), testing::IsEmpty());
}

TEST(Beside, a_normal_map_of_unity_is_one_whatever_else_is_said) {
  EXPECT_THAT(unity("TextureImporter:\n  mipmaps:\n    sRGBTexture: 1\n  alphaUsage: 0\n  textureType: 1\n"),
              ElementsAre("texture.usage=color line 5", "texture.usage=normal line 7"));
}

TEST(Beside, a_picture_of_light_keeps_its_color_space) {
  EXPECT_THAT(unity("TextureImporter:\n  mipmaps:\n    sRGBTexture: 1\n  maxTextureSize: 64\n", "sky.hdr"),
              ElementsAre("texture.max_size=64 line 6"));
}

TEST(Beside, the_guid_of_unity) {
  const auto said = read_beside(OtherEngine::kUnity, "a.png", kHead);
  ASSERT_TRUE(said);
  ASSERT_TRUE(said->guid);
  EXPECT_EQ(said->guid->to_string(), "01234567-89ab-cdef-0123-456789abcdef");
  for (const char* const guid :
       {"0", "0123456789abcdef0123456789abcdeg", "00000000000000000000000000000000", "[]", ""}) {
    const auto bad = read_beside(OtherEngine::kUnity, "a.png", std::string("fileFormatVersion: 2\nguid: ") + guid);
    ASSERT_FALSE(bad) << guid;
    EXPECT_EQ(bad.error().place, "line 2");
    EXPECT_THAT(bad.error().what, testing::EndsWith("expected 32 hexadecimal digits that are not all zero"));
  }
}

TEST(Beside, each_value_of_godot) {
  const struct {
    const char* importer;
    const char* params;
    const char* means;
  } kRows[] = {
      {"texture", "compress/normal_map=1", "texture.usage=normal line 7"},
      {"texture", "compress/normal_map=0", nullptr},
      {"texture", "compress/mode=0", "texture.compress=false line 7"},
      {"texture", "compress/mode=2", nullptr},
      {"texture", "compress/mode=3\r\n", "texture.compress=false line 7"},
      {"texture", "mipmaps/generate=true", "texture.mips=true line 7"},
      {"texture", "mipmaps/generate=false", "texture.mips=false line 7"},
      {"texture", "process/size_limit=256", "texture.max_size=256 line 7"},
      {"texture", "process/normal_map_invert_y=true", "texture.normal_y=directx line 7"},
      {"texture", "process/premult_alpha=true",
       "line 7: Godot multiplies colors by alpha; assetc does not; multiply in the shader, or store multiplied colors "
       "in "
       "the file"},
      {"texture", "process/premult_alpha=false", nullptr},
      {"texture", "process/fix_alpha_border=true", nullptr},
      {"scene", "nodes/root_scale=0.384", "mesh.scale=0.384 line 7"},
      {"scene", "meshes/ensure_tangents=false", "mesh.tangents=false line 7"},
      {"scene", "meshes/generate_lods=false", "mesh.lods=0 line 7"},
      {"scene", "_subresources={\n\"a\": {\nnodes/root_scale=3\n}\n}\nnodes/root_scale=2", "mesh.scale=2 line 12"},
      {"scene", "x=\"{\"\nnodes/root_scale=2", "mesh.scale=2 line 8"},
      {"scene", "compress/mode=0", nullptr},
      {"texture_array", "compress/mode=0", nullptr},
      {"texture", "; compress/mode=0\n[other]\ncompress/mode=0", nullptr},
  };
  for (const auto& row : kRows) {
    const std::vector<std::string> expected =
        row.means == nullptr ? std::vector<std::string>{} : std::vector<std::string>{row.means};
    EXPECT_EQ(godot(row.importer, row.params), expected) << row.params;
  }
  EXPECT_THAT(godot("texture", "what"),
              ElementsAre("line 7: found a line that is neither [section] nor key=value; restore the file from version "
                          "control, or let Godot write it again"));
}

TEST(Beside, files_of_other_programs_are_not_taken_for_one) {
  EXPECT_TRUE(is_beside(OtherEngine::kUnity, kHead));
  EXPECT_FALSE(is_beside(OtherEngine::kUnity, "{\"Uuid\": 1}"));
  EXPECT_TRUE(is_beside(OtherEngine::kGodot, "[remap]\n"));
  EXPECT_FALSE(is_beside(OtherEngine::kGodot, "import os\n"));
  EXPECT_FALSE(is_beside(OtherEngine::kNone, kHead));
  const auto large = read_beside(OtherEngine::kUnity, "a.png", std::string(kMaxBesideBytes + 1, ' '));
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code, ErrorCode::kLimit);
}

// Damaged files give settings or an error with a line, never anything else.
TEST(Beside, random_damage_is_survived) {
  const std::string whole =
      kHead +
      "TextureImporter:\n  mipmaps:\n    sRGBTexture: 0\n  platformSettings:\n  - buildTarget: A\n  textureType: 1\n";
  const std::string other = "[remap]\nimporter=\"scene\"\n[params]\n_a={\n\"b\": [1, 2]\n}\nnodes/root_scale=2\n";
  std::mt19937 random(11);
  std::size_t read = 0, refused = 0;
  for (int round = 0; round < 4000; ++round) {
    const bool is_unity = round % 2 == 0;
    std::string text = is_unity ? whole : other;
    for (int change = 0; change < 3; ++change) text[random() % text.size()] = "\n:{}[]\"&*-=\x80x"[random() % 13];
    text.resize(random() % (text.size() + 1));
    const auto said = read_beside(is_unity ? OtherEngine::kUnity : OtherEngine::kGodot, "a.png", text);
    ++(said ? read : refused);
    EXPECT_THAT(said ? "line " : said.error().place, testing::StartsWith("line ")) << text;
  }
  EXPECT_GT(read, 100u);
  EXPECT_GT(refused, 100u);
}

}  // namespace
}  // namespace assetc::importer
