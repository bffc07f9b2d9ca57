#include "engine/run/rebuild.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/ascii.hpp"
#include "engine/publish/prune.hpp"
#include "engine/run/clean_mark.hpp"
#include "engine/run/report.hpp"
#include "engine/run/resident.hpp"
#include "engine/run/runner.hpp"
#include "engine/state/writing_mark.hpp"

namespace assetc::engine {
namespace {

using Relation = Relations::Kind;

// A burst of more is as well looked at as a whole.
constexpr std::size_t kMostChanges = 1000;

bool same(const ChildRecord& a, const ChildRecord& b) {
  return a.recipe == b.recipe && a.source == b.source && a.input_path == b.input_path && a.stem == b.stem &&
         a.params == b.params && a.pins == b.pins && a.listed == b.listed;
}
bool same_file(const OutputRecord& a, const OutputRecord& b) {
  return a.suffix == b.suffix && a.descriptor.kind == b.descriptor.kind && a.descriptor.srgb == b.descriptor.srgb;
}

// The order of a walk: '/' before all else, so that a folder comes with what is in it.
bool comes_before(std::string_view a, std::string_view b) {
  const auto at = std::ranges::mismatch(a, b);
  if (at.in1 == a.end() || at.in2 == b.end()) return at.in1 == a.end() && at.in2 != b.end();
  if (*at.in1 == '/' || *at.in2 == '/') return *at.in1 == '/';
  return static_cast<unsigned char>(*at.in1) < static_cast<unsigned char>(*at.in2);
}

class Rebuild {
 public:
  Rebuild(const Options& options, const Profile& profile, Disk& disk, EventSink& sink, Resident& resident)
      : options_(options),
        profile_(profile),
        disk_(disk),
        events_(sink),
        r_(resident),
        plan_(resident.plan),
        tree_(resident.space.input) {}

  bool run(const std::vector<std::string>& changed, Report& report) {
    const auto start = std::chrono::steady_clock::now();
    if (!open()) return false;
    plan_.files.begin();
    plan_.publisher.begin(r_.space.output);
    if (!std::ranges::all_of(changed, [&](const std::string& path) { return look(path); })) return false;
    Planner::Decision decision;
    if (!decide(decision)) return false;
    const bool done = execute(std::move(decision), report);
    if (done) finish(report);
    space_.cache.reset();
    report.found = r_.last.cache;
    report.left = r_.last.cache = cache_stamp(profile_, disk_);
    report.totals.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return done;
  }

 private:
  // Takes the lock. False where somebody else has it or has built, or the configuration is another.
  bool open() {
    const LastBuild& last = r_.last;
    const Profile& before = last.profile;
    if (profile_.input != before.input || profile_.output != before.output || profile_.preset != before.preset ||
        profile_.config_file != before.config_file || profile_.other_outputs != before.other_outputs ||
        profile_.pack != before.pack ||
        environment_of(profile_, options_.recipes, *options_.target) != last.environment)
      return false;
    const auto input = disk_.status(profile_.input);
    if (!input || input->type != FileType::kDirectory) return false;
    auto lock = disk_.lock(cache_path(profile_) + ".lock");
    if (!lock || cache_stamp(profile_, disk_) != last.cache) return false;
    space_.lock = std::move(*lock);
    auto cache = Cache::open(disk_, cache_path(profile_), false);
    if (!cache || !(*cache)->dropped().empty()) return false;
    space_.cache = std::move(*cache);
    return true;
  }

