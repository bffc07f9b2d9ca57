#include "engine/restore/restorer.hpp"

#include <algorithm>
#include <bit>
#include <unordered_set>

#include "base/ascii.hpp"
#include "engine/remote/entry.hpp"
#include "engine/target/output_tree.hpp"

namespace assetc::engine {

void Restorer::look_up_key(Node& node) const {
  if (auto key = planner_.key(node)) node.key = *key;
}

std::optional<ContentHash> Restorer::batch(const Node& node) const {
  if (node.input_path.empty()) return std::nullopt;
  // A power of two of batches, so that a few files more or less change few batches.
  const int bits = std::bit_width(c_.files.tree_size() / kBatchSources);
  const std::uint64_t place = bits == 0 ? 0 : content_hash(as_bytes(node.input_path)).high >> (64 - bits);
  ContentHasher hasher;
  hasher.add(std::string_view("batch 2")).add(c_.target.name).add(kind_of(node));
  return hasher.add(static_cast<std::uint64_t>(bits)).add(place).finish();
}

// A record may come from another program or from an attacker. Reject it if no step here could publish its outputs.
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
  if (record.shareable) return true;  // the key covers everything
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

std::shared_ptr<const Restorable> Restorer::complete(const Node& node, const StoredProduct& product) const {
  auto found = std::make_shared<Restorable>(Restorable{product, {}, {}});
  const StepRecord& record = found->product.record();
  for (std::size_t i = 0; i < record.outputs.size(); ++i) {
    const OutputRecord& output = record.outputs[i];
    const bool small = output.signature.size_bytes <= kInlineBytes;
    auto bytes =
        small ? std::optional(found->product.small()[i]) : store_.blob(output.hash, output.signature.size_bytes);
    if (!bytes) return nullptr;
    found->outputs.push_back(std::move(*bytes));
  }
  const bool has_all = each_inside(record, node, [&](const Node& wanted) {
    auto inside = find(wanted);
    if (!inside) return false;
    found->inside.emplace(wanted.id, std::move(inside));
    return true;
  });
  return has_all ? found : nullptr;
}

std::optional<std::vector<StoredProduct>> Restorer::products(const Node& node) const {
  const auto key = planner_.key(node);
  if (!key) return std::nullopt;
  return store_.find(key->stored, batch(node));
}

std::shared_ptr<const Restorable> Restorer::find(const Node& node) const {
  const auto found = products(node);
  return found ? choose(node, *found) : nullptr;
}

std::shared_ptr<const Restorable> Restorer::choose(const Node& node, std::span<const StoredProduct> products) const {
  for (const StoredProduct& product : products) {
    if (!fits(node, product.record())) continue;
    if (auto found = complete(node, product)) return found;
  }
  return nullptr;
}

void Restorer::add_lacking_of(const ContentHash& key, const StepRecord& record, Lacking& to) const {
  for (const OutputRecord& output : record.outputs) {
    const std::uint64_t bytes = output.signature.size_bytes;
    if (bytes > kInlineBytes && !store_.has_blob(output.hash)) to.blobs.push_back({key, output.hash, bytes});
  }
}

bool Restorer::add_lacking(const Node& node, std::span<const StoredProduct> known, Lacking& to) const {
  const auto key = planner_.key(node);
  if (!key) return false;
  std::vector<StoredProduct> here;
  const auto fitting = [&](std::span<const StoredProduct> products) {
    const auto at = std::ranges::find_if(products, [&](const StoredProduct& p) { return fits(node, p.record()); });
    return at == products.end() ? nullptr : &*at;
  };
  const StoredProduct* product = fitting(known);
  if (product == nullptr) {
    here = products(node).value_or(std::vector<StoredProduct>());
    product = fitting(here);
  }
  if (product == nullptr) {
    to.keys.push_back(key->stored);
    return true;
  }
  add_lacking_of(key->stored, product->record(), to);
  return each_inside(product->record(), node, [&](const Node& wanted) { return add_lacking(wanted, {}, to); });
}

std::optional<Lacking> Restorer::lacking(const Node& node, std::span<const StoredProduct> found) const {
  Lacking lacking;
  return add_lacking(node, found, lacking) ? std::optional(std::move(lacking)) : std::nullopt;
}

}  // namespace assetc::engine
