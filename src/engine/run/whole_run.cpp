#include "engine/run/whole_run.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <unordered_set>

#include "base/plural.hpp"
#include "engine/plan/taken.hpp"
#include "engine/publish/bundles.hpp"
#include "engine/publish/index.hpp"
#include "engine/publish/sound_steps.hpp"
#include "engine/run/reporting.hpp"
#include "engine/state/writing_mark.hpp"
#include "engine/target/output_tree.hpp"
#include "parallel/parallel.hpp"

namespace assetc::engine {
namespace {

// The cache entry with the preset of the last build.
constexpr std::string_view kPresetName = "preset";
// They are there once the build has said that models repeat a picture, and that graphics are in blocks.
constexpr std::string_view kToldRepeated = "told repeated-texture";
constexpr std::string_view kToldGraphics = "told compressed-graphics";

// Removes repeated requests for the same step. Without UUIDs, two sources of one name are a conflict.
void share_equal(const State& state, bool has_uuids, Planner::Decision& decision) {
  std::unordered_set<StepId> run;
  if (has_uuids) std::erase_if(decision.run, [&](const Node& node) { return !run.insert(node.id).second; });
  std::vector<bool> seen(state.steps.size());
  std::erase_if(decision.cached, [&](const CachedStep& step) {
    const bool again = seen[step.position];
    seen[step.position] = true;
    return again;
  });
}

bool is_left(const Node& node, const Taken& taken, const BuildPlan& plan) {
  const auto stands_alone = node.recipe->stands_alone;
  if (stands_alone == nullptr || stands_alone(node.settings->all)) return false;
  return taken.leaves(node.input_path, node.stem) || (plan.share && plan.share->is_named(node.input_path));
}

}  // namespace

Result<Report> WholeRun::run() {
  ASSETC_TRY(space_, open_workspace(profile_, target_, disk_, jobs_, request_.dry_run || request_.shard));
  report_.found = space_.found;
  report_.input = space_.input.fingerprint();
  environment_ = environment_of(profile_, request_.recipes, target_);
  CleanMark clean(*space_.cache, disk_, profile_.input, environment_, request_.recipes);
  WritingMark writing(*space_.cache, disk_);
  std::optional<Summary> summary;
  const bool trusts = !request_.no_cache && !request_.verify && !request_.look_again && !request_.shard;
  const auto distrusted_since_ns = writing.distrusted_since_ns();
  if (trusts && !writing.stands() && !distrusted_since_ns) summary = clean.find(space_.input, space_.output);
  if (summary) {
    is_known_ = true;
    say_again(std::move(*summary));
  } else {
    std::optional<Identities> identities;
    if (services_.identities) {
      ASSETC_TRY(identities, services_.identities());
    }
    BuildPlan plan(request_, profile_, disk_, space_, distrusted_since_ns, std::move(identities));
    Scheduler scheduler(jobs_, budget_bytes(), services_.clock);
    ASSETC_CHECK(make(plan, scheduler, distrusted_since_ns));
    if (request_.dry_run) {
      predict_all(plan);
    } else if (request_.shard) {
      execute_share(plan, scheduler, writing);
    } else {
      execute(plan, scheduler, clean, writing);
    }
  }
  if (profile_.pack && !request_.dry_run && !request_.shard && !request_.target->bundle_suffix.empty()) {
    report_.pack_file = bundle_path(target_, profile_);
    report_.packed = report_.is_incomplete
                         ? goes_on(write_bundle(target_, profile_, unlisted_, disk_, request_.verify))
                         : report_.ok && goes_on(update_bundle(target_, profile_, disk_, *space_.cache,
                                                               space_.output.fingerprint(), request_.verify));
  }
  if (target_.bundles_by_rule && request_.writes_bundles && report_.ok && !request_.dry_run && !request_.shard) {
    const BundleRequest request{space_.output, request_.selects != nullptr, request_.verify};
    auto updated = update_bundles(target_, profile_, request, disk_, *space_.cache);
    if (updated) report_.bundles = std::move(*updated);
    report_.ok = updated || goes_on(std::unexpected(std::move(updated).error()));
  }
  report_.ok = report_.ok && report_.troubles.empty();
  space_.cache.reset();
  end();
  if (report_.ok && is_known_ && told_dropped_.empty()) keep_last();
  return std::move(report_);
}

void WholeRun::predict_all(BuildPlan& plan) {
  report_.ok = true;
  const StepSet live = predict(report_, plan.decision, plan.state, target_, space_.input, plan.sources, plan.assets);
  finish(plan, live, {});
}

void WholeRun::keep_last() {
  const bool looks_at_all = request_.selects == nullptr && !services_.identities && !services_.on_records;
  if (!looks_at_all || profile_.pack || space_.input.is_aliased() || report_.left.database == FileSignature{}) return;
  const auto told_again = report_.diagnostics.end() - static_cast<std::ptrdiff_t>(told_once_);
  last_ = std::make_unique<LastBuild>(LastBuild{profile_,
                                                environment_,
                                                report_.left,
                                                std::move(space_.input),
                                                std::move(space_.output),
                                                report_.totals,
                                                {report_.diagnostics.begin(), told_again}});
}

void WholeRun::say_again(Summary summary) {
  report_.ok = report_.index_written = report_.unchanged = true;
  report_.totals = summary.totals;
  report_.totals.cached = summary.totals.steps;
  report_.diagnostics = std::move(summary.diagnostics);
  report_.unclaimed = std::move(summary.unclaimed);
  report_.ignored_kinds = std::move(summary.ignored_kinds);
  tell_planned(report_.totals.sources, 0, report_.totals.steps);
}

Result<void> WholeRun::make(BuildPlan& plan, Scheduler& scheduler, std::optional<std::int64_t> distrusted_since_ns) {
  if (!request_.shard) {
    ASSETC_CHECK(space_.cache->load(plan.state));
    if (target_.shared_file_path != nullptr) plan.publisher.shared().begin(read_shared_files(*space_.cache, target_));
    tell_dropped(space_.cache->dropped());
  }
  knows_little_ = plan.state.steps.size() == 0 || !space_.cache->dropped().empty();
  if (distrusted_since_ns) forget_changed_since(*distrusted_since_ns, plan.state);
  plan.sources = discover(space_.input, request_.recipes, target_.covers == nullptr);
  if (auto note = unread_engine_files(profile_, space_.input, plan.sources, plan.files))
    plan.sources.diagnostics.push_back(std::move(*note));
  if (auto whole = space_.input.whole(profile_.input); !whole) {
    Error error = std::move(whole).error();
    error.hint += ", or list it under ignore:; its earlier outputs are kept";
    goes_on(std::unexpected(std::move(error)));
  }
  plan.conflicts = find_conflicts(space_.input, plan.sources, plan.assets, profile_.prefer);
  if (request_.shard) {
    scheduler.execute([&] {
      plan.share.emplace(*request_.shard, space_.input, plan.sources, plan.assets, plan.files, request_.costs);
    });
  }

  scheduler.execute([&] { decide(plan, nullptr, plan.decision); });
  // Steps that may take sources must run before it is known which sources they take. A dry run uses what they took last
  // time.
  plan.waits = !request_.dry_run &&
               std::ranges::any_of(plan.decision.run, [](const Node& node) { return node.recipe->takes_sources; });
  if (!plan.waits) {
    Taken taken;
    StepRecord scratch;
    for (const CachedStep& step : plan.decision.cached) taken.add(step.record.read(scratch));
    for (const Node& node : plan.decision.run) {
      if (node.record) taken.add(node.record.read(scratch));
    }
    scheduler.execute([&] { decide(plan, &taken, plan.decision); });
  }
  for (std::size_t i = 0; i < plan.sources.claimed.size(); ++i) {
    const bool is_ours = (!plan.share || plan.share->makes_outputs(i)) && !plan.conflicts.left_out.contains(i);
    report_.totals.sources += is_ours && selected(space_.input.path(plan.sources.claimed[i].entry)) ? 1 : 0;
  }
  tell_planned(report_.totals.sources, plan.decision.run.size(), plan.decision.cached.size());
  return {};
}

void WholeRun::decide(BuildPlan& plan, const Taken* taken, Planner::Decision& decision) {
  const Conflicts& conflicts = plan.conflicts;
  if (taken != nullptr && (!conflicts.refused.empty() || !conflicts.left_out.empty()))
    drop_conflicts_of_taken(plan, *taken);
  PerThread<Planner::Decision> decisions;
  std::atomic<std::uint64_t> left{0};
  parallel_for(plan.sources.claimed.size(), [&](std::size_t i) {
    const Source& source = plan.sources.claimed[i];
    const bool makes_outputs = !plan.share || plan.share->makes_outputs(i);
    if (!makes_outputs && (request_.dry_run || !plan.share->has(i))) return;
    if (conflicts.left_out.contains(i)) return;
    if ((request_.recipes[source.recipe]->stands_alone != nullptr) != (taken != nullptr)) return;
    Node node = source_node(source, i, space_.input, plan, request_.recipes);
    if (taken != nullptr && is_left(node, *taken, plan)) {
      ++left;
      return;
    }
    node.only_children = !makes_outputs;
    if (!selected(node.source)) {
      node.state = Node::AsRecorded{};
    } else if (const auto conflict = conflicts.refused.find(i); conflict != conflicts.refused.end()) {
      node.state = Node::Refused{conflict->second};
    }
    plan.planner.decide(std::move(node), decisions.local());
  });
  report_.totals.taken += left;
  std::size_t cached = decision.cached.size();
  decisions.for_each([&](const Planner::Decision& part) { cached += part.cached.size(); });
  decision.cached.reserve(cached);
  decisions.for_each([&](Planner::Decision& part) {
    std::ranges::move(part.run, std::back_inserter(decision.run));
    std::ranges::move(part.cached, std::back_inserter(decision.cached));
    std::ranges::move(part.renewed, std::back_inserter(decision.renewed));
    part = {};
  });
  share_equal(plan.state, plan.assets.identities != nullptr, decision);
}

bool WholeRun::selected(std::string_view source) const {
  return request_.selects == nullptr || request_.selects(source);
}

// A source that is no step of its own publishes no file, so it cannot be in conflict.
void WholeRun::drop_conflicts_of_taken(BuildPlan& plan, const Taken& taken) {
  Sources alone;
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < plan.sources.claimed.size(); ++i) {
    const Node node = source_node(plan.sources.claimed[i], i, space_.input, plan, request_.recipes);
    if (is_left(node, taken, plan)) continue;
    alone.claimed.push_back(plan.sources.claimed[i]);
    positions.push_back(i);
  }
  plan.conflicts = {};
  const Conflicts left = find_conflicts(space_.input, alone, plan.assets, profile_.prefer);
  for (const auto& [at, error] : left.refused) plan.conflicts.refused.emplace(positions[at], error);
  for (const auto& [at, winner] : left.left_out) plan.conflicts.left_out.emplace(positions[at], positions[winner]);
}

