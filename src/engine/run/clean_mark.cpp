#include "engine/run/clean_mark.hpp"

#include <algorithm>
#include <set>

namespace assetc::engine {
namespace {

constexpr std::string_view kCleanMark = "clean";

}  // namespace

ContentHash environment_of(const Profile& profile, std::span<const recipes::Recipe* const> recipes,
                           const Target& target) {
  ContentHasher hasher;
  hasher.add(profile.canonical()).add(target.name);
  for (const recipes::Recipe* recipe : recipes) {
    hasher.add(recipe->name).add(std::uint64_t{recipe->version}).add(std::uint64_t{recipe->stem_matters});
    hasher.add(std::uint64_t{recipe->takes_sources}).add(std::uint64_t{recipe->stands_alone != nullptr});
    hasher.add(std::uint64_t{recipe->params_of != nullptr});
    for (const recipes::Program* program : recipe->programs) hasher.add(program->name).add(program->signature());
    for (std::string_view group : recipe->setting_groups) hasher.add(group);
    for (const recipes::Claim& claim : recipe->claims) {
      hasher.add(claim.suffix)
          .add(std::uint64_t{claim.directory})
          .add(claim.strip)
          .add(claim.append)
          .add(recipes::mode_name(claim.mode));
    }
  }
  return hasher.finish();
}

std::optional<Summary> CleanMark::find(const Tree& input, const Tree& output) const {
  const auto mark = cache_.get(kCleanMark);
  if (!mark) return std::nullopt;
  auto summary = decode_summary(*mark);
  if (!summary || summary->environment != environment_ || summary->input != input.fingerprint() ||
      summary->output != output.fingerprint() || summary->libraries != libraries_of(summary->recipes) ||
      !std::ranges::all_of(summary->uncovered, [&](const auto& file) { return is_as_before(file); })) {
    return std::nullopt;
  }
  return summary;
}

Result<void> CleanMark::leave(const Tree& input, std::int64_t walked_at_ns, const Tree& output, const FileTable& files,
                              const StepSet& steps, Summary summary) {
  if (files.changed_meanwhile()) return {};
  for (std::size_t i = 0; i < input.size(); ++i) {
    if (input[i].type == FileType::kFile && FileTable::is_racy(input[i].signature, walked_at_ns)) return {};
  }
  auto list = uncovered(files, steps, walked_at_ns);
  if (!list) return {};
  summary.environment = environment_;
  summary.input = input.fingerprint();
  summary.output = output.fingerprint();
  std::set<std::string> used;
  steps.each([&](const StepRecord& record, const StepSet::Member&) { used.emplace(record.recipe); });
  summary.recipes.assign(used.begin(), used.end());
  summary.libraries = libraries_of(summary.recipes);
  summary.uncovered = std::move(*list);
  return cache_.set(kCleanMark, encode_summary(summary));
}

// Files that steps looked at and the walk does not cover: ignored and hidden files. nullopt if a later check could not
// prove that they are unchanged.
std::optional<std::vector<Summary::Uncovered>> CleanMark::uncovered(const FileTable& files, const StepSet& steps,
                                                                    std::int64_t walked_at_ns) const {
  std::vector<Summary::Uncovered> list;
  std::unordered_set<std::string_view> seen;
  StepRecord scratch;
  for (const StepSet::Member& step : steps) {
    const StepRecord& record = step.record.read(scratch);
    for (const Dependency& d : record.dependencies) {
      // A search by name finds only what the walk saw, and settings are part of the mark.
      if (d.kind == DependencyKind::kNamed || d.kind == DependencyKind::kSettings ||
          (d.path == record.input_path && files.find(d.path)))
        continue;
      if (files.covers(d.path) || !seen.insert(d.path).second) continue;
      if (d.kind == DependencyKind::kListing || d.kind == DependencyKind::kListingAbsent) return std::nullopt;
      const auto now = signature_of(d.path);
      if (now.has_value() != (d.kind != DependencyKind::kAbsent)) return std::nullopt;
      if (now) {
        const auto read = files.signature_of_uncovered(d.path);
        if (FileTable::is_racy(*now, walked_at_ns) || (read && *read != *now)) return std::nullopt;
      }
      list.push_back({std::string(d.path), now});
    }
  }
  return list;
}

ContentHash CleanMark::libraries_of(std::span<const std::string> names) const {
  ContentHasher hasher;
  for (const recipes::Recipe* recipe : recipes_) {
    if (recipe->libraries != nullptr && std::ranges::find(names, recipe->name) != names.end())
      hasher.add(recipe->name).add(recipe->libraries());
  }
  return hasher.finish();
}

bool CleanMark::is_as_before(const Summary::Uncovered& file) const { return signature_of(file.path) == file.signature; }

std::optional<FileSignature> CleanMark::signature_of(std::string_view path) const {
  const auto status = disk_.status(input_ + "/" + std::string(path));
  return status && status->type == FileType::kFile ? std::optional(status->signature) : std::nullopt;
}

}  // namespace assetc::engine
