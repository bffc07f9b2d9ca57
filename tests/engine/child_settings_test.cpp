// What a model depends on, of the settings of its textures.
#include "engine/state/child_settings.hpp"

#include <gtest/gtest.h>

namespace assetc::engine {
namespace {

constexpr std::string_view kPins = "texture.wrap=clamp\ntexture.mips=false\n";

TEST(ChildSettings, are_asked_for_by_a_text_that_says_which) {
  for (const std::string_view source : {"", "a.glb", "line\nbreak.glb"}) {
    for (const std::string_view taken : {"", "b.png"}) {
      for (const std::string_view pins : {std::string_view(), kPins}) {
        const std::string text = AskedSettings{"texture", source, taken, pins}.text();
        const AskedSettings asked = AskedSettings::of(text);
        EXPECT_EQ(asked.recipe, "texture");
        EXPECT_EQ(asked.source, source);
        EXPECT_EQ(asked.taken, taken);
        EXPECT_EQ(asked.pins, pins);
      }
    }
  }
}

TEST(ChildSettings, decide_nothing_unless_they_share_or_are_compared) {
  const AskedSettings of_model{"texture", "a.glb", {}, {}}, of_picture{"texture", {}, "b.png", {}};
  const ChildSettings apart{.shares = false, .canonical = "texture.mips=true\n", .libraries = "libspng 1"},
      shared{.shares = true, .canonical = "texture.mips=true\n", .libraries = "libspng 1"};
  EXPECT_EQ(apart.hash(of_model), ContentHash());
  EXPECT_NE(apart.hash(of_picture), ContentHash());
  EXPECT_NE(shared.hash(of_model), ContentHash());
  EXPECT_NE(
      shared.hash(of_model),
      (ChildSettings{.shares = true, .canonical = "texture.mips=false\n", .libraries = "libspng 1"}.hash(of_model)));
  EXPECT_NE(
      shared.hash(of_model),
      (ChildSettings{.shares = true, .canonical = "texture.mips=true\n", .libraries = "libspng 2"}.hash(of_model)))
      << "another version may decode other texels";
}

TEST(ChildSettings, name_a_shared_step_by_content_params_and_settings) {
  const ChildSettings settings{.shares = true, .canonical = kPins, .libraries = ""};
  const auto shared = [&](std::uint64_t content, const recipes::Params& params) {
    recipes::Step step;
    step.stem = "a/tex_0";
    step.params = params;
    share_step(step, ContentHash{content, 0}, settings);
    return step;
  };
  const recipes::Step one = shared(1, {{"mode", "color"}});
  // Rules for one of the models do not change the step, not even by the value that the canonical text leaves out.
  EXPECT_EQ(one.pins,
            (recipes::Params{{"texture.compress", "true"}, {"texture.mips", "false"}, {"texture.wrap", "clamp"}}));
  EXPECT_EQ(one.stem.size(), std::string_view("shared/0123456789abcdef").size());
  EXPECT_EQ(one.stem, shared(1, {{"mode", "color"}}).stem);
  EXPECT_NE(one.stem, shared(2, {{"mode", "color"}}).stem);
  EXPECT_NE(one.stem, shared(1, {{"mode", "normal"}}).stem);
}

}  // namespace
}  // namespace assetc::engine
