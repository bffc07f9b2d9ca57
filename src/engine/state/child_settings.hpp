// The settings of a step that another step may ask for, as that step sees them when it names the other one.
#pragma once

#include <string>
#include <string_view>

#include "assetc/base/hash.hpp"
#include "recipes/recipe.hpp"

namespace assetc::engine {

// Which settings. Its text is the path of a dependency.
struct AskedSettings {
  std::string_view recipe;
  std::string_view source;  // the source whose rules apply; empty: only those of `taken`
  std::string_view taken;   // a further file whose rules apply; may be empty
  std::string_view pins;    // encode_pins()

  std::string text() const;
  static AskedSettings of(std::string_view text);  // refers to the text
};

struct ChildSettings {
  bool shares = false;          // texture.share: content
  bool keeps_graphics = false;  // texture.compress: auto
  std::string_view canonical;   // canonical_settings() of the groups of the recipe; lives as long as the rules
  std::string_view libraries;   // those of the recipe, which decide what a picture decodes to

  // What the step that asks depends on. Settings that do not share decide nothing about it. Those of a file as a source
  // of its own, which are asked for without a source, are compared with others.
  ContentHash hash(const AskedSettings& asked) const;
};

// Gives a step a name, params and pins that all who ask for the same texture agree on. content: of its picture.
void share_step(recipes::Step& child, const ContentHash& content, const ChildSettings& settings);

}  // namespace assetc::engine
