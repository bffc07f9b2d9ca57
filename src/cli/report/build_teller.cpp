#include "cli/report/build_teller.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <utility>

#include "base/json_line.hpp"
#include "cli/report/diagnostics.hpp"
#include "cli/report/problems.hpp"
#include "cli/report/progress.hpp"
#include "engine/run/build_json.hpp"
#include "text/format.hpp"

namespace assetc::cli {
namespace {

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
    std::string line = formatted("{} {}", verb, printable(text_of(step.step)));
    if (step.unless_taken) line += " unless a model uses it";
    if (arguments.explain) line += ": " + printable(step.reason.to_string());
    console.out(line + "\n");
  }
  for (const std::string& path : report.removed) {
    if (arguments.json) {
      console.out(json_event("output_to_remove").add("path", path).str() + "\n");
    } else {
      console.out(formatted("{} {}{}\n", arguments.dry_run ? "would remove" : "removed", printable(path),
                            arguments.explain ? ": no source makes it any more" : ""));
    }
  }
}

// Prints which bundles a cook wrote.
void tell_bundles(const Arguments& arguments, Console& console, const engine::BundlesReport& bundles,
                  const std::string& output) {
  for (const engine::BundleChange& change : bundles.changes) {
    if (arguments.json) {
      console.out(json_event(change.is_removed ? "bundle_removed" : "bundle_written")
                      .add("path", change.path)
                      .add("assets", change.assets)
                      .add("pulled", change.pulled)
                      .add("bytes", change.bytes)
                      .str() +
                  "\n");
    } else if (!arguments.quiet && change.is_removed) {
      console.out("removed " + printable(change.path) + ": no rule makes it\n");
    } else if (!arguments.quiet) {
      console.wrote(change.path,
                    ": " + plural(change.assets, "asset") +
                        (change.pulled == 0 ? "" : ", " + count_text(change.pulled) + " of them as dependencies") +
                        ", " + size_text(change.bytes));
    }
    if (change.was_signed) {
      say(arguments, console,
          {recipes::Severity::kNote,
           Error{ErrorCode::kConflict, change.path, {}, "was signed, and changed", "sign it again: assetc sign"}});
    }
  }
  if (bundles.left > 0) {
    say(arguments, console,
        {recipes::Severity::kNote, Error{ErrorCode::kNotFound,
                                         output,
                                         {},
                                         "has " + plural(bundles.left, "asset") + " in no bundle",
                                         "a rule without keys takes them: rest: {} in bundles:"}});
  }
}

// "the manifest is incomplete: it lacks what failed, and 2 sources that depend on it: a.model, b.model"
std::string incomplete_text(const engine::Target& target, const engine::Report& report) {
  constexpr std::size_t kNamed = 3;
  std::string text = formatted("the {} is incomplete: it lacks what failed", target.index_kind);
  if (const std::size_t count = report.dependent.size(); count > 0)
    text += ", and " + plural(count, "source") + " that " + (count == 1 ? "depends" : "depend") + " on it: ";
  for (std::size_t i = 0; i < std::min(report.dependent.size(), kNamed); ++i)
    text += (i == 0 ? "" : ", ") + printable(report.dependent[i]);
  if (report.dependent.size() > kNamed) text += formatted(" and {} more", report.dependent.size() - kNamed);
  return text + "\n";
}

