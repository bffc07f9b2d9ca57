// Writes .hmesh, versions 2 and 1.
#include <algorithm>
#include <array>

#include "base/release.hpp"
#include "codec/mesh/encode/hmesh_encode.hpp"
#include "formats/hmesh/write.hpp"
#include "mesh/frames.hpp"
#include "os/pages.hpp"
#include "recipes/container/containers.hpp"
#include "recipes/container/hmesh_further.hpp"
#include "recipes/mesh/parts.hpp"

namespace assetc::recipes {
namespace {

// Interleaves and packs vertices, a block at a time and in order.
class VertexPacker {
 public:
  explicit VertexPacker(const mesh::Mesh& mesh) : mesh_(mesh) {
    if (!mesh.texcoords.empty()) texcoords_ = mesh.texcoords.front();
  }

  template <class GpuVertex>
  void fill(std::size_t first, std::span<GpuVertex> out) const {
    std::array<mesh::PackedFrame, kBlock> frames;
    for (std::size_t begin = 0; begin < out.size(); begin += kBlock) {
      const std::size_t count = std::min(kBlock, out.size() - begin), at = first + begin;
      const std::span tangents = mesh_.tangents;
      mesh::pack_frames(std::span(mesh_.normals).subspan(at, count),
                        tangents.empty() ? tangents : tangents.subspan(at, count), std::span(frames).first(count));
      for (std::size_t i = 0; i < count; ++i) {
        const scene::Vec3 p = mesh_.positions[at + i];
        const scene::Vec2 uv = texcoords_.empty() ? scene::Vec2{} : texcoords_[at + i];
        out[begin + i] = GpuVertex{{p.x, p.y, p.z},
                                   {frames[i].normal[0], frames[i].normal[1]},
                                   {frames[i].tangent[0], frames[i].tangent[1]},
                                   {uv.x, uv.y}};
      }
    }
  }

 private:
  static constexpr std::size_t kBlock = 256;

  const mesh::Mesh& mesh_;
  std::span<const scene::Vec2> texcoords_;
};

// Frees vertex streams while a writer passes over them once, behind its position.
class SpentVertices {
 public:
  explicit SpentVertices(mesh::Mesh& mesh) : mesh_(mesh) {}

  // Called when vertices before first are not needed any more.
  void release_before(std::size_t first) {
    constexpr std::size_t kPiece = std::size_t{1} << 16;
    if (first - released_ < kPiece) return;
    const auto drop = [&](auto& stream) {
      if (!stream.empty())
        os::release_pages(std::as_writable_bytes(std::span(stream).subspan(released_, first - released_)));
    };
    for_each(drop);
    released_ = first;
  }
  void release_all() {
    for_each([](auto& stream) { release(stream); });
  }

 private:
  template <class Do>
  void for_each(const Do& action) {
    action(mesh_.positions);
    action(mesh_.normals);
    action(mesh_.tangents);
    if (!mesh_.texcoords.empty()) action(mesh_.texcoords.front());  // the others are written later
  }

  mesh::Mesh& mesh_;
  std::size_t released_ = 0;
};

// Interleaves the further attributes, a block at a time.
chunks::Producer further_vertices_of(const FurtherStreams& streams, std::size_t vertex_count) {
  const std::size_t stride = streams.attributes.stride_bytes();
  return {stride * vertex_count, [&streams, vertex_count, stride](ByteVector& file) {
            constexpr std::size_t kBlock = 1024;
            ByteVector block;
            for (std::size_t first = 0; first < vertex_count; first += kBlock) {
              const std::size_t count = std::min(kBlock, vertex_count - first);
              block.resize(count * stride);
              std::size_t offset = 0;
              for (std::size_t i = 0; i < streams.fills.size(); ++i) {
                streams.fills[i](first, count, block.data() + offset, stride);
                offset += hmesh::size_bytes_of(streams.attributes.items[i].format);
              }
              append_bytes(file, block);
            }
          }};
}

Result<Bytes> owned(Result<ByteVector> file) {
  if (!file) return std::unexpected(std::move(file).error());
  return Bytes(std::move(*file));
}

Result<Bytes> write_hmesh(CompiledMesh& in, MeshReport&) {
  mesh::Mesh& m = in.mesh;
  const VertexPacker packer(m);
  SpentVertices spent_vertices(m);
  const FurtherStreams further = further_streams(m);
  m.further_attributes = further.attributes;
  m.morphs = hmesh_morphs(m);
  const chunks::Producer vertices = chunks::produce_blocks<hmesh::GpuVertex>(
      m.positions.size(), [&, count = m.positions.size()](std::size_t first, std::span<hmesh::GpuVertex> block) {
        packer.fill(first, block);
        spent_vertices.release_before(first);
        if (first + block.size() == count) spent_vertices.release_all();
      });
  ASSETC_TRY(ByteVector file, hmesh::write_spent(m, vertices, further_vertices_of(further, m.positions.size())));
  if (in.compress == MeshCompression::kNone) return Bytes(std::move(file));
  return owned(hmesh::encode_hmesh(file, {.zstd = in.compress == MeshCompression::kMeshoptZstd}));
}

// Version 1 has one range of triangles, and the materials of the source.
Result<Bytes> write_hmesh_v1(CompiledMesh& in, MeshReport& report) {
  const mesh::Mesh& m = in.mesh;
  const std::string place = in.place(0);
  if (m.submeshes.empty()) {
    return fail_at(ErrorCode::kUnsupported, place,
                   "the mesh has points and lines alone, but hmesh-v1 holds triangles only",
                   "use mesh.container: hmesh");
  }
  const auto count = static_cast<std::uint32_t>(m.submeshes.size());
  report.drop("submesh ranges, which hmesh-v1 cannot hold", place, count > 1 ? count : 0);
  report.drop("skins, which hmesh-v1 cannot hold", place, m.skin.empty() ? 0 : 1);
  report.drop("levels of detail, which hmesh-v1 cannot hold", place, m.lod_count);
  report.drop("vertex color sets, which hmesh-v1 cannot hold", place, static_cast<std::uint32_t>(m.colors.size()));
  report.drop("attributes, which hmesh-v1 cannot hold", place, static_cast<std::uint32_t>(m.custom.size()));
  report.drop("morph targets, which hmesh-v1 cannot hold", place, static_cast<std::uint32_t>(m.targets.size()));
  report.drop("point and line primitives, which hmesh-v1 cannot hold", in.place(m.submeshes.size()),
              static_cast<std::uint32_t>(m.primitives.items.size()));
  const VertexPacker packer(m);
  const chunks::Producer vertices = chunks::produce_blocks<hmesh_v1::GpuVertex>(
      m.positions.size(), [&](std::size_t first, std::span<hmesh_v1::GpuVertex> block) { packer.fill(first, block); });
  return owned(hmesh_v1::write(m, vertices, in.source_materials, in.source_material_names));
}

}  // namespace

constinit const MeshContainer kHmesh{.suffix = ".hmesh",
                                     .name = "hmesh",
                                     .keeps_channels = false,
                                     .keeps_lods = true,
                                     .keeps_materials = true,
                                     .keeps_skin = true,
                                     .keeps_attributes = true,
                                     .keeps_morphs = true,
                                     .write = write_hmesh};
constinit const MeshContainer kHmeshV1{.suffix = ".hmesh",
                                       .name = "hmesh-v1",
                                       .keeps_channels = false,
                                       .keeps_lods = false,
                                       .keeps_materials = false,
                                       .keeps_skin = false,
                                       .write = write_hmesh_v1};

}  // namespace assetc::recipes
