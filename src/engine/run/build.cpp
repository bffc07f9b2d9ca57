#include "engine/run/build.hpp"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>
#include <thread>
#include <unordered_set>

#include "base/plural.hpp"
#include "engine/plan/taken.hpp"
#include "engine/publish/index.hpp"
#include "engine/publish/prune.hpp"
#include "engine/run/build_plan.hpp"
#include "engine/run/clean_mark.hpp"
#include "engine/run/kept.hpp"
#include "engine/run/rebuild.hpp"
#include "engine/run/report.hpp"
#include "engine/run/runner.hpp"
#include "engine/run/workspace.hpp"
#include "engine/state/writing_mark.hpp"
#include "engine/target/output_tree.hpp"

namespace assetc::engine {
namespace {

// Of the cache: the preset of the last build.
constexpr std::string_view kPresetName = "preset";

class Silence final : public EventSink {
  void on(const Event&) override {}
};

class Build {
 public:
  Build(const Options& options, const Profile& profile, Disk& disk, EventSink& sink)
      : options_(options),
        profile_(profile),
        disk_(disk),
        events_(sink),
        jobs_(options.jobs > 0 ? options.jobs : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()))) {}

  Result<Report> run() {
    const auto start = std::chrono::steady_clock::now();
    ASSETC_TRY(space_, open_workspace(profile_, *options_.target, disk_, jobs_, options_.dry_run || options_.shard));
    report_.found = space_.found;
    environment_ = environment_of(profile_, options_.recipes, *options_.target);
    CleanMark clean(*space_.cache, disk_, profile_.input, environment_);
    WritingMark writing(*space_.cache, disk_);
    std::optional<Summary> summary;
    const bool trusts = !options_.no_cache && !options_.verify && !options_.look_again && !options_.shard;
    const auto distrusted_since_ns = writing.distrusted_since_ns();
    if (trusts && !writing.stands() && !distrusted_since_ns) summary = clean.find(space_.input, space_.output);
    if (summary) {
      is_known_ = true;
      say_again(std::move(*summary));
    } else {
      std::optional<Identities> identities;
      if (options_.identities) {
        ASSETC_TRY(identities, options_.identities());
      }
      BuildPlan plan(options_, profile_, disk_, space_, distrusted_since_ns, std::move(identities));
      const std::uint64_t budget = options_.memory_bytes != 0 ? options_.memory_bytes : disk_.memory_bytes() / 2;
      Scheduler scheduler(jobs_, budget);
      ASSETC_CHECK(make(plan, scheduler, distrusted_since_ns));
      if (options_.dry_run) {
        report_.ok = true;
        const StepSet live =
            predict(report_, plan.decision, plan.state, *options_.target, space_.input, plan.sources, plan.assets);
        finish(plan, live, {});
      } else if (options_.shard) {
        execute_share(plan, scheduler, writing);
      } else {
        execute(plan, scheduler, clean, writing);
      }
    }
    if (profile_.pack && !options_.dry_run && !options_.shard && !options_.target->bundle_suffix.empty()) {
      report_.pack_file = bundle_path(*options_.target, profile_);
      report_.packed = report_.ok && goes_on(update_bundle(*options_.target, profile_, disk_, *space_.cache,
                                                           space_.output.fingerprint(), options_.verify));
    }
    report_.ok = report_.ok && report_.troubles.empty();
    space_.cache.reset();
    report_.left = cache_stamp(profile_, disk_);
    if (report_.ok && is_known_ && told_dropped_.empty() && options_.kept != nullptr) hand_on();
    report_.totals.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return std::move(report_);
  }

 private:
  // Under the lock still.
  void hand_on() {
    const auto told_again = report_.diagnostics.end() - static_cast<std::ptrdiff_t>(told_once_);
    options_.kept->keep({profile_,
                         environment_,
                         report_.left,
                         std::move(space_.input),
                         std::move(space_.output),
                         report_.totals,
                         {report_.diagnostics.begin(), told_again}});
  }

  // Takes the error of what concerns no single step; true without one.
  bool goes_on(Result<void> done) {
    if (done) return true;
    const auto is_same = [&](const Error& e) { return e.to_string() == done.error().to_string(); };
    if (std::ranges::none_of(report_.troubles, is_same)) report_.troubles.push_back(std::move(done).error());
    return false;
  }

