#include <algorithm>
#include <array>
#include <limits>

#include "assetc/formats/mesh_primitives.hpp"
#include "formats/hmesh/rules.hpp"
#include "formats/hmesh/table.hpp"

namespace assetc::hmesh {
namespace {

using namespace formats;

struct PrimitivesHeader {
  std::uint32_t version;
  std::uint32_t primitive_count;
  std::uint32_t index_count;
  std::uint32_t text_bytes;
};
static_assert(sizeof(PrimitivesHeader) == table::kPrimitivesHeader.size_bytes);

}  // namespace

Result<PrimitivesView> PrimitivesView::open(ByteSpan payload, std::uint64_t place_bytes, const Counts& counts,
                                            std::span<const float, 3> box_min, std::span<const float, 3> box_max) {
  Context context;
  context.counts[table::kVertices] = counts.vertices;
  context.counts[table::kSubmeshes] = counts.submeshes;
  context.counts[table::kMaterials] = counts.materials;
  context.counts[table::kNodes] = counts.nodes;
  std::array<float, 6> box;
  std::ranges::copy(box_max, std::ranges::copy(box_min, box.begin()).out);
  context.box = box.data();
  context.box_name = "the mesh's";
  ASSETC_TRY(const OpenPart part, open_part(table::kPrimitivesPart, payload, place_bytes, context));
  PrimitivesView view;
  view.items_ = part.rows<GpuPrimitive>(0);
  view.indices_ = part.rows<std::uint32_t>(1);
  view.text_ = part.texts;
  const Places place(payload, place_bytes);
  std::uint32_t before = 0;
  for (std::size_t i = 0; i < view.items_.size(); ++i) {
    const GpuPrimitive& p = view.items_[i];
    if (p.index_count == 0 || p.index_count % corner_count_of(p.topology) != 0) {
      return invalid(place(p.index_count),
                     message("primitive ", i, " has ", counted(p.index_count, "index"), ", expected ",
                             p.topology == Topology::kLines ? "two for each line" : "one for each point"));
    }
    if (p.submeshes_before < before) {
      return invalid(place(p.submeshes_before),
                     message("primitive ", i, " comes after ", counted(p.submeshes_before, "submesh"), ", expected ",
                             before, " to ", counts.submeshes));
    }
    before = p.submeshes_before;
  }
  return view;
}

std::string_view PrimitivesView::name(std::size_t i) const {
  const std::uint32_t begin = i == 0 ? 0 : items_[i - 1].name_end;
  return text_.substr(begin, items_[i].name_end - begin);
}

Primitives PrimitivesView::to_primitives() const {
  Primitives out;
  out.items.assign(items_.begin(), items_.end());
  out.indices.assign(indices_.begin(), indices_.end());
  for (std::size_t i = 0; i < items_.size() && !text_.empty(); ++i) out.names.emplace_back(name(i));
  return out;
}

Result<ByteVector> write_primitives(const Primitives& primitives) {
  constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (!primitives.names.empty() && primitives.names.size() != primitives.items.size()) {
    return fail(ErrorCode::kUsage, message("found ", counted(primitives.names.size(), "name"), " of ",
                                           counted(primitives.items.size(), "primitive"), ", expected one for each"));
  }
  std::size_t text_bytes = 0;
  for (const std::string& name : primitives.names) text_bytes += name.size();
  if (primitives.indices.size() > kMost || text_bytes > kMost) {
    return fail(ErrorCode::kLimit,
                message("found ", counted(primitives.indices.size(), "index"), " and ", counted(text_bytes, "byte"),
                        " of names of points and lines, expected at most ", kMost),
                "split the mesh");
  }
  ByteVector out;
  append(out, PrimitivesHeader{1, static_cast<std::uint32_t>(primitives.items.size()),
                               static_cast<std::uint32_t>(primitives.indices.size()),
                               static_cast<std::uint32_t>(text_bytes)});
  std::uint32_t name_end = 0;
  for (std::size_t i = 0; i < primitives.items.size(); ++i) {
    GpuPrimitive item = primitives.items[i];
    if (!primitives.names.empty()) name_end += static_cast<std::uint32_t>(primitives.names[i].size());
    item.name_end = name_end;
    append(out, item);
  }
  append_array(out, std::span<const std::uint32_t>(primitives.indices));
  for (const std::string& name : primitives.names) append_bytes(out, as_bytes(name));
  return out;
}

}  // namespace assetc::hmesh
