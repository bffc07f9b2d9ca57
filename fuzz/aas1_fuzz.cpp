// Any bytes: each reader refuses them or returns a view whose accessors all stay inside them, and whose contents can be
// written again.
#include "assetc/formats/aas1_audio.hpp"
#include "assetc/formats/aas1_clusters.hpp"
#include "assetc/formats/aas1_material.hpp"
#include "assetc/formats/aas1_mesh.hpp"
#include "assetc/formats/aas1_texture.hpp"
#include "fuzz.hpp"

namespace {

using namespace assetc;

void look_at_texture(ByteSpan file) {
  const auto view = aas1::TextureView::open(file);
  if (!view) return;
  aas1::Texture again{.type = view->blob().type(),
                      .format = view->format(),
                      .srgb = view->is_srgb(),
                      .width_texels = view->desc().width_texels,
                      .height_texels = view->desc().height_texels,
                      .shape = view->shape(),
                      .levels = {},
                      .swizzle = std::string(view->swizzle()),
                      .channels = view->channels(),
                      .metadata = {}};
  for (const aas1::TextureLevel& level : view->levels()) {
    fuzz::touch(level.bytes);
    again.levels.push_back(level.bytes);
  }
  for (const auto& [key, text] : view->metadata()) again.metadata.emplace_back(key, text);
  fuzz::require(aas1::write(again).has_value());
}

void look_at_mesh(ByteSpan file) {
  const auto view = aas1::MeshView::open(file);
  if (!view) return;
  for (const aas1::LevelView& level : view->levels()) {
    fuzz::touch(level.vertices);
    for (const aas1::SubMesh& s : level.submeshes) {
      for (std::uint32_t i = 0; i < s.index_count; ++i) {
        const std::int64_t vertex = std::int64_t{s.base_vertex} + view->index(level, s.first_index + i);
        fuzz::require(vertex >= 0 && vertex < level.vertex_count);
      }
    }
  }
  fuzz::touch(std::as_bytes(view->materials()));
  fuzz::touch(std::as_bytes(view->pose_bounds()));
  if (view->names()) (void)view->names()->to_names();
}

void look_at_material(ByteSpan file) {
  const auto view = aas1::MaterialView::open(file);
  if (!view) return;
  aas1::Material again;
  again.shading_model = view->desc().shading_model;
  again.blend_mode = view->desc().blend_mode;
  again.alpha_cutoff = view->desc().alpha_cutoff;
  again.scalars.assign(view->scalars().begin(), view->scalars().end());
  again.vectors.assign(view->vectors().begin(), view->vectors().end());
  again.textures.assign(view->textures().begin(), view->textures().end());
  fuzz::require(aas1::write(again).has_value());
}

void look_at_audio(ByteSpan file) {
  const auto view = aas1::AudioView::open(file);
  if (!view) return;
  for (std::size_t i = 0; i < view->desc().chunk_count; ++i) fuzz::touch(view->chunk(i));
  for (const aas1::Loop& loop : view->loops()) fuzz::require(loop.end_frame <= view->desc().frame_count);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteSpan file = fuzz::bytes(data, size);
  look_at_texture(file);
  look_at_mesh(file);
  look_at_material(file);
  look_at_audio(file);
  if (const auto skeleton = aas1::SkeletonView::open(file)) fuzz::touch(std::as_bytes(skeleton->joints()));
  if (const auto model = aas1::ModelView::open(file)) fuzz::touch(std::as_bytes(model->nodes()));
  if (const auto clusters = aas1::ClustersView::open(file)) fuzz::touch(std::as_bytes(clusters->materials()));
  if (file.size() >= 64) {
    if (const auto head = aas1::read_clusters_head(file.first(64), file.size()))
      fuzz::touch(std::as_bytes(head->materials));
  }
  if (const auto payload = aas1::PayloadView::open(file)) fuzz::touch(payload->payload());
  if (const auto redirector = aas1::read_redirector(file)) {
    fuzz::require(aas1::read_redirector(*aas1::write(*redirector)).has_value());
  }
  return 0;
}
