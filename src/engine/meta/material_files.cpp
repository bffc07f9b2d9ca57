#include "engine/meta/material_files.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "base/ascii.hpp"
#include "engine/plan/discover.hpp"
#include "engine/target/target.hpp"
#include "formats/text.hpp"

namespace assetc::engine {
namespace {

constexpr std::string_view kMatSuffix = ".mat";

// The folder as a path below the input; "" for the input itself.
Result<std::string> input_path_of(const Profile& profile, const std::string& folder, Disk& disk) {
  const auto refuse = [&](ErrorCode code, std::string what, std::string hint) {
    return std::unexpected(Error{code, folder, {}, std::move(what), std::move(hint)});
  };
  const auto status = disk.status(folder);
  if (!status && status.error().code != ErrorCode::kNotFound) return std::unexpected(status.error());
  if (!status) return refuse(ErrorCode::kNotFound, "does not exist", "give a folder below " + profile.input);
  if (status->type != FileType::kDirectory)
    return refuse(ErrorCode::kUsage, "is not a folder", "give the folder of the pictures");
  const std::string root = disk.real_path(profile.input), real = disk.real_path(folder);
  if (real == root) return std::string();
  const std::string prefix = root.ends_with('/') ? root : root + "/";
  if (!real.starts_with(prefix)) {
    return refuse(ErrorCode::kUsage, "is not in the input folder of the build, " + profile.input,
                  "move the pictures there, or set input: in assetc.yml");
  }
  return real.substr(prefix.size());
}

}  // namespace

Result<MaterialFiles> write_material_files(const Profile& profile, const std::string& folder, bool is_dry, Disk& disk) {
  ASSETC_TRY(const std::string below, input_path_of(profile, folder, disk));
  const Target& target = runtime_target();
  ASSETC_TRY(const Tree tree, walk_input(profile, target, disk, 1));
  const auto recipes = recipes::all_recipes();
  std::vector<std::string> pictures;
  std::map<std::string, std::string> there;  // each .mat: its path in lower case, its path
  MaterialFiles out;
  for (const Source& source : discover(tree, recipes, true).claimed) {
    const std::string_view path = tree.path(source.entry);
    if (!below.empty() && !(path.starts_with(below) && path.substr(below.size()).starts_with('/'))) continue;
    if (ends_with_ignoring_case(path, kMatSuffix)) there.emplace(ascii_lower(path), path);
    if (recipes[source.recipe]->name != "texture") continue;
    if (formats::path_fault(path).empty()) {
      pictures.emplace_back(path);
    } else {
      out.conflicts.push_back({ErrorCode::kInvalidData,
                               std::string(path),
                               {},
                               "no build compiles it, because of its path: " + std::string(formats::path_fault(path)),
                               "rename it"});
    }
  }
  const std::string root = disk.real_path(profile.input);
  recipes::MaterialSets found = recipes::find_material_sets(pictures, profile.base.texture.names,
                                                            std::string_view(root).substr(root.rfind('/') + 1));
  if (found.sets.empty() && found.conflicts.empty() && out.conflicts.empty()) {
    return std::unexpected(Error{ErrorCode::kNotFound,
                                 folder,
                                 {},
                                 "has no set of pictures; expected two or more that differ in the end of their names, "
                                 "such as wall_bc.png and wall_n.png",
                                 "rename the pictures, or write the .mat by hand"});
  }
  std::ranges::move(found.conflicts, std::back_inserter(out.conflicts));
  for (recipes::MaterialSet& set : found.sets) {
    if (const auto known = there.find(ascii_lower(set.path)); known != there.end()) {
      out.kept.push_back(known->second);
      continue;
    }
    if (!is_dry) {
      const auto written = disk.replace(profile.input + "/" + set.path, std::nullopt, as_bytes(set.text));
      if (!written) {
        out.conflicts.push_back(written.error());
        continue;
      }
    }
    out.written.push_back(std::move(set));
  }
  return out;
}

}  // namespace assetc::engine
