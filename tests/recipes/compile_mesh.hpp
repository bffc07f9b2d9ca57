// Compiles a model with the mesh recipe of a build and holds the results.
#pragma once

#include "assetc/formats/hmesh.hpp"
#include "recipes/fake_inputs.hpp"

namespace assetc::recipes {

struct CompiledFiles {
  Result<Product> product;
  // The bytes of the first output with this suffix; empty if there is none. Aligned like a new vector.
  Bytes output(std::string_view suffix) const {
    for (const Output& o : product->outputs) {
      if (o.suffix == suffix) return o.bytes;
    }
    return {};
  }
  hmesh::View mesh() const { return *hmesh::View::open(output(".hmesh")); }
  std::vector<std::string> warnings() const {
    std::vector<std::string> lines;
    for (const Diagnostic& d : product->diagnostics) lines.push_back(d.what.to_string());
    return lines;
  }
};

// The default of the tests of flattened meshes.
inline constexpr MeshSettings kNoScene{.scene = SceneMode::kNever};

inline CompiledFiles compile_mesh(const std::string& text, const MeshSettings& settings = kNoScene,
                                  std::string_view path = "models/a.gltf",
                                  std::initializer_list<std::string_view> pictures = {}) {
  FakeInputs inputs;
  inputs.files[std::string(path)] = text;
  for (std::string_view p : pictures) inputs.files[std::string(p)] = "picture";
  Step step;
  step.recipe = find_recipe("mesh");
  step.source = step.input_path = path;
  step.stem = path.substr(0, path.rfind('.'));
  step.settings.mesh = settings;
  step.settings.mesh.lods = 0;
  return {step.recipe->cook(step, inputs)};
}

}  // namespace assetc::recipes
