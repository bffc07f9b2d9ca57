#include "engine/run/reporting.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "base/plural.hpp"
#include "base/size_text.hpp"
#include "engine/run/step_records.hpp"
#include "engine/target/params.hpp"
#include "text/format.hpp"

namespace assetc::engine {
namespace {

void add_diagnostics(Report& report, const StepSet& live, std::span<const Failure> failures) {
  struct Said {
    std::string_view source, stem;
    StepRef record;
    const Failure* failure;
  };
  std::vector<Said> said;
  live.each([&](const StepRecord& record, const StepSet::Member& step) {
    if (!record.diagnostics.empty()) said.push_back({record.source, record.stem, step.record, nullptr});
  });
  for (const Failure& failure : failures) said.push_back({failure.source, {}, {}, &failure});
  std::ranges::stable_sort(said, {}, [](const Said& s) { return std::pair(s.source, s.stem); });
  StepRecord scratch;
  for (const Said& s : said) {
    auto diagnostics = s.record ? diagnostics_of(s.record.read(scratch)) : s.failure->diagnostics;
    std::ranges::move(diagnostics, std::back_inserter(report.diagnostics));
  }
}

// Files that steps read besides their inputs.
std::unordered_set<std::string_view> read_files(const StepSet& live) {
  std::unordered_set<std::string_view> read;
  live.each([&](const StepRecord& record, const StepSet::Member&) {
    for (const Dependency& d : record.dependencies) {
      if (d.kind == DependencyKind::kRead && d.path != record.input_path) read.insert(d.path);
    }
  });
  return read;
}

void add_unclaimed(Report& report, const StepSet& live, const Tree& input, const Sources& sources) {
  if (sources.unclaimed.empty() && sources.inside.empty()) return;
  const std::unordered_set<std::string_view> read = read_files(live);
  IgnoredKinds kinds;
  for (const std::uint32_t entry : sources.unclaimed) {
    const std::string_view path = input.path(entry);
    if (read.contains(path)) continue;
    ++report.totals.unclaimed;
    kinds.add(path);
    if (report.unclaimed.size() < kUnclaimedNamed) report.unclaimed.emplace_back(path);
  }
  report.ignored_kinds = kinds.list();
  // Files in subfolders of a folder that is one asset.
  std::map<std::string_view, std::vector<std::string_view>> left;
  for (const Sources::Inside& file : sources.inside) {
    const std::string_view path = input.path(file.entry);
    if (!read.contains(path)) left[input.path(file.directory)].push_back(path);
  }
  for (const auto& [directory, paths] : left) {
    const bool one = paths.size() == 1;
    report.diagnostics.push_back(
        {WarningKind::kIgnoredFile,
         Error{ErrorCode::kUnsupported,
               std::string(directory),
               {},
               std::to_string(paths.size()) + (one ? " file" : " files") + " in its subfolders " +
                   (one ? "is" : "are") + " left out" + (one ? ": " : ", the first is ") + std::string(paths.front()),
               "only files directly in this folder are read: move it up, or out to compile it on its own"}});
  }
}

// A source that other sources use in different modes is compiled once per mode.
void add_mixed_uses(Report& report, const StepSet& live) {
  // By path, then by mode: the sources that use it.
  std::map<std::string_view, std::map<std::string, std::set<std::string_view>>> uses;
  live.each([&](const StepRecord& record, const StepSet::Member&) {
    for (const ChildRecord& child : record.children) {
      if (child.input_path.empty()) continue;
      const recipes::Params params = decode_params(child.params);
      const auto mode = params.find(recipes::kModeParam);
      if (mode != params.end()) uses[child.input_path][mode->second].insert(record.source);
    }
  });
  for (const auto& [path, by_mode] : uses) {
    if (by_mode.size() < 2) continue;
    std::string what;
    for (const auto& [mode, sources] : by_mode) {
      what += (what.empty() ? "is compiled as " : " and as ") + mode + " for " + std::string(*sources.begin());
      if (sources.size() > 1) what += " and " + std::to_string(sources.size() - 1) + " more";
    }
    report.diagnostics.push_back(
        {WarningKind::kMixedUses, Error{ErrorCode::kConflict,
                                        std::string(path),
                                        {},
                                        what,
                                        "it is stored once per use; if one use is a mistake, correct the material"}});
  }
}

// One message for all sources and images whose settings name another use than the one they are compiled for.
void add_overruled(Report& report, const StepSet& live, SettingsTable& settings,
                   std::span<const recipes::Recipe* const> recipes) {
  struct Overruled {
    recipes::TextureUsage said, mode;
    std::string_view by;
  };
  std::map<std::string_view, Overruled> overruled;  // by path, or by the name of an image inside a source
  live.each([&](const StepRecord& record, const StepSet::Member&) {
    for (const ChildRecord& child : record.children) {
      const auto recipe = std::ranges::find(recipes, child.recipe, &recipes::Recipe::name);
      if (recipe == recipes.end() || (*recipe)->overruled == nullptr) continue;
      const recipes::Params params = decode_params(child.params);
      const auto text = params.find(recipes::kModeParam);
      const auto mode = text != params.end() ? scene::parse_usage(text->second) : std::nullopt;
      if (!mode) continue;
      const EffectiveSettings* effective = settings.find(record.source, child.pins, child.input_path);
      const recipes::TextureUsage said = (*recipe)->overruled(effective->all, *mode);
      if (said == recipes::TextureUsage::kAuto) continue;
      overruled.try_emplace(child.input_path.empty() ? child.source : child.input_path,
                            Overruled{said, *mode, record.source});
    }
  });
  if (overruled.empty()) return;
  const auto& [path, first] = *overruled.begin();
  std::string what = "has texture.usage " + std::string(to_string(first.said)) + " in its settings, but " +
                     std::string(first.by) + " uses it as " + std::string(to_string(first.mode)) +
                     ", which takes precedence";
  if (overruled.size() > 1) what += "; the same is true of " + plural(overruled.size() - 1, "other picture");
  report.diagnostics.push_back(
      {WarningKind::kOverruledUsage,
       Error{ErrorCode::kConflict,
             std::string(path),
             {},
             std::move(what),
             "remove texture.usage from the rule, or assign the picture to the matching slot"}});
}

void keep_children(const State& state, const StepId& id, std::vector<bool>& wanted) {
  const auto step = state.steps.find(id);
  if (!step) return;
  StepRecord scratch;
  for (const ChildRecord& child : state.steps[*step].read(scratch).children) {
    const StepId child_id = step_id(child.recipe, child.stem);
    const auto position = state.steps.find(child_id);
    if (!position || wanted[*position]) continue;
    wanted[*position] = true;
    keep_children(state, child_id, wanted);
  }
}

}  // namespace

void offer_ignore(std::span<Failure> failures, const UsersOf& users_of) {
  for (Failure& failure : failures) {
    std::set<std::string> paths;
    if (!failure.own_source.empty()) paths.insert(failure.own_source);
    std::unordered_set<StepId> seen;
    std::vector<StepId> open{failure.step};
    while (!open.empty() && paths.size() <= kIgnoreOffered) {
      const StepId step = open.back();
      open.pop_back();
      users_of(step, [&](const StepRecord& user) {
        const StepId id = step_id(user.recipe, user.stem);
        if (!seen.insert(id).second) return true;
        if (user.input_path.empty()) {
          open.push_back(id);
        } else {
          paths.emplace(user.input_path);
        }
        return paths.size() <= kIgnoreOffered;
      });
    }
    if (paths.size() > kIgnoreOffered) continue;
    for (recipes::Diagnostic& diagnostic : failure.diagnostics) {
      if (diagnostic.severity == recipes::Severity::kError) diagnostic.ignore.assign(paths.begin(), paths.end());
    }
  }
}

void finish_steps(Report& report, const StepSet& live, std::span<const Failure> failures) {
  std::ranges::sort(report.steps, {},
                    [](const StepReport& s) { return std::tie(s.step.source, s.step.stem, s.step.recipe); });
  std::ranges::sort(report.removed);
  live.each([&](const StepRecord& record, const StepSet::Member&) {
    report.totals.outputs += record.outputs.size();
    for (const OutputRecord& output : record.outputs) report.totals.output_bytes += output.signature.size_bytes;
  });
  report.failures.assign(failures.begin(), failures.end());
  if (!failures.empty()) {
    std::unordered_map<StepId, std::vector<StepRef>> users;
    live.each([&](const StepRecord& record, const StepSet::Member& member) {
      for (const ChildRecord& child : record.children)
        users[step_id(child.recipe, child.stem)].push_back(member.record);
    });
    StepRecord scratch;
    offer_ignore(report.failures, [&](const StepId& step, const auto& visit) {
      const auto found = users.find(step);
      if (found == users.end()) return;
      for (const StepRef& user : found->second)
        if (!visit(user.read(scratch))) return;
    });
  }
  add_diagnostics(report, live, report.failures);
}

void finish_report(Report& report, const StepSet& live, std::span<const Failure> failures, const Profile& profile,
                   SettingsTable& settings, const Tree& input, const Sources& sources,
                   std::span<const recipes::Recipe* const> recipes) {
  finish_steps(report, live, failures);
  std::ranges::copy(sources.diagnostics, std::back_inserter(report.diagnostics));
  std::ranges::copy(settings.diagnostics(), std::back_inserter(report.diagnostics));
  add_mixed_uses(report, live);
  add_overruled(report, live, settings, recipes);
  for (const Rule* rule : settings.unmatched_rules()) {
    report.diagnostics.push_back(
        {WarningKind::kUnmatchedRule,
         Error{ErrorCode::kUsage, profile.config_file, "line " + std::to_string(rule->line),
               "the rule for \"" + rule->match + "\" matches no source",
               "match: is a glob over paths below " + profile.input + ", and letter case matters"}});
  }
  add_unclaimed(report, live, input, sources);
}

void count_steps(Report& report) {
  for (const StepReport& step : report.steps) {
    ++(step.failed                        ? report.totals.failed
       : step.origin == Origin::kRestored ? report.totals.restored
       : step.origin == Origin::kCopied   ? report.totals.copied
                                          : report.totals.ran);
  }
}

void tell_oversized(Report& report, const Outcome::Oversized& oversized, std::uint64_t budget_bytes) {
  if (oversized.steps == 0) return;
  const auto mebibytes = [](std::uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; };
  std::string what = "may need " + mebibytes(oversized.bytes) + " of memory, more than the build's limit of " +
                     mebibytes(budget_bytes) + ", so it ran alone";
  if (oversized.steps > 1) what += "; " + plural(oversized.steps - 1, "more step") + " did too";
  report.diagnostics.push_back(
      {WarningKind::kLargeStep,
       Error{ErrorCode::kLimit, oversized.source, {}, std::move(what), "raise --memory, or make the source smaller"}});
}

void Outcome::Graphics::add(const texture::GraphicsReport& report, std::string_view of) {
  if (!report.matters()) return;
  // Among equal ones take the first by name, so that the order of threads does not matter.
  const auto is_worse = [&] { return std::tuple(report.psnr_db, of) < std::tuple(worst_db, std::string_view(source)); };
  if (pictures == 0 || is_worse()) {
    worst_db = report.psnr_db;
    source = of;
  }
  ++pictures;
  block_bytes += report.block_bytes;
  lossless_bytes += report.lossless_bytes;
}

bool tell_graphics(Report& report, const Outcome::Graphics& graphics) {
  if (graphics.pictures == 0) return false;
  std::string what = graphics.pictures == 1 ? std::string("pixel art or other graphics, stored in blocks")
                                            : "one of " + plural(graphics.pictures, "picture") +
                                                  " that are pixel art or other graphics, stored in blocks";
  if (std::isfinite(graphics.worst_db)) what += formatted(", which lowers its quality to {:.1f} dB", graphics.worst_db);
  what += formatted("; {} {} in blocks and about {} without loss", graphics.pictures == 1 ? "it takes" : "they take",
                    size_text(graphics.block_bytes), size_text(graphics.lossless_bytes));
  report.diagnostics.push_back(
      {WarningKind::kCompressedGraphics,
       Error{ErrorCode::kConflict,
             graphics.source,
             {},
             std::move(what),
             "default: {texture: {compress: auto}} in assetc.yml stores such pictures without loss"}});
  return true;
}

bool tell_repeated(Report& report, const StepSet& live, const Target& target) {
  struct Copies {
    std::uint64_t count = 0, bytes = 0;
    std::string_view source;
    std::string path;
  };
  std::unordered_map<ContentHash, Copies> by_hash;
  live.each([&](const StepRecord& record, const StepSet::Member&) {
    const bool is_inside = record.input_path.empty() && !decode_params(record.params).contains(recipes::kContentParam);
    if (!is_inside || record.outputs.size() != 1 || !is_texture(record.outputs[0].descriptor)) return;
    Copies& copies = by_hash[record.outputs[0].hash];
    ++copies.count;
    copies.bytes += record.outputs[0].signature.size_bytes;
    std::string path = target.file_path(record.stem, record.outputs[0].suffix);
    if (!copies.path.empty() && copies.path < path) return;
    copies.path = std::move(path);
    copies.source = record.source;
  });
  std::uint64_t pictures = 0, saved = 0;
  const Copies* most = nullptr;
  for (const auto& [hash, copies] : by_hash) {
    if (copies.count <= kMostCopies) continue;
    ++pictures;
    saved += copies.bytes - copies.bytes / copies.count;
    if (most == nullptr || std::pair(copies.bytes, most->path) > std::pair(most->bytes, copies.path)) most = &copies;
  }
  if (most == nullptr) return false;
  std::string what = plural(most->count, "texture") + " of models are equal, like " + most->path;
  if (pictures > 1) what += "; the same is true of " + plural(pictures - 1, "other picture");
  report.diagnostics.push_back(
      {WarningKind::kRepeatedTexture,
       Error{ErrorCode::kConflict,
             std::string(most->source),
             {},
             std::move(what),
             "default: {texture: {share: content}} in assetc.yml stores each picture once and saves " +
                 size_text(saved)}});
  return true;
}

void add_begun(Report& report, Report begun) {
  // No other program has built between the two.
  if (report.found == begun.left) report.found = begun.found;
  const auto is_again = [&](const StepReport& step) {
    return step.failed || std::ranges::find(report.steps, step.step, &StepReport::step) != report.steps.end();
  };
  std::erase_if(begun.steps, is_again);
  begun.totals = {};
  count_steps(begun);
  const std::uint64_t ran = begun.steps.size();
  report.totals.ran += begun.totals.ran;
  report.totals.copied += begun.totals.copied;
  report.totals.restored += begun.totals.restored;
  report.totals.cached -= std::min(report.totals.cached, ran);
  std::ranges::move(begun.steps, std::back_inserter(report.steps));
  report.waits.insert(report.waits.begin(), begun.waits.begin(), begun.waits.end());
  std::erase_if(begun.written,
                [&](const std::string& path) { return std::ranges::binary_search(report.removed, path); });
  std::ranges::move(begun.written, std::back_inserter(report.written));
  std::ranges::sort(report.written);
  report.written.erase(std::ranges::unique(report.written).begin(), report.written.end());
  report.totals.files_written = report.written.size();
}

StepSet predict(Report& report, const Planner::Decision& decision, const State& state, const Target& target,
                const Tree& input, const Sources& sources, const AssetRules& assets) {
  StepSet live;
  std::vector<bool> wanted(state.steps.size());
  const bool may_take = std::ranges::any_of(decision.run, [](const Node& n) { return n.recipe->takes_sources; });
  for (const Node& node : decision.run) {
    report.steps.push_back(
        {.step = step_name(node.recipe->name, node.source, node.stem, node.params),
         .reason = node.reason(),
         .failed = node.refused() != nullptr,
         .unless_taken = may_take && node.recipe->stands_alone != nullptr && node.source == node.input_path});
    if (node.refused() != nullptr) {
      ++report.totals.failed;
      report.troubles.push_back(*node.refused()->why);
    }
    if (const auto position = state.steps.find(node.id)) wanted[*position] = true;
  }
  for (const CachedStep& step : decision.cached) wanted[step.position] = true;
  live.add(decision.cached);
  report.totals.cached = decision.cached.size();
  report.totals.to_run = decision.run.size() - report.totals.failed;
  report.totals.steps = report.totals.cached + decision.run.size();
  // Steps that would run keep their children's outputs, as far as this is known.
  for (const Source& source : sources.claimed) {
    const recipes::Recipe& recipe = *assets.recipes[source.recipe];
    keep_children(state, step_id(recipe.name, assets.stem_of(input.path(source.entry), recipe.claims[source.claim])),
                  wanted);
  }
  StepRecord scratch;
  for (std::size_t i = 0; i < state.steps.size(); ++i) {
    if (!report.troubles.empty()) break;  // a build that fails removes nothing
    if (!wanted[i])
      std::ranges::move(files_of(state.steps[i].read(scratch), target), std::back_inserter(report.removed));
  }
  return live;
}

}  // namespace assetc::engine
