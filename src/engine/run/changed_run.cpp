#include "engine/run/changed_run.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "base/ascii.hpp"
#include "engine/run/clean_mark.hpp"
#include "engine/run/reporting.hpp"
#include "engine/state/writing_mark.hpp"
#include "identity/meta.hpp"

namespace assetc::engine {
namespace {

bool same(const ChildRecord& a, const ChildRecord& b) {
  return a.recipe == b.recipe && a.source == b.source && a.input_path == b.input_path && a.stem == b.stem &&
         a.params == b.params && a.pins == b.pins && a.listed == b.listed;
}
bool same_file(const OutputRecord& a, const OutputRecord& b) {
  return a.suffix == b.suffix && a.descriptor.kind == b.descriptor.kind && a.descriptor.srgb == b.descriptor.srgb;
}

// The order of a walk: '/' before all other characters, so that a folder is next to its contents.
bool comes_before(std::string_view a, std::string_view b) {
  const auto at = std::ranges::mismatch(a, b);
  if (at.in1 == a.end() || at.in2 == b.end()) return at.in1 == a.end() && at.in2 != b.end();
  if (*at.in1 == '/' || *at.in2 == '/') return *at.in1 == '/';
  return static_cast<unsigned char>(*at.in1) < static_cast<unsigned char>(*at.in2);
}

}  // namespace

std::expected<Report, WholeReason> ChangedRun::run(const std::vector<std::string>& changed, Report& begun) {
  if (auto whole = open()) return std::unexpected(std::move(*whole));
  auto whole = go_on(changed);
  space_.cache.reset();
  report_.found = r_.last.cache;
  end();
  r_.last.cache = report_.left;
  if (!whole) return std::move(report_);
  begun = std::move(report_);
  return std::unexpected(std::move(*whole));
}

std::optional<WholeReason> ChangedRun::go_on(const std::vector<std::string>& changed) {
  plan_.files.begin();
  plan_.publisher.begin(r_.space.output);
  for (const std::string& path : changed) {
    if (const auto whole = look(path)) return WholeReason{*whole, path};
  }
  Planner::Decision decision;
  if (auto whole = decide(decision)) return whole;
  if (auto whole = execute(std::move(decision))) return whole;
  // Only a build that looks at everything writes an index.
  if (request_.keep_going && !outcome_.failures.empty())
    return WholeReason{WholeKind::kFailed, outcome_.failures.front().source};
  finish();
  return std::nullopt;
}

std::optional<WholeReason> ChangedRun::open() {
  const LastBuild& last = r_.last;
  const Profile& before = last.profile;
  if (profile_.input != before.input || profile_.output != before.output || profile_.preset != before.preset ||
      profile_.config_file != before.config_file || profile_.other_outputs != before.other_outputs ||
      profile_.pack != before.pack || environment_of(profile_, request_.recipes, target_) != last.environment)
    return WholeReason{WholeKind::kConfiguration};
  const auto input = disk_.status(profile_.input);
  if (!input || input->type != FileType::kDirectory) return WholeReason{WholeKind::kInputMoved};
  auto lock = disk_.lock(cache_path(profile_) + ".lock");
  if (!lock) return WholeReason{WholeKind::kHeld};
  if (cache_stamp(profile_, disk_) != last.cache) return WholeReason{WholeKind::kOtherBuild};
  space_.lock = std::move(*lock);
  auto cache = Cache::open(disk_, cache_path(profile_), false);
  if (!cache || !(*cache)->dropped().empty()) return WholeReason{WholeKind::kCacheDamaged};
  space_.cache = std::move(*cache);
  return std::nullopt;
}

std::optional<WholeKind> ChangedRun::look(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : path.substr(0, slash);
  const auto within = plan_.files.find(folder);
  const auto was = plan_.files.find(path);
  if (path.empty()) return WholeKind::kInputMoved;
  if (is_engine_file(profile_, path)) return WholeKind::kSidecar;
  const bool is_in_folder = folder.empty() || (within && tree_[*within].type == FileType::kDirectory);
  if (!is_in_folder || (was && tree_[*was].type != FileType::kFile)) return WholeKind::kFolder;
  const std::string full = profile_.input + "/" + path;
  const auto now = disk_.status(full);
  if (!now && now.error().code != ErrorCode::kNotFound) return WholeKind::kUnreadable;
  if (now && now->type != FileType::kFile) return WholeKind::kFolder;
  if (now && (now->is_aliased || disk_.real_path(full) != disk_.real_path(profile_.input) + "/" + path))
    return WholeKind::kLink;
  const Visit visit = r_.skip(path, false);
  if (visit == Visit::kLeaveOutFolder) return WholeKind::kOutput;
  if (!is_noted_rightly(path, visit == Visit::kTell && now.has_value())) return WholeKind::kLeftOut;
  touch(Relation::kLooksAt, path);
  if (visit != Visit::kTake) return std::nullopt;
  if (was && now) {
    tree_.set(*was, FileType::kFile, now->signature);
    // A source whose step has always failed has no record.
    const bool is_of_others = is_in_asset(path) || !r_.relations.find(Relation::kTakes, path).empty();
    const auto source = is_of_others ? std::nullopt : r_.source_at(*was);
    if (source && !plan_.state.steps.find(node_of(*source).id)) sources_.emplace(source->entry, *source);
  }
  if (was.has_value() == now.has_value()) return std::nullopt;
  touch(Relation::kLists, folder);
  touch(Relation::kSeeks, loose_name(std::string_view(path).substr(path.rfind('/') + 1)));
  touch_set(path, folder);
  if (const auto whole = said_of_coming(path)) return whole;
  return now ? come(path, now->signature) : go(path, *was);
}

bool ChangedRun::is_noted_rightly(const std::string& path, bool is_hidden) const {
  const auto& notes = tree_.left_out();
  const auto note = std::ranges::find(notes, path, &Tree::Note::path);
  if ((note != notes.end()) == is_hidden) return true;
  Source ignored;  // files that editors leave beside sources are not reported
  return (is_hidden || note->why == LeftOut::kTold) && !r_.file_claims.match(path, ignored);
}

void ChangedRun::touch(Relation kind, std::string_view text) {
  std::ranges::move(r_.relations.find(kind, text), std::back_inserter(touched_));
}

// A color or normal map that comes or goes may decide the usage of pictures beside it.
void ChangedRun::touch_set(std::string_view path, std::string_view folder) {
  const auto set = recipes::picture_set(path);
  if (!set) return;
  for (std::size_t i = 0; i < tree_.size(); ++i) {
    const std::string_view other = tree_.path(i);
    const std::size_t slash = other.rfind('/');
    if ((slash == other.npos ? std::string_view() : other.substr(0, slash)) != folder) continue;
    if (recipes::set_asked_for(other) == set) touch(Relation::kLooksAt, other);
  }
}

std::optional<WholeKind> ChangedRun::said_of_coming(const std::string& path) const {
  const auto is_there = [&](std::string_view suffix) { return plan_.files.find(path + std::string(suffix)); };
  if (!identity::owner_of_meta(path).empty() || is_there(identity::kMetaSuffix) ||
      is_there(identity::kMetaBesideSuffix))
    return WholeKind::kSidecar;
  // The build reports which rules match no source, unless there are no sources.
  const auto matches = [&](const Rule& rule) { return glob_matches(rule.match, path); };
  if (!profile_.rules.empty() && (r_.claims.size() <= 1 || std::ranges::any_of(profile_.rules, matches)))
    return WholeKind::kRule;
  if (is_in_asset(path)) return WholeKind::kInAsset;
  return r_.relations.find(Relation::kTakes, path).empty() ? std::nullopt : std::optional(WholeKind::kTaken);
}

bool ChangedRun::is_in_asset(std::string_view path) const {
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/', slash + 1)) {
    Source ignored;
    if (r_.folder_claims.match(path.substr(0, slash), ignored)) return true;
  }
  return false;
}

