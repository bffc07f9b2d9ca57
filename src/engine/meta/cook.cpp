#include "engine/meta/cook.hpp"

#include <unordered_set>

#include "engine/meta/import.hpp"

namespace assetc::engine {
namespace {

constexpr std::string_view kHint = "run `assetc import`, and commit what it writes";

std::string why(const identity::IdentityChange& change) {
  using Kind = identity::IdentityChange::Kind;
  switch (change.kind) {
    case Kind::kCreated:
      return "has no .meta, so nobody knows what to call it";
    case Kind::kMoved:
    case Kind::kFound:
      return "was moved from " + change.from + ", which its .meta does not say yet";
    case Kind::kCopied:
      return "has the UUID of " + change.from + ", of which it is a copy";
    default:
      return "has changed since its .meta was written";
  }
}

}  // namespace

Result<Identities> load_identities(const Profile& profile, Disk& disk) {
  ImportOptions options;
  options.root = profile.input;
  options.check = true;
  ASSETC_TRY(ImportReport report, import_assets(options, disk));
  std::unordered_map<std::string, Error> refused;
  for (Error& error : report.errors) {
    std::string path = error.file;
    if (path.ends_with(identity::kMetaSuffix)) path.resize(path.size() - identity::kMetaSuffix.size());
    refused.emplace(std::move(path), std::move(error));
  }
  for (const identity::IdentityChange& change : report.changes) {
    if (change.kind == identity::IdentityChange::Kind::kOrphaned) continue;
    refused.emplace(change.path, Error{ErrorCode::kNotFound, change.path, {}, why(change), std::string(kHint)});
  }
  std::erase_if(report.assets, [&](const identity::Meta& meta) { return refused.contains(meta.source_path); });
  return Identities(std::move(report.assets), std::move(refused));
}

}  // namespace assetc::engine
