// A build keeps the outputs of an older compiler if the version of their recipe is the same. So a recipe whose outputs
// change needs a new version, or projects keep files that a newer runtime may refuse.
#include <gtest/gtest.h>

#include <filesystem>

#include "crypto/sha.hpp"
#include "crypto/text.hpp"
#include "places.hpp"
#include "recipes/container/containers.hpp"
#include "recipes/cooked_inputs.hpp"
#include "recipes/known_outputs.hpp"

namespace assetc::recipes {
namespace {

namespace fs = std::filesystem;

using Values = std::vector<std::pair<std::string_view, std::string_view>>;

// Builds compile all sources with each of these, cooks with the first; with pictures of at most 64 texels a side.
const std::vector<Values> kSettings{
    {},
    {{"mesh.lods", "3"}, {"mesh.compress", "meshopt"}, {"texture.format", "bc7"}},
    {{"mesh.compress", "meshopt"}, {"mesh.quantize", "true"}, {"texture.format", "etc2"}, {"texture.quality", "fast"}},
    {{"mesh.compress", "meshopt-zstd"}, {"texture.format", "astc4x4"}, {"texture.quality", "fast"}},
    {{"mesh.lod", "cluster"}, {"texture.format", "uastc"}, {"texture.quality", "fast"}, {"texture.rdo", "10"}},
    {{"mesh.container", "hmesh-v1"}, {"mesh.scene", "false"}, {"texture.format", "bc1"}, {"texture.quality", "fast"}},
    {{"mesh.container", "galileo"}, {"texture.format", "rgba8"}, {"animation.container", "hanim-v1"}},
};

// The outputs of each recipe, as text that differs if any byte differs.
class Outputs {
 public:
  void cook(const Step& step, Inputs& inputs) {
    std::string& all = by_recipe[step.recipe->name];
    const Result<Product> product = step.recipe->cook(step, inputs);
    all += "step " + step.stem + "\n";
    if (!product) {
      all += "refused\n";
      return;
    }
    for (const Output& output : product->outputs)
      all += output.suffix + " " + crypto::hex(crypto::sha256(output.bytes)) + "\n";
    for (Step child : product->steps) {
      if (!child.input_path.empty() && !inputs.exists(child.input_path)) continue;
      child.settings = step.settings;
      for (const auto& [key, value] : child.pins) ASSERT_TRUE(find_setting(key)->set(child.settings, value)) << key;
      cook(child, inputs);
    }
  }

  std::map<std::string_view, std::string> by_recipe;
};

// 0.1 seconds of a tone: 16 bits, mono, 8000 Hz.
std::string wav() {
  std::string file("RIFF\x64\x06\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x80\x3e\0\0\2\0\x10\0data\x40\x06\0\0", 44);
  for (int i = 0; i < 800; ++i) {
    const int sample = 8000 * (i % 20 < 10 ? 1 : -1) + i;
    file += {static_cast<char>(sample & 0xff), static_cast<char>(sample >> 8 & 0xff)};
  }
  return file;
}

// Sources by path: files, and folders that a recipe claims whole.
std::map<std::string, SourceAsset> sources_of(const FakeInputs& inputs, std::span<const Recipe* const> recipes) {
  std::map<std::string, SourceAsset> sources;
  for (const auto& [path, text] : inputs.files) {
    const std::string folder = path.substr(0, path.rfind('/'));
    for (const Recipe* recipe : recipes) {
      for (const Claim& claim : recipe->claims) {
        if (claim.directory && folder.ends_with(claim.suffix))
          sources[folder] = {recipe, claim.mode, stem_of(folder, claim)};
      }
    }
    const auto asset = asset_of(recipes, path);
    if (asset && !sources.contains(folder)) sources[path] = *asset;
  }
  return sources;
}

TEST(Versions, outputs_of_a_recipe_change_only_with_its_version) {
  const fs::path root = places::kSource;
  FakeInputs files;
  add_files(files, root / "examples/demo/assets", "demo");
  add_files(files, root / "tests/data/corpus/models", "models");
  add_files(files, root / "tests/data/corpus/fonts", "fonts");
  files.files["jump.wav"] = wav();
  files.files["game.lua"] = "return 1\n";
  files.files["game.txt"] = "text\n";
  files.files["game.embed.yml"] = "file: game.txt\nas: header\n";

  Outputs outputs;
  for (const bool cooked : {false, true}) {
    for (const Values& values : std::span(kSettings).first(cooked ? 1 : kSettings.size())) {
      for (const auto& [path, source] : sources_of(files, cooked ? cooked_recipes() : all_recipes())) {
        CookedInputs with_uuids;
        with_uuids.files = files.files;
        Inputs& inputs = cooked ? with_uuids : static_cast<Inputs&>(files);
        Step step;
        step.recipe = source.recipe;
        step.source = step.input_path = path;
        step.stem = cooked ? with_uuids.uuid(path)->to_string() : source.stem;
        step.params = mode_params(source.mode);
        if (cooked) step.containers = &kCookedContainers;
        ASSERT_TRUE(find_setting("texture.max_size")->set(step.settings, "64"));
        for (const auto& [key, value] : values) ASSERT_TRUE(find_setting(key)->set(step.settings, value)) << key;
        outputs.cook(step, inputs);
      }
    }
  }

  std::vector<KnownOutputs> found;
  found.reserve(outputs.by_recipe.size());
  for (const auto& [name, text] : outputs.by_recipe) found.push_back({name, *find_recipe(name), text});
  EXPECT_GE(found.size(), 12u);
  compare_with_list(found);
}

}  // namespace
}  // namespace assetc::recipes
