// A scene as one mesh with its materials and clips: the mesh recipe after its importer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "recipes/compiled_mesh.hpp"
#include "recipes/mesh_parts.hpp"

namespace assetc::recipes {

struct MeshContainer;
struct PartContainers;

struct CompiledModel {
  MeshSource source;  // refers to the scene that was compiled, which must outlive this
  CompiledMesh mesh{};
  MaterialTable table{};
  // Of the table. Nothing where no table is written: an OBJ that names none, a container without slots.
  std::optional<std::vector<CompiledMaterial>> materials{};
  std::vector<hanim::Clip> clips{};
  std::vector<Step> texture_steps{};
  MeshReport report{};
};

// Compiles what a scene draws as step's settings and its container of meshes ask. kind: of the file that the scene was
// read from, which decides how messages name its parts and whether an image that is not there is an error. The scene
// must outlive the value. inputs: see build_materials.
// Errors: kInvalidData where nothing is drawn; those of mesh::build_mesh and build_materials.
Result<CompiledModel> compile_model(const scene::Scene& scene, importer::ModelKind kind, const Step& step,
                                    Inputs& inputs);

// The clips of a scene that is_clips_alone(), with the joints that they move. No other output.
Result<Product> cook_clips(const scene::Scene& scene, importer::ModelKind kind, const Step& step);

// compile_model and write_model; cook_clips where the scene has nothing else.
Result<Product> cook_whole(const scene::Scene& scene, importer::ModelKind kind, const Step& step, Inputs& inputs);

// The parts of a scene as assets of their own, each under the UUID that the inputs give it; the node tree under the
// step's own. Errors: kNotFound for a part without a UUID; those of compile_model.
Result<Product> cook_parts(const scene::Scene& scene, importer::ModelKind kind, const Step& step, Inputs& inputs,
                           const PartContainers& containers);
// The same as AAS1 blobs: aas1_containers.cpp.
Result<Product> cook_aas1_parts(const scene::Scene& scene, importer::ModelKind kind, const Step& step, Inputs& inputs);

// Submeshes as the settings and the container ask.
Result<mesh::Mesh> build_submeshes(std::span<const FlatSubmesh> flat, const MaterialTable& table,
                                   const MeshSettings& settings, const MeshContainer& container, MeshReport& report);

// The value in step's containers: the mesh first, then clips and materials where there are some and the mesh's
// container keeps them.
Result<Product> write_model(CompiledModel model, const Step& step);

}  // namespace assetc::recipes
