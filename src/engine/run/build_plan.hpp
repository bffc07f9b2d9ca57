// The plan of a build: the state on which it decides which steps to run, and with which it runs them.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>

#include "engine/plan/discover.hpp"
#include "engine/plan/plan.hpp"
#include "engine/plan/share.hpp"
#include "engine/publish/publish.hpp"
#include "engine/run/request.hpp"
#include "engine/run/workspace.hpp"
#include "engine/state/inputs.hpp"
#include "engine/state/toolchain.hpp"
#include "engine/target/params.hpp"

namespace assetc::engine {

struct BuildPlan {
  // All arguments outlive the plan, except the request and the cache of the space.
  BuildPlan(const BuildRequest& request, const Profile& profile, Disk& disk, const Workspace& space,
            std::optional<std::int64_t> distrusted_since_ns, std::optional<Identities> who_is_who)
      : identities(std::move(who_is_who)),
        toolchain(request.recipes, *request.target, space.cache.get()),
        engine_files(profile, disk, [this](std::string_view path) { return files.find(path).has_value(); }),
        settings(profile, request.recipes, identities ? &*identities : nullptr, &engine_files),
        files(disk, profile.input, space.input, state, input_skip(profile, *request.target, disk),
              profile.follow_links ? Reach::kLinks : Reach::kRoot),
        publisher(disk, profile.output, space.output, *request.target, {request.verify, distrusted_since_ns}),
        assets{request.recipes,
               [this](std::string_view path) -> const recipes::Settings& { return settings.find(path)->all; },
               identities ? &*identities : nullptr, engine_files.source_finder(space.input),
               [this](const AskedSettings& asked) { return settings.find_child(asked, toolchain); }},
        planner({request.recipes, files, publisher, settings, assets, state, *request.target, toolchain,
                 request.no_cache}) {}
  BuildPlan(const BuildPlan&) = delete;
  BuildPlan& operator=(const BuildPlan&) = delete;

  std::optional<Identities> identities;
  Toolchain toolchain;
  State state;
  Sources sources;
  EngineFiles engine_files;
  SettingsTable settings;
  FileTable files;
  Publisher publisher;
  AssetRules assets;
  Planner planner;
  Planner::Decision decision;
  std::optional<Share> share;  // nullopt: all sources
  Conflicts conflicts;
  bool waits = false;  // sources that other sources may take are not decided on yet
};

inline Node source_node(const Source& source, std::size_t order, const Tree& tree, BuildPlan& plan,
                        std::span<const recipes::Recipe* const> recipes) {
  const std::string_view path = tree.path(source.entry);
  const recipes::Recipe& recipe = *recipes[source.recipe];
  const recipes::Claim& claim = recipe.claims[source.claim];
  Node node;
  node.recipe = &recipe;
  node.recipe_index = source.recipe;
  node.source = node.input_path = node.rules_source = path;
  node.stem = plan.state.arena.keep(plan.assets.stem_of(path, claim));
  node.settings = plan.settings.find(path);
  recipes::Params params = plan.settings.profile().source_params;
  params.merge(recipe.params_of != nullptr
                   ? recipe.params_of(path, claim, node.settings->all,
                                      [&plan](std::string_view set) { return plan.files.has_set(set); })
                   : recipes::mode_params(claim.mode));
  // Outputs that are named by UUID have one name for all uses of a picture.
  if (plan.assets.identities != nullptr) params.erase(std::string(recipes::kAloneParam));
  if (!params.empty()) node.params = plan.state.arena.keep(encode_params(params));
  node.id = step_id(recipe.name, node.stem);
  node.order = order;
  return node;
}

}  // namespace assetc::engine
