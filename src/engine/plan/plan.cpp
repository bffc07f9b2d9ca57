#include "engine/plan/plan.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "engine/plan/discover.hpp"
#include "engine/target/params.hpp"
#include "identity/virtual_path.hpp"

namespace assetc::engine {
namespace {

Reason because(ReasonKind kind, std::string subject = {}, std::string before = {}, std::string after = {}) {
  return {kind, std::move(subject), std::move(before), std::move(after)};
}

// The first "key=value" line that differs between two texts.
Reason line_difference(ReasonKind kind, std::string_view before, std::string_view after) {
  const auto line = [](std::string_view& text) {
    const std::string_view first = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), first.size() + 1));
    return first;
  };
  const auto split = [](std::string_view text) {
    const std::size_t equals = std::min(text.find('='), text.size());
    return std::pair(text.substr(0, equals), text.substr(std::min(text.size(), equals + 1)));
  };
  while (!before.empty() || !after.empty()) {
    const auto [old_key, old_value] = split(line(before));
    const auto [key, value] = split(line(after));
    if (old_key == key && old_value == value) continue;
    if (old_key == key) return because(kind, std::string(key), std::string(old_value), std::string(value));
    return because(kind, std::string(key.empty() ? old_key : key));  // a line that is new or gone
  }
  return because(kind);
}

Reason params_difference(std::string_view before, std::string_view after) {
  const auto old_params = decode_params(before);
  const auto params = decode_params(after);
  for (const auto& [key, value] : params) {
    const auto old = old_params.find(key);
    if (old == old_params.end()) return because(ReasonKind::kParamsChanged, key, "", value);
    if (old->second != value) return because(ReasonKind::kParamsChanged, key, old->second, value);
  }
  for (const auto& [key, value] : old_params) {
    if (!params.contains(key)) return because(ReasonKind::kParamsChanged, key, value, "");
  }
  return because(ReasonKind::kParamsChanged);
}

Reason dependency_difference(const Dependency& before, const Dependency& after) {
  std::string path(before.path);
  const auto there = [](DependencyKind k) {
    return k != DependencyKind::kAbsent && k != DependencyKind::kListingAbsent;
  };
  if (there(before.kind) && !there(after.kind)) return because(ReasonKind::kInputVanished, std::move(path));
  if (!there(before.kind) && there(after.kind)) return because(ReasonKind::kInputAppeared, std::move(path));
  if (before.kind == DependencyKind::kAsset || before.kind == DependencyKind::kUuid)
    return because(ReasonKind::kAssetChanged, std::move(path));
  if (before.kind == DependencyKind::kSettings) {
    const AskedSettings asked = AskedSettings::of(path);
    return because(ReasonKind::kSettingChanged,
                   "of the textures of " + std::string(asked.source.empty() ? asked.taken : asked.source));
  }
  if (before.kind == DependencyKind::kNamed) return because(ReasonKind::kNamesChanged, std::move(path));
  if (before.kind == DependencyKind::kListing) return because(ReasonKind::kListingChanged, std::move(path));
  return because(ReasonKind::kInputChanged, std::move(path));
}

std::string_view extension(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(dot);
}

}  // namespace

const EffectiveSettings* SettingsTable::find(std::string_view source, std::string_view pins, std::string_view taken) {
  // The same configuration serves builds, which start at a folder of assets, and cooks, which start above it.
  const auto matches = [&](const Rule& rule, std::string_view path) {
    if (path.empty()) return false;
    if (glob_matches(rule.match, path)) return true;
    return identities_ != nullptr && glob_matches(rule.match, identity::below_asset_root(path));
  };
  const auto applies = [&](const Rule& rule) { return matches(rule, source) || matches(rule, taken); };
  std::string key;
  key.reserve(profile_.rules.size() + pins.size() + 1);
  for (const Rule& rule : profile_.rules) key += applies(rule) ? '1' : '0';
  // Settings in a .meta override rules. Settings that a parent step fixed override both.
  std::string fixed;
  if (identities_ != nullptr) fixed.append(identities_->settings(source)).append(identities_->settings(taken));
  fixed.append(pins);
  std::string said;
  if (engine_files_ != nullptr) said.append(engine_files_->settings(source)).append(engine_files_->settings(taken));
  key.append("\n").append(said).append("\n").append(fixed);
  const std::lock_guard lock(mutex_);
  auto& slot = by_rules_[key];
  if (slot) return slot.get();
  slot = std::make_unique<EffectiveSettings>();
  slot->all = profile_.settings_where(applies, said);
  recipes::set_lines(slot->all, fixed);
  for (const recipes::Recipe* recipe : recipes_) {
    EffectiveSettings::View view;
    view.canonical = recipes::canonical_settings(slot->all, recipe->setting_groups);
    for (const recipes::SettingField& field : recipes::setting_fields()) {
      if (field.is_of_planning) continue;
      const std::string_view group = field.key.substr(0, field.key.find('.'));
      if (std::ranges::find(recipe->setting_groups, group) != recipe->setting_groups.end()) {
        (void)field.set(view.restricted, field.get(slot->all));
      }
    }
    slot->of_recipe.push_back(std::move(view));
  }
  return slot.get();
}

