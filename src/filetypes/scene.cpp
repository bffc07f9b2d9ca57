// .hscene.
#include <algorithm>
#include <map>

#include "assetc/formats/hscene_view.hpp"
#include "filetypes/readers.hpp"

namespace assetc::filetypes {
namespace {

template <class T>
std::uint32_t count_of(const T& items) {
  return static_cast<std::uint32_t>(items.size());
}

FileContent describe(const hscene::View& scene) {
  SceneInfo info;
  const auto count_extras = [&](const auto& items) {
    for (const auto& item : items) info.extras += item.extra == hscene::kNone ? 0 : 1;
  };
  info.nodes = count_of(scene.nodes());
  for (const hscene::Mesh& mesh : scene.meshes()) info.meshes += mesh.file.is_none() ? 0 : 1;
  for (const hscene::Node& node : scene.nodes()) info.instances += node.mesh == hscene::kNone ? 0 : 1;
  info.skins = count_of(scene.skins());
  info.cameras = count_of(scene.cameras());
  info.lights = count_of(scene.lights());
  info.materials = count_of(scene.materials());
  info.variants = static_cast<std::uint32_t>(scene.variant_count());
  count_extras(scene.nodes());
  count_extras(scene.meshes());
  count_extras(scene.materials());
  count_extras(scene.cameras());
  count_extras(scene.lights());
  for (const hscene::Clip& clip : scene.clips()) info.clips.emplace_back(scene.text(clip.name));
  return info;
}

Result<References> references(ByteSpan file) {
  ASSETC_TRY(const hscene::View scene, hscene::View::open(file));
  References out;
  if (scene.has_uuids()) return out;
  for (std::size_t m = 0; m < scene.meshes().size(); ++m) {
    const hscene::Mesh& mesh = scene.meshes()[m];
    if (!mesh.file.is_none()) out.parts.push_back({"mesh " + std::to_string(m), mesh.file.hash(), mesh.submesh_count});
  }
  // Rows and clips of one file are one reference.
  std::map<std::uint64_t, std::uint32_t> rows, clips;
  for (const hscene::Material& m : scene.materials()) {
    if (!m.file.is_none()) rows[m.file.hash()] = std::max(rows[m.file.hash()], m.row + 1);
  }
  for (const hscene::Clip& c : scene.clips()) {
    if (!c.file.is_none()) clips[c.file.hash()] = std::max(clips[c.file.hash()], c.number + 1);
  }
  for (const auto& [hash, count] : rows) out.parts.push_back({"materials", hash, count});
  for (const auto& [hash, count] : clips) out.parts.push_back({"clips", hash, count});
  for (std::size_t m = 0; m < scene.materials().size(); ++m) {
    for (const hscene::Texture& t : scene.textures(scene.materials()[m])) {
      out.textures.push_back({"material " + std::to_string(m), "scene", t.file.hash()});
    }
  }
  return out;
}

}  // namespace

constinit const Reader kHsceneReader{
    .open = open_with<hscene::View>, .inspect = inspect_with<hscene::View, describe>, .references = references};

}  // namespace assetc::filetypes