  void say_again(Summary summary) {
    report_.ok = report_.index_written = report_.unchanged = true;
    report_.totals = summary.totals;
    report_.totals.cached = summary.totals.steps;
    report_.diagnostics = std::move(summary.diagnostics);
    report_.unclaimed = std::move(summary.unclaimed);
    events_.emit(BuildPlanned{report_.totals.sources, report_.totals.steps, 0});
    events_.emit(StepsCached{report_.totals.cached});
  }

  Result<void> make(BuildPlan& plan, Scheduler& scheduler, std::optional<std::int64_t> distrusted_since_ns) {
    if (!options_.shard) {
      ASSETC_CHECK(space_.cache->load(plan.state));
      tell_dropped(space_.cache->dropped());
    }
    knows_little_ = plan.state.steps.size() == 0 || !space_.cache->dropped().empty();
    if (distrusted_since_ns) forget_changed_since(*distrusted_since_ns, plan.state);
    plan.sources = discover(space_.input, options_.recipes);
    if (auto whole = space_.input.whole(profile_.input); !whole) {
      Error error = std::move(whole).error();
      error.hint += ", or name it under ignore:; what it held before stays in the output";
      goes_on(std::unexpected(std::move(error)));
    }
    plan.conflicts = find_conflicts(space_.input, plan.sources, plan.assets);
    if (options_.shard) {
      scheduler.execute([&] {
        plan.share.emplace(*options_.shard, space_.input, plan.sources, plan.assets, plan.files, options_.costs);
      });
    }

    decide_in(scheduler, plan, nullptr, plan.decision);
    // What may take sources must have run before anyone knows which; a dry run goes by what they took last.
    plan.waits = !options_.dry_run &&
                 std::ranges::any_of(plan.decision.run, [](const Node& node) { return node.recipe->takes_sources; });
    if (!plan.waits) {
      Taken taken;
      StepRecord scratch;
      for (const CachedStep& step : plan.decision.cached) taken.add(step.record.read(scratch));
      for (const Node& node : plan.decision.run) {
        if (node.record) taken.add(node.record.read(scratch));
      }
      decide_in(scheduler, plan, &taken, plan.decision);
    }
    const std::size_t cached = plan.decision.cached.size();
    const std::size_t to_run = plan.decision.run.size();
    for (std::size_t i = 0; i < plan.sources.claimed.size(); ++i) {
      const bool is_ours = !plan.share || plan.share->has(i);
      report_.totals.sources += is_ours && selected(space_.input.path(plan.sources.claimed[i].entry)) ? 1 : 0;
    }
    events_.emit(BuildPlanned{report_.totals.sources, to_run + cached, to_run});
    if (cached != 0) events_.emit(StepsCached{cached});
    return {};
  }

  // Decides on the sources that are steps of their own whoever takes them, or, where `taken` says who takes what, on
  // the others.
  void decide(BuildPlan& plan, const Taken* taken, Planner::Decision& decision) {
    if (taken != nullptr && !plan.conflicts.empty()) drop_conflicts_of_taken(plan, *taken);
    tbb::enumerable_thread_specific<Planner::Decision> decisions;
    std::atomic<std::uint64_t> left{0};
    tbb::parallel_for(std::size_t{0}, plan.sources.claimed.size(), [&](std::size_t i) {
      const Source& source = plan.sources.claimed[i];
      if (plan.share && !plan.share->has(i)) return;
      if ((options_.recipes[source.recipe]->stands_alone != nullptr) != (taken != nullptr)) return;
      Node node = source_node(source, i, space_.input, plan, options_.recipes);
      if (taken != nullptr && is_left(node, *taken, plan)) {
        ++left;
        return;
      }
      node.as_recorded = !selected(node.source);
      if (const auto conflict = plan.conflicts.find(i); conflict != plan.conflicts.end())
        node.refused = conflict->second;
      plan.planner.decide(std::move(node), decisions.local());
    });
    report_.totals.taken += left;
    std::size_t cached = decision.cached.size();
    for (const Planner::Decision& part : decisions) cached += part.cached.size();
    decision.cached.reserve(cached);
    for (Planner::Decision& part : decisions) {
      std::ranges::move(part.run, std::back_inserter(decision.run));
      std::ranges::move(part.cached, std::back_inserter(decision.cached));
      std::ranges::move(part.renewed, std::back_inserter(decision.renewed));
      part = {};
    }
    if (plan.assets.identities != nullptr) share(plan.state, decision);
  }