void WholeRun::tell_dropped(const std::string& dropped) {
  if (dropped.empty() || !told_dropped_.insert(dropped).second) return;
  events_.emit(CacheDropped{dropped});
  report_.diagnostics.insert(
      report_.diagnostics.begin(),
      {WarningKind::kDroppedCache, Error{ErrorCode::kInvalidData, cache_path(profile_), {}, dropped, {}}});
}

Outcome WholeRun::run_all(BuildPlan& plan, Scheduler& scheduler, WritingMark& writing) {
  Runner::DecideRest decide_rest;
  if (plan.waits)
    decide_rest = [&](const Taken& taken, Planner::Decision& decision) { decide(plan, &taken, decision); };
  Outcome outcome =
      run_steps(plan, *space_.cache, writing, scheduler, std::move(plan.decision), std::move(decide_rest), nullptr);
  report_.totals.cached = outcome.cached;
  report_.totals.steps = outcome.live.size() + report_.totals.failed + outcome.not_started;
  return outcome;
}

void WholeRun::finish(BuildPlan& plan, const StepSet& live, std::span<const Failure> failures) {
  if (plan.share) return finish_steps(report_, live, failures);
  plan.conflicts.describe(space_.input, plan.sources, plan.sources.diagnostics);
  finish_report(report_, live, failures, profile_, plan.settings, space_.input, plan.sources, request_.recipes);
  if (shared_.empty()) return;
  std::set<std::string_view> counted;
  live.each([&](const StepRecord& record, const StepSet::Member&) {
    for (const OutputRecord& output : record.outputs) {
      const auto at = shared_.find(target_.file_path(record.stem, output.suffix));
      if (at == shared_.end() || counted.insert(at->second).second) continue;
      --report_.totals.outputs;
      report_.totals.output_bytes -= output.signature.size_bytes;
    }
  });
}

