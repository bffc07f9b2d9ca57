// Compiles a scene to one mesh with its materials and clips. The mesh recipe does this after importing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "recipes/mesh/compiled_mesh.hpp"
#include "recipes/mesh/parts.hpp"

namespace assetc::recipes {

struct MeshContainer;
struct PartContainers;

struct CompiledModel {
  MeshSource source;                         // refers to the scene that was compiled, which must outlive this
  const MeshContainer* container = nullptr;  // of the flattened mesh
  bool writes_mesh = false;
  CompiledMesh mesh{};  // flattened; empty unless writes_mesh
  bool writes_scene = false;
  MaterialTable table{};
  // The materials of the table. Empty if no table is written: an OBJ that names none, a container without slots.
  std::optional<std::vector<CompiledMaterial>> materials{};
  // The mesh of the source with the geometry of the flattened mesh, to which the scene refers; kNone: there is none.
  std::uint32_t same_mesh = scene::kNone;
  MaterialTable scene_table{};
  std::vector<CompiledMaterial> scene_materials{};  // of the scene's table; empty without a scene
  std::vector<hanim::Clip> clips{};
  ByteVector compressed_clips{};  // the file instead of `clips`, if the settings ask for it
  std::vector<Step> texture_steps{};
  std::vector<std::string> references{};  // Product::references
  MeshReport report{};
};

// Compiles everything that a scene draws, according to the step's settings and mesh container.
// kind: the kind of the file that the scene was read from. It decides how messages name parts and whether a missing
// image is an error. The scene must outlive the result. Its geometry is freed if no further file needs it.
// Errors: kInvalidData if nothing is drawn and no scene is written; those of mesh::build_mesh and MaterialBuilder.
Result<CompiledModel> compile_model(scene::Scene& scene, importer::ModelKind kind, const Step& step, Inputs& inputs);

// The clips of a scene for which is_clips_alone() is true, with the joints that they move. No other output.
Result<Product> cook_clips(const scene::Scene& scene, importer::ModelKind kind, const Step& step);

// compile_model and write_model, or cook_clips if the scene has only clips.
Result<Product> cook_whole(scene::Scene& scene, importer::ModelKind kind, const Step& step, Inputs& inputs);

// Cooks each part of a scene as a separate asset, under the UUID that the inputs give it. The node tree gets the UUID
// of the step.
// Errors: kNotFound for a part without a UUID; those of compile_model.
Result<Product> cook_parts(const scene::Scene& scene, importer::ModelKind kind, const Step& step, Inputs& inputs,
                           const PartContainers& containers);
// The same, written as AAS1 blobs: recipes/container/aas1.cpp.
Result<Product> cook_aas1_parts(scene::Scene& scene, importer::ModelKind kind, const Step& step, Inputs& inputs);

// A scene for a container, with the attributes that the settings select.
MeshSource source_of(const scene::Scene& scene, importer::ModelKind kind, const MeshSettings& settings,
                     const MeshContainer& container);

// Builds submeshes according to the settings and the container, with the slots of the table.
Result<mesh::Mesh> build_submeshes(std::vector<mesh::SubmeshInput> submeshes, const MaterialTable& table,
                                   const MeshSettings& settings, const MeshContainer& container, MeshReport& report);

// Writes the value with the step's containers: the mesh first, then clips and materials if there are any and the mesh's
// container keeps them, then the scene.
Result<Product> write_model(CompiledModel model, const Step& step);
// scene.cpp: adds the files of a scene: its materials, each mesh, the clips of all nodes, and the scene itself.
Result<void> write_scene(CompiledModel& model, const Step& step, Product& product);

}  // namespace assetc::recipes
