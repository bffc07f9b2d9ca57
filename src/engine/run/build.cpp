#include "engine/run/build.hpp"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

#include "assetc/formats/hman.hpp"
#include "base/ascii.hpp"
#include "engine/run/engine.hpp"
#include "engine/state/summary.hpp"
#include "filetypes/filetypes.hpp"

namespace assetc::engine {
namespace {

constexpr std::size_t kUnclaimedNamed = 20;
// meta: what the tree looked like when everything was up to date.
constexpr std::string_view kCleanName = "clean";
// meta: the boot in which a build began to write and did not come to its end.
constexpr std::string_view kWritingName = "writing";
// meta: what the pack was made of.
constexpr std::string_view kPackName = "pack";

class Silence final : public EventSink {
  void on(const Event&) override {}
};

// All that decides outputs besides the input tree.
ContentHash environment(const Profile& profile, std::span<const recipes::Recipe* const> recipes) {
  ContentHasher hasher;
  hasher.add(profile.canonical());
  for (const recipes::Recipe* recipe : recipes) {
    hasher.add(recipe->name).add(std::uint64_t{recipe->version}).add(std::uint64_t{recipe->stem_matters});
    for (std::string_view group : recipe->setting_groups) hasher.add(group);
    for (const recipes::Claim& claim : recipe->claims) {
      hasher.add(claim.suffix).add(std::uint64_t{claim.directory}).add(claim.strip).add(claim.append).add(claim.mode);
    }
  }
  return hasher.finish();
}

struct LiveStep {
  std::shared_ptr<const StepRecord> record;
  bool listed = false;
};

class Build {
 public:
  Build(const Options& options, const Profile& profile, Disk& disk, EventSink& events)
      : options_(options), profile_(profile), disk_(disk), events_(events), recipes_(options.recipes) {
    jobs_ = options.jobs > 0 ? options.jobs : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    budget_ = options.memory_bytes != 0 ? options.memory_bytes : disk.memory_bytes() / 2;
  }

  Result<Report> run() {
    const auto start = std::chrono::steady_clock::now();
    ASSETC_CHECK(open());
    walked_at_ns_ = disk_.now_ns();
    ASSETC_TRY(in_tree_, disk_.walk(profile_.input, input_skip(profile_), jobs_));
    ASSETC_TRY(out_tree_, disk_.walk(profile_.output, output_skip(profile_), jobs_));
    environment_ = environment(profile_, recipes_);
    ASSETC_TRY(const bool clean, try_clean());
    if (!clean) {
      ASSETC_CHECK(plan());
      if (options_.dry_run) {
        predict();
      } else {
        ASSETC_CHECK(execute());
      }
    }
    if (report_.ok && profile_.pack && !options_.dry_run) ASSETC_CHECK(update_pack());
    report_.totals.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return std::move(report_);
  }

 private:
  void emit(const Event& event) {
    const std::lock_guard lock(events_mutex_);
    events_.on(event);
  }

  std::string cache_path() const { return profile_.output + "/" + std::string(kCacheName); }

  Result<void> open() {
    auto status = disk_.status(profile_.input);
    if (!status || status->type != FileType::kDirectory) {
      if (!status && status.error().code != ErrorCode::kNotFound) return std::unexpected(std::move(status).error());
      return std::unexpected(Error{ErrorCode::kNotFound,
                                   profile_.input,
                                   {},
                                   "the input directory is not there",
                                   "make it, or say input: in assetc.yml"});
    }
    if (!options_.dry_run) {
      if (auto made = disk_.make_directories(profile_.output); !made)
        return std::unexpected(std::move(made).error().in(profile_.output));
      ASSETC_TRY(lock_, disk_.lock(cache_path() + ".lock"));
    }
    ASSETC_TRY(cache_, Cache::open(disk_, cache_path(), options_.dry_run));
    return {};
  }