ChildSettings SettingsTable::find_child(const AskedSettings& asked, Toolchain& toolchain) {
  const auto at = std::ranges::find(recipes_, asked.recipe, &recipes::Recipe::name);
  if (at == recipes_.end()) return {};
  const auto number = static_cast<std::size_t>(at - recipes_.begin());
  const EffectiveSettings* settings = find(asked.source, asked.pins, asked.taken);
  const recipes::TextureSettings& texture = settings->all.texture;
  return {texture.share == recipes::TextureShare::kContent, texture.keeps_graphics,
          settings->of_recipe[number].canonical, toolchain.libraries(number)};
}

std::vector<const Rule*> SettingsTable::unmatched_rules() {
  const std::lock_guard lock(mutex_);
  std::vector<const Rule*> unmatched;
  for (std::size_t i = 0; i < profile_.rules.size() && !by_rules_.empty(); ++i) {
    if (std::ranges::none_of(by_rules_, [i](const auto& found) { return found.first[i] == '1'; }))
      unmatched.push_back(&profile_.rules[i]);
  }
  return unmatched;
}

Result<std::string> encode_pins(const recipes::Params& pins) {
  recipes::Settings scratch;
  std::string text;
  for (const auto& [key, value] : pins) {
    const recipes::SettingField* field = recipes::find_setting(key);
    if (field == nullptr || !field->set(scratch, value)) {
      return fail(ErrorCode::kInvalidData,
                  "asks for a step with " + key + ": \"" + value + "\", but there is no such setting or value",
                  "this is a fault in the recipe");
    }
    text.append(key).append("=").append(value).append("\n");
  }
  return text;
}

ContentHash kind_of(const Node& node) {
  ContentHasher hasher;
  hasher.add(node.recipe->name).add(std::uint64_t{node.recipe->version}).add(node.view().canonical).add(node.params);
  return hasher.finish();
}

Node Planner::child_node(const ChildRecord& child, std::string_view rules_source) const {
  Node node;
  for (std::size_t i = 0; i < c_.recipes.size(); ++i) {
    if (c_.recipes[i]->name != child.recipe) continue;
    node.recipe = c_.recipes[i];
    node.recipe_index = static_cast<std::uint16_t>(i);
  }
  node.listed = child.listed;
  node.source = child.source;
  node.input_path = child.input_path;
  node.stem = child.stem;
  node.params = child.params;
  node.inline_hash = child.inline_hash;
  if (c_.assets.identities != nullptr && !child.input_path.empty()) {
    // The picture is one asset for all users, so only its own rules and settings apply.
    node.rules_source = child.input_path;
    node.settings = c_.settings.find(child.input_path, child.pins);
  } else {
    node.rules_source = rules_source;
    node.settings = c_.settings.find(rules_source, child.pins, child.input_path);
  }
  node.id = step_id(child.recipe, child.stem);
  return node;
}

Result<StepKey> Planner::key(const Node& node) const {
  if (node.key) return *node.key;
  StepKey key;
  ASSETC_TRY(key.shareable, shareable_key(node));
  ContentHasher hasher;
  hasher.add(std::string_view("store 2")).add(c_.target.name);
  if (key.shareable) {
    key.stored = hasher.add(*key.shareable).finish();
    return key;
  }
  // A folder, or a missing input: the files that the step read decide.
  hasher.add(node.recipe->name).add(std::uint64_t{node.recipe->version}).add(node.view().canonical).add(node.params);
  hasher.add(c_.toolchain.libraries(node.recipe_index)).add(node.input_path).add(node.stem);
  key.stored = hasher.finish();
  return key;
}

Result<std::optional<ContentHash>> Planner::shareable_key(const Node& node) const {
  ContentHash input = node.inline_hash;
  if (!node.input_path.empty()) {
    ASSETC_TRY(const auto hash, c_.files.hash(node.input_path));
    if (!hash) return std::nullopt;
    input = *hash;
  }
  ContentHasher hasher;
  hasher.add(node.recipe->name).add(std::uint64_t{node.recipe->version}).add(node.view().canonical).add(node.params);
  hasher.add(c_.toolchain.libraries(node.recipe_index));
  hasher.add(node.recipe->stem_matters ? node.stem : std::string_view());
  hasher.add(ascii_lower(extension(node.input_path))).add(input);
  return hasher.finish();
}

