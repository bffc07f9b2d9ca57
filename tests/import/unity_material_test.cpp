#include "import/engines/unity_material.hpp"

#include <gmock/gmock.h>

#include "import/engines/unity_text.hpp"
#include "import/material.hpp"

namespace assetc::importer {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string kHeader = "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n";
// Shader Graph writes an object of its own before the material.
const std::string kOther = "--- !u!114 &-1\nMonoBehaviour:\n  m_Name: other\n";
const std::string kMaterial = "--- !u!21 &2100000\nMaterial:\n  m_Name: Rock\n";

std::string picture(const std::string& name, const std::string& guid, const std::string& scale = "{x: 1, y: 1}") {
  return "    - " + name + ":\n        m_Texture: {fileID: 2800000, guid: " + guid +
         ", type: 3}\n        m_Scale: " + scale + "\n        m_Offset: {x: 0, y: 0}\n";
}
const std::string kA = "000000000000000000000000000000aa", kB = "000000000000000000000000000000bb";
const std::string kNone = "    - _DetailMask:\n        m_Texture: {fileID: 0}\n";

Imported imported(const std::string& text) {
  const ByteSpan bytes = as_bytes(text);
  auto result = import_material("a.mat", Bytes(ByteVector(bytes.begin(), bytes.end())));
  EXPECT_TRUE(result) << result.error().to_string();
  return result ? std::move(*result) : Imported();
}

TEST(UnityMaterial, a_material_of_the_standard_shader) {
  const Imported read = imported(
      kHeader + kOther + kMaterial +
      "  m_ShaderKeywords: _EMISSION _NORMALMAP\n  m_SavedProperties:\n    serializedVersion: 3\n    m_TexEnvs:\n" +
      picture("_BumpMap", kB) + kNone + picture("_EmissionMap", kA) + picture("_MainTex", kA) +
      "    m_Floats:\n    - _BumpScale: 0.5\n    - _Cutoff: 0.25\n    - _Glossiness: 0.75\n    - _Metallic: 0.5\n"
      "    - _Mode: 1\n    - _Cull: 0\n    m_Colors:\n    - _Color: {r: 1, g: 0.5, b: 0, a: 0.5}\n"
      "    - _EmissionColor: {r: 1, g: 0, b: 0, a: 1}\n");
  ASSERT_EQ(read.scene.materials.size(), 1u);
  const scene::Material& m = read.scene.materials[0];
  EXPECT_EQ(m.name, "Rock");
  ASSERT_EQ(read.scene.images.size(), 2u);
  const auto path = [&](const scene::TextureUse& use) { return read.scene.images.at(use.image).path; };
  EXPECT_EQ(path(m.base_color_texture), "asset:unity:00000000-0000-0000-0000-0000000000aa");
  EXPECT_EQ(path(m.normal_texture), "asset:unity:00000000-0000-0000-0000-0000000000bb");
  EXPECT_EQ(m.emissive_texture.image, m.base_color_texture.image);
  EXPECT_EQ(m.occlusion_texture.image, scene::kNone);
  EXPECT_FLOAT_EQ(m.normal_scale, 0.5f);
  EXPECT_FLOAT_EQ(m.roughness, 0.25f);
  EXPECT_FLOAT_EQ(m.metallic, 0.5f);
  EXPECT_FLOAT_EQ(m.alpha_cutoff, 0.25f);
  EXPECT_EQ(m.alpha_mode, scene::AlphaMode::kMask);
  EXPECT_TRUE(m.double_sided);
  EXPECT_FLOAT_EQ(m.base_color.x, 1);
  EXPECT_NEAR(m.base_color.y, 0.2140f, 1e-4f);
  EXPECT_FLOAT_EQ(m.base_color.w, 0.5f);
  EXPECT_FLOAT_EQ(m.emissive.x, 1);
  EXPECT_THAT(read.warnings, IsEmpty());
}

TEST(UnityMaterial, properties_of_newer_pipelines_come_first) {
  const Imported read =
      imported(kMaterial + "  m_ValidKeywords:\n  - _EMISSION\n  m_SavedProperties:\n    m_TexEnvs:\n" +
               picture("_MainTex", kA) + picture("_BaseMap", kB) +
               "    m_Floats:\n    - _Surface: 1\n    - _Smoothness: 1\n    m_Colors:\n"
               "    - _Color: {r: 0, g: 0, b: 0, a: 1}\n    - _BaseColor: {r: 1, g: 1, b: 1, a: 1}\n"
               "    - _EmissionColor: {r: 0, g: 1, b: 0, a: 1}\n");
  const scene::Material& m = read.scene.materials.at(0);
  EXPECT_EQ(read.scene.images.at(m.base_color_texture.image).path, "asset:unity:00000000-0000-0000-0000-0000000000bb");
  EXPECT_FLOAT_EQ(m.base_color.x, 1);
  EXPECT_FLOAT_EQ(m.roughness, 0);
  EXPECT_FLOAT_EQ(m.emissive.y, 1);
  EXPECT_EQ(m.alpha_mode, scene::AlphaMode::kBlend);
}

TEST(UnityMaterial, without_the_keyword_nothing_is_emitted) {
  const Imported read = imported(kMaterial + "  m_SavedProperties:\n    m_TexEnvs:\n" + picture("_EmissionMap", kA) +
                                 "    m_Colors:\n    - _EmissionColor: {r: 1, g: 1, b: 1, a: 1}\n");
  EXPECT_EQ(read.scene.materials.at(0).emissive_texture.image, scene::kNone);
  EXPECT_FLOAT_EQ(read.scene.materials.at(0).emissive.x, 0);
}

TEST(UnityMaterial, what_is_not_taken_is_a_warning_with_a_line) {
  const Imported read =
      imported(kMaterial + "  m_SavedProperties:\n    m_TexEnvs:\n" + picture("_MainTex", kA, "{x: 2, y: 1}") +
               picture("_MetallicGlossMap", kB) + picture("_BumpMap", "12"));
  std::vector<std::string> lines;
  lines.reserve(read.warnings.size());
  for (const Warning& w : read.warnings) lines.push_back(w.to_string());
  EXPECT_THAT(
      lines,
      ElementsAre("line 8: _MainTex is tiled or moved, which a .hmat cannot hold; change the texture coordinates",
                  "line 15: _BumpMap has a GUID that is not 32 hexadecimal digits; correct it",
                  "line 11: _MetallicGlossMap is not taken: its channels are metallic and smoothness, and a "
                  ".hmat has roughness and metallic; convert the picture, and write a .mat of assetc"));
}

TEST(UnityMaterial, a_damaged_file_is_an_error_with_a_line) {
  const std::string text = kMaterial + "<<<<<<< ours\n";
  const ByteSpan bytes = as_bytes(text);
  const auto read = import_material("a.mat", Bytes(ByteVector(bytes.begin(), bytes.end())));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().to_string(),
            "line 4: found a line without a key, expected \"key: value\"; restore the file from version control, or "
            "let Unity write it again");
}