  // The whole of a no-op build: nothing that decides outputs and no output has changed since everything was up to date.
  Result<bool> try_clean() {
    if (options_.no_cache) return false;
    const auto mark = cache_->get(kCleanName);
    if (!mark) return false;
    const auto summary = decode_summary(*mark);
    if (!summary || summary->environment != environment_ || summary->input != in_tree_.fingerprint() ||
        summary->output != out_tree_.fingerprint()) {
      return false;
    }
    if (!std::ranges::all_of(summary->uncovered, [&](const auto& file) { return as_before(file); })) return false;
    if (const auto writing = cache_->get(kWritingName); writing && !writing->empty()) return false;
    report_.ok = true;
    report_.totals = summary->totals;
    report_.totals.cached = summary->totals.steps;
    report_.diagnostics = summary->diagnostics;
    report_.unclaimed = summary->unclaimed;
    output_fingerprint_ = summary->output;
    emit(BuildPlanned{report_.totals.sources, report_.totals.steps, 0});
    emit(StepsCached{report_.totals.cached});
    return true;
  }

  Result<void> plan() {
    bool distrust = false;
    if (const auto writing = cache_->get(kWritingName); writing && !writing->empty()) {
      distrust = as_text(*writing) != disk_.boot_id();
    }
    ASSETC_CHECK(cache_->load(state_));
    tell_dropped();
    if (distrust) state_.files.clear();

    sources_ = discover(in_tree_, recipes_);
    ASSETC_CHECK(check_conflicts(in_tree_, sources_, recipes_));
    files_.emplace(disk_, profile_.input, in_tree_, state_, input_skip(profile_));
    publisher_.emplace(disk_, profile_.output, out_tree_, Publisher::Settings{options_.verify, distrust});
    settings_.emplace(profile_, recipes_);
    planner_.emplace(Planner::Context{recipes_, *files_, *publisher_, *settings_, state_, options_.no_cache});
    scheduler_.emplace(jobs_, budget_);

    tbb::enumerable_thread_specific<Planner::Decision> decisions;
    std::mutex error_mutex;
    Result<void> decided;
    scheduler_->execute([&] {
      tbb::parallel_for(std::size_t{0}, sources_.claimed.size(), [&](std::size_t i) {
        auto done = planner_->decide(source_node(sources_.claimed[i], i), decisions.local());
        if (done) return;
        const std::lock_guard lock(error_mutex);
        decided = std::move(done);
      });
    });
    ASSETC_CHECK(decided);
    std::size_t cached = 0;
    for (const Planner::Decision& part : decisions) cached += part.cached.size();
    cached_.reserve(cached);
    for (Planner::Decision& part : decisions) {
      std::ranges::move(part.run, std::back_inserter(to_run_));
      std::ranges::move(part.cached, std::back_inserter(cached_));
      std::ranges::move(part.renewed, std::back_inserter(renewed_));
      part = {};
    }
    report_.totals.sources = sources_.claimed.size();
    emit(BuildPlanned{sources_.claimed.size(), to_run_.size() + cached_.size(), to_run_.size()});
    if (!cached_.empty()) emit(StepsCached{cached_.size()});
    return {};
  }

  // Once, whenever the damage shows.
  void tell_dropped() {
    if (cache_->dropped().empty() || told_dropped_) return;
    told_dropped_ = true;
    emit(CacheDropped{cache_->dropped()});
    report_.diagnostics.insert(
        report_.diagnostics.begin(),
        {recipes::Severity::kWarning, Error{ErrorCode::kInvalidData, cache_path(), {}, cache_->dropped(), {}}});
  }

  Node source_node(const Source& source, std::size_t order) {
    const std::string_view path = in_tree_.path(source.entry);
    const recipes::Recipe& recipe = *recipes_[source.recipe];
    const recipes::Claim& claim = recipe.claims[source.claim];
    Node node;
    node.recipe = &recipe;
    node.recipe_index = source.recipe;
    node.source = node.input_path = node.rules_source = path;
    node.stem = state_.arena.keep(stem_of(path, claim));
    if (!claim.mode.empty()) node.params = state_.arena.keep(encode_params({{"mode", std::string(claim.mode)}}));
    node.settings = settings_->find(path);
    node.id = step_id(recipe.name, node.stem);
    node.order = order;
    return node;
  }

