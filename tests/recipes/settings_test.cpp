#include "recipes/settings.hpp"

#include <gtest/gtest.h>

namespace assetc::recipes {
namespace {

TEST(Settings, every_field_takes_back_what_it_prints) {
  for (const SettingField& field : setting_fields()) {
    Settings settings;
    const std::string before = field.get(settings);
    ASSERT_TRUE(field.set(settings, before)) << field.key;
    EXPECT_EQ(field.get(settings), before) << field.key;
  }
}

TEST(Settings, a_wrong_value_says_what_is_accepted_and_changes_nothing) {
  Settings settings;
  const auto result = find_setting("texture.quality")->set(settings, "ultra");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().to_string(), "texture.quality: found \"ultra\", expected fast, normal or best");
  EXPECT_EQ(settings.texture.quality, codec::Effort::kNormal);
  EXPECT_FALSE(find_setting("mesh.lods")->set(settings, "9"));
  EXPECT_FALSE(find_setting("mesh.lods")->set(settings, "1x"));
  EXPECT_FALSE(find_setting("mesh.lod_ratio")->set(settings, "nan"));
}

TEST(Settings, compress_is_short_for_a_format) {
  Settings settings;
  const auto set = [&](const char* key, const char* value) {
    ASSERT_TRUE(find_setting(key)->set(settings, value)) << key;
  };
  const auto get = [&](const char* key) { return find_setting(key)->get(settings); };
  set("texture.compress", "false");
  EXPECT_EQ(get("texture.format"), "rgba8");
  set("texture.compress", "true");
  EXPECT_EQ(get("texture.format"), "uastc");
  set("texture.format", "bc7");
  set("texture.compress", "true");
  EXPECT_EQ(get("texture.format"), "bc7");
  set("texture.format", "rgba16f");
  EXPECT_EQ(get("texture.compress"), "false");
}

TEST(Settings, compress_auto_is_kept_beside_every_block_format) {
  Settings settings;
  const auto set = [&](const char* key, const char* value) {
    ASSERT_TRUE(find_setting(key)->set(settings, value)) << key;
  };
  const auto get = [&](const char* key) { return find_setting(key)->get(settings); };
  EXPECT_EQ(get("texture.compress"), "true");
  set("texture.compress", "auto");
  set("texture.format", "bc7");
  EXPECT_EQ(get("texture.compress"), "auto");
  EXPECT_EQ(get("texture.format"), "bc7");
  set("texture.compress", "true");
  EXPECT_EQ(get("texture.compress"), "true");
  EXPECT_EQ(get("texture.format"), "bc7");
  set("texture.compress", "false");
  EXPECT_EQ(get("texture.format"), "rgba8");
  set("texture.compress", "auto");
  EXPECT_EQ(get("texture.format"), "uastc");
  EXPECT_FALSE(find_setting("texture.compress")->set(settings, "Auto"));
  EXPECT_EQ(get("texture.compress"), "auto");
}

// The canonical text alone gives the settings again, and the default has the text that it had before the value existed.
TEST(Settings, compress_auto_is_part_of_the_canonical_text) {
  constexpr std::array<std::string_view, 1> kTextureGroup{"texture"};
  for (const char* compress : {"auto", "true", "false"}) {
    for (const char* format : {"uastc", "bc7", "rgba16f"}) {
      Settings settings, again;
      ASSERT_TRUE(find_setting("texture.compress")->set(settings, compress));
      ASSERT_TRUE(find_setting("texture.format")->set(settings, format));
      const std::string text = canonical_settings(settings, kTextureGroup);
      set_lines(again, text);
      EXPECT_EQ(find_setting("texture.compress")->get(again), find_setting("texture.compress")->get(settings));
      EXPECT_EQ(canonical_settings(again, kTextureGroup), text);
    }
  }
  EXPECT_EQ(canonical_settings({}, kTextureGroup).find("compress"), std::string::npos);
}

TEST(Settings, of_two_said_together_both_must_hold) {
  const SettingField &compress = *find_setting("texture.compress"), &format = *find_setting("texture.format");
  EXPECT_FALSE(settings_agree(compress, "false", format, "bc7"));
  EXPECT_FALSE(settings_agree(format, "bc7", compress, "false"));
  EXPECT_FALSE(settings_agree(compress, "true", format, "rgba8"));
  EXPECT_TRUE(settings_agree(compress, "false", format, "rgba16f"));
  EXPECT_TRUE(settings_agree(format, "rgba16f", compress, "false"));
  EXPECT_TRUE(settings_agree(compress, "true", format, "bc5"));
  EXPECT_TRUE(settings_agree(compress, "auto", format, "bc7"));
  EXPECT_TRUE(settings_agree(format, "bc7", compress, "auto"));
  EXPECT_FALSE(settings_agree(compress, "auto", format, "rgba8"));
  EXPECT_FALSE(settings_agree(format, "rgba8", compress, "auto"));
  EXPECT_TRUE(settings_agree(*find_setting("texture.quality"), "fast", format, "bc5"));
}

TEST(Settings, channels_are_letters_or_auto) {
  Settings settings;
  const SettingField& channels = *find_setting("texture.channels");
  for (const char* good : {"r", "rg", "rgb", "bgra", "rrr1", "0", "auto"}) {
    ASSERT_TRUE(channels.set(settings, good)) << good;
    EXPECT_EQ(channels.get(settings), good);
  }
  for (const char* bad : {"", "rgbar", "x", "RGB", "xyz"}) EXPECT_FALSE(channels.set(settings, bad)) << bad;
  EXPECT_EQ(channels.get(settings), "auto");
}

TEST(Settings, canonical_text_holds_only_the_groups_asked_for) {
  const std::string_view groups[] = {"shader"};
  EXPECT_EQ(canonical_settings({}, groups),
            "shader.optimize=true\nshader.debug=false\nshader.target=vulkan1.2\nshader.hlsl=auto\nshader.registers=b0 "
            "s16 t32 u160\n");
  // Settings have one key each: texture.format replaces texture.compress.
  constexpr std::array<std::string_view, 1> kTextureGroup{"texture"};
  EXPECT_TRUE(canonical_settings({}, kTextureGroup).starts_with("texture.format=uastc\n"));
}

}  // namespace
}  // namespace assetc::recipes
