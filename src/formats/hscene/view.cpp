#include <algorithm>
#include <tuple>

#include "formats/hmesh/rules.hpp"
#include "formats/hscene/table.hpp"

namespace assetc::hscene {

using namespace formats;

// Opens one file. Each step relies on the checks of the steps before it. The table has the rules of single records.
class Opener {
 public:
  explicit Opener(ByteSpan file) : file_(file), place_(file) {}

  Result<View> open() {
    ASSETC_TRY(const auto chunk_table, chunks::open_table(file_, kVersion, kFormat));
    ASSETC_TRY(chunks_, open_chunks(table::kChunks, file_, chunk_table, context_.counts));
    const Counts& counts = context_.counts;
    if (counts[table::kInverseBinds] != 0 && counts[table::kInverseBinds] != counts[table::kJoints]) {
      return invalid(chunks_.place(table::kInverseBindChunk),
                     message("found ", counted(counts[table::kInverseBinds], "matrix"), " of joints, expected ",
                             counts[table::kJoints], " or none"));
    }
    fill_view();
    ASSETC_TRY(const OpenPart texts, open_part(table::kTextPart, chunks_.payloads[table::kTextChunk],
                                               chunks_.place(table::kTextChunk), context_));
    view_.text_ends_ = texts.rows<std::uint32_t>(0);
    view_.text_ = texts.texts;
    context_.counts[table::kUuids] = view_.has_uuids() ? 1 : 0;
    ASSETC_CHECK(check_chunks(table::kChunks, chunks_, context_));
    ASSETC_CHECK(check_tree());
    ASSETC_CHECK(check_details());
    ASSETC_CHECK(check_variants());
    ASSETC_CHECK(check_clips());
    ASSETC_CHECK(check_names());
    return std::move(view_);
  }

 private:
  void fill_view() {
    view_.desc_ = chunks_.rows<SceneDesc>(table::kDescChunk).data();
    view_.nodes_ = chunks_.rows<Node>(table::kNodeChunk);
    view_.matrices_ = chunks_.rows<Matrix>(table::kMatrixChunk);
    view_.weights_ = chunks_.rows<float>(table::kWeightChunk);
    view_.by_name_ = chunks_.rows<std::uint32_t>(table::kByNameChunk);
    view_.meshes_ = chunks_.rows<Mesh>(table::kMeshChunk);
    view_.skins_ = chunks_.rows<Skin>(table::kSkinChunk);
    view_.joints_ = chunks_.rows<std::uint32_t>(table::kJointChunk);
    view_.inverse_bind_ = chunks_.rows<Matrix>(table::kInverseBindChunk);
    view_.cameras_ = chunks_.rows<Camera>(table::kCameraChunk);
    view_.lights_ = chunks_.rows<Light>(table::kLightChunk);
    view_.materials_ = chunks_.rows<Material>(table::kMaterialChunk);
    view_.parameters_ = chunks_.rows<Parameter>(table::kParameterChunk);
    view_.textures_ = chunks_.rows<Texture>(table::kTextureChunk);
    view_.variants_ = chunks_.rows<std::uint32_t>(table::kVariantChunk);
    view_.variant_materials_ = chunks_.rows<VariantMaterial>(table::kVariantMaterialChunk);
    view_.clips_ = chunks_.rows<Clip>(table::kClipChunk);
    view_.clip_nodes_ = chunks_.rows<std::uint32_t>(table::kClipNodeChunk);
  }

  // The nodes below a node are the range up to its end, and their parent is the innermost such node.
  Result<void> check_tree() const {
    const std::span<const Node> nodes = view_.nodes_;
    // The node whose range the next node must be in. Ranges nest, so leaving it is a step to its parent.
    std::int32_t inside = Node::kNoParent;
    for (std::uint32_t n = 0; n < nodes.size(); ++n) {
      const Node& node = nodes[n];
      while (inside >= 0 && nodes[static_cast<std::uint32_t>(inside)].end == n)
        inside = nodes[static_cast<std::uint32_t>(inside)].parent;
      if (node.parent != inside) {
        return invalid(place_(node.parent), message("node ", n, " has parent ", node.parent, ", expected ", inside,
                                                    ", the node in whose range it lies"));
      }
      const std::size_t limit = inside < 0 ? nodes.size() : nodes[static_cast<std::uint32_t>(inside)].end;
      if (node.end <= n || node.end > limit) {
        return invalid(place_(node.end),
                       message("the nodes below node ", n, " end at ", node.end, ", expected ", n + 1, " to ", limit));
      }
      if (node.end > n + 1) inside = static_cast<std::int32_t>(n);
    }
    return {};
  }

  Result<void> check_details() const {
    for (const Node& node : view_.nodes_) {
      if (node.detail_of == kNone) continue;
      const Node& full = view_.nodes_[node.detail_of];
      if (full.detail_of == kNone && &full != &node && node.mesh != kNone) continue;
      return invalid(place_(node.detail_of), message("found a node that replaces node ", node.detail_of,
                                                     ", expected one with a mesh that replaces a node of full detail"));
    }
    return {};
  }