  bool selected(std::string_view source) const { return options_.selects == nullptr || options_.selects(source); }

  // What several ask for is one step.
  static void share(const State& state, Planner::Decision& decision) {
    std::unordered_set<StepId> run;
    std::erase_if(decision.run, [&](const Node& node) { return !run.insert(node.id).second; });
    std::vector<bool> seen(state.steps.size());
    std::erase_if(decision.cached, [&](const CachedStep& step) {
      const bool again = seen[step.position];
      seen[step.position] = true;
      return again;
    });
  }

  static bool is_left(const Node& node, const Taken& taken, const BuildPlan& plan) {
    const auto stands_alone = node.recipe->stands_alone;
    if (stands_alone == nullptr || stands_alone(node.settings->all)) return false;
    return taken.leaves(node.input_path, node.stem) || (plan.share && plan.share->is_named(node.input_path));
  }

  // A source that is no step of its own publishes nothing that another could.
  void drop_conflicts_of_taken(BuildPlan& plan, const Taken& taken) {
    Sources alone;
    std::vector<std::size_t> positions;
    for (std::size_t i = 0; i < plan.sources.claimed.size(); ++i) {
      const Node node = source_node(plan.sources.claimed[i], i, space_.input, plan, options_.recipes);
      if (is_left(node, taken, plan)) continue;
      alone.claimed.push_back(plan.sources.claimed[i]);
      positions.push_back(i);
    }
    plan.conflicts.clear();
    for (auto& [at, conflict] : find_conflicts(space_.input, alone, plan.assets))
      plan.conflicts.emplace(positions[at], conflict);
  }

  void decide_in(Scheduler& scheduler, BuildPlan& plan, const Taken* taken, Planner::Decision& decision) {
    scheduler.execute([&] { decide(plan, taken, decision); });
  }

  // Each once, whenever the damage shows.
  void tell_dropped(const std::string& dropped) {
    if (dropped.empty() || !told_dropped_.insert(dropped).second) return;
    events_.emit(CacheDropped{dropped});
    report_.diagnostics.insert(
        report_.diagnostics.begin(),
        {recipes::Severity::kWarning, Error{ErrorCode::kInvalidData, cache_path(profile_), {}, dropped, {}}});
  }

  Outcome run_steps(BuildPlan& plan, Scheduler& scheduler, WritingMark& writing) {
    // Asked for without a store of this machine, too: it tells what it cannot do then.
    const bool asks = options_.shared && (!plan.decision.run.empty() || plan.waits);
    LayeredStore* const shared = asks ? options_.shared() : nullptr;
    Runner runner({*space_.cache, plan.state, plan.files, plan.publisher, plan.planner, writing, plan.toolchain,
                   plan.assets, scheduler, events_, *options_.target, options_.store, shared,
                   plan.share ? &*plan.share : nullptr, options_.no_cache});
    if (plan.waits) {
      runner.after_takers([&](const Taken& taken, Planner::Decision& decision) { decide(plan, &taken, decision); });
    }
    if (options_.records_waits) scheduler.record_waits();
    runner.run(std::move(plan.decision));
    report_.waits = scheduler.waits();
    Outcome outcome = runner.finish();
    report_.totals.cached = outcome.cached;
    report_.totals.not_started = outcome.not_started;
    report_.steps = std::move(outcome.reports);
    std::ranges::copy(outcome.troubles, std::back_inserter(report_.troubles));
    count_steps(report_);
    report_.totals.steps = outcome.live.size() + report_.totals.failed + outcome.not_started;
    return outcome;
  }

  // What of the whole a share can tell: that rules match nothing, or that nobody takes a file, is not.
  void finish(BuildPlan& plan, const StepSet& live, std::span<const Failure> failures) {
    if (plan.share) return finish_steps(report_, live, failures);
    finish_report(report_, live, failures, profile_, plan.settings, space_.input, plan.sources, options_.recipes);
  }

  void execute_share(BuildPlan& plan, Scheduler& scheduler, WritingMark& writing) {
    const Outcome outcome = run_steps(plan, scheduler, writing);
    report_.ok = outcome.failures.empty() && outcome.not_started == 0;
    finish(plan, outcome.live, outcome.failures);
    tell_oversized(report_, outcome.oversized, scheduler.budget_bytes());
  }

