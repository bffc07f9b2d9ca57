// .hscene version 1, also as vectors and to write. Specification: docs/formats/hscene.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/formats/hscene_view.hpp"

namespace assetc::hscene {

// A scene in vectors: the input of write(). Members are the arrays of the file.
struct Model {
  SceneDesc desc{};
  std::vector<Node> nodes;
  std::vector<Matrix> matrices, inverse_bind;
  std::vector<float> weights;
  std::vector<Mesh> meshes;
  std::vector<Skin> skins;
  std::vector<std::uint32_t> joints, variants, clip_nodes;
  std::vector<Camera> cameras;
  std::vector<Light> lights;
  std::vector<Material> materials;
  std::vector<Parameter> parameters;
  std::vector<Texture> textures;
  std::vector<VariantMaterial> variant_materials;
  std::vector<Clip> clips;
  std::vector<std::string> texts;

  // Appends a text and returns its index; kNone for an empty one.
  std::uint32_t add_text(std::string_view text);
  std::string_view text(std::uint32_t index) const { return index == kNone ? std::string_view() : texts[index]; }
};

// Returns the bytes of a file that View::open accepts, or the error that it would give for the model. Deterministic.
// The list of nodes by name is derived.
Result<ByteVector> write(const Model& model);

}  // namespace assetc::hscene
