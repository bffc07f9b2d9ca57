#include "engine/config/config.hpp"

#include <gmock/gmock.h>

#include "engine/config/platforms.hpp"
#include "engine/fake_disk.hpp"

namespace assetc::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

Config parsed(std::string_view yaml) {
  auto config = parse_config(yaml, "project/assetc.yml");
  EXPECT_TRUE(config) << config.error().to_string();
  return config ? *config : Config{};
}
std::string error_of(std::string_view yaml) {
  auto config = parse_config(yaml, "assetc.yml");
  return config ? "no error" : config.error().to_string();
}
std::vector<std::string> warnings_of(std::string_view yaml) {
  std::vector<std::string> texts;
  for (const auto& d : parsed(yaml).diagnostics) texts.push_back(d.what.to_string());
  return texts;
}
recipes::Settings settings_for(const Profile& profile, std::string_view source) {
  return profile.settings_where([source](const Rule& rule) { return glob_matches(rule.match, source); });
}

constexpr std::string_view kManual = R"(input: assets
output: runtime
pack: false
preset: desktop
default:
  mesh:
    merge: true
  texture:
    compress: true
  rules:
    - match: "ui/*"
      texture:
        compress: false
presets:
  desktop:
    output: runtime/desktop
  mobile:
    output: runtime/mobile
    rules:
      - match: "decals/*"
        texture:
          compress: false
)";

TEST(Config, reads_the_example_of_the_manual) {
  const Config config = parsed(kManual);
  EXPECT_TRUE(config.diagnostics.empty());
  auto desktop = resolve(config);
  ASSERT_TRUE(desktop);
  EXPECT_EQ(desktop->input, "project/assets");
  EXPECT_EQ(desktop->output, "project/runtime/desktop");
  EXPECT_EQ(settings_for(*desktop, "decals/a.png").texture.format, texture::TargetFormat::kUastc);
  EXPECT_EQ(settings_for(*desktop, "ui/deep/a.png").texture.format, texture::TargetFormat::kRgba8);
  auto mobile = resolve(config, {.preset = "mobile"});
  ASSERT_TRUE(mobile);
  EXPECT_EQ(mobile->output, "project/runtime/mobile");
  EXPECT_EQ(settings_for(*mobile, "decals/a.png").texture.format, texture::TargetFormat::kRgba8);
  EXPECT_EQ(settings_for(*mobile, "ui/a.png").texture.format, texture::TargetFormat::kRgba8);
}

TEST(Config, an_empty_file_is_all_defaults) {
  const Config config = parsed("# nothing\n");
  EXPECT_EQ(config.input, "assets");
  EXPECT_EQ(config.output, "runtime");
  EXPECT_FALSE(config.pack);
}

TEST(Config, layers_override_in_the_order_of_the_manual) {
  const Config config = parsed(R"(
default:
  mesh: {lods: 1}
  rules:
    - match: "*"
      mesh: {lods: 3}
    - match: "a/*"
      mesh: {lods: 4}
presets:
  p:
    mesh: {lods: 2, merge: false}
    rules:
      - match: "a/b*"
        mesh: {lods: 5}
)");
  auto profile = resolve(config, {.preset = "p"});
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->base.mesh.lods, 2u);  // globals of the preset override the default globals
  EXPECT_EQ(settings_for(*profile, "x").mesh.lods, 3u);
  EXPECT_EQ(settings_for(*profile, "a/c").mesh.lods, 4u);
  EXPECT_EQ(settings_for(*profile, "a/b").mesh.lods, 5u);
  EXPECT_FALSE(settings_for(*profile, "a/b").mesh.merge);
}

TEST(Config, an_unknown_key_warns_with_its_line_and_a_guess) {
  EXPECT_THAT(
      warnings_of("default:\n  texture:\n    compres: true\n"),
      ElementsAre(
          "project/assetc.yml: line 3: unknown key \"texture.compres\" is ignored; did you mean \"compress\"?"));
  EXPECT_THAT(warnings_of("inptu: x\n"),
              ElementsAre("project/assetc.yml: line 1: unknown key \"inptu\" is ignored; did you mean \"input\"?"));
}

