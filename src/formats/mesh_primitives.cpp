#include "assetc/formats/mesh_primitives.hpp"

#include <limits>

#include "assetc/formats/mesh_names.hpp"
#include "formats/mesh_rules.hpp"
#include "formats/reader.hpp"
#include "formats/text.hpp"

namespace assetc::hmesh {
namespace {

using namespace formats;

constexpr std::uint32_t kPrimitivesVersion = 1;

struct PrimitivesHeader {
  std::uint32_t version;
  std::uint32_t primitive_count;
  std::uint32_t index_count;
  std::uint32_t text_bytes;
};
static_assert(sizeof(PrimitivesHeader) == 16);

class PrimitivesOpener {
 public:
  PrimitivesOpener(ByteSpan payload, std::uint64_t place, const PrimitivesView::Counts& counts)
      : place_of(payload, place), payload_(payload), place_(place), counts_(counts) {}

  const Places place_of;  // called like a function

  Result<void> check_header(PrimitivesHeader& header) const {
    if (payload_.size() < sizeof(PrimitivesHeader)) {
      return fail_at(
          ErrorCode::kTruncated, byte_place(place_),
          message("found ", counted(payload_.size(), "byte"), ", expected a PRIM header of ", sizeof(PrimitivesHeader)),
          kDamagedHint);
    }
    header = load<PrimitivesHeader>(payload_);
    if (header.version != kPrimitivesVersion) {
      return fail_at(ErrorCode::kVersion, byte_place(place_),
                     message("found PRIM version ", header.version, ", expected ", kPrimitivesVersion),
                     "compile its source again");
    }
    if (header.primitive_count == 0) return invalid(place_ + 4, "found no primitives in PRIM, expected at least one");
    // Each term is below 2^39: no overflow.
    const std::uint64_t size = sizeof(PrimitivesHeader) + std::uint64_t{header.primitive_count} * sizeof(GpuPrimitive) +
                               std::uint64_t{header.index_count} * 4 + header.text_bytes;
    if (payload_.size() != size) {
      return invalid(place_,
                     message("found a PRIM chunk of ", counted(payload_.size(), "byte"), ", expected ", size, " for ",
                             counted(header.primitive_count, "primitive"), ", ", counted(header.index_count, "index"),
                             " and ", counted(header.text_bytes, "byte"), " of text"));
    }
    return {};
  }

  Result<void> check_items(std::span<const GpuPrimitive> items, std::uint32_t index_count, std::string_view text,
                           std::span<const float, 3> box_min, std::span<const float, 3> box_max) const {
    std::uint64_t index_end = 0;
    std::uint32_t before = 0, name_end = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const GpuPrimitive& p = items[i];
      if (p.topology != Topology::kLines && p.topology != Topology::kPoints) {
        return invalid(place_of(p.topology),
                       message("primitive ", i, " has topology ", static_cast<std::uint32_t>(p.topology),
                               ", expected 1 (lines) or 2 (points)"));
      }
      if (p.first_index != index_end) {
        return invalid(place_of(p.first_index), message("primitive ", i, " begins at index ", p.first_index,
                                                        ", expected ", index_end, ", where the one before ends"));
      }
      if (p.index_count == 0 || p.index_count % corner_count_of(p.topology) != 0) {
        return invalid(place_of(p.index_count),
                       message("primitive ", i, " has ", counted(p.index_count, "index"), ", expected ",
                               p.topology == Topology::kLines ? "two for each line" : "one for each point"));
      }
      index_end += p.index_count;
      if (p.material_slot != kNoSlot && p.material_slot >= counts_.materials) {
        return invalid(place_of(p.material_slot), message("primitive ", i, " has material slot ", p.material_slot,
                                                          ", expected less than ", counts_.materials, " or none"));
      }
      if (p.submeshes_before < before || p.submeshes_before > counts_.submeshes) {
        return invalid(place_of(p.submeshes_before),
                       message("primitive ", i, " comes after ", counted(p.submeshes_before, "submesh"), ", expected ",
                               before, " to ", counts_.submeshes));
      }
      before = p.submeshes_before;
      if (p.node != kNoNode && p.node >= counts_.nodes) {
        return invalid(place_of(p.node),
                       message("found node ", p.node, " of primitive ", i, ", expected less than ", counts_.nodes));
      }
      if (p.name_end < name_end || p.name_end > text.size() || !is_utf8(text.substr(name_end, p.name_end - name_end))) {
        return invalid(place_of(p.name_end),
                       message("found the end of the name of primitive ", i, " at ", p.name_end,
                               ", expected UTF-8 that ends from ", name_end, " to ", text.size()));
      }
      name_end = p.name_end;
      ASSETC_CHECK(check_bounds(place_of, p.bounds, "a primitive's"));
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (p.bounds.aabb_min[axis] >= box_min[axis] && p.bounds.aabb_max[axis] <= box_max[axis]) continue;
        return invalid(
            place_of(p.bounds),
            message("the box of primitive ", i, " runs from ", p.bounds.aabb_min[axis], " to ", p.bounds.aabb_max[axis],
                    " on axis ", axis, ", expected it inside the mesh's, ", box_min[axis], " to ", box_max[axis]));
      }
    }
    if (index_end != index_count) {
      return invalid(place_ + 8,
                     message("the primitives cover ", counted(index_end, "index"), ", expected all ", index_count));
    }
    if (name_end != text.size()) {
      return invalid(place_ + 12, message("found ", counted(text.size() - name_end, "extra byte"),
                                          " of text, expected the end of the PRIM chunk"));
    }
    return {};
  }

 private:
  static constexpr std::uint32_t kNoSlot = 0xffffffffu;

  ByteSpan payload_;
  std::uint64_t place_;
  const PrimitivesView::Counts& counts_;
};

}  // namespace

Result<PrimitivesView> PrimitivesView::open(ByteSpan payload, std::uint64_t place_bytes, const Counts& counts,
                                            std::span<const float, 3> box_min, std::span<const float, 3> box_max) {
  const PrimitivesOpener opener(payload, place_bytes, counts);
  PrimitivesHeader header{};
  ASSETC_CHECK(opener.check_header(header));
  PrimitivesView view;
  const std::byte* at = payload.data() + sizeof header;
  view.items_ = {reinterpret_cast<const GpuPrimitive*>(at), header.primitive_count};
  at += view.items_.size_bytes();
  view.indices_ = {reinterpret_cast<const std::uint32_t*>(at), header.index_count};
  at += view.indices_.size_bytes();
  view.text_ = {reinterpret_cast<const char*>(at), header.text_bytes};
  ASSETC_CHECK(opener.check_items(view.items_, header.index_count, view.text_, box_min, box_max));
  const std::size_t bad = first_not_below(view.indices_, counts.vertices);
  if (bad != view.indices_.size()) {
    return invalid(
        opener.place_of(view.indices_[bad]),
        message("index ", bad, " of a primitive is ", view.indices_[bad], ", expected less than ", counts.vertices));
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
  append(out, PrimitivesHeader{kPrimitivesVersion, static_cast<std::uint32_t>(primitives.items.size()),
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