  // Takes a path into the tree as it is now. False where that says more than that a file came, changed or went.
  bool look(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "" : path.substr(0, slash);
    const auto within = plan_.files.find(folder);
    const auto was = plan_.files.find(path);
    if (path.empty() || (!folder.empty() && (!within || tree_[*within].type != FileType::kDirectory)) ||
        (was && tree_[*was].type != FileType::kFile))
      return false;
    const std::string full = profile_.input + "/" + path;
    const auto now = disk_.status(full);
    if (!now && now.error().code != ErrorCode::kNotFound) return false;
    if (now && (now->type != FileType::kFile || now->is_aliased ||
                disk_.real_path(full) != disk_.real_path(profile_.input) + "/" + path))
      return false;
    const Visit visit = r_.skip(path, false);
    if (visit == Visit::kLeaveOutFolder || !is_noted_rightly(path, visit == Visit::kTell && now.has_value()))
      return false;
    touch(Relation::kLooksAt, path);
    if (visit != Visit::kTake) return true;
    if (was && now) {
      tree_.set(*was, FileType::kFile, now->signature);
      // One whose step has failed so far has no record.
      const bool is_of_others = is_in_asset(path) || !r_.relations.find(Relation::kTakes, path).empty();
      const auto source = is_of_others ? std::nullopt : r_.source_at(*was);
      if (source && !plan_.state.steps.find(node_of(*source).id)) sources_.emplace(source->entry, *source);
    }
    if (was.has_value() == now.has_value()) return true;
    touch(Relation::kLists, folder);
    return may_come_or_go(path) && (now ? come(path, now->signature) : go(path, *was));
  }

  // Whether what is said of what the walk leaves out stays as it is.
  bool is_noted_rightly(const std::string& path, bool is_hidden) const {
    const auto& notes = tree_.left_out();
    const auto note = std::ranges::find(notes, path, &Tree::Note::path);
    if ((note != notes.end()) == is_hidden) return true;
    Source ignored;  // of what editors leave beside files nothing is said
    return (is_hidden || note->why == LeftOut::kTold) && !r_.file_claims.match(path, ignored);
  }

  void touch(Relation kind, std::string_view text) {
    std::ranges::move(r_.relations.find(kind, text), std::back_inserter(touched_));
  }

  // Whether that is all that its coming or going says: nothing of others.
  bool may_come_or_go(const std::string& path) const {
    if (path.ends_with(kSidecarSuffix) || plan_.files.find(path + std::string(kSidecarSuffix))) return false;
    // Which rules match no source is said, where there is one.
    const auto matches = [&](const Rule& rule) { return glob_matches(rule.match, path); };
    if (!profile_.rules.empty() && (r_.claims.size() <= 1 || std::ranges::any_of(profile_.rules, matches)))
      return false;
    return !is_in_asset(path) && r_.relations.find(Relation::kTakes, path).empty();
  }

  // Whether it lies in a folder that is one asset: what is there is no source.
  bool is_in_asset(std::string_view path) const {
    for (std::size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/', slash + 1)) {
      Source ignored;
      if (r_.folder_claims.match(path.substr(0, slash), ignored)) return true;
    }
    return false;
  }

  bool come(const std::string& path, const FileSignature& signature) {
    tree_.add(path, FileType::kFile, signature);
    plan_.files.add_entry();
    const auto source = r_.source_at(tree_.size() - 1);
    if (!source) {
      r_.unclaimed.insert(std::ranges::lower_bound(r_.unclaimed, path, comes_before), path);
      return true;
    }
    if (!r_.claims.insert(r_.claim_id(*source)).second) return false;
    if (plan_.state.steps.find(node_of(*source).id)) return false;
    sources_.emplace(source->entry, *source);
    ++r_.last.totals.sources;
    return true;
  }

  bool go(const std::string& path, std::size_t entry) {
    const auto source = r_.source_at(entry);
    if (!source) {
      std::erase(r_.unclaimed, path);
      tree_.drop(entry);
      return true;
    }
    const auto position = plan_.state.steps.find(node_of(*source).id);
    if (!position) return false;
    const StepRecord& record = plan_.state.steps[*position].read(scratch_);
    if (record.input_path != path || !record.children.empty() || names_matter(record)) return false;
    r_.claims.erase(r_.claim_id(*source));
    r_.gone.push_back(plan_.state.steps.id(*position));
    tree_.drop(entry);
    --r_.last.totals.sources;
    return true;
  }