std::optional<WholeKind> ChangedRun::come(const std::string& path, const FileSignature& signature) {
  tree_.add(path, FileType::kFile, signature);
  plan_.files.add_entry();
  const auto source = r_.source_at(tree_.size() - 1);
  if (!source) {
    r_.unclaimed.insert(std::ranges::lower_bound(r_.unclaimed, path, comes_before), path);
    return std::nullopt;
  }
  if (!r_.claims.insert(r_.claim_id(*source)).second || plan_.state.steps.find(node_of(*source).id))
    return WholeKind::kSameName;
  sources_.emplace(source->entry, *source);
  ++r_.last.totals.sources;
  return std::nullopt;
}

std::optional<WholeKind> ChangedRun::go(const std::string& path, std::size_t entry) {
  const auto source = r_.source_at(entry);
  if (!source) {
    std::erase(r_.unclaimed, path);
    tree_.drop(entry);
    return std::nullopt;
  }
  if (r_.shared_claims.contains(r_.claim_id(*source))) return WholeKind::kSameName;
  const auto position = plan_.state.steps.find(node_of(*source).id);
  if (!position) return WholeKind::kUnrecorded;
  const StepRecord& record = plan_.state.steps[*position].read(scratch_);
  if (record.input_path != path) return WholeKind::kUnrecorded;
  if (!record.children.empty() || names_matter(record)) return WholeKind::kReferred;
  r_.claims.erase(r_.claim_id(*source));
  r_.gone.push_back(plan_.state.steps.id(*position));
  tree_.drop(entry);
  --r_.last.totals.sources;
  return std::nullopt;
}