TEST(Config, settings_at_the_top_level_are_an_error_that_says_where_they_belong) {
  for (const std::string group : {"texture", "mesh", "shader"}) {
    const auto config = parse_config("input: art\n" + group + ": {}\n", "project/assetc.yml");
    ASSERT_FALSE(config) << group;
    EXPECT_EQ(config.error().code, ErrorCode::kUsage);
    EXPECT_EQ(
        config.error().to_string(),
        "project/assetc.yml: line 2: found " + group +
            ": at the top level, expected it below default: or in a rule; write \"default:\" above it, and indent "
            "it and its keys");
  }
}

TEST(Config, input_and_pack_are_read_only_at_the_top_level) {
  EXPECT_THAT(
      warnings_of("presets:\n  p:\n    pack: true\n"),
      ElementsAre(
          "project/assetc.yml: line 3: unknown key \"presets.p.pack\" is ignored; "
          "the keys here are: texture, environment, mesh, animation, aas1, shader, audio, font, rules, output"));
}

TEST(Config, rdo_that_meets_no_format_for_it_warns_with_its_line) {
  const auto idle = [](int line, std::string_view rdo) {
    return "project/assetc.yml: line " + std::to_string(line) + ": texture.rdo: " + std::string(rdo) +
           " has no effect: the textures that it applies to have other formats than uastc, bc7, bc5, bc4, bc3, bc1, "
           "etc2; set one of these as texture.format, or remove this setting";
  };
  EXPECT_THAT(warnings_of("default:\n  texture:\n    format: astc4x4\n    rdo: 5\n"), ElementsAre(idle(4, "5")));
  EXPECT_THAT(warnings_of("default:\n  texture: {compress: false, rdo: 5}\n"), ElementsAre(idle(2, "5")));
  for (const char* format : {"uastc", "auto", "bc1", "bc3", "bc4", "bc5", "bc7", "etc2"})
    EXPECT_THAT(warnings_of(std::string("default:\n  texture: {rdo: 5, format: ") + format + "}\n"), ElementsAre());
  EXPECT_THAT(warnings_of("default:\n  texture: {format: astc4x4, rdo: 0}\n"), ElementsAre());
  // The rule's own format, then a format of a later rule, then of the base.
  EXPECT_THAT(warnings_of("default:\n  rules:\n    - match: a\n      texture: {rdo: 3, format: astc6x6}\n"),
              ElementsAre(idle(4, "3")));
  EXPECT_THAT(warnings_of("default:\n  rules:\n    - match: a\n      texture: {rdo: 3, format: astc6x6}\n"
                          "    - match: b\n      texture: {format: uastc}\n"),
              ElementsAre());
  EXPECT_THAT(
      warnings_of(
          "default:\n  texture: {format: astc4x4}\n  rules:\n    - match: a\n      texture: {format: uastc}\n"
          "    - match: b\n      texture: {rdo: 3}\n    - match: c\n      texture: {rdo: 4, format: astc8x8}\n"),
      ElementsAre(idle(9, "4")));
  // All builds are checked: the one without a preset (unless a preset is chosen here) and each preset.
  constexpr std::string_view kPresets =
      "default:\n  texture: {rdo: 6}\npresets:\n  desktop:\n    texture: {format: astc4x4}\n";
  EXPECT_THAT(warnings_of(kPresets), ElementsAre());
  EXPECT_THAT(warnings_of("preset: desktop\n" + std::string(kPresets)), ElementsAre(idle(3, "6")));
  EXPECT_THAT(warnings_of("preset: desktop\n" + std::string(kPresets) + "  phone: {}\n"), ElementsAre());
  EXPECT_THAT(warnings_of(std::string(kPresets) + "    rules: [{match: x, texture: {rdo: 7}}]\n"),
              ElementsAre(idle(6, "7")));
}

