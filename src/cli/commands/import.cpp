// assetc import: gives sources their .meta files, and says of each change why an asset kept its UUID or got another.
#include "engine/meta/import.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

#include "base/json_line.hpp"
#include "cli/commands/commands.hpp"
#include "engine/config/environment.hpp"
#include "formats/message.hpp"
#include "text/format.hpp"

namespace assetc::cli {
namespace {

using identity::IdentityChange;
using identity::SubAssetChange;

constexpr std::string_view kChangeWords[] = {"created", "moved", "found", "copied", "restored", "updated", "orphaned"};

std::string_view word_of(IdentityChange::Kind kind) { return kChangeWords[static_cast<std::size_t>(kind)]; }

std::string describe(const IdentityChange& change) {
  switch (change.kind) {
    case IdentityChange::Kind::kMoved:
      return "from " + change.from;
    case IdentityChange::Kind::kFound:
      return "moved without its .meta, recognized by its content; it was " + change.from;
    case IdentityChange::Kind::kCopied:
      return "from " + change.from + "; it now has its own UUID and virtual path";
    case IdentityChange::Kind::kRestored:
      return "its .meta was missing, or a copy of another one; it keeps its UUID";
    case IdentityChange::Kind::kOrphaned:
      return "its source no longer exists";
    default:
      return {};
  }
}

std::string describe(const SubAssetChange& change) {
  switch (change.kind) {
    case SubAssetChange::Kind::kAdded:
      return formatted("{} \"{}\" is new", change.type, change.to);
    case SubAssetChange::Kind::kRemoved:
      return formatted("{} \"{}\" no longer exists", change.type, change.from);
    default:
      return formatted("{} \"{}\" is now called \"{}\", matched by its {}", change.type, change.from, change.to,
                       change.by_content ? "content" : "position");
  }
}

std::string describe(const IdentityChange::PathChange& path) {
  return formatted("virtual path {} is now {}{}", path.from, path.to,
                   path.is_redirected ? "; the old path redirects to it" : "; another asset has the old path");
}

void print(Console& console, const IdentityChange& change) {
  constexpr std::size_t kNamed = 8;
  std::string line = formatted("{:<9}{}", word_of(change.kind), printable(change.path));
  if (const std::string more = describe(change); !more.empty()) line += ": " + printable(more);
  console.out(line + "\n");
  for (std::size_t i = 0; i < std::min(change.paths.size(), kNamed); ++i)
    console.out("         " + printable(describe(change.paths[i])) + "\n");
  if (change.paths.size() > kNamed) {
    console.out(
        formatted("         and {} more; --json lists all\n", plural(change.paths.size() - kNamed, "virtual path")));
  }
  // The sub-assets of a new source are not changes.
  if (change.kind == IdentityChange::Kind::kCreated) return;
  for (std::size_t i = 0; i < std::min(change.sub_assets.size(), kNamed); ++i)
    console.out("         " + printable(describe(change.sub_assets[i])) + "\n");
  if (change.sub_assets.size() > kNamed) {
    console.out(
        formatted("         and {} more; --json lists all\n", plural(change.sub_assets.size() - kNamed, "change")));
  }
}

JsonObject json_of(const IdentityChange& change) {
  std::string subs = "[";
  for (const SubAssetChange& sub : change.sub_assets) {
    static constexpr std::string_view kSubWords[] = {"added", "removed", "renamed"};
    subs += (subs.size() == 1 ? "" : ",") + JsonObject()
                                                .add("change", kSubWords[static_cast<std::size_t>(sub.kind)])
                                                .add("type", sub.type)
                                                .add("from", sub.from)
                                                .add("to", sub.to)
                                                .str();
  }
  std::string paths = "[";
  for (const IdentityChange::PathChange& path : change.paths) {
    paths += (paths.size() == 1 ? "" : ",") +
             JsonObject().add("from", path.from).add("to", path.to).add("redirected", path.is_redirected).str();
  }
  return json_event("import_change")
      .add("change", word_of(change.kind))
      .add("path", change.path)
      .add("from", change.from)
      .add("uuid", change.uuid.to_string())
      .raw("sub_assets", subs + "]")
      .raw("virtual_paths", paths + "]");
}

void tell(const Arguments& arguments, Console& console, const IdentityChange& change) {
  if (arguments.json) {
    console.out(json_of(change).str() + "\n");
  } else if (!arguments.quiet) {
    print(console, change);
  }
}

}  // namespace

Result<engine::ImportOptions> import_options(const Arguments& arguments) {
  constexpr const char* kVariable = "ASSETC_SETTLE";
  engine::ImportOptions options = arguments.import;
  options.threads = arguments.jobs;
  const std::string text = engine::process_environment()(kVariable).value_or("");
  if (text.empty()) return options;
  constexpr std::int64_t kMaxSeconds = 3600, kNs = 1'000'000'000;
  std::int64_t seconds = -1;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (fault != std::errc() || end != text.data() + text.size() || seconds < 0 || seconds > kMaxSeconds) {
    return std::unexpected(Error{ErrorCode::kUsage,
                                 kVariable,
                                 {},
                                 "found " + formats::quote(text) + ", expected seconds from 0 to 3600",
                                 "an import writes in a folder that was at rest for so long; 0: at once"});
  }
  options.patience.rest_ns = seconds * kNs;
  options.patience.longest_ns = 10 * options.patience.rest_ns;
  return options;
}

Result<void> import_first(const Arguments& arguments, Console& console, engine::Disk& disk) {
  ASSETC_TRY(engine::ImportOptions options, import_options(arguments));
  options.platform = arguments.platform;
  ASSETC_TRY(const engine::ImportReport report, engine::import_assets(options, disk));
  for (const IdentityChange& change : report.changes) {
    if (change.kind != IdentityChange::Kind::kOrphaned) tell(arguments, console, change);
  }
  for (const recipes::Diagnostic& note : report.notes) say(arguments, console, note);
  for (const Error& error : report.errors) {
    if (report.is_busy && error.code == ErrorCode::kConflict)
      say(arguments, console, {recipes::Severity::kError, error});
  }
  return {};
}

int run_import(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const auto start = std::chrono::steady_clock::now();
  auto options = import_options(arguments);
  if (!options) return stop(arguments, console, options.error());
  options->by_hand = true;
  Result<engine::ImportReport> report = engine::import_assets(*options, disk);
  if (!report) return stop(arguments, console, report.error());
  if (report->sources == 0 && report->errors.empty() && report->pruned.empty()) {
    report->errors.push_back(
        {ErrorCode::kNotFound,
         options->root,
         {},
         "has no source to import",
         "sources lie in Assets/, Demo/<name>/Assets/ or Tools/Assets/; --root names the folder that has them"});
  }
  return tell_import(arguments, console, *report,
                     std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

int tell_import(const Arguments& arguments, Console& console, const engine::ImportReport& report, double seconds) {
  std::array<std::size_t, std::size(kChangeWords)> counts{};
  for (const IdentityChange& change : report.changes) {
    ++counts[static_cast<std::size_t>(change.kind)];
    tell(arguments, console, change);
  }
  for (const auto* const list : {&report.diagnostics, &report.notes}) {
    for (const recipes::Diagnostic& diagnostic : *list) say(arguments, console, diagnostic);
  }
  for (const Error& error : report.errors) {
    recipes::Diagnostic diagnostic(recipes::Severity::kError, error);
    // A .meta is left out with its source.
    const std::string_view owner = identity::owner_of_meta(error.file);
    const std::string source(owner.empty() ? error.file : owner);
    if (recipes::asset_of(recipes::cooked_recipes(), source)) diagnostic.ignore.push_back(source);
    say(arguments, console, diagnostic);
  }
  // An orphaned .meta is reported, but an import does not write because of it.
  const bool outdated = arguments.import.check &&
                        report.changes.size() > counts[static_cast<std::size_t>(IdentityChange::Kind::kOrphaned)];
  const bool ok = report.errors.empty() && !outdated;
  if (arguments.json) {
    JsonObject line = json_event("import_summary").add("ok", ok).add("check", arguments.import.check);
    line.add("sources", report.sources).add("sub_assets", report.sub_assets);
    for (std::size_t i = 0; i < counts.size(); ++i) line.add(kChangeWords[i], counts[i]);
    console.out(
        line.add("pruned", report.pruned.size()).add("errors", report.errors.size()).add("seconds", seconds).str() +
        "\n");
    return ok ? kExitOk : kExitProblems;
  }
  std::string changes;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] != 0)
      changes +=
          formatted("{}{} {}", changes.empty() ? "" : ", ", counts[i], word_of(static_cast<IdentityChange::Kind>(i)));
  }
  if (changes.empty()) changes = "nothing changed";
  if (!report.pruned.empty()) changes += formatted(", {} pruned", report.pruned.size());
  if (!report.errors.empty()) changes += ", " + plural(report.errors.size(), "error");
  if (!arguments.quiet || !ok) {
    console.out(formatted("{}, {}: {} ({})\n", plural(report.sources, "source"), plural(report.sub_assets, "sub-asset"),
                          changes, seconds_text(seconds)));
  }
  if (outdated) {
    return stop(arguments, console,
                {ErrorCode::kConflict,
                 {},
                 {},
                 ".meta files are out of date",
                 "run `assetc import`, and commit the .meta files"});
  }
  return ok ? kExitOk : kExitProblems;
}

}  // namespace assetc::cli