  // Whether the index may say something of a step that is no other's.
  bool names_matter(const StepRecord& record) const {
    const auto is_referred_to = [&](const OutputRecord& o) { return options_.target->is_referred_to(o.descriptor); };
    return options_.target->indexes_all || !record.references.empty() ||
           (r_.relations.reference_count() > 0 && std::ranges::any_of(record.outputs, is_referred_to));
  }

  Node node_of(const Source& source) { return source_node(source, 0, tree_, plan_, options_.recipes); }

  // Decides on the sources that have to do with what changed.
  bool decide(Planner::Decision& decision) {
    const std::unordered_set<StepId> gone(r_.gone.begin(), r_.gone.end());
    std::unordered_set<StepId> seen;
    while (!touched_.empty()) {
      const StepId id = touched_.back();
      touched_.pop_back();
      const auto position = plan_.state.steps.find(id);
      if (!position || gone.contains(id) || !seen.insert(id).second) continue;
      // Who asked for a step decides on it.
      const std::string_view path = plan_.state.steps[*position].read(scratch_).input_path;
      const std::size_t left = touched_.size();
      touch(Relation::kAsksFor, bytes_text(id));
      if (touched_.size() > left) continue;
      const auto entry = plan_.files.find(path);
      const auto source = entry ? r_.source_at(*entry) : std::nullopt;
      if (!source || node_of(*source).id != id) return false;
      sources_.emplace(source->entry, *source);
    }
    for (const auto& [entry, source] : sources_) plan_.planner.decide(node_of(source), decision);
    return true;
  }

  // The steps that must run and what they asked for last time, as recorded.
  void reopen(const StepId& id, std::unordered_set<StepId>& open) {
    const auto position = plan_.state.steps.find(id);
    if (!position || !open.insert(id).second) return;
    before_.emplace(id, plan_.state.steps[*position]);
    StepRecord record;
    for (const ChildRecord& child : plan_.state.steps[*position].read(record).children)
      reopen(step_id(child.recipe, child.stem), open);
  }

  bool execute(Planner::Decision decision, Report& report) {
    WritingMark writing(*space_.cache, disk_);
    const int jobs =
        options_.jobs > 0 ? options_.jobs : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    Scheduler scheduler(jobs, options_.memory_bytes != 0 ? options_.memory_bytes : disk_.memory_bytes() / 2);
    AllBut rest{r_.relations, {r_.gone.begin(), r_.gone.end()}};
    for (const Node& node : decision.run) reopen(node.id, rest.steps);
    const std::uint64_t cached = plan_.state.steps.size() - rest.steps.size();
    const std::uint64_t to_run = decision.run.size();
    events_.emit(BuildPlanned{r_.last.totals.sources, cached + to_run, to_run});
    if (cached != 0) events_.emit(StepsCached{cached});
    const bool asks = options_.shared && options_.store != nullptr && to_run > 0;
    Runner runner({*space_.cache, plan_.state, plan_.files, plan_.publisher, plan_.planner, writing, plan_.toolchain,
                   plan_.assets, scheduler, events_, *options_.target, options_.store,
                   asks ? options_.shared() : nullptr, nullptr, false, &rest});
    if (options_.records_waits) scheduler.record_waits();
    runner.run(std::move(decision));
    report.waits = scheduler.waits();
    outcome_ = runner.finish();
    report.steps = std::move(outcome_.reports);
    std::ranges::move(outcome_.troubles, std::back_inserter(report.troubles));
    count_steps(report);
    report.written = plan_.publisher.changed();
    report.totals.files_written = plan_.publisher.files_written();
    report.totals.bytes_written = plan_.publisher.bytes_written();
    tell_oversized(report, outcome_.oversized, scheduler.budget_bytes());
    return adopt();
  }

