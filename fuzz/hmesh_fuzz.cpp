// Any bytes: open() refuses them or returns a view whose accessors all stay inside them. A file that is written from
// the view can be opened again.
#include "assetc/formats/hmesh.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assetc;
  const ByteSpan file = fuzz::bytes(data, size);
  const auto view = hmesh::View::open(file);
  if (!view) return 0;
  for (std::uint32_t i = 0; i < view->desc().index_count; ++i) fuzz::require(view->index(i) < view->vertices().size());
  for (const auto& m : view->meshlets()) {
    for (const auto& t : view->meshlet_triangles().subspan(m.triangle_offset, m.triangle_count)) {
      for (const std::uint8_t corner : t.corners) {
        fuzz::require(view->meshlet_vertices()[m.vertex_offset + corner] < view->vertices().size());
      }
    }
  }
  for (const auto& lod : view->lods())
    fuzz::touch(std::as_bytes(view->lod_indices().subspan(lod.first_index, lod.index_count)));
  if (view->names()) {
    for (std::size_t i = 0; i <= view->submeshes().size(); ++i) fuzz::touch(as_bytes(view->names()->submesh(i)));
  }
  if (view->further_attributes()) {
    const auto& further = *view->further_attributes();
    for (std::size_t i = 0; i < further.attributes().size(); ++i) {
      fuzz::touch(as_bytes(further.name(i)));
      for (std::size_t v = 0; v < view->vertices().size(); ++v) (void)further.value(further.attributes()[i], v);
    }
  }
  if (view->morphs()) {
    const auto& morphs = *view->morphs();
    for (std::size_t t = 0; t < morphs.targets().size(); ++t) fuzz::touch(as_bytes(morphs.name(t)));
    for (std::size_t i = 0; i < morphs.move_count(); ++i)
      fuzz::require(morphs.move(i).vertex < view->vertices().size());
    for (const auto& move : morphs.channel_moves()) fuzz::require(move.vertex < view->vertices().size());
    for (const auto& target : morphs.targets()) fuzz::require(target.group < morphs.groups().size());
  }
  if (view->primitives()) {
    const auto& primitives = *view->primitives();
    for (std::size_t i = 0; i < primitives.items().size(); ++i) {
      fuzz::touch(as_bytes(primitives.name(i)));
      for (const std::uint32_t index : primitives.indices_of(primitives.items()[i]))
        fuzz::require(index < view->vertices().size());
    }
  }
  const hmesh::Model model = view->to_model();
  if (const auto again = hmesh::write(model)) {
    const auto reopened = hmesh::View::open(*again);
    fuzz::require(reopened.has_value());
    fuzz::require(*hmesh::write(reopened->to_model()) == *again);
  }
  return 0;
}