  void execute(BuildPlan& plan, Scheduler& scheduler, CleanMark& clean, WritingMark& writing) {
    auto swept = plan.publisher.remove_leftovers();
    const Outcome outcome = run_steps(plan, scheduler, writing);
    bool safe = outcome.troubles.empty();
    // An unchanged tree has an unchanged index, but a killed build may have left none: it is made in any case.
    const bool whole = outcome.failures.empty() && outcome.not_started == 0 && report_.troubles.empty();
    report_.ok = report_.index_written = whole && goes_on(write_index(plan, outcome.live)) && report_.troubles.empty();

    goes_on(std::move(swept));
    LogWriter log;
    const bool known = goes_on(find_orphans(plan.state, plan.publisher, *options_.target, log));
    if (report_.ok && known) {
      Pruned pruned = prune(plan.state, outcome.live, plan.publisher, *options_.target, log);
      for (const std::string& path : pruned.removed) events_.emit(OutputRemoved{path});
      report_.removed = std::move(pruned.removed);
      std::ranges::move(pruned.refused, std::back_inserter(report_.troubles));
    }
    remember_files(plan.files, plan.state, log);
    report_.totals.files_removed = report_.removed.size();
    report_.written = plan.publisher.changed();
    report_.totals.files_written = plan.publisher.files_written();
    report_.totals.bytes_written = plan.publisher.bytes_written();
    const std::uint64_t files = report_.totals.files_written + report_.totals.files_removed;
    // A file that is removed must not come back after its note has gone.
    const bool flushes =
        files > 0 && (!report_.removed.empty() || writing.must_flush(files, report_.totals.bytes_written));
    safe &= !flushes || goes_on(disk_.flush(profile_.output));
    safe &= goes_on(space_.cache->append(log.take()));
    OutputNotes& notes = plan.publisher.notes();
    if (!report_.removed.empty() || !notes.dropped().empty())
      safe &= goes_on(notes.replace(files_of(plan.state, *options_.target)));
    safe &= goes_on(plan.toolchain.remember(*space_.cache));
    safe &= goes_on(space_.cache->compact_if_useful(plan.state));
    if (safe) goes_on(writing.end(files, report_.totals.bytes_written, flushes));
    finish(plan, outcome.live, outcome.failures);
    tell_dropped(space_.cache->dropped());
    tell_dropped(notes.dropped());
    report_.ok = report_.ok && report_.troubles.empty();
    if (report_.ok && options_.on_records) report_.ok = goes_on(options_.on_records(plan.state));
    // What was not looked at may have changed.
    if (report_.ok && options_.selects == nullptr) goes_on(leave_mark(plan, clean, outcome.live));
    const std::size_t told = report_.diagnostics.size();
    if (report_.ok && knows_little_) tell_unknown(outcome.live);
    tell_oversized(report_, outcome.oversized, scheduler.budget_bytes());
    tell_other_preset();
    told_once_ = report_.diagnostics.size() - told;
  }

  // Of this build alone: the next finds its own preset.
  void tell_other_preset() {
    const auto before = space_.cache->get(kPresetName);
    if (before && as_text(*before) == profile_.preset) return;
    goes_on(space_.cache->set(kPresetName, as_bytes(profile_.preset)));
    if (!before) return;
    const auto name = [](std::string_view preset) {
      return preset.empty() ? std::string("no preset") : "the preset " + std::string(preset);
    };
    report_.diagnostics.push_back(
        {recipes::Severity::kWarning, Error{ErrorCode::kConflict,
                                            profile_.output,
                                            {},
                                            "was built with " + name(as_text(*before)) +
                                                " before; what differs is now that of " + name(profile_.preset),
                                            "give each preset a folder of its own, with output: below it or -o"}});
  }

