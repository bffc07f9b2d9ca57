// Any bytes as a .gltf or .glb: an error with a place, or a scene whose indices are all valid.
#include "fuzz.hpp"
#include "import/gltf/gltf.hpp"
#include "import/model/named_files.hpp"

namespace {

using namespace assetc;

void check(const scene::Scene& s) {
  for (const scene::Node& node : s.nodes) {
    fuzz::require(node.mesh == scene::kNone || node.mesh < s.meshes.size());
    fuzz::require(node.skin == scene::kNone || node.skin < s.skins.size());
  }
  world_matrices(s);  // ends only if parents form no cycle
  for (const scene::Mesh& mesh : s.meshes) {
    for (const scene::Primitive& p : mesh.primitives) {
      const std::size_t corners = p.topology == scene::Topology::kTriangles ? 3
                                  : p.topology == scene::Topology::kLines   ? 2
                                                                            : 1;
      fuzz::require(p.indices.size() % corners == 0);
      fuzz::require(p.material == scene::kNone || p.material < s.materials.size());
      const std::size_t count = p.positions.size();
      for (const std::uint32_t i : p.indices) fuzz::require(i < count);
      fuzz::require(p.normals.empty() || p.normals.size() == count);
      fuzz::require(p.tangents.empty() || p.tangents.size() == count);
      for (const auto& set : p.texcoords) fuzz::require(set.empty() || set.size() == count);
      for (const auto& set : p.colors) fuzz::require(set.empty() || set.size() == count);
      for (const auto& set : p.influences) fuzz::require(set.joints.size() == count && set.weights.size() == count);
    }
  }
  for (const scene::Material& m : s.materials) {
    for (const auto* use : {&m.base_color_texture, &m.metallic_roughness_texture, &m.normal_texture,
                            &m.occlusion_texture, &m.emissive_texture}) {
      fuzz::require(use->image == scene::kNone || use->image < s.images.size());
    }
  }
  for (const scene::Skin& skin : s.skins) {
    fuzz::require(skin.joints.size() == skin.inverse_bind.size());
    for (const std::uint32_t joint : skin.joints) fuzz::require(joint < s.nodes.size());
  }
  for (const scene::Clip& clip : s.clips) {
    for (const scene::Channel& c : clip.channels) fuzz::require(c.node < s.nodes.size() && !c.times_seconds.empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteSpan input = fuzz::bytes(data, size);
  const Bytes file{ByteVector(input.begin(), input.end())};
  importer::ImportLimits limits;
  limits.scene_bytes = 16 << 20;
  const Bytes other{ByteVector(4096)};
  const auto imported =
      importer::import_gltf("models/a.gltf", file, [&](std::string_view) -> Result<Bytes> { return other; }, limits);
  importer::estimate_gltf(file);
  for (const std::string& name :
       importer::named_files("models/a.gltf", [&](std::size_t) { return Result<Bytes>(file); }, {}))
    fuzz::require(!name.empty() && !name.starts_with('/') && !name.starts_with("../"));
  if (imported) {
    check(imported->scene);
  } else {
    fuzz::require(!imported.error().what.empty());
  }
  return 0;
}
