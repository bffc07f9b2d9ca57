#include "recipes/texture/usage.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>

#include "places.hpp"
#include "recipes/texture/texels.hpp"

namespace assetc::recipes {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string said_by(std::string_view path, std::span<const NamedUsage> more = {}, const HasSet& has_set = {}) {
  const auto usage = read_picture_name(path, path.substr(path.rfind('.')), more, has_set).usage;
  return usage ? std::string(to_string(*usage)) : "nothing";
}

// The sets that the pictures of a folder prove.
HasSet sets_of(const std::vector<std::string>& files) {
  return [files](std::string_view set) {
    return std::ranges::any_of(files, [&](const std::string& file) { return picture_set(file) == set; });
  };
}

// What set_member() says: the set, the name before the ending, and the role.
std::string member(const char* path) {
  const auto found = set_member(path);
  if (!found) return "none";
  constexpr const char* kNames[] = {"nothing", "color", "emissive", "normal", "occlusion", "metal-rough", "all"};
  return found->key + " " + std::string(found->stem) + " " + kNames[static_cast<std::size_t>(found->role)];
}

TEST(Usage, names_say_the_set_and_the_role_in_its_material) {
  EXPECT_EQ(member("w/T_Wall_BC.png"), "w/twall T_Wall color");
  EXPECT_EQ(member("w/t-wall-normal_gl_2k.exr"), "w/twall t-wall normal");
  EXPECT_EQ(member("WallOcclusionRoughnessMetallic.png"), "/wall Wall all");
  EXPECT_EQ(member("wall_arm.png"), "/wall wall all");
  EXPECT_EQ(member("wall_hrm.png"), "/wall wall metal-rough");
  EXPECT_EQ(member("wall_rma.png"), "/wall wall nothing");
  EXPECT_EQ(member("wall_ao.png"), "/wall wall occlusion");
  EXPECT_EQ(member("wall_emissive.png"), "/wall wall emissive");
  EXPECT_EQ(member("wall_roughness.png"), "/wall wall nothing");
  EXPECT_EQ(member("wall_worldnormal.png"), "/wall wall nothing");
  EXPECT_EQ(member("rock/albedo.png"), "rock/  color");
  EXPECT_EQ(member("wall.png"), "/wall wall color");
  EXPECT_EQ(member("wall_n+low.png"), "none");
}

TEST(Usage, names_say_what_artists_mean_by_them) {
  const std::pair<const char*, const char*> kNames[] = {
      {"T_Rock_N.png", "normal"},
      {"rock_normal.png", "normal"},
      {"rock-Normal.tga", "normal"},
      {"Rock Normal.png", "normal"},
      {"rock_nrm.jpg", "normal"},
      {"rock_nor_gl_4k.exr", "normal"},
      {"Bricks076_1K_NormalGL.jpg", "normal"},
      {"rock_normal.1001.png", "normal"},
      {"T_Rock_N_01.png", "normal"},
      {"T_Rock_N+low+de.png", "normal"},
      {"textures/rock/normal.png", "normal"},
      {"T_Rock_ORM.png", "orm"},
      {"rock_arm_2k.png", "orm"},
      {"Helmet_occlusionRoughnessMetallic.png", "orm"},
      {"Helmet_Occlusion_Rough_Metal.png", "orm"},
      {"T_Rock_AO.png", "gray"},
      {"rock_ambient_occlusion.png", "gray"},
      {"T_Rock_R.png", "gray"},
      {"rock_roughness.png", "gray"},
      {"rock_disp_4k.png", "gray"},
      {"T_Rock_BaseColor.png", "color"},
      {"rock_base_color.png", "color"},
      {"rock_albedo.png", "color"},
      {"sunset_lut.png", "lut"},
      {"wall.png", "nothing"},
      {"n.png", "nothing"},
      {"arrow_r.png", "nothing"},
      {"brushed_metal.png", "nothing"},
      {"gas_mask.png", "nothing"},
      {"abnormal.png", "nothing"},
      {"normal_wall.png", "nothing"},
      {"2k.png", "nothing"},
  };
  for (const auto& [path, usage] : kNames) EXPECT_EQ(said_by(path), usage) << path;
}

TEST(Usage, names_of_common_tools_are_known) {
  const std::pair<const char*, const char*> kNames[] = {
      {"wallNormal.png", "normal"},
      {"RockNormalMap.png", "normal"},
      {"Rock_Normal_OpenGL.png", "normal"},
      {"RockNormalOpenGL.png", "normal"},
      {"Rock_Normal_DirectX.png", "normal"},
      {"Rock_NormalDirectX.png", "normal"},
      {"rock_nml.png", "normal"},
      {"T_Rock_NM.png", "normal"},
      {"rock_ddna.tif", "normal"},
      {"Rock_BNM.png", "normal"},
      {"rock_rgh.png", "gray"},
      {"RockRoughness.png", "gray"},
      {"Rock_DISPL.png", "gray"},
      {"rock_mro.png", "orm"},
      {"rock_rmo.png", "orm"},
      {"Rock_HRM.png", "orm"},
      {"RockMetallicRoughness.png", "orm"},
      {"Rock_MaskMap.png", "linear"},
      {"RockMaskMap.png", "linear"},
      {"Rock_MetallicSmoothness.png", "linear"},
      {"Rock_Metallic_Smoothness.png", "linear"},
      {"Rock_AORM.png", "linear"},
      {"Rock_MRAO.png", "linear"},
      {"Rock_RAOM.png", "linear"},
      {"Rock_World_Normal.png", "linear"},
      {"RockWorldSpaceNormal.png", "linear"},
      {"Rock_Normal_OS.png", "linear"},
      {"water_flowmap.png", "linear"},
      {"Rock_Specular.png", "color"},
      {"rock_spec.png", "color"},
  };
  for (const auto& [path, usage] : kNames) EXPECT_EQ(said_by(path), usage) << path;
}

TEST(Usage, nouns_count_beside_a_color_or_normal_map_of_the_set) {
  const std::pair<const char*, const char*> kNouns[] = {
      {"Rock_Mask", "linear"},   {"rock_masks", "linear"}, {"T_Rock_MSK", "linear"},  {"Rock-Flow", "linear"},
      {"rock metal", "gray"},    {"Rock_Metal", "gray"},   {"rock_bump", "gray"},     {"Rock_Alpha", "gray"},
      {"rock_metal_2k", "gray"}, {"Rock_Fuzz", "gray"},    {"rock_mask_01", "linear"}};
  const char* const kSiblings[] = {"_BaseColor.png",
                                   "_Albedo.tga",
                                   "_BC.png",
                                   "_Diffuse.jpg",
                                   "_diff_4k.jpg",
                                   "_Color.png",
                                   "_D.png",
                                   "-base-color.tif",
                                   "_Normal.png",
                                   "_nor_gl_4k.exr",
                                   "_N.png",
                                   "_BaseMap.png",
                                   "_AlbedoTransparency.png",
                                   "_albedo.psd"};
  for (const auto& [noun, usage] : kNouns) {
    const std::string path = std::string("stone/") + noun + ".png";
    for (const std::string sibling : kSiblings) {
      const std::string stem = path.starts_with("stone/T_") ? "stone/T_Rock" : "stone/rock";
      EXPECT_EQ(said_by(path, {}, sets_of({stem + sibling})), usage) << path << " beside " << sibling;
      EXPECT_EQ(said_by(path, {}, sets_of({"rock" + sibling, "stone/pebble" + sibling, "stone/more/rock" + sibling})),
                "nothing")
          << path;
    }
    EXPECT_EQ(said_by(path, {}, sets_of({"stone/rock.png", "stone/rock_roughness.png", "stone/rock_albedo.txt", path})),
              "nothing")
        << path;
  }
  EXPECT_EQ(said_by("RockMask.png", {}, sets_of({"Rock_Albedo.png"})), "nothing") << "nouns count after a separator";
}

TEST(Usage, short_words_and_ends_of_words_count_in_a_set) {
  const HasSet wood = sets_of({"wood/albedo.png", "wood/PlanksAlbedo.png"});
  for (const auto& [path, usage] : {std::pair{"ao.png", "gray"},
                                    {"orm.png", "orm"},
                                    {"nrm.png", "normal"},
                                    {"mask.png", "linear"},
                                    {"PlanksAO.png", "gray"},
                                    {"PlanksMetallic.png", "gray"},
                                    {"PlanksHeight.png", "gray"},
                                    {"PlanksOpacity.png", "gray"}}) {
    EXPECT_EQ(said_by(std::string("wood/") + path, {}, wood), usage) << path;
    EXPECT_EQ(said_by(std::string("flags/") + path, {}, wood), "nothing") << path;
  }
  EXPECT_EQ(said_by("flags/roughness.png"), "gray");
  EXPECT_EQ(said_by("flags/normal.png"), "normal");
}

TEST(Usage, a_set_has_one_name_in_the_spelling_of_each_tool) {
  for (const char* color :
       {"w/T_Old_Planks_BaseColor.png", "w/T_OldPlanks_D.tga", "w/t-old-planks-normal.png", "w/T_OldPlanksAlbedo.png",
        "w/t_old_planks_nor_dx_4k.exr", "w/T_Old_Planks_Normal_OpenGL.png", "w/t_old_planks_albedo_1001.tif",
        "w/t_old_planks_col+low.png"})
    EXPECT_EQ(picture_set(color), "w/toldplanks") << color;
  for (const char* noun : {"w/T_Old_Planks_Metal.png", "w/t_oldplanks_mask_2k.png", "w/T_OldPlanksAO.png"})
    EXPECT_EQ(set_asked_for(noun), "w/toldplanks") << noun;
  EXPECT_EQ(picture_set("albedo.png"), "/");
  EXPECT_EQ(set_asked_for("ao.png"), "/");
  for (const char* none : {"w/rock.png", "w/rock_roughness.png", "w/rock_mask.png", "w/rock_albedo.mat", "w/", ""})
    EXPECT_EQ(picture_set(none), std::nullopt) << none;
  for (const char* none : {"w/rock.png", "w/rock_albedo.png", "w/rock_normal.png", "w/RockMask.png", "w/", ""})
    EXPECT_EQ(set_asked_for(none), std::nullopt) << none;
}

TEST(Usage, names_say_that_y_points_down) {
  const auto is_down = [](std::string_view path) {
    return slot_params(path, TextureUsage::kNormal).contains(kYDownParam);
  };
  for (const char* down :
       {"Rock_Normal_DirectX.png", "RockNormalDirectX.png", "rock_nor_dx_4k.exr", "Bricks_1K_NormalDX.jpg",
        "rock_normal_dx.png", "T_Rock_N_DX.png", "w/rock_n_DirectX.png", "RockNormal_Old_nrm_dx.tga"})
    EXPECT_TRUE(is_down(down)) << down;
  for (const char* up : {"Rock_Normal_OpenGL.png", "rock_nor_gl_4k.exr", "NormalGL.jpg", "rock_n.png", "rock_dx.png",
                         "rock_color_dx.png", "normal.dx/rock.png", "", "rock"})
    EXPECT_FALSE(is_down(up)) << up;
  EXPECT_FALSE(slot_params("rock_nor_dx.png", TextureUsage::kColor).contains(kYDownParam));
}

TEST(Usage, packed_colors_of_unity_are_color_and_normals_in_world_space_keep_z) {
  for (const char* color : {"Rock_SpecularSmoothness.png", "RockSpecularSmoothness.png", "Rock_SpecularGlossiness.png",
                            "Rock_AlbedoTransparency.png", "RockAlbedoSmoothness.png", "Rock_BaseMap.png"})
    EXPECT_EQ(said_by(color), "color") << color;
  for (const char* linear : {"Rock_World_Space_Normals.png", "RockObjectSpaceNormals.png", "rock_world_normal.png"})
    EXPECT_EQ(said_by(linear), "linear") << linear;
}

TEST(Usage, names_of_colors_say_nothing_else) {
  const char* const kColors[] = {
      "GasMask",    "CarnivalMask", "GunMetal",  "BrushedMetal", "Overflow",  "CashFlow",   "WorkFlow",  "SpeedBump",
      "BabyBump",   "TeamAlpha",    "WolfAlpha", "Inspector",    "Aspect",    "Paranormal", "Abnormal",  "Formality",
      "Seminar",    "Alarm",        "Charm",     "Farm",         "StrongArm", "Platform",   "Uniform",   "Storm",
      "Worm",       "Firearm",      "Armor",     "Mirror",       "Window",    "Door",       "Barn",      "Lantern",
      "Fern",       "Horn",         "Corn",      "Throne",       "Crown",     "Heightened", "Highlight", "Metallica",
      "Glossary",   "Roughneck",    "Thorough",  "DrySmooth",    "Occult",    "Marble",     "Granite",   "Opal",
      "Displeased", "Dispenser"};
  std::size_t count = 0;
  for (const std::string color : kColors) {
    std::string snake;
    for (const char c : color) {
      if (c >= 'A' && c <= 'Z' && !snake.empty()) snake += '_';
      snake += c;
    }
    for (const std::string& name : {color, "T_" + color, snake, snake + "_01"}) {
      // The sets of others change nothing.
      const std::string said =
          said_by(name + ".png", {}, sets_of({"wood_albedo.png", "T_wood_normal.png", "color.png"}));
      // "strong_arm" ends with a suffix of the table since its first version.
      EXPECT_TRUE(said == "nothing" || name.starts_with("Strong_Arm")) << name << ": " << said;
      ++count;
    }
  }
  EXPECT_EQ(count, 200u);
}

TEST(Usage, the_manual_has_the_table) {
  const auto list = [](const auto& takes) {
    std::string text;
    for (const NameWord& word : name_words()) {
      if (takes(word)) text.append(text.empty() ? "`" : " `").append(word.text).append("`");
    }
    return text;
  };
  std::vector<std::string> rows;
  for (const TextureUsage usage : {TextureUsage::kNormal, TextureUsage::kGray, TextureUsage::kOrm,
                                   TextureUsage::kLinear, TextureUsage::kColor, TextureUsage::kLut}) {
    rows.push_back("| `" + std::string(to_string(usage)) + "` | " +
                   list([&](const NameWord& word) { return word.usage == usage; }) + " |\n");
  }
  rows.push_back("| " + list([](const NameWord& word) { return word.rules.capitals; }) + " | only in capitals");
  using enum WordCounts;
  rows.push_back("| " + list([](const NameWord& word) { return word.rules.alone == kNever; }) +
                 " | only after another word");
  rows.push_back("| " + list([](const NameWord& word) { return word.rules.in_word == kAlways; }) +
                 " | also at the end of a word");
  rows.push_back("| " + list([](const NameWord& word) { return word.rules.after == kInSet; }) + " | only in a set");
  rows.push_back("| " +
                 list([](const NameWord& word) { return word.rules.alone == kInSet && word.rules.after == kAlways; }) +
                 " | as a whole name only in a set");
  rows.push_back("| " + list([](const NameWord& word) { return word.rules.in_word == kInSet; }) +
                 " | at the end of a word only in a set");
  rows.push_back("| " + list([](const NameWord& word) { return word.rules.y_down; }) + " | Y points down");
  std::ifstream file(std::string(places::kSource) + "/docs/guide/textures.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  for (const std::string& row : rows) EXPECT_THAT(page, HasSubstr(row)) << "docs/guide/textures.md needs this text";
}

TEST(Usage, suffixes_of_the_configuration_come_first) {
  const std::vector<NamedUsage> more{{suffix_word("_Nml"), TextureUsage::kNormal},
                                     {suffix_word("rough"), TextureUsage::kColor}};
  EXPECT_EQ(said_by("rock_NML.png", more), "normal");
  EXPECT_EQ(said_by("diamond_rough.png", more), "color");
  EXPECT_EQ(said_by("rock_n.png", more), "normal");
  EXPECT_EQ(said_by("nml.png", more), "nothing");
}

std::string mode_of_source(std::string_view path, TextureUsage usage = TextureUsage::kAuto) {
  Settings settings;
  settings.texture.usage = usage;
  return std::string(to_string(asset_of(all_recipes(), path, settings)->mode));
}

TEST(Usage, the_setting_comes_before_the_suffix_and_the_suffix_before_the_name) {
  EXPECT_EQ(mode_of_source("rock_n.png"), "normal");
  EXPECT_EQ(mode_of_source("rock_n.png", TextureUsage::kColor), "color");
  EXPECT_EQ(mode_of_source("rock_n.ao.png"), "gray");
  EXPECT_EQ(mode_of_source("rock.n.png", TextureUsage::kLinear), "linear");
  EXPECT_EQ(mode_of_source("sky.hdr"), "hdr");
  EXPECT_EQ(mode_of_source("sky_color.exr"), "hdr");
  EXPECT_EQ(mode_of_source("rock_rough_4k.exr"), "gray");
  EXPECT_EQ(mode_of_source("rock_mask.png"), "color");
  EXPECT_EQ(mode_of_source("rock_mask.png", TextureUsage::kOrm), "orm");
  EXPECT_EQ(mode_of_source("done_n.ktx2"), "copy");
  EXPECT_EQ(mode_of_source("done.ktx2", TextureUsage::kNormal), "normal");
}

// A picture whose texel (x, y) is the result of `at`, from 0 to 1.
template <class At>
scene::Image image_of(const At& at) {
  scene::Image image{32, 32, scene::PixelType::kU8, 4, {}};
  for (int y = 0; y < 32; ++y) {
    for (int x = 0; x < 32; ++x) {
      for (const double v : at(x, y)) image.pixels.push_back(static_cast<std::byte>(std::lround(v * 255)));
    }
  }
  return image;
}
using Painted = std::array<double, 4>;

scene::Image normals() {
  return image_of([](int x, int y) {
    const double nx = 0.4 * std::sin(x * 0.7), ny = 0.4 * std::sin(y * 0.9);
    return Painted{nx / 2 + 0.5, ny / 2 + 0.5, std::sqrt(1 - nx * nx - ny * ny) / 2 + 0.5, 1};
  });
}
scene::Image bricks() {
  return image_of([](int x, int y) {
    return (x / 4 + y / 4) % 2 == 0 ? Painted{0.6, 0.25 + x * 0.002, 0.2, 1} : Painted{0.45, 0.42 + y * 0.002, 0.4, 1};
  });
}

std::vector<std::string> said_of(const scene::Image& image, TextureUsage mode) {
  std::vector<Diagnostic> diagnostics;
  check_texels(image, mode, diagnostics);
  std::vector<std::string> said;
  said.reserve(diagnostics.size());
  for (const Diagnostic& d : diagnostics) said.push_back(d.what.what);
  return said;
}

TEST(Usage, texels_that_contradict_it_are_told) {
  EXPECT_THAT(said_of(normals(), TextureUsage::kColor),
              ElementsAre("its texels are those of a normal map, but it is compiled as color"));
  EXPECT_THAT(said_of(normals(), TextureUsage::kOrm), ::testing::SizeIs(1));
  EXPECT_THAT(said_of(bricks(), TextureUsage::kNormal), ElementsAre(HasSubstr("compiled as a normal map, but only ")));
  scene::Image light{1, 1, scene::PixelType::kF32, 4, ByteVector(16)};
  const float value = 2;
  std::memcpy(light.pixels.data(), &value, sizeof value);
  EXPECT_THAT(said_of(light, TextureUsage::kColor), ElementsAre(HasSubstr("above 1 (white)")));
}

TEST(Usage, a_noun_whose_texels_look_like_data_is_told) {
  const auto said = [](const scene::Image& image, bool is_noun = true) {
    std::vector<Diagnostic> diagnostics;
    check_noun(image, is_noun ? Params{{std::string(kNounParam), "mask"}} : Params{}, diagnostics);
    return diagnostics.empty() ? std::string() : diagnostics[0].what.to_string();
  };
  const auto gray = image_of([](int x, int y) { return Painted{x / 32.0, x / 32.0, x / 32.0, y / 32.0}; });
  EXPECT_EQ(
      said(gray),
      "its name ends with \"mask\", and its texels look like data: all are gray; it is compiled as color, because "
      "no color or normal map of the same name is beside it; set texture.usage: linear (or gray) in a rule for "
      "it, or texture.usage: color if it is one");
  EXPECT_EQ(said(gray, false), "");
  EXPECT_THAT(said(image_of([](int x, int y) { return Painted{x < 16 ? 1.0 : 0.0, y < 16 ? 1.0 : 0.0, 0, 1}; })),
              HasSubstr("they have few colors"));
  EXPECT_THAT(said(image_of([](int x, int y) { return Painted{x / 32.0, y / 32.0, (x * 7 + y * 5) % 32 / 32.0, 1}; })),
              HasSubstr("the channels vary independently"));
  EXPECT_THAT(said(image_of([](int x, int y) { return Painted{(x + 32 * y) / 1024.0, 0, 0, 1}; })),
              HasSubstr("one channel alone varies"));
  EXPECT_EQ(said(bricks()), "");
  EXPECT_EQ(said(image_of([](int, int) { return Painted{0.5, 0.5, 0.5, 1}; })), "") << "one color says nothing";
}

TEST(Usage, texels_that_agree_are_not) {
  for (const TextureUsage mode : {TextureUsage::kNormal, TextureUsage::kLinear, TextureUsage::kGray})
    EXPECT_THAT(said_of(normals(), mode), IsEmpty()) << to_string(mode);
  for (const TextureUsage mode : {TextureUsage::kColor, TextureUsage::kLinear, TextureUsage::kOrm, TextureUsage::kGray})
    EXPECT_THAT(said_of(bricks(), mode), IsEmpty()) << to_string(mode);
  // X and Y alone are a complete normal map. A sky and a flat lilac are not normal maps.
  EXPECT_THAT(said_of(image_of([](int x, int y) { return Painted{x / 32.0, y / 32.0, 0, 1}; }), TextureUsage::kNormal),
              IsEmpty());
  EXPECT_THAT(
      said_of(image_of([](int, int y) { return Painted{0.53, 0.81 - y * 0.001, 0.92, 1}; }), TextureUsage::kColor),
      IsEmpty());
  EXPECT_THAT(said_of(image_of([](int, int) { return Painted{0.5, 0.5, 1, 1}; }), TextureUsage::kColor), IsEmpty());
}

TEST(Usage, a_name_that_contradicts_a_slot_is_told) {
  const auto said = [](std::string_view path, TextureUsage mode) {
    std::vector<Diagnostic> diagnostics;
    check_name(path, mode, "the base color texture", "/materials/0", diagnostics);
    return diagnostics.empty() ? std::string() : diagnostics[0].what.to_string();
  };
  EXPECT_EQ(said("maps/T_Rock_N.png", TextureUsage::kColor),
            "/materials/0: \"T_Rock_N.png\" is named as normal, but it is used as the base color texture and compiled "
            "as color; assign it to the matching slot, or rename it");
  EXPECT_EQ(said("T_Rock_N.png", TextureUsage::kNormal), "");
  EXPECT_NE(said("T_Rock_BaseColor.png", TextureUsage::kNormal), "");
  EXPECT_EQ(said("T_Rock_AO.png", TextureUsage::kLinear), "");
  EXPECT_EQ(said("wall.png", TextureUsage::kNormal), "");
  EXPECT_NE(said("maps/nrm.png", TextureUsage::kColor), "");
  EXPECT_EQ(said("rock_bump.png", TextureUsage::kNormal), "") << "a noun";
}

}  // namespace
}  // namespace assetc::recipes
