#include "recipes/mesh/engine_materials.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "import/engines/beside.hpp"
#include "import/engines/unity_material.hpp"
#include "import/material.hpp"
#include "recipes/container/containers.hpp"

namespace assetc::recipes {
namespace {

using importer::BesideMaterial;
using importer::OtherEngine;

// The path of the source with a GUID of Unity.
std::optional<std::string> path_of(const Uuid& guid, Inputs& inputs) {
  const std::optional<Uuid> uuid = inputs.uuid(std::string(importer::kUnityName) + guid.to_string());
  return uuid ? inputs.path_of(*uuid) : std::nullopt;
}

// The material of a .mat file, with pictures that are those of the model from `first_image` on.
Result<importer::Imported> read_material(const std::string& path, const Step& step, Inputs& inputs) {
  ASSETC_TRY(const Bytes file, inputs.read(path));
  ASSETC_TRY(importer::Imported read,
             importer::import_material(path, file, step.containers->naming.root_of(step.input_path)));
  for (scene::ImageSource& image : read.scene.images) {
    const auto name = importer::asset_name(image.path);
    if (!name) continue;
    const std::optional<Uuid> uuid = inputs.uuid(*name);
    const std::optional<std::string> found = uuid ? inputs.path_of(*uuid) : std::nullopt;
    image.path = found.value_or("");
    image.name = path + ": " + image.name;
  }
  return read;
}

void replace(scene::Scene& scene, scene::Material& material, const importer::Imported& by) {
  const auto first = static_cast<std::uint32_t>(scene.images.size());
  scene.images.insert(scene.images.end(), by.scene.images.begin(), by.scene.images.end());
  std::string name = std::move(material.name);
  material = by.scene.materials.front();
  material.name = std::move(name);
  scene::for_each_texture(material, [&](std::string_view, scene::TextureUsage, scene::TextureUse& use) {
    if (use.image == scene::kNone) return;
    use.image += first;
    if (scene.images[use.image].path.empty()) use = {};
  });
}

}  // namespace

void take_engine_materials(importer::Imported& model, importer::ModelKind kind, const Step& step, Inputs& inputs) {
  if (kind != importer::ModelKind::kFbx || !inputs.uuid(importer::kUnityName)) return;
  const std::string meta = step.input_path + std::string(importer::beside_suffix(OtherEngine::kUnity));
  if (!inputs.exists(meta)) return;
  const Result<Bytes> text = inputs.read(meta);
  if (!text || !importer::is_beside(OtherEngine::kUnity, as_text(*text))) return;
  const Result<importer::Beside> beside = importer::read_beside(OtherEngine::kUnity, step.input_path, as_text(*text));
  if (!beside) return;  // the plan reports it
  for (const BesideMaterial& from : beside->materials) {
    const std::optional<std::string> path = path_of(from.guid, inputs);
    // The material of another project is no source here.
    if (!path || !path->ends_with(".mat")) continue;
    const Result<importer::Imported> read = read_material(*path, step, inputs);
    const std::string place = "material \"" + from.name + "\"";
    if (!read) {
      model.warnings.push_back({WarningKind::kEngineSetting, ErrorCode::kInvalidData, std::string(), place,
                                "Unity replaces it by " + *path + ", which cannot be read: " + read.error().what +
                                    "; the material of the FBX is used",
                                "correct that file"});
      continue;
    }
    for (scene::Material& material : model.scene.materials)
      if (material.name == from.name) replace(model.scene, material, *read);
  }
}

}  // namespace assetc::recipes