TEST(Config, settings_that_contradict_one_another_in_a_block_are_an_error) {
  EXPECT_EQ(
      error_of("default:\n  texture:\n    compress: false\n    format: bc7\n"),
      "assetc.yml: line 4: texture.format: found \"bc7\" beside texture.compress: false, which contradicts it; keep "
      "one of the two");
  // A later layer overrides an earlier one.
  const Config config = parsed(
      "default:\n  texture: {compress: false}\n  rules:\n    - match: \"*.png\"\n      texture: {format: bc7}\n");
  EXPECT_EQ(settings_for(*resolve(config), "a.png").texture.format, texture::TargetFormat::kBc7);
  EXPECT_EQ(settings_for(*resolve(config), "a.jpg").texture.format, texture::TargetFormat::kRgba8);
}

TEST(Config, a_key_twice_in_one_block_is_an_error) {
  const auto twice = [](int line, std::string_view key, int first) {
    return "assetc.yml: line " + std::to_string(line) + ": the key \"" + std::string(key) +
           "\" is in this block already, on line " + std::to_string(first) + "; keep one of the two";
  };
  EXPECT_EQ(error_of("input: a\noutput: b\ninput: c\n"), twice(3, "input", 1));
  EXPECT_EQ(error_of("default:\n  texture: {format: bc7}\n  texture: {mips: false}\n"), twice(3, "texture", 2));
  EXPECT_EQ(error_of("default:\n  texture:\n    mips: true\n    mips: false\n"), twice(4, "mips", 3));
  EXPECT_EQ(error_of("default:\n  rules:\n    - match: a\n      match: b\n"), twice(4, "match", 3));
  EXPECT_EQ(error_of("presets:\n  p: {}\n  p: {}\n"), twice(3, "p", 2));
}

TEST(Config, a_wrong_value_is_an_error_with_its_line) {
  EXPECT_EQ(error_of("default:\n  texture:\n    compress: maybe\n"),
            "assetc.yml: line 3: texture.compress: found \"maybe\", expected auto, true or false");
  EXPECT_EQ(error_of("pack: 3\n"), "assetc.yml: line 1: pack: found \"3\", expected true or false");
}

TEST(Config, a_wrong_type_is_an_error_with_its_line) {
  EXPECT_EQ(error_of("default:\n  texture: [1, 2]\n").substr(0, 49),
            "assetc.yml: line 2: texture: found a list of 2, e");
  EXPECT_EQ(error_of("- a\n- b\n"),
            "assetc.yml: line 1: the file: found a list of 2, expected keys such as input:, default: and presets:");
  EXPECT_EQ(error_of("default:\n  rules:\n    - texture: {compress: false}\n"),
            "assetc.yml: line 3: a rule: found a block of keys, expected a match: with a glob such as \"ui/*\"");
}

TEST(Config, aliases_that_multiply_are_an_error_with_a_line) {
  std::string yaml = "rules: &r\n";
  for (int i = 0; i < 1000; ++i) yaml += "  - match: a" + std::to_string(i) + "\n    texture: {rdo: 1}\n";
  yaml += "presets:\n";
  for (int i = 0; i < 1000; ++i) yaml += "  p" + std::to_string(i) + ": {rules: *r}\n";
  const auto config = parse_config(yaml, "assetc.yml");
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().code, ErrorCode::kLimit);
  EXPECT_THAT(config.error().to_string(),
              testing::HasSubstr(
                  "found more than 10000 keys; keys of an alias count at each use; move settings that many rules share "
                  "to default:"));
  EXPECT_THAT(config.error().place, testing::HasSubstr("line "));
}

TEST(Config, yaml_that_does_not_parse_is_an_error_with_its_line) {
  EXPECT_TRUE(error_of("a: [1,\nb: }\n").starts_with("assetc.yml: line 2: not valid YAML"));
}

