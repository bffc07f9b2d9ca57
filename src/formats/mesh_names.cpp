#include "assetc/formats/mesh_names.hpp"

#include <limits>

#include "base/plural.hpp"
#include "formats/reader.hpp"
#include "formats/text.hpp"

namespace assetc::hmesh {
namespace {

using namespace formats;

constexpr std::uint32_t kNamesVersion = 1;
struct NamesHeader {
  std::uint32_t version;
  std::uint32_t counts[4];  // submeshes, materials, joints, nodes
  std::uint32_t submesh_node_count;
};
static_assert(sizeof(NamesHeader) == 24);

constexpr std::string_view kGroups[] = {"submesh", "material", "joint", "node"};

}  // namespace

Result<NamesView> NamesView::open(ByteSpan payload, std::uint64_t place_bytes, Counts counts) {
  if (payload.size() < sizeof(NamesHeader)) {
    return fail_at(
        ErrorCode::kTruncated, byte_place(place_bytes),
        message("found ", counted(payload.size(), "byte"), ", expected a NAME header of ", sizeof(NamesHeader)),
        kDamagedHint);
  }
  const auto header = load<NamesHeader>(payload);
  if (header.version != kNamesVersion) {
    return fail_at(ErrorCode::kVersion, byte_place(place_bytes),
                   message("found NAME version ", header.version, ", expected ", kNamesVersion),
                   "compile its source again");
  }
  const std::uint32_t of_mesh[] = {counts.submeshes, counts.materials, counts.joints};
  std::uint64_t names = 0;
  for (std::size_t g = 0; g < 4; ++g) {
    names += header.counts[g];
    if (g < 3 && header.counts[g] != 0 && header.counts[g] != of_mesh[g]) {
      return invalid(place_bytes + 4 + 4 * g,
                     message("found ", header.counts[g], " ", kGroups[g], " names, expected 0 or ", of_mesh[g]));
    }
  }
  if (header.submesh_node_count != 0 && header.submesh_node_count != counts.submeshes) {
    return invalid(place_bytes + 20, message("found ", counted(header.submesh_node_count, "submesh node"),
                                             ", expected 0 or ", counts.submeshes));
  }
  const std::uint64_t nodes_end = sizeof(NamesHeader) + std::uint64_t{4} * header.submesh_node_count;
  const std::uint64_t ends_end = nodes_end + 4 * names;
  if (ends_end > payload.size()) {
    return fail_at(ErrorCode::kTruncated, byte_place(place_bytes),
                   message("found a NAME chunk of ", counted(payload.size(), "byte"), ", expected at least ", ends_end,
                           " for ", names, " names"),
                   kDamagedHint);
  }
  NamesView view;
  std::copy(std::begin(header.counts), std::end(header.counts), std::begin(view.counts_));
  view.submesh_nodes_ = {reinterpret_cast<const std::uint32_t*>(payload.data() + sizeof(NamesHeader)),
                         header.submesh_node_count};
  view.ends_ = {reinterpret_cast<const std::uint32_t*>(payload.data() + nodes_end), static_cast<std::size_t>(names)};
  view.text_ = as_text(payload.subspan(ends_end));
  for (std::size_t i = 0; i < view.submesh_nodes_.size(); ++i) {
    const std::uint32_t node = view.submesh_nodes_[i];
    if (node != kNoNode && node >= header.counts[3]) {
      return invalid(place_bytes + sizeof(NamesHeader) + 4 * i,
                     message("found node ", node, " of submesh ", i, ", expected less than ", header.counts[3]));
    }
  }
  std::uint32_t previous = 0;
  for (std::size_t i = 0; i < view.ends_.size(); ++i) {
    const std::uint32_t end = view.ends_[i];
    const std::uint64_t place = place_bytes + nodes_end + 4 * i;
    if (end < previous || end > view.text_.size()) {
      return invalid(
          place, message("found the end of name ", i, " at ", end, ", expected ", previous, " to ", view.text_.size()));
    }
    if (!is_utf8(view.text_.substr(previous, end - previous)))
      return invalid(place, message("name ", i, " is not UTF-8"));
    previous = end;
  }
  if (previous != view.text_.size()) {
    return invalid(place_bytes + ends_end + previous,
                   message("found ", counted(view.text_.size() - previous, "extra byte"),
                           " of text, expected the end of the NAME chunk"));
  }
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
  NamesHeader header{kNamesVersion, {}, static_cast<std::uint32_t>(names.submesh_nodes.size())};
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
