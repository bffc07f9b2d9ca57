#include "engine/meta/cook.hpp"

#include <algorithm>
#include <unordered_set>

#include "base/ascii.hpp"
#include "engine/meta/import.hpp"
#include "engine/target/open_registry.hpp"
#include "identity/meta.hpp"
#include "identity/virtual_path.hpp"

namespace assetc::engine {
namespace {

constexpr std::string_view kImportHint = "run `assetc import`, and commit what it writes";

std::string why(const identity::IdentityChange& change) {
  using Kind = identity::IdentityChange::Kind;
  switch (change.kind) {
    case Kind::kCreated:
      return "has no .meta, so it has no UUID";
    case Kind::kMoved:
    case Kind::kFound:
      return "was moved from " + change.from + ", but its .meta does not say so yet";
    case Kind::kCopied:
      return "is a copy of " + change.from + " and has its UUID";
    case Kind::kRestored:
      return "has no .meta, or the .meta of another source";
    default:
      return "has changed since its .meta was written";
  }
}

std::unexpected<Error> canceled(Error error) {
  error.code = ErrorCode::kCanceled;
  return std::unexpected(std::move(error));
}

Result<RegistryFile> open_base(const std::string& path, Disk& disk) {
  auto base = open_registry(path, disk);
  if (base) return base;
  Error error = std::move(base).error();
  error.what = "the base has no registry that can be read: " + (error.what.empty() ? "no such file" : error.what);
  error.hint = "cook the game first, and give its folder of one platform as the base: ../game/build/Cooked/Linux";
  error.code = ErrorCode::kUsage;
  return std::unexpected(std::move(error));
}

}  // namespace

Result<Identities> load_identities(const Profile& profile, const std::function<bool(const std::string&)>& is_arrival,
                                   Disk& disk) {
  ImportOptions options;
  options.root = profile.input;
  options.check = true;
  options.list_assets = true;
  ASSETC_TRY(ImportReport report, import_assets(options, disk));
  std::unordered_map<std::string, Error> refused;
  for (Error& error : report.errors) {
    const std::string_view owner = identity::owner_of_meta(error.file);
    std::string path(owner.empty() ? std::string_view(error.file) : owner);
    if (is_arrival && is_arrival(path)) return canceled(std::move(error));
    refused.emplace(std::move(path), std::move(error));
  }
  for (const identity::IdentityChange& change : report.changes) {
    if (change.kind == identity::IdentityChange::Kind::kOrphaned) continue;
    Error error{ErrorCode::kNotFound, change.path, {}, why(change), std::string(kImportHint)};
    if (is_arrival && is_arrival(change.path)) return canceled(std::move(error));
    refused.emplace(change.path, std::move(error));
  }
  std::erase_if(report.assets, [&](const identity::Meta& meta) { return refused.contains(meta.source_path); });
  Identities identities(std::move(report.assets), std::move(refused), std::move(report.twins));
  if (!profile.base_cook.empty()) {
    ASSETC_TRY(const RegistryFile base, open_base(profile.base_cook, disk));
    identities.add_base(base.view);
  }
  return identities;
}

Result<void> find_base(Profile& profile, Disk& disk) {
  if (profile.base_cook.empty()) return {};
  ASSETC_TRY(const RegistryFile base, open_base(profile.base_cook, disk));
  profile.base_cook_hash = content_hash(base.bytes);
  return {};
}

Result<std::function<bool(std::string_view)>> sources_of_demo(const Profile& profile, const std::string& demo,
                                                              Disk& disk) {
  const auto skip = [](std::string_view path, bool directory) {
    const bool wanted = directory && identity::leads_to_assets(path, true) && identity::asset_root_of(path).empty();
    return wanted ? Visit::kTake : Visit::kLeaveOut;
  };
  ASSETC_TRY(const Tree tree, disk.walk(profile.input, skip, 1));
  std::string known;
  bool found = false;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const std::string folder = std::string(tree.path(i)) + "/";
    if (identity::asset_root_of(folder).empty() || !ascii_lower(folder).starts_with("demo/")) continue;
    const std::string name = folder.substr(5, folder.size() - 13);  // between "Demo/" and "/Assets/"
    known.append(known.empty() ? "" : ", ").append(name);
    found |= ascii_lower(name) == ascii_lower(demo);
  }
  if (!found) {
    return fail(ErrorCode::kUsage, "no demo is named \"" + demo + "\"",
                known.empty() ? "there are no demos: the assets of a demo lie in Demo/<name>/Assets"
                              : "the demos are: " + known);
  }
  return [root = "demo/" + ascii_lower(demo) + "/assets/"](std::string_view source) {
    const std::string of = ascii_lower(identity::asset_root_of(source));
    return !of.starts_with("demo/") || of == root;
  };
}

}  // namespace assetc::engine