TEST(Config, an_unknown_preset_is_an_error_that_lists_the_defined_ones) {
  auto profile = resolve(parsed(kManual), {.preset = "console"});
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.error().to_string(),
            "project/assetc.yml: no preset is named \"console\"; the presets are: desktop, mobile");
}

TEST(Config, the_command_line_overrides_the_output_and_ors_the_pack) {
  auto profile = resolve(parsed(kManual), {.output = "elsewhere/", .pack = true});
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->output, "elsewhere");
  EXPECT_TRUE(profile->pack);
}

TEST(Config, the_starter_file_parses_without_a_warning_and_names_every_setting) {
  const std::string text = starter_config(".hpack");
  EXPECT_TRUE(parsed(text).diagnostics.empty());
  for (const auto& field : recipes::setting_fields()) {
    EXPECT_NE(text.find(std::string(field.key.substr(field.key.find('.') + 1)) + ": "), std::string::npos) << field.key;
  }
}

TEST(Config, the_starter_file_uncommented_still_equals_the_defaults) {
  std::string text = starter_config(".hpack");
  // The settings that are set.
  for (const auto& [set, instead] :
       {std::pair<std::string_view, const char*>{"    share: content ", "    # share: source "},
        {"    compress: auto ", "    # compress: true "}}) {
    ASSERT_NE(text.find(set), std::string::npos);
    text.replace(text.find(set), set.size(), instead);
  }
  for (std::size_t at; (at = text.find("\n    # ")) != std::string::npos;) text.replace(at, 7, "\n    ");
  const Config config = parsed(text);
  EXPECT_TRUE(config.diagnostics.empty());
  auto profile = resolve(config);
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->canonical(), Profile{}.canonical());
}

TEST(Config, canonical_text_differs_when_a_rule_does) {
  const auto a = resolve(parsed("default: {rules: [{match: x, texture: {mips: false}}]}"));
  const auto b = resolve(parsed("default: {rules: [{match: y, texture: {mips: false}}]}"));
  EXPECT_NE(a->canonical(), b->canonical());
}

TEST(Glob, star_spans_slashes_and_question_is_one_character) {
  EXPECT_TRUE(glob_matches("ui/*", "ui/a/b.png"));
  EXPECT_FALSE(glob_matches("ui/*", "gui/a.png"));
  EXPECT_TRUE(glob_matches("*", ""));
  EXPECT_TRUE(glob_matches("*.n.png", "a.b.n.png"));
  EXPECT_TRUE(glob_matches("a?c", "abc"));
  EXPECT_TRUE(glob_matches("a?c",
                           "a\xC3\xA9"
                           "c"));
  EXPECT_FALSE(glob_matches("a?c", "ac"));
  EXPECT_TRUE(glob_matches("a*b*c", "a/x/b/b/c"));
  EXPECT_FALSE(glob_matches("a*b*c", "a/x/c/b"));
}

TEST(Glob, folders_are_any_or_none) {
  EXPECT_TRUE(glob_matches("**/*.n.png", "wall.n.png"));
  EXPECT_TRUE(glob_matches("**/*.n.png", "a/b/wall.n.png"));
  EXPECT_TRUE(glob_matches("**/wall.png", "wall.png"));
  EXPECT_FALSE(glob_matches("**/wall.png", "a/stonewall.png"));
  EXPECT_TRUE(glob_matches("a/**/b.png", "a/b.png"));
  EXPECT_TRUE(glob_matches("a/**/b.png", "a/x/y/b.png"));
  EXPECT_FALSE(glob_matches("a/**/b.png", "a/xb.png"));
  EXPECT_TRUE(glob_matches("**/a/**/b", "a/c/a/b"));
  EXPECT_TRUE(glob_matches("*/x/**/?.png", "a/b/x/c.png"));
  EXPECT_TRUE(glob_matches("a/**", "a/b/c"));
  EXPECT_FALSE(glob_matches("a**/b", "b"));
  EXPECT_FALSE(glob_matches("**/a/**/b", "c/b"));
}

