#include "engine/look/inspect.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>

#include "assetc/formats/galileo.hpp"
#include "assetc/formats/hanim.hpp"
#include "assetc/formats/hman.hpp"
#include "assetc/formats/hmat.hpp"
#include "assetc/formats/hmesh.hpp"
#include "assetc/formats/hmesh_v1.hpp"
#include "assetc/formats/ktx2.hpp"

namespace assetc::engine {
namespace {

constexpr std::uint32_t kSpirvMagic = 0x07230203;
constexpr std::size_t kSpirvHeaderBytes = 20;

FileContent content_of(const hmesh::View& mesh) {
  MeshInfo info{.container = "hmesh 2",
                .vertices = mesh.desc().vertex_count,
                .triangles = static_cast<std::uint32_t>(mesh.triangle_count()),
                .indices = mesh.desc().index_count,
                .index_width_bytes = mesh.desc().index_width_bytes,
                .meshlets = mesh.desc().meshlet_count,
                .submeshes = mesh.desc().submesh_count,
                .materials = mesh.desc().material_count,
                .joints = static_cast<std::uint32_t>(mesh.joints().size()),
                .lods = mesh.lod_count(),
                .tangents = mesh.has_tangents()};
  std::ranges::copy(mesh.bounds().aabb_min, info.aabb_min.begin());
  std::ranges::copy(mesh.bounds().aabb_max, info.aabb_max.begin());
  return info;
}

FileContent content_of(const hmesh_v1::View& mesh) {
  MeshInfo info{.container = "hmesh 1",
                .vertices = static_cast<std::uint32_t>(mesh.vertices().size()),
                .triangles = static_cast<std::uint32_t>(mesh.index_count() / 3),
                .indices = static_cast<std::uint32_t>(mesh.index_count()),
                .index_width_bytes = mesh.index_width_bytes(),
                .meshlets = static_cast<std::uint32_t>(mesh.meshlets().size()),
                .submeshes = 1,
                .materials = static_cast<std::uint32_t>(mesh.material_count()),
                .tangents = true};
  std::ranges::copy(mesh.bounds().aabb_min, info.aabb_min.begin());
  std::ranges::copy(mesh.bounds().aabb_max, info.aabb_max.begin());
  return info;
}

FileContent content_of(const galileo::View& mesh) {
  MeshInfo info{.container = "galileo",
                .index_width_bytes = 4,
                .submeshes = static_cast<std::uint32_t>(mesh.groups().size()),
                .materials = static_cast<std::uint32_t>(mesh.materials().size()),
                .joints = static_cast<std::uint32_t>(mesh.joints().size()),
                .tangents = true};
  for (const galileo::GroupView& group : mesh.groups()) {
    info.vertices += static_cast<std::uint32_t>(group.vertex_count());
    info.indices += static_cast<std::uint32_t>(group.indices.size());
  }
  info.triangles = info.indices / 3;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    info.aabb_min[axis] = mesh.box().center[axis] - mesh.box().half_extent[axis];
    info.aabb_max[axis] = mesh.box().center[axis] + mesh.box().half_extent[axis];
  }
  return info;
}

FileContent content_of(const hmat::View& table) {
  MaterialInfo info;
  for (const hmat::GpuMaterial& row : table.materials()) {
    ++info.rows;
    info.base_color += row.base_color_texture != 0;
    info.metallic_roughness += row.metallic_roughness_texture != 0;
    info.normal += row.normal_texture != 0;
    info.occlusion += row.occlusion_texture != 0;
    info.emissive += row.emissive_texture != 0;
    info.opaque += row.alpha_mode() == hmat::AlphaMode::kOpaque;
    info.mask += row.alpha_mode() == hmat::AlphaMode::kMask;
    info.blend += row.alpha_mode() == hmat::AlphaMode::kBlend;
    info.double_sided += row.is_double_sided();
  }
  return info;
}

FileContent content_of(const hman::View& manifest) {
  ManifestInfo info;
  for (const hman::EntryView& entry : manifest.entries()) {
    ++info.entries;
    info.srgb += entry.colorspace == hman::Colorspace::kSrgb;
    ++info.by_kind[std::min<std::size_t>(static_cast<std::size_t>(entry.kind), info.by_kind.size() - 1)];
  }
  return info;
}

FileContent content_of(const hanim::View& animation) {
  AnimationInfo info;
  for (const hanim::ClipView& clip : animation.clips()) {
    ClipInfo& added = info.clips.emplace_back(
        ClipInfo{std::string(clip.name), clip.duration_seconds, static_cast<std::uint32_t>(clip.channels.size()), 0});
    for (const hanim::ChannelView& channel : clip.channels) added.keys += channel.key_count();
  }
  return info;
}

FileContent content_of(const ktx2::View& texture) {
  TextureInfo info{.format = texture.format() ? std::string(to_string(*texture.format()))
                                              : "VkFormat " + std::to_string(texture.vk_format()),
                   .supercompression = std::string(to_string(texture.supercompression())),
                   .width_texels = texture.width_texels(),
                   .height_texels = texture.height_texels(),
                   .depth_texels = texture.depth_texels(),
                   .layers = texture.layer_count(),
                   .faces = texture.face_count(),
                   .levels = static_cast<std::uint32_t>(texture.levels().size()),
                   .srgb = texture.is_srgb()};
  for (const ktx2::Level& level : texture.levels()) info.gpu_bytes += level.uncompressed_size_bytes;
  return info;
}

template <class View>
Result<FileContent> open_as(ByteSpan bytes) {
  ASSETC_TRY(const View view, View::open(bytes));
  return content_of(view);
}

}  // namespace

