#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "base/json_line.hpp"
#include "cli/build_log.hpp"
#include "cli/build_report.hpp"
#include "cli/commands.hpp"
#include "cli/diagnostics.hpp"
#include "cli/problems.hpp"
#include "cli/progress.hpp"
#include "cli/shard.hpp"
#include "cli/store.hpp"
#include "cli/trace.hpp"
#include "engine/run/session.hpp"
#include "text/format.hpp"

namespace assetc::cli {
namespace {

int list_presets(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const auto config = engine::nearest_config(disk, ".");
  if (!config) return stop(arguments, console, config.error());
  for (const recipes::Diagnostic& diagnostic : config->diagnostics) say(arguments, console, diagnostic);
  if (config->presets.empty() && !arguments.json && !arguments.quiet) {
    console.err(config->file.empty()
                    ? "no assetc.yml in this folder or above it, so there are no presets; `assetc init` writes one\n"
                    : config->file + " defines no presets\n");
  }
  for (const engine::Preset& preset : config->presets) {
    const bool active = preset.name == config->preset;
    if (arguments.json) {
      console.out(json_event("preset").add("name", preset.name).add("default", active).str() + "\n");
    } else {
      console.out(preset.name + (active ? " (default)" : "") + "\n");
    }
  }
  return kExitOk;
}

void explain(const Arguments& arguments, Console& console, const engine::Report& report) {
  if (!arguments.explain && !arguments.dry_run && !arguments.json) return;
  if (report.whole && arguments.json) {
    console.out(json_event("whole_build")
                    .add("reason", engine::to_string(report.whole->kind))
                    .add("subject", report.whole->subject)
                    .str() +
                "\n");
  } else if (report.whole && arguments.explain) {
    console.out("checking all sources: " + report.whole->to_string() + "\n");
  }
  if (arguments.json && !arguments.dry_run) return;  // the events have already listed the steps
  for (const engine::StepReport& step : report.steps) {
    if (arguments.json) {
      JsonObject reason;
      reason.add("kind", to_string(step.reason.kind)).add("subject", step.reason.subject);
      reason.add("before", step.reason.before).add("after", step.reason.after).add("text", step.reason.to_string());
      console.out(json_event("step_planned")
                      .add("recipe", step.step.recipe)
                      .add("source", step.step.source)
                      .add("stem", step.step.stem)
                      .add("mode", step.step.mode)
                      .add("unless_taken", step.unless_taken)
                      .add("reason", reason)
                      .str() +
                  "\n");
      continue;
    }
    const std::string_view verb = arguments.dry_run ? "would build" : step.failed ? "failed" : verb_of(step.origin);
    std::string line = formatted("{} {}", verb, text_of(step.step));
    if (step.unless_taken) line += " unless a model uses it";
    if (arguments.explain) line += ": " + step.reason.to_string();
    console.out(line + "\n");
  }
  for (const std::string& path : report.removed) {
    if (arguments.json) {
      console.out(json_event("output_to_remove").add("path", path).str() + "\n");
    } else {
      console.out(formatted("{} {}{}\n", arguments.dry_run ? "would remove" : "removed", path,
                            arguments.explain ? ": no source makes it any more" : ""));
    }
  }
}

// Keeps the errors of steps for a build that stops before it has a report.
class Failures : public engine::EventSink {
 public:
  explicit Failures(engine::EventSink& progress) : progress_(progress) {}
  void on(const engine::Event& event) override {
    if (const auto* failed = std::get_if<engine::StepFailed>(&event))
      std::ranges::copy(failed->diagnostics, std::back_inserter(diagnostics_));
    progress_.on(event);
  }
  std::vector<recipes::Diagnostic> sorted() {
    std::ranges::stable_sort(diagnostics_, {}, [](const recipes::Diagnostic& d) { return d.what.file; });
    return std::move(diagnostics_);
  }