  void predict() {
    for (const Node& node : to_run_) {
      report_.steps.push_back({{std::string(node.recipe->name), std::string(node.source), std::string(node.stem)},
                               *node.reason,
                               0,
                               false,
                               false});
    }
    for (const CachedStep& step : cached_) live_.push_back({step.record, step.listed});
    report_.totals.cached = cached_.size();
    report_.totals.steps = cached_.size() + to_run_.size();
    report_.totals.ran = to_run_.size();
    std::unordered_set<StepId> wanted;
    for (const Node& node : to_run_) wanted.insert(node.id);
    for (const CachedStep& step : cached_) wanted.insert(step.id);
    for (const Source& source :
         sources_.claimed) {  // steps that would run keep their children's outputs, as far as one can tell
      const recipes::Recipe& recipe = *recipes_[source.recipe];
      keep_children(step_id(recipe.name, stem_of(in_tree_.path(source.entry), recipe.claims[source.claim])), wanted);
    }
    for (const auto& record : state_.steps) {
      if (wanted.contains(step_id(record->recipe, record->stem))) continue;
      for (const OutputRecord& output : record->outputs)
        report_.removed.push_back(std::string(record->stem) + std::string(output.suffix));
    }
    report_.ok = true;
    finish_report();
  }

  void keep_children(const StepId& id, std::unordered_set<StepId>& wanted) const {
    const StepRecord* record = state_.find(id);
    if (record == nullptr) return;
    for (const ChildRecord& child : record->children) {
      const StepId child_id = step_id(child.recipe, child.stem);
      if (wanted.insert(child_id).second) keep_children(child_id, wanted);
    }
  }

  Result<void> execute() {
    ASSETC_CHECK(publisher_->remove_leftovers());
    Runner runner(
        {options_, disk_, *cache_, state_, *files_, *publisher_, *settings_, *planner_, events_, events_mutex_});
    runner.add_renewed(renewed_);
    for (const CachedStep& step : cached_) live_.push_back({step.record, step.listed});
    if (!to_run_.empty()) {
      ASSETC_CHECK(cache_->set(kWritingName, as_bytes(disk_.boot_id())));
      for (const CachedStep& step : cached_) runner.add_cached(step);
    }
    report_.totals.cached = cached_.size();
    cached_ = {};
    ASSETC_CHECK(runner.run(*scheduler_, std::move(to_run_)));
    runner.finish();

    for (const auto& [record, listed] : runner.live()) live_.push_back({record, listed});
    report_.totals.cached += runner.cached_children();
    report_.steps = std::move(runner.reports());
    for (const StepReport& step : report_.steps) {
      ++(step.failed ? report_.totals.failed : step.copied ? report_.totals.copied : report_.totals.ran);
    }
    failures_ = std::move(runner.failures());
    report_.totals.steps = live_.size() + report_.totals.failed;
    // An unchanged tree has an unchanged manifest, but a killed build may have left none: it is made in any case.
    if (failures_.empty()) ASSETC_CHECK(write_manifest());
    report_.ok = failures_.empty();

    LogWriter log;
    ASSETC_CHECK(find_orphans(log));
    if (report_.ok) ASSETC_CHECK(prune(log));
    for (const auto& [path, record] : files_->learned()) {
      const std::string_view kept = state_.arena.keep(path);
      state_.files.insert_or_assign(kept, record);
      log.file(kept, record);
    }
    forget_files(log);
    report_.totals.files_written = publisher_->files_written();
    report_.totals.bytes_written = publisher_->bytes_written();
    const bool wrote = report_.totals.files_written + report_.totals.files_removed != 0;
    if (wrote) ASSETC_CHECK(disk_.flush(profile_.output));
    ASSETC_CHECK(cache_->append(log.take()));
    if (report_.totals.files_removed != 0) ASSETC_CHECK(note_live());
    ASSETC_CHECK(cache_->compact_if_useful(state_));
    if (const auto writing = cache_->get(kWritingName); writing && !writing->empty())
      ASSETC_CHECK(cache_->set(kWritingName, {}));
    finish_report();
    tell_dropped();
    if (report_.ok) ASSETC_CHECK(mark_clean());
    return {};
  }