std::string_view kind_name(const FileContent& content) {
  static constexpr std::string_view kNames[] = {"other",     "mesh",    "material", "manifest",
                                                "animation", "texture", "shader"};
  static_assert(std::size(kNames) == std::variant_size_v<FileContent>);
  return kNames[content.index()];
}

Result<FileContent> inspect_file(std::string_view path, ByteSpan bytes) {
  if (path.ends_with(".hmesh")) {
    const bool first_version = bytes.size() >= 8 && load<std::uint32_t>(bytes, 4) == hmesh_v1::kVersion;
    return first_version ? open_as<hmesh_v1::View>(bytes) : open_as<hmesh::View>(bytes);
  }
  if (path.ends_with(".gali")) return open_as<galileo::View>(bytes);
  if (path.ends_with(".hmat")) return open_as<hmat::View>(bytes);
  if (path.ends_with(".hman")) return open_as<hman::View>(bytes);
  if (path.ends_with(".hanim")) return open_as<hanim::View>(bytes);
  if (path.ends_with(".ktx2")) return open_as<ktx2::View>(bytes);
  if (path.ends_with(".spv")) {
    if (bytes.size() < kSpirvHeaderBytes || bytes.size() % 4 != 0 || load<std::uint32_t>(bytes) != kSpirvMagic) {
      return fail_at(ErrorCode::kInvalidData, byte_place(0), "no SPIR-V: expected whole words from 0x07230203");
    }
    return ShaderInfo{static_cast<std::uint32_t>(bytes.size() / 4), load<std::uint32_t>(bytes, 4)};
  }
  return FileContent{};
}

Result<std::vector<FileInfo>> inspect(const std::string& output, Disk& disk) {
  const auto status = disk.status(output);
  if (!status || status->type != FileType::kDirectory) {
    return std::unexpected(
        Error{ErrorCode::kNotFound, output, {}, "no output folder here", "run assetc first, or name it with -o"});
  }
  const auto skip = [](std::string_view path, bool directory) {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    return name.starts_with(kTemporaryPrefix) || (!directory && name.starts_with(".assetc-"));
  };
  ASSETC_TRY(const Tree tree, disk.walk(output, skip, 1));
  std::vector<FileInfo> files;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree[i].type == FileType::kFile)
      files.push_back({std::string(tree.path(i)), tree[i].signature.size_bytes, {}, {}});
  }
  std::ranges::sort(files, {}, &FileInfo::path);
  tbb::parallel_for(std::size_t{0}, files.size(), [&](std::size_t i) {
    FileInfo& file = files[i];
    const auto bytes = disk.read(output + "/" + file.path);
    if (!bytes) {
      file.problem = bytes.error();
      return;
    }
    file.size_bytes = bytes->size();
    auto content = inspect_file(file.path, *bytes);
    if (content) {
      file.content = std::move(*content);
    } else {
      file.problem = std::move(content).error().in(file.path);
    }
  });
  return files;
}

}  // namespace assetc::engine
