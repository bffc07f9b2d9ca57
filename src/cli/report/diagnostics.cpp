#include "cli/report/diagnostics.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/absolute_path.hpp"
#include "text/format.hpp"

namespace assetc::cli {
namespace {

using recipes::Diagnostic;
using recipes::Severity;

// A kind with more warnings than this is printed as one line.
constexpr std::size_t kMostInFull = 2;
constexpr std::size_t kSubjectsNamed = 3;

struct Group {
  WarningKind kind;
  std::vector<const Diagnostic*> warnings;
};

// Groups warnings by kind, in the order in which each kind first occurs.
std::vector<Group> grouped(std::span<const Diagnostic* const> warnings) {
  std::vector<Group> groups;
  for (const Diagnostic* warning : warnings) {
    auto group = std::ranges::find(groups, *warning->kind, &Group::kind);
    if (group == groups.end()) group = groups.insert(groups.end(), Group{*warning->kind, {}});
    group->warnings.push_back(warning);
  }
  return groups;
}

// "a.gltf (/meshes/0)"
std::string subject_of(const Error& warning) {
  return printable(warning.file) + (warning.place.empty() ? "" : " (" + printable(warning.place) + ")");
}

// merged-nodes: 35 files: a.gltf, b.gltf, c.gltf and 32 more: 10 nodes with meshes become one mesh; bind parts ...
// moved-picture: 2 warnings in 1 file: a.fbx (image "x.png"), a.fbx (image "y.png"): it is not there; ...
std::string line_of(const Group& group) {
  std::set<std::string_view> files;
  std::set<std::string> distinct;
  std::string named;
  for (const Diagnostic* warning : group.warnings) {
    files.insert(warning->what.file);
    const auto [subject, is_new] = distinct.insert(subject_of(warning->what));
    if (is_new && !subject->empty() && distinct.size() <= kSubjectsNamed)
      named += (named.empty() ? ": " : ", ") + *subject;
  }
  files.erase(std::string_view());
  std::string line = std::string(to_string(group.kind)) + ": ";
  if (files.size() != group.warnings.size()) {
    line += plural(group.warnings.size(), "warning");
    if (!files.empty()) line += " in ";
  }
  if (!files.empty()) line += plural(files.size(), "file");
  line += named;
  if (distinct.size() > kSubjectsNamed) line += " and " + count_text(distinct.size() - kSubjectsNamed) + " more";
  const Error& first = group.warnings.front()->what;
  line += ": " + first.what;
  if (!first.hint.empty()) line += "; " + first.hint;
  return line;
}

void say_accepted(const Arguments& arguments, Console& console, const engine::Report& report) {
  for (const engine::Accepted& accepted : report.accepted) {
    say(arguments, console, accepted.warning, &accepted.reason);
  }
}

// Sources in conflict with one another are one mistake, with one remedy: the first one and a count say enough.
void say_errors(const Arguments& arguments, Console& console, const engine::Report& report) {
  std::map<std::string_view, std::vector<const Diagnostic*>> conflicts;  // by their remedy
  for (const Diagnostic& diagnostic : report.diagnostics) {
    if (diagnostic.severity != Severity::kError) continue;
    if (diagnostic.what.code == ErrorCode::kConflict && !arguments.verbose && !arguments.warnings) {
      conflicts[diagnostic.what.hint].push_back(&diagnostic);
    } else {
      say(arguments, console, diagnostic);
    }
  }
  for (const auto& [remedy, errors] : conflicts) {
    const Diagnostic& first = *errors.front();
    const bool is_pair = errors.size() == 2 && errors[1]->what.what.ends_with(" as " + first.what.file);
    if (errors.size() == 1 || is_pair) {
      say(arguments, console, first);
      continue;
    }
    Error all = first.what;
    all.what += "; and " + plural(errors.size() - 1, "other source") + " with the same remedy; --warnings lists all";
    say(arguments, console, {Severity::kError, std::move(all)});
  }
}

// The warnings that a watch did not already print for its last build. said: null outside a watch.
std::vector<const Diagnostic*> new_warnings(const engine::Report& report, std::set<std::string>* said) {
  std::vector<const Diagnostic*> all;
  std::set<std::string> now;
  for (const Diagnostic& diagnostic : report.diagnostics) {
    if (diagnostic.severity != Severity::kWarning) continue;
    if (said != nullptr) {
      std::string text = diagnostic.what.to_string();
      const bool is_known = said->contains(text);
      now.insert(std::move(text));
      if (is_known) continue;
    }
    all.push_back(&diagnostic);
  }
  if (said != nullptr) *said = std::move(now);
  return all;
}

void say_each(const Arguments& arguments, Console& console, const engine::Report& report) {
  for (const Diagnostic& diagnostic : report.diagnostics) {
    if (diagnostic.severity == Severity::kError && !arguments.json) continue;
    if (diagnostic.severity == Severity::kNote && !arguments.verbose && !arguments.json) continue;
    say(arguments, console, diagnostic);
  }
  say_accepted(arguments, console, report);
}

void say_groups(const Arguments& arguments, Console& console, std::span<const Diagnostic* const> warnings) {
  bool in_short = false;
  for (const Group& group : grouped(warnings)) {
    if (group.warnings.size() > kMostInFull) {
      in_short = true;
      console.warning(line_of(group));
      continue;
    }
    for (const Diagnostic* warning : group.warnings) say(arguments, console, *warning);
  }
  if (in_short) console.err(plural(warnings.size(), "warning") + "; --warnings lists all\n");
}

}  // namespace

void say_diagnostics(const Arguments& arguments, Console& console, const engine::Report& report,
                     std::set<std::string>* said) {
  if (arguments.json || arguments.verbose || arguments.warnings) {
    say_each(arguments, console, report);
  } else {
    const auto warnings = new_warnings(report, said);
    const auto all =
        static_cast<std::size_t>(std::ranges::count(report.diagnostics, Severity::kWarning, &Diagnostic::severity));
    const std::size_t as_before = report.unchanged ? all : all - warnings.size();
    if (!report.unchanged) say_groups(arguments, console, warnings);
    if (as_before > 0) console.err(plural(as_before, "warning") + " already reported; --warnings lists all\n");
  }
  if (!arguments.json) say_errors(arguments, console, report);
}

std::vector<Finding> findings_of(const engine::Report& report, const engine::Profile& profile, engine::Disk& disk) {
  std::vector<Finding> findings;
  const auto add = [&](Severity severity, std::optional<WarningKind> kind, Error what,
                       std::optional<std::string> accepted, const std::string& ignore = {}) {
    if (!ignore.empty()) what.hint += (what.hint.empty() ? "" : ", or ") + ("leave it out: " + ignore);
    // The file of a picture inside a model is the model.
    const std::string file = what.file.substr(0, what.file.find(engine::kImageInside));
    const std::string source = profile.input + "/" + file;
    if (!file.empty() && !is_absolute_path(file) && disk.status(source)) {
      if (file != what.file) what.what = what.file.substr(file.size() + 1) + ": " + what.what;
      what.file = source;
    }
    findings.push_back({severity, kind, std::move(what), std::move(accepted)});
  };
  for (const Diagnostic& d : report.diagnostics) {
    if (d.severity != Severity::kNote) add(d.severity, d.kind, d.what, std::nullopt, ignore_line(d));
  }
  for (const engine::Accepted& accepted : report.accepted)
    add(Severity::kWarning, accepted.warning.kind, accepted.warning.what, accepted.reason);
  for (const Error& trouble : report.troubles) add(Severity::kError, std::nullopt, trouble, std::nullopt);
  for (const Error& unmatched : report.unmatched)
    add(Severity::kError, WarningKind::kUnmatchedAccept, unmatched, std::nullopt);
  return findings;
}

}  // namespace assetc::cli
