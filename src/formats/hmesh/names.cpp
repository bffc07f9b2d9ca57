#include <algorithm>
#include <limits>

#include "assetc/formats/mesh_names.hpp"
#include "formats/hmesh/table.hpp"

namespace assetc::hmesh {
namespace {

using namespace formats;

struct NamesHeader {
  std::uint32_t version;
  std::uint32_t counts[4];  // submeshes, materials, joints, nodes
  std::uint32_t submesh_node_count;
};
static_assert(sizeof(NamesHeader) == table::kNamesHeader.size_bytes);

}  // namespace

Result<NamesView> NamesView::open(ByteSpan payload, std::uint64_t place_bytes, Counts counts) {
  Context context;
  context.counts[table::kSubmeshes] = counts.submeshes;
  context.counts[table::kMaterials] = counts.materials;
  context.counts[table::kJoints] = counts.joints;
  ASSETC_TRY(const OpenPart part, open_part(table::kNamesPart, payload, place_bytes, context));
  NamesView view;
  const auto header = part.head<NamesHeader>();
  std::ranges::copy(header.counts, std::begin(view.counts_));
  view.submesh_nodes_ = part.rows<std::uint32_t>(0);
  view.ends_ = part.rows<std::uint32_t>(1);
  view.text_ = part.texts;
  return view;
}

std::string_view NamesView::at(std::size_t group, std::size_t i) const {
  if (i >= counts_[group]) return {};
  for (std::size_t g = 0; g < group; ++g) i += counts_[g];
  const std::uint32_t begin = i == 0 ? 0 : ends_[i - 1];
  return text_.substr(begin, ends_[i] - begin);
}

Names NamesView::to_names() const {
  Names names;
  std::vector<std::string>* groups[] = {&names.submeshes, &names.materials, &names.joints, &names.nodes};
  for (std::size_t g = 0; g < 4; ++g) {
    groups[g]->reserve(counts_[g]);
    for (std::size_t i = 0; i < counts_[g]; ++i) groups[g]->emplace_back(at(g, i));
  }
  names.submesh_nodes.assign(submesh_nodes_.begin(), submesh_nodes_.end());
  return names;
}

Result<ByteVector> write_names(const Names& names) {
  const std::vector<std::string>* groups[] = {&names.submeshes, &names.materials, &names.joints, &names.nodes};
  NamesHeader header{1, {}, static_cast<std::uint32_t>(names.submesh_nodes.size())};
  std::vector<std::uint32_t> ends;
  std::string text;
  for (std::size_t g = 0; g < 4; ++g) {
    header.counts[g] = static_cast<std::uint32_t>(groups[g]->size());
    for (const std::string& name : *groups[g]) {
      text += name;
      if (text.size() > std::numeric_limits<std::uint32_t>::max()) {
        return fail(ErrorCode::kLimit, "the names of the mesh take more than 4 GiB", "set mesh.names: false");
      }
      ends.push_back(static_cast<std::uint32_t>(text.size()));
    }
  }
  ByteVector out;
  append(out, header);
  append_array(out, std::span<const std::uint32_t>(names.submesh_nodes));
  append_array(out, std::span<const std::uint32_t>(ends));
  append_bytes(out, as_bytes(text));
  return out;
}

}  // namespace assetc::hmesh
