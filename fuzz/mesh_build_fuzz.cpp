// Any bytes as triangles, lines and points: build_mesh refuses them or makes a valid mesh. Every triangle is in one
// meshlet, every index is in range, levels of detail use vertices of the mesh, and normals and tangents are finite. The
// mesh can be written to a file, and another run makes the same mesh.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <vector>

#include "fuzz.hpp"
#include "mesh/build.hpp"
#include "recipes/container/containers.hpp"
#include "recipes/container/hmesh_values.hpp"
#include "recipes/mesh/parts.hpp"

namespace {

using namespace assetc;
using fuzz::require;

// Takes numbers from the front of the input; zeros after its end.
class Source {
 public:
  explicit Source(ByteSpan bytes) : bytes_(bytes) {}
  std::uint8_t byte() {
    if (bytes_.empty()) return 0;
    const auto value = static_cast<std::uint8_t>(bytes_.front());
    bytes_ = bytes_.subspan(1);
    return value;
  }
  // Mostly a step of a coarse grid, so that positions, seams and degenerate triangles coincide; otherwise any bits.
  float number() {
    const std::uint8_t b = byte();
    if (b < 240) return static_cast<float>(b % 16) * 0.25f - 1;
    std::uint32_t bits = 0;
    for (int i = 0; i < 4; ++i) bits = bits << 8 | byte();
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  scene::Vec3 vec3() { return {number(), number(), number()}; }

 private:
  ByteSpan bytes_;
};

struct Arrays {
  std::vector<std::uint32_t> indices, groups;
  std::vector<scene::Vec3> positions, normals;
  std::vector<scene::Vec4> tangents;
  std::vector<scene::Vec2> texcoords;
};

mesh::SubmeshInput submesh_of(Source& in, Arrays& a) {
  const std::uint8_t has = in.byte();
  const std::uint32_t vertices = 1 + in.byte() % 64, triangles = 1 + in.byte();
  for (std::uint32_t v = 0; v < vertices; ++v) {
    a.positions.push_back(in.vec3());
    a.normals.push_back((has & 1) != 0 ? in.vec3() : scene::Vec3{0, 0, 1});
    a.texcoords.push_back((has & 2) != 0 ? scene::Vec2{in.number(), in.number()} : scene::Vec2{});
    a.tangents.push_back((has & 4) != 0 ? scene::Vec4{in.number(), in.number(), in.number(), 1} : scene::Vec4{});
  }
  for (std::uint32_t i = 0; i < 3 * triangles; ++i) {
    const std::uint8_t b = in.byte();
    a.indices.push_back(b == 255 ? vertices : b % vertices);  // 255: out of range
  }
  for (std::uint32_t t = 0; t < triangles; ++t) a.groups.push_back(has >> 6 == 3 ? in.byte() % 3 : 0);
  mesh::SubmeshInput out;
  out.indices = a.indices;
  out.positions = a.positions;
  if ((has & 1) != 0) out.normals = a.normals;
  if ((has & 2) != 0) out.texcoords = a.texcoords;
  if ((has & 4) != 0) out.tangents = a.tangents;
  if ((has >> 3 & 3) == 1) out.topology = scene::Topology::kLines;
  if ((has >> 3 & 3) == 2) out.topology = scene::Topology::kPoints;
  if (out.topology != scene::Topology::kTriangles) {
    out.indices = out.indices.first(out.indices.size() / 2 * 2);
  } else if (has >> 6 == 3) {
    out.smoothing_groups = a.groups;
  }
  return out;
}

using Triangle = std::array<std::uint32_t, 3>;
Triangle turned(Triangle t) {
  std::rotate(t.begin(), std::min_element(t.begin(), t.end()), t.end());
  return t;
}

void check_meshlets(const mesh::Mesh& m) {
  std::multiset<Triangle> drawn, covered;
  for (std::size_t i = 0; i < m.indices.size(); i += 3)
    drawn.insert(turned({m.indices[i], m.indices[i + 1], m.indices[i + 2]}));
  for (const hmesh::Meshlet& meshlet : m.meshlets) {
    for (std::uint32_t t = 0; t < meshlet.triangle_count; ++t) {
      const hmesh::MeshletTriangle& c = m.meshlet_triangles[meshlet.triangle_offset + t];
      const std::uint32_t* v = &m.meshlet_vertices[meshlet.vertex_offset];
      covered.insert(turned({v[c.corners[0]], v[c.corners[1]], v[c.corners[2]]}));
    }
  }
  require(drawn == covered);
}

void check_frames(const mesh::Mesh& m) {
  require(m.normals.size() == m.positions.size());
  require(m.tangents.size() == m.positions.size());
  const auto has_direction = [](float x, float y, float z) {
    return std::isfinite(x) && std::isfinite(y) && std::isfinite(z) && (x != 0 || y != 0 || z != 0);
  };
  for (const scene::Vec3& n : m.normals) require(has_direction(n.x, n.y, n.z));
  for (const scene::Vec4& t : m.tangents) require(has_direction(t.x, t.y, t.z) && (t.w == 1 || t.w == -1));
}

ByteVector file_of(const mesh::Mesh& m) {
  recipes::MeshReport report;
  recipes::CompiledMesh compiled{.mesh = m};
  const auto file = recipes::kHmesh.write(compiled, report);
  require(file.has_value());
  return {file->span().begin(), file->span().end()};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Source in(fuzz::bytes(data, size));
  mesh::MeshOptions options;
  options.lods = in.byte() % 4;
  options.exact_frames = in.byte() % 2 == 1;
  options.meshlets.max_vertices = 3 + in.byte() % 64;
  options.meshlets.max_triangles = 1 + in.byte() % 126;
  std::vector<Arrays> arrays(1 + in.byte() % 3);
  std::vector<mesh::SubmeshInput> inputs;
  for (Arrays& a : arrays) inputs.push_back(submesh_of(in, a));
  const auto built = mesh::build_mesh(inputs, options);
  if (!built) return 0;
  const mesh::Mesh& m = built->mesh;
  // Ranges, indices, boxes, counts: the rules of the format.
  const ByteVector file = file_of(m);
  require(m.lod_count <= options.lods);
  for (std::size_t s = 0; s < m.submeshes.size(); ++s) {
    std::uint32_t before = m.submeshes[s].index_count;
    for (std::uint32_t l = 0; l < m.lod_count; ++l) {
      const hmesh::MeshLod& level = m.lods[s * m.lod_count + l];
      require(level.index_count < before || level.index_count == 0);
      if (level.index_count != 0) before = level.index_count;
    }
  }
  check_meshlets(m);
  check_frames(m);
  require(file_of(mesh::build_mesh(inputs, options)->mesh) == file);
  // A file that is opened and written again is the same.
  const auto view = hmesh::View::open(file);
  require(view.has_value());
  require(file_of(recipes::read_hmesh(*view).mesh) == file);
  return 0;
}