bool ChangedRun::names_matter(const StepRecord& record) const {
  const auto is_referred_to = [&](const OutputRecord& o) { return target_.is_referred_to(o.descriptor); };
  return !target_.index_paths.empty() || !record.references.empty() ||
         (r_.relations.reference_count() > 0 && std::ranges::any_of(record.outputs, is_referred_to));
}

Node ChangedRun::node_of(const Source& source) { return source_node(source, 0, tree_, plan_, request_.recipes); }

std::optional<WholeReason> ChangedRun::decide(Planner::Decision& decision) {
  const std::unordered_set<StepId> gone(r_.gone.begin(), r_.gone.end());
  std::unordered_set<StepId> seen;
  while (!touched_.empty()) {
    const StepId id = touched_.back();
    touched_.pop_back();
    const auto position = plan_.state.steps.find(id);
    if (!position || gone.contains(id) || !seen.insert(id).second) continue;
    // The step that asked for a step decides on it.
    const std::string_view path = plan_.state.steps[*position].read(scratch_).input_path;
    const std::size_t left = touched_.size();
    touch(Relation::kAsksFor, bytes_text(id));
    if (touched_.size() > left) continue;
    const auto entry = plan_.files.find(path);
    const auto source = entry ? r_.source_at(*entry) : std::nullopt;
    if (!source || node_of(*source).id != id) return WholeReason{WholeKind::kUnrecorded, std::string(path)};
    sources_.emplace(source->entry, *source);
  }
  for (const auto& [entry, source] : sources_) plan_.planner.decide(node_of(source), decision);
  return std::nullopt;
}

void ChangedRun::reopen(const StepId& id, std::unordered_set<StepId>& open) {
  const auto position = plan_.state.steps.find(id);
  if (!position || !open.insert(id).second) return;
  before_.emplace(id, plan_.state.steps[*position]);
  StepRecord record;
  for (const ChildRecord& child : plan_.state.steps[*position].read(record).children)
    reopen(step_id(child.recipe, child.stem), open);
}

std::optional<WholeReason> ChangedRun::execute(Planner::Decision decision) {
  WritingMark writing(*space_.cache, disk_);
  Scheduler scheduler(jobs_, budget_bytes(), services_.clock);
  AllBut rest{r_.relations, {r_.gone.begin(), r_.gone.end()}};
  for (const Node& node : decision.run) reopen(node.id, rest.steps);
  tell_planned(r_.last.totals.sources, decision.run.size(), plan_.state.steps.size() - rest.steps.size());
  outcome_ = run_steps(plan_, *space_.cache, writing, scheduler, std::move(decision), nullptr, &rest);
  report_.written = plan_.publisher.changed();
  report_.totals.files_written = plan_.publisher.files_written();
  report_.totals.bytes_written = plan_.publisher.bytes_written();
  tell_oversized(report_, outcome_.oversized, scheduler.budget_bytes());
  return adopt();
}

std::optional<WholeReason> ChangedRun::adopt() {
  for (const auto& [id, record] : before_) {
    const StepRecord& old = record.read(scratch_);
    r_.relations.remove(id, old, target_);
    r_.unsay(old);
    count_outputs(old, -1);
  }
  StepRecord now;
  for (const StepSet::Member& member : outcome_.live) {
    const StepRecord& record = member.record.read(now);
    const StepId id = step_id(record.recipe, record.stem);
    const auto before = before_.find(id);
    if (before == before_.end() && member.position != Positions::kNone) {  // unchanged after all
      r_.say(record);
      continue;
    }
    if (before == before_.end() ? !record.children.empty() || names_matter(record)
                                : !is_of_same_shape(before->second.read(scratch_), record))
      return WholeReason{WholeKind::kOtherSteps, std::string(record.source)};
    if (before != before_.end()) before_.erase(before);
    take(id, record);
  }
  // The records of failed steps, and of the steps that they asked for, stay.
  for (const auto& [id, record] : before_) take(id, record.read(scratch_), false);
  return std::nullopt;
}

void ChangedRun::take(const StepId& id, const StepRecord& record, bool says) {
  r_.relations.add(id, record, target_);
  if (says) r_.say(record);
  count_outputs(record, 1);
}

bool ChangedRun::is_of_same_shape(const StepRecord& before, const StepRecord& now) const {
  return std::ranges::equal(before.children, now.children, same) &&
         std::ranges::equal(before.references, now.references) &&
         (std::ranges::equal(before.outputs, now.outputs, same_file) ||
          (!is_listed(now) && !names_matter(before) && !names_matter(now)));
}