  // Takes what ran into what is known. False where it changes what is known of other steps.
  bool adopt() {
    for (const auto& [id, record] : before_) {
      const StepRecord& old = record.read(scratch_);
      r_.relations.remove(id, old, *options_.target);
      r_.unsay(old);
      count_outputs(old, -1);
    }
    StepRecord now;
    for (const StepSet::Member& member : outcome_.live) {
      const StepRecord& record = member.record.read(now);
      const StepId id = step_id(record.recipe, record.stem);
      const auto before = before_.find(id);
      if (before == before_.end() && member.position != Positions::kNone) {  // is as it was, after all
        r_.say(record);
        continue;
      }
      if (before == before_.end() ? !record.children.empty() || names_matter(record)
                                  : !is_of_same_shape(before->second.read(scratch_), record))
        return false;
      if (before != before_.end()) before_.erase(before);
      take(id, record);
    }
    // Of those that failed, and of what they asked for, the records stay.
    for (const auto& [id, record] : before_) take(id, record.read(scratch_), false);
    return true;
  }

  void take(const StepId& id, const StepRecord& record, bool says = true) {
    r_.relations.add(id, record, *options_.target);
    if (says) r_.say(record);
    count_outputs(record, 1);
  }

  bool is_of_same_shape(const StepRecord& before, const StepRecord& now) const {
    return std::ranges::equal(before.children, now.children, same) &&
           std::ranges::equal(before.references, now.references) &&
           (std::ranges::equal(before.outputs, now.outputs, same_file) ||
            (!is_listed(now) && !names_matter(before) && !names_matter(now)));
  }

  bool is_listed(const StepRecord& record) const {
    return !r_.relations.find(Relation::kAsksFor, bytes_text(step_id(record.recipe, record.stem))).empty();
  }

  void count_outputs(const StepRecord& record, int sign) {
    Totals& totals = r_.last.totals;
    const auto add = [&](std::uint64_t& total, std::uint64_t n) { total = sign > 0 ? total + n : total - n; };
    add(totals.outputs, record.outputs.size());
    for (const OutputRecord& output : record.outputs) add(totals.output_bytes, output.signature.size_bytes);
  }

  void finish(Report& report) {
    LogWriter log;
    bool ok = outcome_.failures.empty() && outcome_.not_started == 0 && report.troubles.empty();
    const auto goes_on = [&](Result<void> done) {
      if (!done) report.troubles.push_back(std::move(done).error());
      ok &= report.troubles.empty();
    };
    if (ok && r_.has_failed) goes_on(find_orphans(plan_.state, plan_.publisher, *options_.target, log));
    if (ok) {
      Pruned pruned = prune_gone(log);
      for (const std::string& path : pruned.removed) events_.emit(OutputRemoved{path});
      report.removed = std::move(pruned.removed);
      std::ranges::move(pruned.refused, std::back_inserter(report.troubles));
    }
    remember_files(plan_.files, plan_.state, log);
    goes_on(space_.cache->append(log.take()));
    goes_on(plan_.toolchain.remember(*space_.cache));
    if (!space_.cache->dropped().empty()) goes_on(fail(ErrorCode::kInvalidData, space_.cache->dropped()));
    report.ok = report.index_written = ok;
    sum_up(report);
  }

  // Outputs of steps that are gone, and those that steps made last time and no more.
  Pruned prune_gone(LogWriter& log) {
    std::vector<StepId> gone = std::exchange(r_.gone, {});
    std::ranges::sort(gone, {}, [](const StepId& id) { return std::pair(id.low, id.high); });
    gone.erase(std::ranges::unique(gone).begin(), gone.end());
    for (const StepId& id : gone) {
      const StepRecord& record = plan_.state.steps[*plan_.state.steps.find(id)].read(scratch_);
      r_.relations.remove(id, record, *options_.target);
      r_.unsay(record);
      count_outputs(record, -1);
    }
    const auto is_owned = [&](const std::string& path) {
      return !r_.relations.find(Relation::kWrites, ascii_lower(path)).empty();
    };
    return prune(plan_.state, gone, is_owned, plan_.publisher, *options_.target, log);
  }