TEST(UnityMaterial, every_prefix_is_read_or_refused) {
  const std::string whole = kHeader + kOther + kMaterial + "  m_SavedProperties:\n    m_TexEnvs:\n" +
                            picture("_MainTex", kA) + "    m_Colors:\n    - _Color: {r: 1, g: 0.5, b: 0, a: 0.5}\n";
  std::size_t read = 0;
  for (std::size_t size = 0; size <= whole.size(); ++size)
    read += import_unity_material(std::string_view(whole).substr(0, size)) ? 1 : 0;
  EXPECT_GT(read, whole.size() / 2);
}

// A line does not hold the path to it, so few bytes stay few.
TEST(UnityMaterial, long_keys_above_many_lines_are_read) {
  constexpr std::size_t kKey = 1 << 20, kLines = 100'000;
  std::string text = std::string(kKey, 'k') + ":\n";
  for (std::size_t i = 0; i < kLines; ++i) text += " a: 1\n";
  const auto lines = unity_lines(text);
  ASSERT_TRUE(lines) << lines.error().to_string();
  ASSERT_EQ(lines->size(), kLines + 1);
  EXPECT_EQ(find_unity_line(*lines, std::string(kKey, 'k') + "/a"), &(*lines)[1]);
  EXPECT_EQ(find_unity_line(*lines, "a"), nullptr);
}

TEST(UnityMaterial, text_that_is_not_utf8_is_refused) {
  const auto read = import_unity_material(kMaterial + "  m_Name: \xFF\n");
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().to_string(), ::testing::HasSubstr("is not UTF-8"));
}

}  // namespace
}  // namespace assetc::importer