  // The textures that materials refer to, by hash. Errors of a source's references join the failures.
  Result<void> write_manifest() {
    std::vector<hman::Entry> entries;
    const auto colorspace = [](bool srgb) { return srgb ? hman::Colorspace::kSrgb : hman::Colorspace::kLinear; };
    constexpr std::string_view kSuffix = ".ktx2";
    std::map<std::string, std::pair<std::string, bool>>
        textures;  // by lower-case path without suffix, where referred to
    std::vector<std::pair<std::string_view, std::string_view>> references;  // stem, source
    for (const LiveStep& step : live_) {
      for (std::string_view reference : step.record->references)
        references.emplace_back(reference, step.record->source);
      if (!step.listed) continue;
      for (const OutputRecord& output : step.record->outputs) {
        if (output.kind != recipes::AssetKind::kTexture) continue;
        entries.push_back(
            hman::texture_entry(std::string(step.record->stem) + std::string(output.suffix), colorspace(output.srgb)));
      }
    }
    if (!references.empty()) {
      for (const LiveStep& step : live_) {
        for (const OutputRecord& output : step.record->outputs) {
          std::string path = std::string(step.record->stem) + std::string(output.suffix);
          if (output.kind != recipes::AssetKind::kTexture || !path.ends_with(kSuffix)) continue;
          textures.emplace(ascii_lower(path.substr(0, path.size() - kSuffix.size())), std::pair(path, output.srgb));
        }
      }
      std::ranges::sort(references);
      for (const auto& [stem, source] : references) {
        const auto found = textures.find(ascii_lower(stem));
        if (found != textures.end()) {
          entries.push_back(hman::texture_entry(found->second.first, colorspace(found->second.second)));
          continue;
        }
        failures_.push_back({std::string(source),
                             {{recipes::Severity::kError,
                               Error{ErrorCode::kNotFound,
                                     std::string(source),
                                     {},
                                     "refers to the texture " + std::string(stem) + ", which no source makes",
                                     "add the texture, or correct the reference"}}}});
        ++report_.totals.failed;
      }
      if (!failures_.empty()) return {};
    }
    auto bytes = hman::write(std::move(entries));
    if (!bytes) return std::unexpected(std::move(bytes).error().in(std::string(kManifestName)));
    ASSETC_CHECK(publisher_->publish_manifest(*bytes));
    ++report_.totals.outputs;
    report_.totals.output_bytes += bytes->size();
    return {};
  }

  // What builds published and no record owns (they were killed, or the cache was lost) is to be removed.
  Result<void> find_orphans(LogWriter& log) {
    ASSETC_TRY(const auto noted, publisher_->noted());
    std::unordered_set<std::string> owned;
    owned.reserve(noted.size());
    for (const auto& record : state_.steps) {
      for (const OutputRecord& output : record->outputs)
        owned.insert(std::string(record->stem) + std::string(output.suffix));
    }
    for (const std::string& path : noted) {
      if (owned.contains(path)) continue;
      const std::string_view kept = state_.arena.keep(path);
      if (state_.orphans.insert(kept).second) log.orphan(kept);
    }
    return {};
  }

  // Removes the outputs of steps that are no more.
  Result<void> prune(LogWriter& log) {
    std::unordered_set<StepId> wanted;
    wanted.reserve(live_.size());
    for (const LiveStep& step : live_) wanted.insert(step_id(step.record->recipe, step.record->stem));
    std::vector<std::shared_ptr<const StepRecord>> gone;
    for (const auto& record : state_.steps) {
      if (!wanted.contains(step_id(record->recipe, record->stem))) gone.push_back(record);
    }
    std::vector<std::string> doomed;
    for (const auto& record : gone) {
      for (const OutputRecord& output : record->outputs)
        doomed.push_back(std::string(record->stem) + std::string(output.suffix));
    }
    for (std::string_view path : state_.orphans) doomed.emplace_back(path);
    if (doomed.empty() && gone.empty()) return {};
    std::ranges::sort(doomed);
    doomed.erase(std::ranges::unique(doomed).begin(), doomed.end());
    std::unordered_set<std::string> owned;
    if (!doomed.empty()) {
      for (const LiveStep& step : live_) {
        for (const OutputRecord& output : step.record->outputs)
          owned.insert(std::string(step.record->stem) + std::string(output.suffix));
      }
    }
    for (std::string& path : doomed) {
      if (owned.contains(path)) continue;
      if (auto removed = publisher_->remove(path); !removed) return std::unexpected(std::move(removed).error());
      emit(OutputRemoved{path});
      report_.removed.push_back(std::move(path));
    }
    report_.totals.files_removed = report_.removed.size();
    for (const auto& record : gone) {
      const StepId id = step_id(record->recipe, record->stem);
      log.erase_step(id);
      state_.erase(id);
    }
    for (std::string_view path : state_.orphans) log.forget_orphan(path);
    state_.orphans.clear();
    return {};
  }