std::optional<Reason> Planner::stale(const Node& node, const StepRecord& r,
                                     std::unique_ptr<StepRecord>& renewed) const {
  if (r.version != node.recipe->version) {
    return because(ReasonKind::kRecipeVersion, std::string(node.recipe->name), std::to_string(r.version),
                   std::to_string(node.recipe->version));
  }
  if (r.input_path != node.input_path) {
    return because(ReasonKind::kSourceChanged, "", std::string(r.source), std::string(node.source));
  }
  if (r.settings != node.view().canonical)
    return line_difference(ReasonKind::kSettingChanged, r.settings, node.view().canonical);
  if (const std::string now = c_.toolchain.now(node.recipe_index, r.toolchain); r.toolchain != now)
    return line_difference(ReasonKind::kToolchainChanged, r.toolchain, now);
  if (r.params != node.params) return params_difference(r.params, node.params);
  if (r.inline_hash != node.inline_hash) return because(ReasonKind::kInputChanged, std::string(node.source));
  for (const Dependency& before : r.dependencies) {
    const auto now = dependency_now(c_.files, c_.assets, before.path, before.kind);
    if (!now) return because(ReasonKind::kInputChanged, std::string(before.path));
    if (*now != before) return dependency_difference(before, *now);
  }
  return damage(r, renewed);
}

std::optional<Reason> Planner::damage(const StepRecord& r, std::unique_ptr<StepRecord>& renewed) const {
  for (std::size_t i = 0; i < r.outputs.size(); ++i) {
    const std::string path = c_.target.file_path(r.stem, r.outputs[i].suffix);
    OutputRecord output = r.outputs[i];
    bool new_signature = false;
    const auto condition = c_.publisher.check(path, output, new_signature);
    if (condition == Publisher::Condition::kMissing) return because(ReasonKind::kOutputMissing, path);
    if (condition == Publisher::Condition::kModified) return because(ReasonKind::kOutputModified, path);
    if (new_signature) {
      if (!renewed) renewed = std::make_unique<StepRecord>(r);
      renewed->outputs[i] = output;
    }
  }
  return std::nullopt;
}

std::optional<Reason> Planner::decide_children(const Node& node, const StepRecord& record, Decision& decision) const {
  for (const ChildRecord& child : record.children) {
    Node wanted = child_node(child, node.rules_source);
    // The recipe is unknown to this version of the program.
    if (wanted.recipe == nullptr)
      return because(ReasonKind::kRecipeVersion, std::string(child.recipe), "known", "unknown");
    const bool inside = child.input_path.empty();
    const std::size_t runs = decision.run.size();
    decide(std::move(wanted), decision);
    // A child must run, and its bytes are inside this source: only this step can provide them.
    if (inside && decision.run.size() > runs && decision.run.back().id == step_id(child.recipe, child.stem)) {
      const Node& run = decision.run.back();
      return because(ReasonKind::kNeededByChild, run.source.empty()
                                                     ? std::string(child.stem)
                                                     : std::string(run.source) + ": " + run.reason().to_string());
    }
  }
  return std::nullopt;
}

bool Planner::keep(const Node& node, Decision& decision) const {
  const auto position = c_.state.steps.find(node.id);
  if (!position) return false;
  StepRecord scratch;
  const StepRecord& record = c_.state.steps[*position].read(scratch);
  std::unique_ptr<StepRecord> renewed;
  if (damage(record, renewed)) return false;
  const std::size_t run_before = decision.run.size();
  const std::size_t cached_before = decision.cached.size();
  for (const ChildRecord& child : record.children) {
    Node wanted = child_node(child, node.rules_source);
    if (wanted.recipe != nullptr && !child.input_path.empty()) {
      decide(std::move(wanted), decision);
    } else if (wanted.recipe == nullptr || !keep(wanted, decision)) {
      decision.run.resize(run_before);
      decision.cached.resize(cached_before);
      return false;
    }
  }
  decision.cached.push_back({c_.state.steps[*position], *position, node.listed});
  return true;
}

void Planner::decide(Node node, Decision& decision) const {
  if (std::holds_alternative<Node::AsRecorded>(node.state)) {
    keep(node, decision);
    return;
  }
  const auto position = c_.state.steps.find(node.id);
  if (position) node.record = c_.state.steps[*position];
  if (node.refused() != nullptr || !node.record || c_.no_cache) {
    if (node.refused() == nullptr)
      node.state = Node::ToRun{because(c_.no_cache ? ReasonKind::kNoCache : ReasonKind::kNoRecord)};
    decision.run.push_back(std::move(node));
    return;
  }
  // Moved out while the record is in use, because children are decided on meanwhile.
  StepRecord scratch = std::move(decision.scratch);
  const StepRecord& record = node.record.read(scratch);
  std::unique_ptr<StepRecord> renewed;
  std::optional<Reason> reason = stale(node, record, renewed);
  const std::size_t run_before = decision.run.size();
  const std::size_t cached_before = decision.cached.size();
  if (!reason) reason = decide_children(node, record, decision);
  decision.scratch = std::move(scratch);
  if (reason) {
    node.state = Node::ToRun{std::move(*reason)};
    // It will name its children again when it has run.
    decision.run.resize(run_before);
    decision.cached.resize(cached_before);
    decision.run.push_back(std::move(node));
    return;
  }
  if (renewed) {
    const StepRecord& kept = c_.state.arena.keep(std::move(renewed));
    node.record = StepRef(kept);
    decision.renewed.push_back(&kept);
  }
  decision.cached.push_back({node.record, *position, node.listed});
}

}  // namespace assetc::engine