void WholeRun::execute_share(BuildPlan& plan, Scheduler& scheduler, WritingMark& writing) {
  const Outcome outcome = run_all(plan, scheduler, writing);
  report_.ok = outcome.failures.empty() && outcome.not_started == 0;
  finish(plan, outcome.live, outcome.failures);
  tell_oversized(report_, outcome.oversized, scheduler.budget_bytes());
}

void WholeRun::execute(BuildPlan& plan, Scheduler& scheduler, CleanMark& clean, WritingMark& writing) {
  auto swept = plan.publisher.remove_leftovers();
  const Outcome outcome = run_all(plan, scheduler, writing);
  bool safe = outcome.troubles.empty();
  report_.ok = publish_index(plan, outcome);

  goes_on(std::move(swept));
  LogWriter log;
  const bool known = goes_on(find_orphans(plan.state, plan.publisher, target_, log));
  if (report_.is_incomplete) {
    std::vector<std::string> all = files_of(plan.state, target_);
    std::ranges::sort(all);
    std::ranges::set_difference(all, listed_, std::back_inserter(unlisted_));
  }
  if (report_.ok && known) {
    take_pruned(prune(plan.state, outcome.live, plan.publisher, target_, log));
  }
  remember_files(plan.files, plan.state, log);
  report_.written = plan.publisher.changed();
  report_.totals.files_written = plan.publisher.files_written();
  report_.totals.bytes_written = plan.publisher.bytes_written();
  const std::uint64_t files = report_.totals.files_written + report_.totals.files_removed;
  // A removed file must not reappear after its note is gone.
  const bool flushes =
      files > 0 && (!report_.removed.empty() || writing.must_flush(files, report_.totals.bytes_written));
  safe &= !flushes || goes_on(disk_.flush(profile_.output));
  safe &= goes_on(space_.cache->append(log.take()));
  if (target_.shared_file_path != nullptr)
    safe &= goes_on(write_shared_files(*space_.cache, plan.publisher.shared().table()));
  OutputNotes& notes = plan.publisher.notes();
  if (!report_.removed.empty() || !notes.dropped().empty()) {
    std::vector<std::string> noted = files_of(plan.state, target_);
    std::ranges::copy(plan.publisher.shared().files(), std::back_inserter(noted));
    safe &= goes_on(notes.replace(noted));
  }
  safe &= goes_on(plan.toolchain.remember(*space_.cache));
  safe &= goes_on(space_.cache->compact_if_useful(plan.state));
  if (safe) goes_on(writing.end(files, report_.totals.bytes_written, flushes));
  finish(plan, outcome.live, outcome.failures);
  tell_dropped(space_.cache->dropped());
  tell_dropped(notes.dropped());
  report_.ok = report_.ok && report_.troubles.empty();
  if (report_.ok && services_.on_records) report_.ok = goes_on(services_.on_records(plan.state));
  // Sources that were not looked at may have changed.
  if (report_.ok && request_.selects == nullptr) goes_on(leave_mark(plan, clean, outcome.live));
  const std::size_t told = report_.diagnostics.size();
  if (report_.ok && knows_little_) tell_unknown(outcome.live);
  tell_oversized(report_, outcome.oversized, scheduler.budget_bytes());
  if (plan.assets.identities == nullptr && !space_.cache->get(kToldRepeated) &&
      tell_repeated(report_, outcome.live, target_))
    goes_on(space_.cache->set(kToldRepeated, as_bytes("1")));
  if (plan.assets.identities == nullptr && !space_.cache->get(kToldGraphics) &&
      tell_graphics(report_, outcome.graphics))
    goes_on(space_.cache->set(kToldGraphics, as_bytes("1")));
  tell_other_preset();
  told_once_ = report_.diagnostics.size() - told;
}

