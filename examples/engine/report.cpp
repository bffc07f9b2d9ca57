#include "report.hpp"

#include <assetc/runtime/animation.hpp>
#include <assetc/runtime/mesh_layout.hpp>
#include <cstdio>

namespace example {

using namespace assetc;

std::string path_of(const runtime::Catalog& catalog, const runtime::AssetHandle& asset) {
  const auto desc = catalog.desc(asset);
  return desc ? std::string(desc->virtual_path) : asset.uuid.to_string();
}

void print(const runtime::Catalog& catalog, const World::Object& object) {
  if (!object.mesh.is_ready()) return;
  const runtime::MeshLayout layout = runtime::layout_of(*object.mesh.get());
  std::size_t vertices = 0, indices = 0;
  for (const runtime::VertexLayout& part : layout.vertices) vertices += part.vertex_count;
  for (const runtime::MeshDraw& draw : layout.levels[0].draws) indices += draw.index_count;
  std::printf("%s: %zu triangles, %zu vertices, %zu meshlets, %zu draws, %zu levels of detail, %zu joints\n",
              path_of(catalog, object.mesh.handle()).c_str(), indices / 3, vertices, layout.meshlets.size(),
              layout.levels[0].draws.size(), layout.levels.size(), layout.joints.size());
  for (const auto& material : object.materials) {
    const hmat::View* rows = material.get_or_fallback()->hmat();
    if (rows == nullptr) continue;
    for (const hmat::GpuMaterial& row : rows->materials()) {
      std::printf("  material: base color %.2f %.2f %.2f %.2f, metallic %.2f, roughness %.2f%s\n",
                  row.base_color_factor[0], row.base_color_factor[1], row.base_color_factor[2],
                  row.base_color_factor[3], row.metallic_factor, row.roughness_factor,
                  row.is_double_sided() ? ", double-sided" : "");
    }
  }
  for (const auto& texture : object.textures) {
    const runtime::TextureData& data = *texture.get_or_fallback();
    std::printf("    %s: %s %s, %u levels\n", path_of(catalog, texture.handle()).c_str(),
                std::string(to_string(data.format)).c_str(), data.is_srgb ? "sRGB" : "linear", data.level_count);
  }
}

void print(const runtime::Catalog& catalog, const runtime::AssetRef<runtime::AnimationData>& animation) {
  for (const hanim::ClipView& clip : animation.get_or_fallback()->clips.clips()) {
    std::printf("%s: clip %.*s, %.2f s, %zu channels\n", path_of(catalog, animation.handle()).c_str(),
                static_cast<int>(clip.name.size()), clip.name.data(), clip.duration_seconds, clip.channels.size());
  }
  for (const hanim::CompressedClip& clip : animation.get_or_fallback()->compressed.clips()) {
    const std::string_view name = clip.name();
    std::printf("%s: clip %.*s, %.2f s, %zu bytes\n", path_of(catalog, animation.handle()).c_str(),
                static_cast<int>(name.size()), name.data(), clip.duration_seconds(), clip.size_bytes());
  }
}

std::string color_of(const runtime::AssetRef<runtime::TextureData>& texture) {
  const runtime::TextureData* data = texture.get_or_fallback();
  if (data == nullptr || data->format != TexelFormat::kRgba8 || data->levels.empty()) return "none";
  const ByteSpan texel = data->levels[0].bytes.span().first(3);
  char text[7];
  std::snprintf(text, sizeof text, "%02x%02x%02x", static_cast<unsigned>(texel[0]), static_cast<unsigned>(texel[1]),
                static_cast<unsigned>(texel[2]));
  return text;
}

}  // namespace example
