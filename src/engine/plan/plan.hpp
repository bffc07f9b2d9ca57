// Decides which steps must run, and why, by comparing each known step with its record.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "engine/config/config.hpp"
#include "engine/plan/engine_files.hpp"
#include "engine/plan/reason.hpp"
#include "engine/publish/publish.hpp"
#include "engine/state/inputs.hpp"
#include "engine/state/state.hpp"
#include "engine/state/step_set.hpp"
#include "engine/state/toolchain.hpp"
#include "recipes/recipe.hpp"

namespace assetc::engine {

// The settings of a source, and the part of them that each recipe may see.
struct EffectiveSettings {
  recipes::Settings all;
  struct View {
    std::string canonical;         // of the recipe's setting groups; part of the key
    recipes::Settings restricted;  // the recipe's groups; others have their defaults, so that they cannot matter
  };
  std::vector<View> of_recipe;  // by position in the list of recipes
};

// Rules are matched for each source, but each set of matching rules gives its settings only once. Thread-safe.
class SettingsTable {
 public:
  // identities: their import settings override the profile's. engine_files: their settings are below the rules. Both
  // may be null.
  SettingsTable(const Profile& profile, std::span<const recipes::Recipe* const> recipes,
                const Identities* identities = nullptr, EngineFiles* engine_files = nullptr)
      : profile_(profile), recipes_(recipes), identities_(identities), engine_files_(engine_files) {}
  const Profile& profile() const { return profile_; }
  // pins: encode_pins(), settings that a parent step fixed. taken: a further file whose rules also apply.
  const EffectiveSettings* find(std::string_view source, std::string_view pins = {}, std::string_view taken = {});
  // AssetRules::settings_of_child.
  ChildSettings find_child(const AskedSettings& asked, Toolchain& toolchain);
  // Rules that have matched no source so far, in the profile's order; empty before the first source.
  std::vector<const Rule*> unmatched_rules();
  // About the files of another engine.
  std::vector<recipes::Diagnostic> diagnostics() const {
    return engine_files_ == nullptr ? std::vector<recipes::Diagnostic>() : engine_files_->diagnostics();
  }

 private:
  const Profile& profile_;
  std::span<const recipes::Recipe* const> recipes_;
  const Identities* identities_;
  EngineFiles* engine_files_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::unique_ptr<EffectiveSettings>> by_rules_;
};

// "key=value\n" for each setting that a parent fixed for its child. kInvalidData: there is no such setting or value.
Result<std::string> encode_pins(const recipes::Params& pins);

// The keys under which the outputs of a step are looked up.
struct StepKey {
  // Hash of everything that decides the outputs, for a step whose input is one file or inline bytes. nullopt for a
  // directory or a missing input.
  std::optional<ContentHash> shareable;
  // The key in stores: hash of everything that decides the outputs and is known before the step runs. The rest is in
  // the record.
  ContentHash stored;
};

struct Restorable;
class StoredProduct;

// What is known of a step in stores.
struct NotAsked {};  // the store must be asked
struct Absent {};    // the store was asked recently and does not have it
using StoreAnswer =
    std::variant<NotAsked, Absent,
                 std::shared_ptr<const std::vector<StoredProduct>>,  // recently returned for the key; may be empty
                 std::shared_ptr<const Restorable>>;                 // complete: read together with its parent's

// A step as this build wants it. Its texts live in the tree or in the state's arena.
struct Node {
  struct Undecided {};
  // It is not checked: its recorded outputs are kept, or it is left out if it has never run.
  struct AsRecorded {};
  // It fails instead of running.
  struct Refused {
    std::shared_ptr<const Error> why;
    Reason reason = {};
  };
  // It must run.
  struct ToRun {
    Reason reason;
    bool has_waited = false;           // for a step of the same key that has ended
    std::uint64_t reserved_bytes = 0;  // as its cook requested: Product::needs_bytes
    StoreAnswer answer = NotAsked{};
  };

  const recipes::Recipe* recipe = nullptr;
  std::uint16_t recipe_index = 0;
  bool listed = false;
  bool only_children = false;  // another shard makes the step's own outputs
  std::string_view source;
  std::string_view input_path;
  std::string_view stem;
  std::string_view params;
  std::string_view rules_source;  // the source file whose rules apply
  ContentHash inline_hash;
  Bytes inline_input;
  const EffectiveSettings* settings = nullptr;
  StepId id;
  std::optional<StepKey> key;  // set when first needed
  StepRef record;              // of the last run, if any
  std::uint64_t order = 0;
  std::variant<Undecided, AsRecorded, Refused, ToRun> state;

  // The part of the settings that the recipe sees.
  const EffectiveSettings::View& view() const { return settings->of_recipe[recipe_index]; }
  // Null unless the step is refused.
  const Refused* refused() const { return std::get_if<Refused>(&state); }
  // For a step that must run.
  ToRun& to_run() { return std::get<ToRun>(state); }
  const ToRun& to_run() const { return std::get<ToRun>(state); }
  // For a step that must run or is refused.
  const Reason& reason() const { return refused() != nullptr ? refused()->reason : to_run().reason; }
};

// Hash of a recipe with its settings and parameters. Steps of one kind take about the same time per input byte.
ContentHash kind_of(const Node& node);

// The data kept for a step that is up to date. There may be a hundred thousand of them, and a Node is ten times as
// large.
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

  // The node of a step that a parent's record asks for.
  Node child_node(const ChildRecord& child, std::string_view rules_source) const;

  struct Decision {
    std::vector<Node> run;  // steps that must run; without the children of steps that run
    std::vector<CachedStep> cached;
    std::vector<const StepRecord*> renewed;  // records whose output signatures were renewed
    StepRecord scratch;
  };
  // Decides on a step and, if it need not run, on the steps that it asked for. Looks up node.record. A file that cannot
  // be read counts as changed: the step then runs and reports the error. Thread-safe while the state does not change.
  void decide(Node node, Decision& decision) const;

  const Context& context() const { return c_; }

  // The key of the node; computed if node.key is not set.
  Result<StepKey> key(const Node& node) const;

 private:
  Result<std::optional<ContentHash>> shareable_key(const Node& node) const;
  // Keeps a step as it was recorded, and those whose bytes are inside its source; decides on other steps that it asked
  // for. Returns false and keeps nothing if the step has never run or an output is not as it was written.
  bool keep(const Node& node, Decision& decision) const;
  // Why an output differs from its record. renewed: same as in stale().
  std::optional<Reason> damage(const StepRecord& record, std::unique_ptr<StepRecord>& renewed) const;
  std::optional<Reason> stale(const Node& node, const StepRecord& record, std::unique_ptr<StepRecord>& renewed) const;
  // For a step that need not run: decides on the steps that its record asks for. Returns why the step must run after
  // all.
  std::optional<Reason> decide_children(const Node& node, const StepRecord& record, Decision& decision) const;

  Context c_;
};

}  // namespace assetc::engine