  Result<void> note_live() {
    std::vector<std::string> paths;
    for (const LiveStep& step : live_) {
      for (const OutputRecord& output : step.record->outputs)
        paths.push_back(std::string(step.record->stem) + std::string(output.suffix));
    }
    std::ranges::sort(paths);
    return publisher_->set_noted(paths);
  }

  // File records that no file of the tree answers to, once they are many.
  void forget_files(LogWriter& log) {
    if (state_.files.size() <= in_tree_.size() + in_tree_.size() / 4 + 64) return;
    std::vector<std::string_view> gone;
    for (const auto& [path, record] : state_.files) {
      if (!files_->find(path)) gone.push_back(path);
    }
    for (std::string_view path : gone) {
      log.forget_file(path);
      state_.files.erase(path);
    }
  }

  void finish_report() {
    std::ranges::sort(report_.steps, {},
                      [](const StepReport& s) { return std::tie(s.step.source, s.step.stem, s.step.recipe); });
    std::ranges::sort(report_.removed);
    struct Said {
      std::string_view source, stem;
      const StepRecord* record;
      const Runner::Failure* failure;
    };
    std::vector<Said> said;
    for (const LiveStep& step : live_) {
      if (!step.record->diagnostics.empty())
        said.push_back({step.record->source, step.record->stem, step.record.get(), nullptr});
      report_.totals.outputs += step.record->outputs.size();
      for (const OutputRecord& output : step.record->outputs)
        report_.totals.output_bytes += output.signature.size_bytes;
    }
    for (const Runner::Failure& failure : failures_) said.push_back({failure.source, {}, nullptr, &failure});
    std::ranges::stable_sort(said, {}, [](const Said& s) { return std::pair(s.source, s.stem); });
    for (const Said& s : said) {
      auto diagnostics = s.record != nullptr ? diagnostics_of(*s.record) : s.failure->diagnostics;
      std::ranges::move(diagnostics, std::back_inserter(report_.diagnostics));
    }
    for (const Rule* rule : settings_->unmatched_rules()) {
      report_.diagnostics.push_back(
          {recipes::Severity::kWarning,
           Error{ErrorCode::kUsage, profile_.config_file, "line " + std::to_string(rule->line),
                 "the rule for \"" + rule->match + "\" matches no source",
                 "match: is a glob over paths below " + profile_.input + ", in their letter case"}});
    }
    std::unordered_set<std::string_view> read;
    if (!sources_.unclaimed.empty()) {
      for (const LiveStep& step : live_) {
        for (const Dependency& d : step.record->dependencies) {
          if (d.kind == DependencyKind::kRead && d.path != step.record->input_path) read.insert(d.path);
        }
      }
    }
    for (const std::uint32_t entry : sources_.unclaimed) {
      const std::string_view path = in_tree_.path(entry);
      if (read.contains(path)) continue;
      ++report_.totals.unclaimed;
      if (report_.unclaimed.size() < kUnclaimedNamed) report_.unclaimed.emplace_back(path);
    }
  }

  // Remembers that all is up to date, when a later walk can prove that nothing changed.
  Result<void> mark_clean() {
    ASSETC_TRY(const Tree after, disk_.walk(profile_.output, output_skip(profile_), jobs_));
    output_fingerprint_ = after.fingerprint();
    if (files_->changed_meanwhile()) return {};
    for (std::size_t i = 0; i < in_tree_.size(); ++i) {
      if (in_tree_[i].type == FileType::kFile && FileTable::is_racy(in_tree_[i].signature, walked_at_ns_)) return {};
    }
    Summary summary;
    if (!uncovered(summary.uncovered)) return {};
    summary.environment = environment_;
    summary.input = in_tree_.fingerprint();
    summary.output = *output_fingerprint_;
    summary.totals = report_.totals;
    summary.totals.ran = summary.totals.copied = summary.totals.cached = summary.totals.failed = 0;
    summary.totals.files_written = summary.totals.bytes_written = summary.totals.files_removed = 0;
    summary.diagnostics = report_.diagnostics;
    if (told_dropped_) summary.diagnostics.erase(summary.diagnostics.begin());  // said once
    summary.unclaimed = report_.unclaimed;
    return cache_->set(kCleanName, encode_summary(summary));
  }

