#include "engine/plan/discover.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "assetc/base/hash.hpp"
#include "base/ascii.hpp"
#include "engine/disk/inside.hpp"
#include "engine/disk/own_files.hpp"
#include "engine/plan/left_out.hpp"
#include "engine/state/inputs.hpp"
#include "engine/state/positions.hpp"
#include "identity/meta.hpp"
#include "identity/unicode.hpp"
#include "identity/virtual_path.hpp"

namespace assetc::engine {
namespace {

// Suffixes of files that describe the file or folder beside them: .import is of Godot.
constexpr std::string_view kBeside[] = {identity::kMetaSuffix, identity::kMetaBesideSuffix, ".import"};

// The files of the tree that describe a file or folder beside them. They need no recipe.
std::unordered_set<std::string_view> sidecars_of(const Tree& tree) {
  std::unordered_set<std::string_view> sidecars;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const auto ends = [&](std::string_view suffix) { return tree.path(i).ends_with(suffix); };
    if (tree[i].type == FileType::kFile && std::ranges::any_of(kBeside, ends)) sidecars.insert(tree.path(i));
  }
  if (sidecars.empty()) return sidecars;
  std::unordered_set<std::string_view> owned;
  std::string path;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    for (const std::string_view suffix : kBeside) {
      const auto found = sidecars.find(path.assign(tree.path(i)).append(suffix));
      if (found != sidecars.end()) owned.insert(*found);
    }
  }
  return owned;
}

}  // namespace

ClaimIndex::ClaimIndex(std::span<const recipes::Recipe* const> recipes, bool directories) {
  for (std::size_t r = 0; r < recipes.size(); ++r) {
    for (std::size_t c = 0; c < recipes[r]->claims.size(); ++c) {
      const recipes::Claim& claim = recipes[r]->claims[c];
      if (claim.directory != directories || claim.suffix.empty()) continue;
      by_last_[static_cast<unsigned char>(ascii_lower(claim.suffix.back()))].push_back(
          {ascii_lower(claim.suffix), static_cast<std::uint16_t>(r), static_cast<std::uint16_t>(c)});
    }
  }
  for (auto& candidates : by_last_) {
    std::ranges::stable_sort(candidates, std::greater(), [](const Candidate& c) { return c.suffix.size(); });
  }
}

bool ClaimIndex::match(std::string_view path, Source& out) const {
  if (path.empty()) return false;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  for (const Candidate& c : by_last_[static_cast<unsigned char>(ascii_lower(name.back()))]) {
    if (name.size() <= c.suffix.size() || !ends_with_ignoring_case(name, c.suffix)) continue;
    out.recipe = c.recipe;
    out.claim = c.claim;
    return true;
  }
  return false;
}

Disk::Skip input_skip(const Profile& profile, const Target& target, Disk& disk) {
  auto outputs = profile.other_outputs;
  outputs.push_back(profile.output);
  outputs = paths_inside(disk, profile.input, outputs);
  std::vector<std::string> files;
  if (!profile.config_file.empty()) files = paths_inside(disk, profile.input, {profile.config_file});
  if (!target.bundle_suffix.empty()) {
    for (const std::string& output : outputs) files.push_back(output + std::string(target.bundle_suffix));
  }
  const bool has_gdignore = profile.from.engine == importer::OtherEngine::kGodot;
  return [outputs = std::move(outputs), files = std::move(files), ignore = profile.ignore, covers = target.covers,
          has_gdignore, root = profile.input, &disk](std::string_view path, bool directory) {
    if (covers != nullptr && !covers(path, directory)) return Visit::kLeaveOut;
    const std::vector<std::string>& excluded = directory ? outputs : files;
    if (std::ranges::find(excluded, path) != excluded.end()) return Visit::kLeaveOut;
    // A .meta is ignored with its source. But a cook keeps it: a model may ask for the picture, and then needs its
    // UUID.
    const std::string_view described = directory ? std::string_view() : identity::owner_of_meta(path);
    const bool is_sidecar = !described.empty();
    const std::string_view owner = is_sidecar ? described : path;
    // Like rules: globs start at the root of a repository or at its folder of assets.
    const std::string_view below = covers != nullptr ? identity::below_asset_root(owner) : owner;
    const bool is_ignored = std::ranges::any_of(
        ignore, [&](const std::string& glob) { return glob_matches(glob, owner) || glob_matches(glob, below); });
    if (is_ignored && !(is_sidecar && covers != nullptr)) return Visit::kLeaveOut;
    if (marks_other_output(path)) return Visit::kLeaveOutFolder;
    // A folder with a .gdignore is none of the sources of a project of Godot.
    if (has_gdignore && directory && disk.status(root + "/" + std::string(path) + "/.gdignore"))
      return Visit::kLeaveOut;
    return path[path.rfind('/') + 1] == '.' ? Visit::kTell : Visit::kTake;
  };
}

Result<Tree> walk_input(const Profile& profile, const Target& target, Disk& disk, int threads) {
  return disk.walk(profile.input, input_skip(profile, target, disk), threads,
                   profile.follow_links ? Links::kAll : Links::kInside);
}