 private:
  engine::EventSink& progress_;
  std::vector<recipes::Diagnostic> diagnostics_;
};

std::uint64_t warnings_of(const engine::Report& report) {
  return static_cast<std::uint64_t>(
      std::ranges::count(report.diagnostics, recipes::Severity::kWarning, &recipes::Diagnostic::severity));
}

std::string share_of(const std::optional<engine::Shard>& shard) {
  return shard ? formatted("{}/{}", shard->number, shard->count) : std::string();
}

JsonObject summary_json(const Arguments& arguments, const engine::Profile& profile, const engine::Report& report,
                        const std::optional<engine::Shard>& shard) {
  const engine::Totals& t = report.totals;
  return json_event("summary")
      .add("ok", report.ok)
      .add("dry_run", arguments.dry_run)
      .add("preset", profile.preset)
      .add("shard", share_of(shard))
      .add("input", profile.input)
      .add("output", profile.output)
      .add("pack", report.packed ? report.pack_file : std::string())
      .add("sources", t.sources)
      .add("taken", t.taken)
      .add("unclaimed", t.unclaimed)
      .add("steps", t.steps)
      .add("ran", t.ran)
      .add("to_run", t.to_run)
      .add("copied", t.copied)
      .add("restored", t.restored)
      .add("cached", t.cached)
      .add("failed", t.failed)
      .add("not_started", t.not_started)
      .add("outputs", t.outputs)
      .add("output_bytes", t.output_bytes)
      .add("files_written", t.files_written)
      .add("bytes_written", t.bytes_written)
      .add("files_removed", t.files_removed)
      .add("warnings", warnings_of(report))
      .add("accepted", report.accepted.size())
      .add("seconds", t.seconds);
}

// has_index: the output folder contains the index of the target, from this build or an earlier one.
void summarize(const Arguments& arguments, Console& console, const engine::Profile& profile,
               const engine::Report& report, const std::optional<engine::Shard>& shard, const engine::Target& target,
               bool has_index) {
  if (arguments.json) {
    console.out(summary_json(arguments, profile, report, shard).str() + "\n");
    return;
  }
  const engine::Totals& t = report.totals;
  const std::string share = share_of(shard);
  if (arguments.verbose && !report.unclaimed.empty()) {
    std::string names;
    for (const std::string& name : report.unclaimed) names += (names.empty() ? "" : ", ") + name;
    console.err(formatted("{} not compiled: {}{}\n", plural(t.unclaimed, "file"), names,
                          t.unclaimed > report.unclaimed.size() ? ", ..." : ""));
  }
  if (arguments.quiet) return;
  std::string line = (shard ? "shard " + share + ": " : "") + plural(t.sources, "source") + ": ";
  line += arguments.dry_run ? plural(t.to_run, "step") + " to run, " : count_text(t.ran) + " built, ";
  if (t.copied > 0) line += count_text(t.copied) + " copied, ";
  if (t.restored > 0) line += count_text(t.restored) + " from the cache, ";
  line += count_text(t.cached) + " up to date";
  if (t.taken > 0)
    line += ", " + plural(t.taken, "picture") + " compiled only for models that use " + (t.taken == 1 ? "it" : "them");
  // A dry run does not count ignored files: a step that has never run may read some of them.
  if (t.unclaimed > 0 && !arguments.dry_run) line += ", " + engine::ignored_text(report.ignored_kinds, t.unclaimed);
  if (!report.accepted.empty()) line += ", " + plural(report.accepted.size(), "warning") + " accepted";
  if (t.failed > 0) line += ", " + console.paint_out(Style::kRed, count_text(t.failed) + " failed");
  if (t.not_started > 0) line += ", " + console.paint_out(Style::kRed, count_text(t.not_started) + " not started");
  const std::uint64_t removed = arguments.dry_run ? report.removed.size() : t.files_removed;
  if (removed > 0) line += ", " + plural(removed, "output") + (arguments.dry_run ? " to remove" : " removed");
  if (!arguments.dry_run && !shard) {
    line += formatted("; {} in {}", size_text(t.output_bytes), profile.output);
    if (report.packed) line += ", packed into " + report.pack_file;
  }
  line += formatted(" ({})", seconds_text(t.seconds));
  console.out(line + "\n");
  if (arguments.dry_run || shard) return;
  if (!report.index_written && !target.index_paths.empty()) {
    console.err(has_index
                    ? formatted("the {} and the outputs of failed steps are still those of the last successful build\n",
                                target.index_kind)
                    : formatted("there is no {} yet: only a build without failures writes it\n", target.index_kind));
  }
  if (!report.pack_file.empty() && !report.packed) console.err(report.pack_file + " was not written\n");
}

// Prints the line about the shared cache, after each build that used it.
void tell_shared_cache(const Arguments& arguments, Console& console, const engine::RemoteStore::Summary& remote) {
  if (arguments.json) {
    console.out(json_event("shared_cache").add("shared_cache", shared_cache_json(remote)).str() + "\n");
    return;
  }
  if (arguments.quiet) return;
  std::string line = "shared cache: " + count_text(remote.found) + " of " + plural(remote.asked, "product") + " found";
  if (remote.uploaded > 0) line += ", " + count_text(remote.uploaded) + " uploaded";
  if (remote.not_uploaded > 0) line += ", " + count_text(remote.not_uploaded) + " not uploaded";
  if (remote.untrusted > 0) line += ", " + count_text(remote.untrusted) + " not signed by a trusted key";
  if (remote.failures > 0) line += ", " + plural(remote.failures, "failure");
  if (remote.transfers.unanswered_seconds > 0) line += ", the server did not answer";
  if (remote.given_up) line += ", stopped after too many failures";
  console.out(line + "\n");
}

// Applies --shard and --costs to the request.
Result<void> add_share(const Arguments& arguments, engine::Disk& disk, engine::BuildRequest& request) {
  if (arguments.shard) {
    ASSETC_TRY(request.shard, parse_shard(*arguments.shard, engine::process_environment()));
  }
  if (arguments.costs.empty()) return {};
  if (!request.shard && arguments.report.empty()) {
    return fail(ErrorCode::kUsage, "--costs needs --shard or --report", "give the share to compile, as in --shard 1/4");
  }
  auto file = disk.read(arguments.costs);
  if (!file) return std::unexpected(std::move(file).error().in(arguments.costs));
  auto costs = engine::parse_costs(*file);
  if (!costs) return std::unexpected(std::move(costs).error().in(arguments.costs));
  request.costs = std::move(*costs);
  return {};
}

// Writes a file of --trace, --report or --sarif. If that fails, prints the error and returns false.
bool write_record(const Arguments& arguments, Console& console, engine::Disk& disk, const std::string& path,
                  const std::string& text) {
  const auto written = disk.publish(path, as_bytes(text));
  if (!written) say(arguments, console, {recipes::Severity::kError, written.error()});
  return written.has_value();
}

void tell_strict(const Arguments& arguments, Console& console, std::uint64_t warnings) {
  say(arguments, console,
      {recipes::Severity::kError, Error{ErrorCode::kInvalidData,
                                        {},
                                        {},
                                        plural(warnings, "warning") + ", which --strict treats as errors",
                                        "fix the causes, or accept them in assetc.yml; --warnings lists them"}});
}

}  // namespace

engine::BuildRequest build_request(const Arguments& arguments) {
  return {.jobs = arguments.jobs,
          .memory_bytes = arguments.memory_bytes,
          .no_cache = arguments.no_cache,
          .dry_run = arguments.dry_run,
          .verify = arguments.verify};
}

BuildOutcome build_and_tell(const Arguments& arguments, Console& console, engine::Disk& disk, engine::BuildTask task,
                            const NextBuild* next) {
  engine::BuildRequest& request = task.request;
  const engine::Profile& profile = *task.profile;
  Said* const said = next != nullptr ? &next->said : nullptr;
  if (const auto added = add_share(arguments, disk, request); !added)
    return {stop(arguments, console, added.error()), std::nullopt, added.error()};
  engine::Stores stores = open_stores(arguments, console, disk, profile.cache);
  if (request.shard && !request.dry_run) {
    if (auto unshared = stores.unshared())
      return {stop(arguments, console, *unshared), std::nullopt, std::move(unshared)};
  }
  auto progress = make_progress(arguments, console);
  Failures failures(*progress);
  engine::EventSink* sink = &failures;
  std::optional<TraceRecorder> trace;
  if (!arguments.trace.empty()) sink = &trace.emplace(*sink);
  request.records_waits = trace.has_value();
  std::optional<BuildReporter> reporter;
  if (!arguments.report.empty()) sink = &reporter.emplace(*sink);
  BuildLog last_build(*sink);
  sink = &last_build;
  const engine::BuildServices services{.disk = disk,
                                       .listener = sink,
                                       .store = stores.local(),
                                       .shared = [&] { return stores.shared(); },
                                       .identities = task.identities,
                                       .on_records = task.on_records};
  auto report = next != nullptr ? next->session.apply(request, services, profile, next->changes)
                                : engine::build(request, services, profile);
  progress.reset();
  const double built_us = trace ? trace->now_us() : 0;
  // A shard has no output except in the store, so it fails if the store did not keep everything.
  if (const bool kept = finish_stores(arguments, console, stores); request.shard && report)
    report->ok = report->ok && kept;
  if (trace && report) trace->add_waits(report->waits);
  if (trace && stores.summary()) {
    trace->add_upload_wait(built_us);
    trace->add_transfers(stores.summary()->records);
  }
  // While people edit a project, the files of an accept: entry may be missing for a moment, so a watch only warns.
  const bool is_watch = arguments.command == Command::kWatch;
  if (report && is_watch) {
    for (Error& unmatched : std::exchange(report->unmatched, {}))
      report->diagnostics.push_back({WarningKind::kUnmatchedAccept, std::move(unmatched)});
  }
  const std::uint64_t refused = arguments.strict && report ? warnings_of(*report) : 0;
  if (refused > 0 || (report && !report->unmatched.empty())) report->ok = false;
  bool written = !trace || write_record(arguments, console, disk, arguments.trace, trace->finish());
  if (reporter && report)
    written &= write_record(arguments, console, disk, arguments.report,
                            reporter->text(profile, *report, request.dry_run, stores.summary(), request.costs));
  if (!arguments.sarif.empty() && report) {
    const std::string project = disk.real_path(arguments.platform.empty() ? project_of(disk) : arguments.import.root);
    const std::string log = sarif_log(arguments.platform.empty() ? "build" : "cook",
                                      findings_of(*report, profile, disk), project, disk.real_path("."));
    written &= write_record(arguments, console, disk, arguments.sarif, log);
  }
  if (!report) {
    const bool again = said != nullptr && said->error && said->error->to_string() == report.error().to_string();
    int code = exit_code_of(report.error());
    // A watch waits for the build that has locked the output.
    const bool is_held = is_watch && report.error().code == ErrorCode::kConflict;
    if (is_held && !again) say(arguments, console, {WarningKind::kHeldOutput, report.error()});
    if (!is_held && !again) {
      for (const recipes::Diagnostic& diagnostic : failures.sorted()) say(arguments, console, diagnostic);
      code = stop(arguments, console, report.error());
    }
    // The configuration names an input folder that does not exist.
    const bool no_input = report.error().code == ErrorCode::kNotFound && report.error().file == profile.input;
    return {no_input ? kExitUsage : code, std::nullopt, std::move(report).error()};
  }

  // Only a page reads it, so a disk that refuses it does not fail the build.
  if (!request.dry_run && !request.shard && !report->did_nothing() && !report->unchanged) {
    const std::string summary = summary_json(arguments, profile, *report, request.shard).str();
    static_cast<void>(
        disk.publish(profile.output + "/" + std::string(kBuildLogName), as_bytes(last_build.text(*report, summary))));
  }
  // A change that wakes a watch may need no work; then print nothing.
  if (is_watch && report->did_nothing()) return {kExitOk, std::move(*report), std::nullopt};
  explain(arguments, console, *report);
  say_diagnostics(arguments, console, *report, said);
  for (const Error& trouble : report->troubles) say(arguments, console, {recipes::Severity::kError, trouble});
  for (const Error& unmatched : report->unmatched) say(arguments, console, {recipes::Severity::kError, unmatched});
  if (refused > 0) tell_strict(arguments, console, refused);
  const auto& indexes = request.target->index_paths;
  const bool has_index =
      !indexes.empty() && disk.status(profile.output + "/" + std::string(indexes.front())).has_value();
  if (stores.summary()) tell_shared_cache(arguments, console, *stores.summary());
  summarize(arguments, console, profile, *report, request.shard, *request.target, has_index);
  const int code = report->ok && written ? kExitOk : kExitProblems;
  return {code, std::move(*report), std::nullopt};
}

int run_build(const Arguments& arguments, Console& console, engine::Disk& disk) {
  if (arguments.list_presets) return list_presets(arguments, console, disk);
  const auto profile = load_profile(arguments, console, disk);
  if (!profile) return stop(arguments, console, profile.error());
  engine::BuildTask task{std::make_shared<const engine::Profile>(*profile), build_request(arguments)};
  return build_and_tell(arguments, console, disk, std::move(task)).exit_code;
}

}  // namespace assetc::cli