  // Where records were lost nothing else tells of files whose sources are gone. Of this build alone: the next has
  // records, and check compares with them.
  void tell_unknown(const StepSet& live) {
    const Target& target = *options_.target;
    const std::vector<std::string> owned = live.files(target);
    std::uint64_t count = 0;
    std::string_view first;
    for (std::size_t i = 0; i < space_.output.size(); ++i) {
      const std::string_view path = space_.output.path(i);
      if (space_.output[i].type != FileType::kFile || is_index(target, path) || std::ranges::binary_search(owned, path))
        continue;
      if (count++ == 0) first = path;
    }
    if (count == 0) return;
    std::string what = "is not of this build, and no record says of which";
    if (count > 1) what += "; nor " + std::string(count == 2 ? "is " : "are ") + plural(count - 1, "other file");
    report_.diagnostics.push_back(
        {recipes::Severity::kWarning,
         Error{ErrorCode::kNotFound,
               profile_.output + "/" + std::string(first),
               {},
               std::move(what),
               "if sources that are gone have left it, remove it, or the output folder, and build again"}});
  }

  Result<void> write_index(BuildPlan& plan, const StepSet& live) {
    const Target& target = *options_.target;
    const Index index = index_of(live, target);
    const std::string kind(target.referred_kind);
    for (const LooseReference& reference : index.loose) {
      report_.troubles.push_back(
          {ErrorCode::kNotFound,
           std::string(reference.source),
           {},
           "refers to the " + kind + " " + std::string(reference.name) + ", which no source makes",
           "add the " + kind + ", or correct the reference"});
    }
    if (!index.loose.empty() || target.index_paths.empty()) return {};
    auto files = target.write_index(
        {index.files, plan.assets.identities, [&](const std::string& path) { return plan.publisher.read(path); }});
    if (!files) {
      const bool located = !files.error().file.empty();
      Error error = std::move(files).error();
      return std::unexpected(located ? std::move(error) : std::move(error).in(std::string(target.index_paths.front())));
    }
    for (std::size_t i = 0; i < files->size(); ++i) {
      ASSETC_CHECK(plan.publisher.publish_index(target.index_paths[i], (*files)[i]));
      ++report_.totals.outputs;
      report_.totals.output_bytes += (*files)[i].size();
    }
    ASSETC_CHECK(record_index(*space_.cache, *files));
    return {};
  }

  // The mark is of what was written. Where the walk finds something else there is none, and the build has failed.
  Result<void> leave_mark(const BuildPlan& plan, CleanMark& clean, const StepSet& live) {
    ASSETC_TRY(Tree now,
               disk_.walk(profile_.output, output_skip(profile_, *options_.target, disk_), jobs_, Links::kFiles));
    if (const auto changed = plan.publisher.changed_meanwhile(now); !changed.empty()) {
      report_.ok = false;
      std::string what = "was changed or removed by something else while the build ran";
      if (changed.size() > 1) what += "; " + std::to_string(changed.size() - 1) + " more were";
      return std::unexpected(
          Error{ErrorCode::kConflict, profile_.output + "/" + changed.front(), {}, std::move(what), "build again"});
    }
    space_.output = std::move(now);
    if (Publisher::holds_temporaries(space_.output)) return {};  // the next build sweeps what may be left of them
    Summary summary;
    summary.totals = report_.totals;
    summary.diagnostics = report_.diagnostics;
    summary.diagnostics.erase(summary.diagnostics.begin(),  // said once
                              summary.diagnostics.begin() + static_cast<std::ptrdiff_t>(told_dropped_.size()));
    summary.unclaimed = report_.unclaimed;
    is_known_ = true;
    return clean.leave(space_.input, space_.walked_at_ns, space_.output, plan.files, live, std::move(summary));
  }

  const Options& options_;
  const Profile& profile_;
  Disk& disk_;
  Events events_;
  int jobs_;
  Workspace space_;
  std::set<std::string> told_dropped_;
  bool knows_little_ = false;  // records of earlier builds are lost, or there were none
  ContentHash environment_;
  bool is_known_ = false;      // both trees are as this build leaves them
  std::size_t told_once_ = 0;  // diagnostics, the last ones, that are of this build alone
  Report report_;
};

}  // namespace

Result<Report> build(const Options& options, const Profile& profile, Disk& disk, EventSink& events) {
  Report begun;
  if (options.kept != nullptr) {
    if (auto report = rebuild(options, profile, disk, events, begun)) return std::move(*report);
  }
  auto report = Build(options, profile, disk, events).run();
  if (report) add_begun(*report, std::move(begun));
  return report;
}

Result<Report> build(const Options& options, const Profile& profile, Disk& disk) {
  Silence silence;
  return build(options, profile, disk, silence);
}

}  // namespace assetc::engine
