// What must run, and why: each known step against its record.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/config/config.hpp"
#include "engine/plan/reason.hpp"
#include "engine/publish/publish.hpp"
#include "engine/state/inputs.hpp"
#include "engine/state/state.hpp"
#include "engine/state/step_set.hpp"
#include "engine/state/toolchain.hpp"
#include "recipes/recipe.hpp"

namespace assetc::engine {

// The settings of a source, and per recipe the part that it may see.
struct EffectiveSettings {
  recipes::Settings all;
  struct View {
    std::string canonical;         // of the recipe's groups: part of the key
    recipes::Settings restricted;  // the recipe's groups; the others at their defaults, so that they cannot matter
  };
  std::vector<View> of_recipe;  // by position in the list of recipes
};

// Rules are matched for each source, but the settings of one set of matching rules are computed once. Thread-safe.
class SettingsTable {
 public:
  // identities: whose import settings overrule the profile's; may be null.
  SettingsTable(const Profile& profile, std::span<const recipes::Recipe* const> recipes,
                const Identities* identities = nullptr)
      : profile_(profile), recipes_(recipes), identities_(identities) {}
  // pins: encode_pins(), what a parent step fixed. taken: a further file, whose rules apply as well.
  const EffectiveSettings* find(std::string_view source, std::string_view pins = {}, std::string_view taken = {});
  // Rules that have matched no source so far, in the profile's order; none before the first source.
  std::vector<const Rule*> unmatched_rules();

 private:
  const Profile& profile_;
  std::span<const recipes::Recipe* const> recipes_;
  const Identities* identities_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::unique_ptr<EffectiveSettings>> by_rules_;
};

// "key=value\n" for each setting that a parent fixed for its child. kInvalidData for one that there is not.
Result<std::string> encode_pins(const recipes::Params& pins);

// What a step is called by where its outputs are looked for.
struct StepKey {
  // All that decides them, of a step whose input is one file or inline bytes; nothing for a directory or an input that
  // is not there.
  std::optional<ContentHash> shareable;
  // What stores know it by: of what decides them all that is known before the step has run; the rest is in its record.
  ContentHash stored;
};

struct Restorable;
class StoredProduct;

// A step as this build wants it. Texts live in the tree or in the state's arena.
struct Node {
  const recipes::Recipe* recipe = nullptr;
  std::uint16_t recipe_index = 0;
  bool listed = false;
  bool retried = false;              // waited for a step of the same key already
  std::uint64_t reserved_bytes = 0;  // as its cook asked: Product::needs_bytes
  bool as_recorded = false;  // nobody asks whether it is up to date: it stays, or is left out where it never ran
  std::string_view source;
  std::string_view input_path;
  std::string_view stem;
  std::string_view params;
  std::string_view rules_source;  // the source file whose rules apply
  ContentHash inline_hash;
  Bytes inline_input;
  const EffectiveSettings* settings = nullptr;
  StepId id;
  std::optional<StepKey> key;                // once it was needed
  StepRef record;                            // of the last run, when there is one
  std::optional<Reason> reason;              // set: it must run
  std::shared_ptr<const Error> refused;      // set: it fails instead of running
  std::shared_ptr<const Restorable> stored;  // set: what a store has of it, read with its parent
  // What a store gave a moment ago under its key; empty: it has to be asked.
  std::shared_ptr<const std::vector<StoredProduct>> found;
  bool is_absent = false;  // the store was asked a moment ago, and does not have it
  std::uint64_t order = 0;

  // What the recipe sees of the settings.
  const EffectiveSettings::View& view() const { return settings->of_recipe[recipe_index]; }
};

// A recipe with its settings and parameters: steps of one kind take about as long for a byte of their input.
ContentHash kind_of(const Node& node);

// What is left of a step that is as recorded: there may be a hundred thousand, and a Node is ten times as large.
using CachedStep = StepSet::Member;

class Planner {
 public:
  struct Context {
    std::span<const recipes::Recipe* const> recipes;
    FileTable& files;
    Publisher& publisher;
    SettingsTable& settings;
    const AssetRules& assets;
    State& state;
    const Target& target;
    Toolchain& toolchain;
    bool no_cache = false;
  };
  explicit Planner(const Context& context) : c_(context) {}

  // A step that a parent's record asks for.
  Node child_node(const ChildRecord& child, std::string_view rules_source) const;

  struct Decision {
    std::vector<Node> run;  // steps that must run; the children of one that runs are not among them
    std::vector<CachedStep> cached;
    std::vector<const StepRecord*> renewed;  // records whose output signatures had to be looked up again
    StepRecord scratch;
  };
  // Decides on a step and, when it need not run, on the steps it asked for. node.record is looked up here. What cannot
  // be read counts as changed: the step runs, and tells. Thread-safe while nobody changes the state.
  void decide(Node node, Decision& decision) const;

  const Context& context() const { return c_; }

  // The node's own, where it is known.
  Result<StepKey> key(const Node& node) const;

 private:
  Result<std::optional<ContentHash>> shareable_key(const Node& node) const;
  // Takes a step as it was recorded, and those whose bytes are inside its source; decides on others that it asked for.
  // False, and nothing is taken, where it never ran or an output is not as it was written.
  bool keep(const Node& node, Decision& decision) const;
  // Why an output is not what the record says. renewed: as of stale().
  std::optional<Reason> damage(const StepRecord& record, std::unique_ptr<StepRecord>& renewed) const;
  std::optional<Reason> stale(const Node& node, const StepRecord& record, std::unique_ptr<StepRecord>& renewed) const;
  // Of a step that need not run, on the steps that its record asks for: why it must run after all.
  std::optional<Reason> decide_children(const Node& node, const StepRecord& record, Decision& decision) const;

  Context c_;
};

}  // namespace assetc::engine