  void sum_up(Report& report) {
    Totals& totals = report.totals;
    const Totals& all = r_.last.totals;
    totals.sources = all.sources;
    totals.taken = all.taken;
    totals.outputs = all.outputs;
    totals.output_bytes = all.output_bytes;
    totals.files_removed = report.removed.size();
    totals.not_started = outcome_.not_started;
    totals.steps = plan_.state.steps.size();
    totals.cached = totals.steps - std::min(totals.steps, totals.ran + totals.copied + totals.restored + totals.failed);
    std::ranges::sort(report.steps, {},
                      [](const StepReport& s) { return std::tie(s.step.source, s.step.stem, s.step.recipe); });
    report.failures = std::move(outcome_.failures);
    std::vector<recipes::Diagnostic> once = std::exchange(report.diagnostics, {});
    using Said = std::pair<std::pair<std::string_view, std::string_view>, const std::vector<recipes::Diagnostic>*>;
    std::vector<Said> said;
    said.reserve(r_.said.size() + report.failures.size());
    for (const auto& [step, diagnostics] : r_.said) said.push_back({step, &diagnostics});
    for (const Failure& failure : report.failures) said.push_back({{failure.source, {}}, &failure.diagnostics});
    std::ranges::stable_sort(said, {}, &Said::first);
    for (const Said& of : said) std::ranges::copy(*of.second, std::back_inserter(report.diagnostics));
    std::ranges::copy(r_.others, std::back_inserter(report.diagnostics));
    std::ranges::move(once, std::back_inserter(report.diagnostics));
    for (const std::string& path : r_.unclaimed) {
      if (is_read(path)) continue;
      ++totals.unclaimed;
      if (report.unclaimed.size() < kUnclaimedNamed) report.unclaimed.push_back(path);
    }
  }

  // Whether a step reads a file beside its input.
  bool is_read(const std::string& path) {
    return std::ranges::any_of(r_.relations.find(Relation::kLooksAt, path), [&](const StepId& id) {
      const auto position = plan_.state.steps.find(id);
      if (!position) return false;
      const StepRecord& record = plan_.state.steps[*position].read(scratch_);
      return record.input_path != path && std::ranges::any_of(record.dependencies, [&](const Dependency& d) {
               return d.kind == DependencyKind::kRead && d.path == path;
             });
    });
  }

  const Options& options_;
  const Profile& profile_;
  Disk& disk_;
  Events events_;
  Resident& r_;
  BuildPlan& plan_;
  Tree& tree_;
  Workspace space_;  // without trees
  std::vector<StepId> touched_;
  std::map<std::uint32_t, Source> sources_;  // to be decided on, by entry
  std::unordered_map<StepId, StepRef> before_;
  Outcome outcome_;
  StepRecord scratch_;
};

}  // namespace

std::optional<Report> rebuild(const Options& options, const Profile& profile, Disk& disk, EventSink& events,
                              Report& begun) {
  std::vector<std::string> changed;
  auto resident = options.kept->take(changed);
  const bool looks_at_all =
      options.no_cache || options.verify || options.dry_run || options.look_again || options.shard.has_value();
  if (!resident || looks_at_all) return std::nullopt;
  std::ranges::move(std::exchange(resident->again, {}), std::back_inserter(changed));
  std::ranges::sort(changed);
  changed.erase(std::ranges::unique(changed).begin(), changed.end());
  if (changed.size() > kMostChanges) return std::nullopt;
  Report report;
  if (!Rebuild(options, profile, disk, events, *resident).run(changed, report)) {
    begun = std::move(report);
    return std::nullopt;
  }
  resident->has_failed = !report.ok;
  if (!report.ok) resident->again = std::move(changed);
  if (report.troubles.empty()) options.kept->keep(std::move(resident));
  return report;
}

}  // namespace assetc::engine