void summarize(const Arguments& arguments, Console& console, const engine::BuildTask& task,
               const engine::Report& report) {
  const engine::Profile& profile = *task.profile;
  const std::optional<engine::Shard>& shard = task.request.shard;
  const engine::Target& target = *task.request.target;
  if (arguments.json) {
    console.out(engine::summary_json(task.request, profile, report).str() + "\n");
    return;
  }
  const engine::Totals& t = report.totals;
  if (arguments.verbose && !report.unclaimed.empty()) {
    std::string names;
    for (const std::string& name : report.unclaimed) names += (names.empty() ? "" : ", ") + name;
    console.err(formatted("{} not compiled: {}{}\n", plural(t.unclaimed, "file"), names,
                          t.unclaimed > report.unclaimed.size() ? ", ..." : ""));
  }
  if (arguments.quiet) return;
  std::string line = (shard ? "shard " + engine::share_text(shard) + ": " : "") + plural(t.sources, "source") + ": ";
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
  if (report.is_incomplete) console.err(incomplete_text(target, report));
  if (!report.index_written && !target.index_paths.empty()) {
    console.err(report.has_index
                    ? formatted("the {} and the outputs of failed steps are still those of the last successful build\n",
                                target.index_kind)
                    : formatted("there is no {} yet: a build without failures writes it, or one with --keep-going\n",
                                target.index_kind));
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

void tell_strict(const Arguments& arguments, Console& console, std::uint64_t warnings) {
  say(arguments, console,
      {recipes::Severity::kError, Error{ErrorCode::kInvalidData,
                                        {},
                                        {},
                                        plural(warnings, "warning") + ", which --strict treats as errors",
                                        "fix the causes, or accept them in assetc.yml; --warnings lists them"}});
}

}  // namespace

void BuildTeller::say(const recipes::Diagnostic& diagnostic) {
  if (said_ && !said_->of_stores.insert(diagnostic.what.to_string()).second) return;
  cli::say(arguments_, console_, diagnostic);
}

void BuildTeller::begin(const engine::BuildTask&) {
  failures_.clear();
  shared_.reset();
  progress_ = make_progress(arguments_, console_);
  sink_ = progress_.get();
  if (!arguments_.trace.empty()) sink_ = &trace_.emplace(*sink_);
  if (!arguments_.report.empty()) sink_ = &reporter_.emplace(*sink_);
}

void BuildTeller::on(const engine::Event& event) {
  sink_->on(event);
  if (const auto* failed = std::get_if<engine::StepFailed>(&event))
    std::ranges::copy(failed->diagnostics, std::back_inserter(failures_));
}

void BuildTeller::steps_ended() {
  progress_.reset();
  if (trace_) built_us_ = trace_->now_us();
  uploads_.emplace(arguments_, console_);
}

void BuildTeller::uploading(std::size_t left) { uploads_->tell(left); }

void BuildTeller::stores_ended(const std::optional<engine::RemoteStore::Summary>& shared) {
  uploads_.reset();
  shared_ = shared;
}

void BuildTeller::end(const engine::BuildTask& task, const Result<engine::Report>& report) {
  const bool written = write_records(task, report);
  if (!report) return end_failed(task, report.error());
  exit_code_ = report->ok && written ? kExitOk : kExitProblems;
  const bool had_error = said_ && std::exchange(said_->error, std::nullopt);
  // A change that wakes a watch may need no work; then print nothing, unless the last line was about an error.
  if (!said_ || had_error || !report->did_nothing()) print(task, *report);
}

void BuildTeller::end_failed(const engine::BuildTask& task, const Error& error) {
  const bool again = said_ && said_->error && said_->error->to_string() == error.to_string();
  exit_code_ = exit_code_of(error);
  // A watch waits for the build that has locked the output.
  if (said_ && error.code == ErrorCode::kCanceled) return;  // the watch builds again at once
  const bool is_held = said_ && error.code == ErrorCode::kConflict;
  if (is_held && !again) cli::say(arguments_, console_, {WarningKind::kHeldOutput, error});
  if (!is_held && !again) {
    std::ranges::stable_sort(failures_, {}, [](const recipes::Diagnostic& d) { return d.what.file; });
    for (const recipes::Diagnostic& diagnostic : failures_) cli::say(arguments_, console_, diagnostic);
    stop(arguments_, console_, error);
  }
  // The configuration names an input folder that does not exist.
  if (error.code == ErrorCode::kNotFound && error.file == task.profile->input) exit_code_ = kExitUsage;
  if (said_) said_->error = error;
}

void BuildTeller::print(const engine::BuildTask& task, const engine::Report& report) {
  explain(arguments_, console_, report);
  say_diagnostics(arguments_, console_, report, said_ ? &said_->warnings : nullptr);
  for (const Error& trouble : report.troubles) cli::say(arguments_, console_, {recipes::Severity::kError, trouble});
  for (const Error& unmatched : report.unmatched)
    cli::say(arguments_, console_, {recipes::Severity::kError, unmatched});
  if (report.refused_warnings > 0) tell_strict(arguments_, console_, report.refused_warnings);
  if (shared_) tell_shared_cache(arguments_, console_, *shared_);
  tell_bundles(arguments_, console_, report.bundles, task.profile->output);
  summarize(arguments_, console_, task, report);
}

bool BuildTeller::write_records(const engine::BuildTask& task, const Result<engine::Report>& report) {
  bool written = true;
  if (trace_) {
    if (report) trace_->add_waits(report->waits);
    if (shared_) {
      trace_->add_upload_wait(built_us_);
      trace_->add_transfers(shared_->records);
    }
    written = write_record(arguments_.trace, trace_->finish());
  }
  if (reporter_ && report)
    written &= write_record(arguments_.report,
                            reporter_->text(*task.profile, *report, task.request.dry_run, shared_, task.request.costs));
  if (!arguments_.sarif.empty() && report) {
    const bool is_cook = !arguments_.platform.empty();
    const std::string project = disk_.real_path(is_cook ? arguments_.import.root : project_of(disk_));
    const std::string log = sarif_log(is_cook ? "cook" : "build", findings_of(*report, *task.profile, disk_), project,
                                      disk_.real_path("."));
    written &= write_record(arguments_.sarif, log);
  }
  return written;
}

// If the file cannot be written, prints the error and returns false.
bool BuildTeller::write_record(const std::string& path, const std::string& text) {
  const auto written = disk_.publish(path, as_bytes(text));
  if (!written) cli::say(arguments_, console_, {recipes::Severity::kError, written.error()});
  return written.has_value();
}

}  // namespace assetc::cli