void WholeRun::tell_other_preset() {
  const auto before = space_.cache->get(kPresetName);
  if (before && as_text(*before) == profile_.preset) return;
  goes_on(space_.cache->set(kPresetName, as_bytes(profile_.preset)));
  if (!before) return;
  const auto name = [](std::string_view preset) {
    return preset.empty() ? std::string("no preset") : "the preset " + std::string(preset);
  };
  report_.diagnostics.push_back(
      {WarningKind::kOtherPreset, Error{ErrorCode::kConflict,
                                        profile_.output,
                                        {},
                                        "was built with " + name(as_text(*before)) +
                                            " before; outputs that differ are now those of " + name(profile_.preset),
                                        "give each preset its own output folder, with output: in the preset or -o"}});
}

void WholeRun::tell_unknown(const StepSet& live) {
  std::vector<std::string> owned = live.files(target_);
  for (const auto& [output, file] : shared_) owned.push_back(file);
  std::ranges::sort(owned);
  std::uint64_t count = 0;
  std::string_view first;
  for (std::size_t i = 0; i < space_.output.size(); ++i) {
    const std::string_view path = space_.output.path(i);
    if (space_.output[i].type != FileType::kFile || is_index(target_, path) || std::ranges::binary_search(owned, path))
      continue;
    if (count++ == 0) first = path;
  }
  if (count == 0) return;
  std::string what = "was not written by this build, and no record says which build wrote it";
  if (count > 1) what += "; the same is true of " + plural(count - 1, "other file");
  report_.diagnostics.push_back(
      {WarningKind::kUnknownOutputs,
       Error{ErrorCode::kNotFound,
             profile_.output + "/" + std::string(first),
             {},
             std::move(what),
             "if its source is gone, delete it, or delete the output folder and build again"}});
}