  // What steps read where the walk does not look: ignored and hidden files. False when a later look could prove
  // nothing.
  bool uncovered(std::vector<Summary::Uncovered>& list) {
    std::unordered_set<std::string_view> seen;
    for (const LiveStep& step : live_) {
      for (const Dependency& d : step.record->dependencies) {
        if (d.path == step.record->input_path && files_->find(d.path)) continue;
        if (files_->covers(d.path) || !seen.insert(d.path).second) continue;
        if (d.kind == DependencyKind::kListing || d.kind == DependencyKind::kListingAbsent) return false;
        const auto status = disk_.status(profile_.input + "/" + std::string(d.path));
        const bool there = status && status->type == FileType::kFile;
        if (there != (d.kind != DependencyKind::kAbsent)) return false;
        if (!there) {
          list.push_back({std::string(d.path), std::nullopt});
          continue;
        }
        const auto read = files_->signature_of_uncovered(d.path);
        if (FileTable::is_racy(status->signature, walked_at_ns_) || (read && *read != status->signature)) return false;
        list.push_back({std::string(d.path), status->signature});
      }
    }
    return true;
  }

  bool as_before(const Summary::Uncovered& file) {
    const auto status = disk_.status(profile_.input + "/" + file.path);
    const bool there = status && status->type == FileType::kFile;
    return file.signature ? there && status->signature == *file.signature : !there;
  }

  Result<void> update_pack() {
    const std::string path = pack_path(profile_);
    const auto present = disk_.status(path);
    if (!output_fingerprint_) output_fingerprint_ = out_tree_.fingerprint();
    const auto signature_hash = [&](const FileSignature& s) {
      return ContentHasher()
          .add(*output_fingerprint_)
          .add(s.size_bytes)
          .add(static_cast<std::uint64_t>(s.mtime_ns))
          .add(static_cast<std::uint64_t>(s.ctime_ns))
          .add(s.inode)
          .finish();
    };
    report_.pack_file = path;
    const auto mark = cache_->get(kPackName);
    if (present && mark && mark->size() == sizeof(ContentHash) &&
        load<ContentHash>(*mark) == signature_hash(present->signature))
      return {};
    ASSETC_TRY(report_.pack_file, engine::pack(profile_, disk_));
    if (options_.verify) {
      ASSETC_TRY(const Bytes bytes, disk_.peek(path));
      if (auto valid = filetypes::open_file(path, bytes); !valid)
        return std::unexpected(std::move(valid).error().in(path));
    }
    ASSETC_TRY(const auto now, disk_.status(path));
    return cache_->set(kPackName, object_bytes(signature_hash(now.signature)));
  }

  const Options& options_;
  const Profile& profile_;
  Disk& disk_;
  EventSink& events_;
  std::span<const recipes::Recipe* const> recipes_;
  int jobs_ = 1;
  std::uint64_t budget_ = 0;

  std::mutex events_mutex_;
  std::unique_ptr<DiskLock> lock_;
  std::unique_ptr<Cache> cache_;
  std::int64_t walked_at_ns_ = 0;
  Tree in_tree_;
  Tree out_tree_;
  ContentHash environment_;
  std::optional<ContentHash> output_fingerprint_;
  bool told_dropped_ = false;

  Sources sources_;
  std::optional<SettingsTable> settings_;
  State state_;
  std::optional<FileTable> files_;
  std::optional<Publisher> publisher_;
  std::optional<Planner> planner_;
  std::optional<Scheduler> scheduler_;
  std::vector<Node> to_run_;
  std::vector<CachedStep> cached_;
  std::vector<std::shared_ptr<StepRecord>> renewed_;
  std::vector<LiveStep> live_;
  std::vector<Runner::Failure> failures_;
  Report report_;
};

}  // namespace

Result<Report> build(const Options& options, const Profile& profile, Disk& disk, EventSink& events) {
  return Build(options, profile, disk, events).run();
}

Result<Report> build(const Options& options, const Profile& profile, Disk& disk) {
  Silence silence;
  return build(options, profile, disk, silence);
}

}  // namespace assetc::engine