bool ChangedRun::is_listed(const StepRecord& record) const {
  return !r_.relations.find(Relation::kAsksFor, bytes_text(step_id(record.recipe, record.stem))).empty();
}

void ChangedRun::count_outputs(const StepRecord& record, int sign) {
  Totals& totals = r_.last.totals;
  const auto add = [&](std::uint64_t& total, std::uint64_t n) { total = sign > 0 ? total + n : total - n; };
  add(totals.outputs, record.outputs.size());
  for (const OutputRecord& output : record.outputs) add(totals.output_bytes, output.signature.size_bytes);
}

void ChangedRun::finish() {
  LogWriter log;
  bool ok = outcome_.failures.empty() && outcome_.not_started == 0 && report_.troubles.empty();
  if (ok && r_.has_failed) ok = goes_on(find_orphans(plan_.state, plan_.publisher, target_, log));
  if (ok) take_pruned(prune_gone(log));
  remember_files(plan_.files, plan_.state, log);
  goes_on(space_.cache->append(log.take()));
  goes_on(plan_.toolchain.remember(*space_.cache));
  if (!space_.cache->dropped().empty()) goes_on(fail(ErrorCode::kInvalidData, space_.cache->dropped()));
  report_.ok = report_.index_written = ok && report_.troubles.empty();
  sum_up();
}

Pruned ChangedRun::prune_gone(LogWriter& log) {
  std::vector<StepId> gone = std::exchange(r_.gone, {});
  std::ranges::sort(gone, {}, [](const StepId& id) { return std::pair(id.low, id.high); });
  gone.erase(std::ranges::unique(gone).begin(), gone.end());
  for (const StepId& id : gone) {
    const StepRecord& record = plan_.state.steps[*plan_.state.steps.find(id)].read(scratch_);
    r_.relations.remove(id, record, target_);
    r_.unsay(record);
    count_outputs(record, -1);
  }
  const auto is_owned = [&](const std::string& path) {
    return !r_.relations.find(Relation::kWrites, ascii_lower(path)).empty();
  };
  return prune(plan_.state, gone, is_owned, plan_.publisher, target_, log);
}

void ChangedRun::sum_up() {
  Totals& totals = report_.totals;
  const Totals& all = r_.last.totals;
  totals.sources = all.sources;
  totals.taken = all.taken;
  totals.outputs = all.outputs;
  totals.output_bytes = all.output_bytes;
  totals.steps = plan_.state.steps.size();
  totals.cached = totals.steps - std::min(totals.steps, totals.ran + totals.copied + totals.restored + totals.failed);
  std::ranges::sort(report_.steps, {},
                    [](const StepReport& s) { return std::tie(s.step.source, s.step.stem, s.step.recipe); });
  report_.failures = std::move(outcome_.failures);
  offer_ignore(report_.failures, [&](const StepId& step, const auto& visit) {
    for (const StepId& user : r_.relations.find(Relation::kAsksFor, bytes_text(step))) {
      const auto position = plan_.state.steps.find(user);
      if (position && !visit(plan_.state.steps[*position].read(scratch_))) return;
    }
  });
  std::vector<recipes::Diagnostic> once = std::exchange(report_.diagnostics, {});
  using Said = std::pair<std::pair<std::string_view, std::string_view>, const std::vector<recipes::Diagnostic>*>;
  std::vector<Said> said;
  said.reserve(r_.said.size() + report_.failures.size());
  for (const auto& [step, diagnostics] : r_.said) said.push_back({step, &diagnostics});
  for (const Failure& failure : report_.failures) said.push_back({{failure.source, {}}, &failure.diagnostics});
  std::ranges::stable_sort(said, {}, &Said::first);
  for (const Said& of : said) std::ranges::copy(*of.second, std::back_inserter(report_.diagnostics));
  std::ranges::copy(r_.others, std::back_inserter(report_.diagnostics));
  std::ranges::move(once, std::back_inserter(report_.diagnostics));
  IgnoredKinds kinds;
  for (const std::string& path : r_.unclaimed) {
    if (is_read(path)) continue;
    ++totals.unclaimed;
    kinds.add(path);
    if (report_.unclaimed.size() < kUnclaimedNamed) report_.unclaimed.push_back(path);
  }
  report_.ignored_kinds = kinds.list();
}

bool ChangedRun::is_read(const std::string& path) {
  return std::ranges::any_of(r_.relations.find(Relation::kLooksAt, path), [&](const StepId& id) {
    const auto position = plan_.state.steps.find(id);
    if (!position) return false;
    const StepRecord& record = plan_.state.steps[*position].read(scratch_);
    return record.input_path != path && std::ranges::any_of(record.dependencies, [&](const Dependency& d) {
             return d.kind == DependencyKind::kRead && d.path == path;
           });
  });
}

}  // namespace assetc::engine