// An unchanged tree has an unchanged index. But a killed build may have left no index, so it is always written.
bool WholeRun::publish_index(BuildPlan& plan, const Outcome& outcome) {
  if (outcome.failures.empty() && outcome.not_started == 0 && report_.troubles.empty()) {
    const Index index = index_of(outcome.live, target_);
    tell_loose(index.loose);
    if (index.loose.empty()) return report_.index_written = goes_on(write_index(plan, index, false));
  }
  // If the disk does not take files, the index stays that of the last good build, whose files are all there.
  if (!request_.keep_going || outcome.not_started != 0 || !outcome.troubles.empty() || target_.index_paths.empty())
    return false;
  const StepSet listed = listable(plan, outcome.live);
  report_.is_incomplete = report_.index_written = goes_on(write_index(plan, index_of(listed, target_), true));
  listed_ = listed.files(target_);
  return false;
}

void WholeRun::tell_loose(std::span<const LooseReference> loose) {
  const std::string kind(target_.referred_kind);
  for (const LooseReference& reference : loose) {
    report_.troubles.push_back({ErrorCode::kNotFound,
                                std::string(reference.source),
                                {},
                                "refers to the " + kind + " " + std::string(reference.name) + ", which no source makes",
                                "add the " + kind + ", or correct the reference"});
  }
}

