// Any text as a .obj, and as the material library that it names.
#include "fuzz.hpp"
#include "import/obj/obj.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assetc;
  const ByteSpan input = fuzz::bytes(data, size);
  const Bytes file{ByteVector(input.begin(), input.end())};
  importer::ImportLimits limits;
  limits.scene_bytes = 64 << 20;
  const auto imported =
      importer::import_obj("models/a.obj", file, [&](std::string_view) -> Result<Bytes> { return file; }, limits);
  if (!imported) {
    fuzz::require(!imported.error().place.empty());
    return 0;
  }
  const scene::Scene& s = imported->scene;
  for (const scene::Mesh& mesh : s.meshes) {
    for (const scene::Primitive& p : mesh.primitives) {
      const std::size_t corners = p.topology == scene::Topology::kTriangles ? 3
                                  : p.topology == scene::Topology::kLines   ? 2
                                                                            : 1;
      fuzz::require(p.indices.size() % corners == 0 && p.indices.size() >= corners);
      fuzz::require(p.material == scene::kNone || p.material < s.materials.size());
      for (const std::uint32_t i : p.indices) fuzz::require(i < p.positions.size());
      fuzz::require(p.normals.empty() || p.normals.size() == p.positions.size());
      fuzz::require(p.smoothing_groups.empty() || p.smoothing_groups.size() == p.indices.size() / 3);
      for (const auto& set : p.texcoords) fuzz::require(set.size() == p.positions.size());
      for (const auto& set : p.colors) fuzz::require(set.size() == p.positions.size());
    }
  }
  return 0;
}
