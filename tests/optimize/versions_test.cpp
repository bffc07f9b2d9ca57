// Commands that make one file keep its bytes, as builds do (recipes/known_outputs.hpp).
#include <gtest/gtest.h>

#include <filesystem>

#include "convert/step.hpp"
#include "crypto/sha.hpp"
#include "crypto/text.hpp"
#include "optimize/step.hpp"
#include "recipes/known_outputs.hpp"

namespace assetc::optimize {
namespace {

using recipes::FakeInputs;

// Cooks a step, and adds its outputs to the text.
void cook(const recipes::Recipe& recipe, const std::string& path, const recipes::Settings& settings,
          recipes::Params params, FakeInputs& inputs, std::string& text) {
  recipes::Step step;
  step.recipe = &recipe;
  step.source = step.input_path = path;
  step.settings = settings;
  step.params = std::move(params);
  const Result<recipes::Product> product = recipe.cook(step, inputs);
  text += path + (product ? "\n" : " refused\n");
  if (!product) return;
  for (const recipes::Output& output : product->outputs)
    text += output.suffix + " " + crypto::hex(crypto::sha256(output.bytes)) + "\n";
}

FakeInputs models() {
  FakeInputs inputs;
  recipes::add_files(inputs, std::filesystem::path(places::kSource) / "tests/data/corpus/models", "models");
  return inputs;
}

bool is_model(const std::string& path) { return path.ends_with(".gltf") || path.ends_with(".glb"); }

TEST(Versions, conversions_change_only_with_their_version) {
  FakeInputs inputs = models();
  std::string text;
  for (const auto& [path, bytes] : inputs.files) {
    convert::ConvertOptions options;
    const auto to = [&](const std::string& output) {
      cook(convert::kConvertRecipe, path, options.settings, convert::params_of(output, options), inputs, text);
    };
    if (is_model(path)) {
      for (const char* output : {"out.glb", "out.gltf", "out.hmesh"}) to(output);
      options.settings.mesh.compress = recipes::MeshCompression::kMeshopt;
      to("out.hmesh");
    } else if (path.ends_with(".png") || path.ends_with(".jpg")) {
      options.settings.texture.max_size_texels = 64;
      for (const char* output : {"out.ktx2", "out.png"}) to(output);
    }
  }
  recipes::compare_with_list({{"convert", convert::kConvertRecipe, text}});
}

TEST(Versions, optimized_files_change_only_with_their_version) {
  FakeInputs inputs = models();
  std::string text;
  std::vector<OptimizeOptions> all{optimize_options()};
  for (const char* purpose : {"web", "headset", "phone"}) all.push_back(*optimize_options_for(purpose));
  for (const Coding coding : {Coding::kMeshopt, Coding::kMeshoptKhr, Coding::kDraco}) {
    all.push_back(optimize_options());
    all.back().coding = coding;
    all.back().keep_pictures = true;
    all.back().keep = *parse_keep("none");
  }
  all.back().ratio = 0.5f;
  for (OptimizeOptions& options : all) {
    options.settings.texture.max_size_texels = 64;
    for (const auto& [path, bytes] : inputs.files) {
      if (!is_model(path)) continue;
      for (const char* output : {"out.glb", "out.gltf"})
        cook(kOptimizeRecipe, path, options.settings, params_of(options, output), inputs, text);
    }
  }
  recipes::compare_with_list({{"optimize", kOptimizeRecipe, text}});
}

}  // namespace
}  // namespace assetc::optimize