TEST(Glob, many_stars_do_not_explode) { EXPECT_FALSE(glob_matches("*a*a*a*a*a*a*a*a*a*a*b", std::string(20000, 'a'))); }

TEST(Config, names_a_shared_cache_and_none_of_a_users_secrets) {
  const CacheSettings cache = cache_of(parsed(
      "cache: {path: c, remote: {url: https://cache.example, mode: read-write, race: off}, trust: [a.pub, b.pub]}"));
  EXPECT_EQ(cache.path, "project/c");
  EXPECT_EQ(cache.remote.url, "https://cache.example");
  EXPECT_EQ(cache.remote.writes, true);
  EXPECT_EQ(cache.remote.races, false);
  EXPECT_THAT(cache.trust, ElementsAre("project/a.pub", "project/b.pub"));
  EXPECT_EQ(parsed("cache: {remote: https://cache.example}").cache.remote.url, "https://cache.example");
  EXPECT_EQ(error_of("cache: {remote: {url: https://cache.example,\n  bearer_file: /home/me/token}}"),
            "assetc.yml: line 2: cache.remote.bearer_file: found in a project's configuration, expected only in a "
            "user's configuration; put it into the user's ~/.config/assetc/config.yml");
  EXPECT_EQ(error_of("cache: {remote: {mode: write}}"),
            "assetc.yml: line 1: cache.remote.mode: found \"write\", expected read or read-write");
}

TEST(Config, of_a_user_is_about_the_cache_alone) {
  FakeDisk disk;
  EXPECT_EQ(load_user_config(disk, "home/config.yml")->cache.path, "");
  disk.put("home/config.yml",
           "cache: {remote: {url: https://cache.example, basic_file: secret}, sign: /k.key}\ninput: a");
  const auto config = load_user_config(disk, "home/config.yml");
  ASSERT_TRUE(config) << config.error().to_string();
  EXPECT_EQ(cache_of(*config).remote.basic_file, "home/secret");
  EXPECT_EQ(cache_of(*config).sign, "/k.key");
  ASSERT_EQ(config->diagnostics.size(), 1u);
  EXPECT_THAT(config->diagnostics[0].what.to_string(), testing::HasSubstr("input"));
}

TEST(Config, takes_a_byte_order_mark_and_line_ends_of_windows) {
  const Config config =
      parsed("\xEF\xBB\xBFinput: art\r\nignore: [\"wip/*\"]\r\ndefault:\r\n  mesh:\r\n    merge: false\r\n");
  EXPECT_EQ(config.input, "art");
  EXPECT_TRUE(config.diagnostics.empty());
}

TEST(Pipeline, refuses_a_folder_of_cooks_among_the_assets) {
  for (const std::string cooked : {"Assets/Cooked", "assets/sub/Cooked", "Demo/M/Cooked", "Demo/M/Assets/made/Cooked",
                                   "Demo/Cooked", "Demo", "Tools/Cooked", "./build/../Assets/Cooked", "Assets"}) {
    FakeDisk disk;
    disk.put("repo/Assets/a.png", "");
    disk.put("repo/config/AssetPipeline.json", "{\"CookedOutputRoot\": \"" + cooked + "\"}");
    const auto json = load_pipeline(disk, "repo");
    ASSERT_FALSE(json) << cooked;
    EXPECT_EQ(json.error().code, ErrorCode::kUsage);
    EXPECT_EQ(json.error().place, "/CookedOutputRoot");
    disk.erase("repo/config/AssetPipeline.json");
    disk.put("repo/assetc.yml", "cooked: " + cooked + "\n");
    EXPECT_FALSE(load_pipeline(disk, "repo")) << cooked;
  }
  for (const std::string cooked : {"build/Cooked", "Cooked", "../Cooked", "Demo/M/build/Cooked", "/elsewhere/Cooked"}) {
    FakeDisk disk;
    disk.put("repo/assetc.yml", "cooked: " + cooked + "\n");
    const auto pipeline = load_pipeline(disk, "repo");
    EXPECT_TRUE(pipeline) << cooked << ": " << pipeline.error().to_string();
  }
}

