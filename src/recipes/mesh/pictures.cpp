#include "recipes/mesh/pictures.hpp"

#include <algorithm>

#include "base/plural.hpp"
#include "import/model/source.hpp"
#include "recipes/container/containers.hpp"
#include "recipes/material/compiled_material.hpp"

namespace assetc::recipes {
namespace {

std::vector<bool> used_images(const scene::Scene& scene) {
  std::vector<bool> used(scene.images.size());
  const auto use = [&](const scene::TextureUse& texture) {
    if (texture.image != scene::kNone) used[texture.image] = true;
  };
  for (const scene::Material& material : scene.materials) {
    for (const MaterialSlot& slot : kMaterialSlots) use(material.*slot.use);
    for (const scene::NamedTexture& texture : material.textures) use(texture.use);
  }
  return used;
}

// Lists at most a few paths.
std::string listed(const std::vector<std::string>& paths) {
  constexpr std::size_t kMost = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(paths.size(), kMost); ++i) text += (i == 0 ? "" : ", ") + paths[i];
  if (paths.size() > kMost) text += " and " + plural(paths.size() - kMost, "other file");
  return text;
}

}  // namespace

SameNames same_names_of(const std::string& picture, const Step& step, Inputs& inputs) {
  const std::string_view name = importer::file_name(picture);
  const std::string_view root = step.containers->naming.root_of(step.input_path);
  SameNames found;
  for (std::string& path : inputs.named(name)) {
    if (!path.starts_with(root) || !step.settings.mesh.search.has(std::string_view(path).substr(root.size()))) continue;
    (importer::file_name(path) == name ? found.exact : found.similar).push_back(std::move(path));
  }
  return found;
}

std::string similar_hint(const SameNames& found) {
  if (found.similar.empty()) return {};
  return " (did you mean " + listed(found.similar) + "?)";
}

Result<void> find_pictures(importer::Imported& model, importer::ModelKind kind, const Step& step, Inputs& inputs) {
  if (kind != importer::ModelKind::kObj && kind != importer::ModelKind::kFbx) return {};
  const std::vector<bool> used = used_images(model.scene);
  for (std::size_t i = 0; i < used.size(); ++i) {
    std::string& path = model.scene.images[i].path;
    if (!used[i] || path.empty() || inputs.exists(path)) continue;
    const SameNames found = same_names_of(path, step, inputs);
    const std::string place = "image \"" + path + "\"";
    if (found.exact.size() > 1) {
      return fail_at(ErrorCode::kNotFound, place,
                     "it is not there, and " + plural(found.exact.size(), "file") +
                         " of the project have its name: " + listed(found.exact),
                     "export the model with relative paths, or set mesh.search to the folder of the right one");
    }
    if (found.exact.empty()) continue;
    model.warnings.push_back({WarningKind::kMovedPicture,
                              ErrorCode::kNotFound,
                              {},
                              place,
                              "it is not there; " + found.exact[0] + ", the only file of its name, is used",
                              "export the model with relative paths"});
    path = found.exact[0];
  }
  return {};
}

}  // namespace assetc::recipes
