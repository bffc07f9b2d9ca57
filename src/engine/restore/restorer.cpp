#include "engine/restore/restorer.hpp"

#include <algorithm>
#include <bit>
#include <unordered_set>

#include "base/ascii.hpp"
#include "engine/remote/entry.hpp"
#include "engine/target/output_tree.hpp"

namespace assetc::engine {

Result<ContentHash> Restorer::key(const Node& node) const {
  ASSETC_TRY(const std::optional<ContentHash> planned, planner_.key(node));
  ContentHasher hasher;
  hasher.add(std::string_view("store 2")).add(c_.target.name);
  if (planned) return hasher.add(*planned).finish();
  // A folder, or what is not there: what the step read decides.
  hasher.add(node.recipe->name).add(std::uint64_t{node.recipe->version}).add(node.view().canonical).add(node.params);
  hasher.add(c_.toolchain.libraries(node.recipe_index)).add(node.input_path).add(node.stem);
  return hasher.finish();
}

std::optional<ContentHash> Restorer::batch(const Node& node) const {
  if (node.input_path.empty()) return std::nullopt;
  // A power of two of them, so that few files more or less are in the same ones.
  const int bits = std::bit_width(c_.files.tree_size() / kBatchSources);
  const std::uint64_t place = bits == 0 ? 0 : content_hash(as_bytes(node.input_path)).high >> (64 - bits);
  ContentHasher hasher;
  hasher.add(std::string_view("batch 2")).add(c_.target.name).add(kind_of(node));
  return hasher.add(static_cast<std::uint64_t>(bits)).add(place).finish();
}

// Whoever wrote a record may have been another program, or a liar: what no step here could publish is not there.
bool Restorer::may_publish(const Node& node, const StepRecord& record) const {
  std::unordered_set<std::string> suffixes;
  return std::ranges::all_of(record.outputs,
                             [&](const OutputRecord& output) {
                               return suffixes.insert(ascii_lower(output.suffix)).second &&
                                      check_output_path(c_.target, c_.target.file_path(node.stem, output.suffix));
                             }) &&
         std::ranges::all_of(record.children, [&](const ChildRecord& child) {
           return planner_.child_node(child, node.rules_source).recipe != nullptr;
         });
}

bool Restorer::fits(const Node& node, const StepRecord& record) const {
  if (!may_publish(node, record)) return false;
  if (c_.toolchain.now(node.recipe_index, record.toolchain) != record.toolchain) return false;
  if (record.shareable) return true;  // it is all in the key
  if (record.input_path != node.input_path || record.stem != node.stem) return false;
  return std::ranges::all_of(record.dependencies, [&](const Dependency& before) {
    const auto now = dependency_now(c_.files, c_.assets, before.path, before.kind);
    return now && *now == before;
  });
}

template <class Call>
bool Restorer::each_inside(const StepRecord& record, const Node& node, const Call& call) const {
  for (const ChildRecord& child : record.children) {
    if (!child.input_path.empty()) continue;
    const Node wanted = planner_.child_node(child, node.rules_source);
    Planner::Decision decision;
    planner_.decide(wanted, decision);
    if (!decision.run.empty() && !call(wanted)) return false;
  }
  return true;
}

bool Restorer::complete(const Node& node, Restorable& found) const {
  const StepRecord& record = found.product.record();
  for (std::size_t i = 0; i < record.outputs.size(); ++i) {
    const OutputRecord& output = record.outputs[i];
    const bool small = output.signature.size_bytes <= kInlineBytes;
    auto bytes =
        small ? std::optional(found.product.small()[i]) : store_.blob(output.hash, output.signature.size_bytes);
    if (!bytes) return false;
    found.outputs.push_back(std::move(*bytes));
  }
  return each_inside(record, node, [&](const Node& wanted) {
    auto inside = find(wanted);
    if (!inside) return false;
    found.inside.emplace(wanted.id, std::move(inside));
    return true;
  });
}

std::vector<StoredProduct> Restorer::products(const Node& node, const ContentHash& key) const {
  if (const auto place = batch(node)) store_.look_into(*place);
  std::vector<StoredProduct> found = store_.find(key);
  std::erase_if(found, [&](const StoredProduct& product) { return !fits(node, product.record()); });
  return found;
}

std::shared_ptr<const Restorable> Restorer::find(const Node& node) const {
  const auto stored_by = key(node);
  if (!stored_by) return nullptr;
  for (StoredProduct& product : products(node, *stored_by)) {
    auto found = std::make_shared<Restorable>(Restorable{std::move(product), {}, {}});
    if (complete(node, *found)) return found;
  }
  return nullptr;
}

bool Restorer::add_lacking(const Node& node, Lacking& to) const {
  const auto stored_by = key(node);
  if (!stored_by) return false;
  for (const StoredProduct& product : products(node, *stored_by)) {
    const StepRecord& record = product.record();
    for (const OutputRecord& output : record.outputs) {
      const std::uint64_t bytes = output.signature.size_bytes;
      if (bytes > kInlineBytes && !store_.has_blob(output.hash)) to.blobs.push_back({*stored_by, output.hash, bytes});
    }
    return each_inside(record, node, [&](const Node& wanted) { return add_lacking(wanted, to); });
  }
  to.keys.push_back(*stored_by);
  return true;
}

std::optional<Lacking> Restorer::lacking(const Node& node) const {
  Lacking lacking;
  return add_lacking(node, lacking) ? std::optional(std::move(lacking)) : std::nullopt;
}

}  // namespace assetc::engine