Sources discover(const Tree& tree, std::span<const recipes::Recipe* const> recipes, bool takes_twins) {
  const ClaimIndex files(recipes, false);
  const ClaimIndex directories(recipes, true);
  Sources sources;
  const std::unordered_set<std::string_view> sidecars = sidecars_of(tree);
  std::string_view inside;  // a claimed directory; its contents follow right after it
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const std::string_view path = tree.path(i);
    if (!takes_twins && tree.is_twin(path)) continue;
    Source source{static_cast<std::uint32_t>(i), 0, 0};
    if (!inside.empty() && path.size() > inside.size() && path.starts_with(inside) && path[inside.size()] == '/') {
      const bool deeper = path.find('/', inside.size() + 1) != std::string_view::npos;
      if (deeper && tree[i].type == FileType::kFile && !sidecars.contains(path) && files.match(path, source))
        sources.inside.push_back({source.entry, sources.claimed.back().entry});
      continue;
    }
    if (sidecars.contains(path)) continue;
    if (tree[i].type == FileType::kDirectory) {
      if (directories.match(path, source)) {
        sources.claimed.push_back(source);
        inside = path;
      }
    } else if (files.match(path, source)) {
      sources.claimed.push_back(source);
    } else {
      sources.unclaimed.push_back(source.entry);
    }
  }
  sources.diagnostics = left_out_of(tree, recipes);
  return sources;
}

void Conflicts::describe(const Tree& tree, const Sources& sources, std::vector<recipes::Diagnostic>& out) const {
  std::map<std::string_view, std::string_view> paths;
  for (const auto& [loser, winner] : left_out)
    paths.emplace(tree.path(sources.claimed[loser].entry), tree.path(sources.claimed[winner].entry));
  for (const auto& [loser, winner] : paths) {
    out.push_back({recipes::Severity::kNote, Error{ErrorCode::kConflict,
                                                   std::string(loser),
                                                   {},
                                                   "is left out: " + std::string(winner) +
                                                       " has the same name, and prefer: puts its suffix first",
                                                   {}}});
  }
}

Conflicts find_conflicts(const Tree& tree, const Sources& sources, const AssetRules& assets,
                         std::span<const std::string> prefer) {
  Conflicts conflicts;
  std::vector<StepId> ids;
  ids.reserve(sources.claimed.size());
  Positions seen;
  std::map<std::size_t, std::vector<std::size_t>> groups;  // sources of the same outputs, by the first of them
  const auto path = [&](std::size_t i) { return std::string(tree.path(sources.claimed[i].entry)); };
  const auto stem_of = [&](std::size_t i) {
    const Source& source = sources.claimed[i];
    return assets.stem_of(tree.path(source.entry), assets.recipes[source.recipe]->claims[source.claim]);
  };
  for (std::size_t i = 0; i < sources.claimed.size(); ++i) {
    const Source& source = sources.claimed[i];
    StepId& id = ids.emplace_back();
    const Error* refused = assets.identities == nullptr ? nullptr : assets.identities->refused(tree.path(source.entry));
    if (refused != nullptr) {
      conflicts.refused[i] = std::make_shared<const Error>(*refused);
      continue;
    }
    id = step_id(assets.recipes[source.recipe]->name, identity::file_key(stem_of(i)));
    const std::uint32_t other = seen.find(id.low, [&](std::uint32_t j) { return ids[j] == id; });
    if (other == Positions::kNone) {
      seen.insert(id.low, static_cast<std::uint32_t>(i));
    } else {
      groups.try_emplace(other, 1, other).first->second.push_back(i);
    }
  }
  const auto rank = [&](std::size_t i) {
    const std::string name = ascii_lower(path(i));
    return std::ranges::find(prefer, name.substr(name.rfind('.') + 1)) - prefer.begin();
  };
  const auto refuse = [&](std::size_t i, std::size_t other, const std::string& hint) {
    std::string what = "would write the same outputs (" + ascii_lower(stem_of(i)) + ".*) as " + path(other);
    if (ascii_lower(path(i)) != ascii_lower(path(other)) &&
        identity::file_key(path(i)) == identity::file_key(path(other)))
      what += ": their names differ only in letter case or Unicode normalization";
    conflicts.refused[i] =
        std::make_shared<const Error>(Error{ErrorCode::kConflict, path(i), {}, std::move(what), hint});
  };
  for (const auto& [first, group] : groups) {
    const std::size_t best = *std::ranges::min_element(group, {}, rank);
    if (std::ranges::count(group, rank(best), rank) == 1) {
      for (const std::size_t i : group) {
        if (i != best) conflicts.left_out.emplace(i, best);
      }
      continue;
    }
    std::vector<std::string> suffixes;
    for (const std::size_t i : group) {
      const std::string name = ascii_lower(path(i));
      const std::string suffix = name.substr(name.rfind('.') + 1);
      if (std::ranges::find(suffixes, suffix) == suffixes.end()) suffixes.push_back(suffix);
    }
    std::string hint = "rename one of them, or leave one out with ignore:";
    if (suffixes.size() == group.size()) {
      hint = "rename one of them, leave one out with ignore:, or let the first suffix win with prefer: [";
      for (const std::string& suffix : suffixes) hint += (hint.ends_with('[') ? "" : ", ") + suffix;
      hint += "]";
    }
    for (const std::size_t i : group) refuse(i, i == first ? group[1] : first, hint);
  }
  return conflicts;
}

}  // namespace assetc::engine