StepSet WholeRun::listable(BuildPlan& plan, const StepSet& live) {
  const StepSet sound = sound_steps(live, target_);
  Taken taken;
  std::unordered_set<StepId> alive, listed;
  const auto add_to = [](std::unordered_set<StepId>& ids) {
    return
        [&ids](const StepRecord& record, const StepSet::Member&) { ids.insert(step_id(record.recipe, record.stem)); };
  };
  live.each(add_to(alive));
  sound.each([&](const StepRecord& record, const StepSet::Member&) { taken.add(record); });
  std::vector<StepId> roots;
  std::vector<std::string_view> sources;
  for (std::size_t i = 0; i < plan.sources.claimed.size(); ++i) {
    if (plan.conflicts.left_out.contains(i) || plan.conflicts.refused.contains(i)) continue;
    const Node node = source_node(plan.sources.claimed[i], i, space_.input, plan, request_.recipes);
    if (is_left(node, taken, plan)) continue;
    roots.push_back(node.id);
    sources.push_back(node.source);
  }
  StepSet needed = needed_steps(sound, roots, target_);
  needed.each(add_to(listed));
  for (std::size_t i = 0; i < roots.size(); ++i) {
    if (alive.contains(roots[i]) && !listed.contains(roots[i])) report_.dependent.emplace_back(sources[i]);
  }
  return needed;
}

Result<void> WholeRun::write_index(BuildPlan& plan, const Index& index, bool is_incomplete) {
  if (target_.index_paths.empty()) return {};
  shared_.clear();
  auto files = target_.write_index(
      {index.files, plan.assets.identities, [&](const std::string& path) { return plan.publisher.read(path); },
       profile_.integrity, profile_.licenses ? &*profile_.licenses : nullptr, is_incomplete,
       [&](const std::string& output, const std::string& file) { shared_.emplace(output, file); }});
  if (!files) {
    const bool located = !files.error().file.empty();
    Error error = std::move(files).error();
    return std::unexpected(located ? std::move(error) : std::move(error).in(std::string(target_.index_paths.front())));
  }
  const bool shares = target_.shared_file_path != nullptr;
  if (shares) ASSETC_CHECK(plan.publisher.make_files_for(shared_));
  for (std::size_t i = 0; i < files->size(); ++i) {
    ASSETC_CHECK(plan.publisher.publish_index(target_.index_paths[i], (*files)[i]));
    ++report_.totals.outputs;
    report_.totals.output_bytes += (*files)[i].size();
  }
  if (shares) ASSETC_CHECK(plan.publisher.share(shared_));
  ASSETC_CHECK(record_index(*space_.cache, *files));
  return {};
}

Result<void> WholeRun::leave_mark(const BuildPlan& plan, CleanMark& clean, const StepSet& live) {
  ASSETC_TRY(Tree now, disk_.walk(profile_.output, output_skip(profile_, target_, disk_), jobs_, Links::kFiles));
  if (const auto changed = plan.publisher.changed_meanwhile(now); !changed.empty()) {
    report_.ok = false;
    std::string what = "was changed or removed by something else while the build ran";
    if (changed.size() > 1) what += "; " + std::to_string(changed.size() - 1) + " more were";
    return std::unexpected(
        Error{ErrorCode::kConflict, profile_.output + "/" + changed.front(), {}, std::move(what), "build again"});
  }
  space_.output = std::move(now);
  if (Publisher::holds_temporaries(space_.output)) return {};  // the next build removes leftovers
  Summary summary;
  summary.totals = report_.totals;
  summary.diagnostics = report_.diagnostics;
  summary.diagnostics.erase(summary.diagnostics.begin(),  // said once
                            summary.diagnostics.begin() + static_cast<std::ptrdiff_t>(told_dropped_.size()));
  summary.unclaimed = report_.unclaimed;
  summary.ignored_kinds = report_.ignored_kinds;
  is_known_ = true;
  return clean.leave(space_.input, space_.walked_at_ns, space_.output, plan.files, live, std::move(summary));
}

}  // namespace assetc::engine