// assetc.yml may configure builds beside an AssetPipeline.json for cooks.
TEST(Pipeline, joins_both_files_unless_they_say_the_same_of_cooks) {
  FakeDisk disk;
  disk.put("repo/assetc.yml",
           "ignore: [\"wip/*\"]\nintegrity: true\ndefault:\n  texture:\n    format: uastc\n    max_size: 512\n");
  disk.put(
      "repo/Assets/AssetPipeline.json",
      R"({"Platforms": ["Linux"], "DefaultTextureFormat": "BC7", "CookedOutputRoot": "out/Cooked", "Base": "game",)"
      R"( "Budgets": [{"Platform": "Linux", "Bytes": 1}], "Colour": 1})");
  const auto both = load_pipeline(disk, "repo");
  ASSERT_TRUE(both) << both.error().to_string();
  EXPECT_EQ(both->platforms.size(), 1u);
  EXPECT_EQ(both->cooked, "out/Cooked");
  EXPECT_EQ(both->base, "game");
  EXPECT_TRUE(both->integrity);
  EXPECT_THAT(both->ignore, ElementsAre("wip/*"));
  ASSERT_EQ(both->budgets.size(), 1u);
  EXPECT_EQ(both->budgets[0].place, "repo/Assets/AssetPipeline.json /Budgets/0");
  EXPECT_EQ(both->diagnostics.size(), 1u);
  const auto profile = resolve_platform(*both, "Linux");
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->base.texture.max_size_texels, 512u);
  EXPECT_NE(profile->base.texture.format, texture::TargetFormat::kUastc);  // for cooks the JSON goes first

  for (const auto& [yaml, what] :
       {std::pair{"platforms: [Win64]\n", "/Platforms: sets what repo/assetc.yml sets as platforms"},
        std::pair{"cooked: build/Cooked\n", "/CookedOutputRoot: sets what"},
        std::pair{"base: ../other\n", "/Base: sets what"}}) {
    disk.put("repo/assetc.yml", yaml);
    const auto twice = load_pipeline(disk, "repo");
    ASSERT_FALSE(twice) << yaml;
    EXPECT_THAT(twice.error().to_string(), HasSubstr(what));
  }
  disk.put("repo/assetc.yml", "ignore: [a]\n");
  disk.put("repo/Assets/a.png", "");
  disk.put("repo/Assets/AssetPipeline.json", R"({"CookedOutputRoot": "Assets/Cooked"})");
  EXPECT_THAT(load_pipeline(disk, "repo").error().to_string(),
              StartsWith("repo/Assets/AssetPipeline.json: /CookedOutputRoot: found"));
  disk.put("repo/Assets/AssetPipeline.json", R"({"Budgets": [{"Bytes": 1, "Platform": "Wii"}]})");
  EXPECT_THAT(load_pipeline(disk, "repo").error().to_string(), HasSubstr("neither a preset nor a platform"));
  disk.put("repo/config/AssetPipeline.json", "{}");
  EXPECT_THAT(load_pipeline(disk, "repo").error().to_string(),
              HasSubstr("is beside repo/Assets/AssetPipeline.json; keep one"));
}

TEST(Pipeline, by_default_bc7_is_the_family_in_which_normal_maps_are_bc5) {
  const auto config = parse_pipeline_json(R"({"DefaultTextureFormat": "BC7"})", "AssetPipeline.json", ".");
  ASSERT_TRUE(config);
  ASSERT_EQ(config->defaults.globals.size(), 1u);
  EXPECT_EQ(config->defaults.globals[0].key, "texture.format");
  EXPECT_EQ(config->defaults.globals[0].value, "auto");
}

}  // namespace
}  // namespace assetc::engine