  Result<void> check_variants() const {
    const VariantMaterial* before = nullptr;
    for (const VariantMaterial& v : view_.variant_materials_) {
      const std::uint32_t submesh_count = view_.meshes_[v.mesh].submesh_count;
      if (v.submesh >= submesh_count)
        return invalid(place_(v.submesh), message("found submesh ", v.submesh, ", expected less than ", submesh_count));
      const auto key = [](const VariantMaterial& m) { return std::tuple(m.mesh, m.submesh, m.variant); };
      if (before != nullptr && key(*before) >= key(v))
        return invalid(place_(v), "variant materials are out of order, expected each once, ascending");
      before = &v;
    }
    return {};
  }

  Result<void> check_clips() const {
    for (const Clip& clip : view_.clips_) {
      const std::span<const std::uint32_t> nodes = view_.clip_nodes(clip);
      const auto repeated = std::ranges::adjacent_find(nodes, std::ranges::greater_equal());
      if (repeated != nodes.end()) return invalid(place_(*repeated), "the nodes of a clip are not ascending");
    }
    return {};
  }

  Result<void> check_names() const {
    const auto named = static_cast<std::size_t>(
        std::ranges::count_if(view_.nodes_, [](const Node& node) { return node.name != kNone; }));
    if (view_.by_name_.size() != named) {
      return invalid(sizeof(chunks::FileHeader), message("BYNM lists ", counted(view_.by_name_.size(), "node"),
                                                         ", expected ", named, ", those with a name"));
    }
    for (std::size_t i = 0; i < view_.by_name_.size(); ++i) {
      const std::uint32_t& node = view_.by_name_[i];
      if (view_.nodes_[node].name == kNone) return invalid(place_(node), message("node ", node, " has no name"));
      if (i == 0) continue;
      const std::uint32_t before = view_.by_name_[i - 1];
      if (std::tuple(view_.node_name(before), before) >= std::tuple(view_.node_name(node), node))
        return invalid(place_(node), "the nodes of BYNM are out of order");
    }
    return {};
  }

  ByteSpan file_;
  Places place_;
  OpenChunks chunks_;
  Context context_;
  View view_;
};

Result<View> View::open(ByteSpan file) { return Opener(file).open(); }

std::string_view View::text(std::uint32_t index) const {
  if (index == kNone) return {};
  const std::uint32_t begin = index == 0 ? 0 : text_ends_[index - 1];
  return text_.substr(begin, text_ends_[index] - begin);
}

Matrix View::local_matrix(std::uint32_t node) const {
  const Node& of = nodes_[node];
  return of.matrix != kNone ? matrices_[of.matrix] : to_matrix(of.transform);
}

std::uint32_t View::variant_material(std::uint32_t mesh, std::uint32_t submesh, std::uint32_t variant) const {
  const auto key = [](const VariantMaterial& m) { return std::tuple(m.mesh, m.submesh, m.variant); };
  const auto found = std::ranges::lower_bound(variant_materials_, std::tuple(mesh, submesh, variant), {}, key);
  return found != variant_materials_.end() && key(*found) == std::tuple(mesh, submesh, variant) ? found->material
                                                                                                : kNone;
}

std::span<const std::uint32_t> View::named(std::string_view name) const {
  const auto found = std::ranges::equal_range(by_name_, name, {}, [&](std::uint32_t n) { return node_name(n); });
  return {found.begin(), found.end()};
}

std::optional<std::uint32_t> View::find(std::string_view name) const {
  const auto found = named(name);
  if (found.empty()) return std::nullopt;
  return found.front();
}

// Whether the path ends with the names of the node and of nodes above it, and nothing is left.
bool View::ends_path(std::uint32_t node, std::string_view path) const {
  while (true) {
    const std::string_view name = node_name(node);
    if (!path.ends_with(name)) return false;
    path.remove_suffix(name.size());
    if (path.empty()) return true;
    if (!path.ends_with('/') || nodes_[node].parent < 0) return false;
    path.remove_suffix(1);
    node = static_cast<std::uint32_t>(nodes_[node].parent);
  }
}

std::optional<std::uint32_t> View::find_path(std::string_view path) const {
  std::optional<std::uint32_t> first;
  if (path.empty()) return first;
  // The last name may contain '/', so every '/' may be the one before it, and the name may begin with one.
  for (std::size_t slash = path.size(); slash != std::string_view::npos;) {
    slash = slash == 0 ? std::string_view::npos : path.rfind('/', slash - 1);
    const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
    for (const std::uint32_t node : named(name)) {
      if ((!first || node < *first) && ends_path(node, path)) first = node;
    }
  }
  return first;
}

}  // namespace assetc::hscene
