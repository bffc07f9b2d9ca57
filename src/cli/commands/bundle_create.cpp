#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "assetc/formats/registry.hpp"
#include "base/json_line.hpp"
#include "bundle/cooked.hpp"
#include "bundle/load_order.hpp"
#include "cli/commands/bundle_files.hpp"
#include "engine/target/listed_blob.hpp"

namespace assetc::cli {
namespace {

// At most this many duplicates are listed; the rest is counted.
constexpr std::size_t kMostLines = 10;

// The last name of a path. A trailing slash is ignored: "dir/" gives "dir".
std::string last_name(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path.substr(path.rfind('/') + 1);
}

std::string stem(const std::string& path) {
  const std::string name = last_name(path);
  const std::size_t dot = name.rfind('.');
  return dot == 0 || dot == name.npos ? name : name.substr(0, dot);
}

Result<std::vector<bundle::CookedAsset>> choose_assets(const BundleArguments& asked, engine::Disk& disk) {
  const std::string registry = asked.cooked + "/" + std::string(registry::kJsonPath);
  ASSETC_TRY(const Bytes text, disk.read(registry));
  bool is_incomplete = false;
  auto assets = bundle::read_registry(as_text(text), &is_incomplete);
  if (!assets) return std::unexpected(std::move(assets).error().in(registry));
  if (is_incomplete)
    return std::unexpected(Error{ErrorCode::kInvalidData,
                                 registry,
                                 {},
                                 "is incomplete, and bundles are for players",
                                 "cook until nothing fails"});
  if (assets->empty())
    return std::unexpected(Error{ErrorCode::kUsage, registry, {}, "has no assets", "add sources, and cook again"});
  if (asked.prefixes.empty()) return assets;
  for (const std::string& prefix : asked.prefixes) {
    if (std::ranges::none_of(*assets, [&](const auto& a) { return bundle::is_below(a.virtual_path, prefix); }))
      return std::unexpected(Error{ErrorCode::kUsage,
                                   registry,
                                   {},
                                   "has no asset at or below " + prefix,
                                   "a prefix is a virtual path, such as Engine/Textures"});
  }
  std::erase_if(*assets, [&](const bundle::CookedAsset& asset) {
    return std::ranges::none_of(asked.prefixes,
                                [&](const std::string& p) { return bundle::is_below(asset.virtual_path, p); });
  });
  return assets;
}

// Prints a note if assets of the bundle depend on assets that are not in it.
void say_needs(const Arguments& arguments, Console& console, const std::vector<bundle::CookedAsset>& assets) {
  std::unordered_set<Uuid> inside, missing;
  for (const bundle::CookedAsset& asset : assets) inside.insert(asset.uuid);
  const bundle::CookedAsset* first = nullptr;
  for (const bundle::CookedAsset& asset : assets) {
    for (const Uuid& needed : asset.dependencies) {
      if (!inside.contains(needed) && missing.insert(needed).second && first == nullptr) first = &asset;
    }
  }
  if (first == nullptr) return;
  say(arguments, console,
      {recipes::Severity::kNote, Error{ErrorCode::kNotFound,
                                       arguments.bundle.file,
                                       {},
                                       "lacks " + plural(missing.size(), "asset") +
                                           " that its assets depend on; the first dependent is " + first->virtual_path,
                                       "ship them in another bundle"}});
}

void print(const Arguments& arguments, Console& console, const bundle::WriteReport& report,
           const std::vector<bundle::CookedAsset>& assets, const bundle::WriteOptions& how) {
  std::unordered_map<Uuid, const std::string*> paths;
  for (const bundle::CookedAsset& asset : assets) paths.emplace(asset.uuid, &asset.virtual_path);
  if (arguments.json) {
    for (const auto& twice : report.twice)
      console.out(json_event("stored_once")
                      .add("uuid", twice.uuid.to_string())
                      .add("path", *paths.at(twice.uuid))
                      .add("same_as", twice.same_as.to_string())
                      .add("same_as_path", *paths.at(twice.same_as))
                      .add("bytes", twice.size_bytes)
                      .str() +
                  "\n");
    console.out(json_event("written")
                    .add("path", arguments.bundle.file)
                    .add("bytes", report.file_bytes)
                    .add("name", how.name)
                    .add("platform", how.platform)
                    .add("bundle_version", how.version)
                    .add("assets", assets.size())
                    .add("content_bytes", report.content_bytes)
                    .add("blocks", report.blocks)
                    .add("dictionary_bytes", report.dictionary_bytes)
                    .add("shared_bytes", report.shared_bytes)
                    .str() +
                "\n");
    return;
  }
  console.wrote(arguments.bundle.file, ", \"" + how.name + "\" version " + std::to_string(how.version) + " for " +
                                           how.platform + ": " + plural(assets.size(), "asset") + ", " +
                                           size_text(report.content_bytes) + " in " + size_text(report.file_bytes) +
                                           (how.sign != nullptr ? ", signed" : "") +
                                           (how.encrypt != nullptr ? ", encrypted" : ""));
  if (report.shared_bytes == 0) return;
  console.out("identical contents are stored once, which saves " + size_text(report.shared_bytes) + "\n");
  for (std::size_t i = 0; i < std::min(report.twice.size(), kMostLines); ++i)
    console.out("  " + *paths.at(report.twice[i].uuid) + " is identical to " + *paths.at(report.twice[i].same_as) +
                ", " + size_text(report.twice[i].size_bytes) + "\n");
  if (report.twice.size() > kMostLines)
    console.out("  and " + plural(report.twice.size() - kMostLines, "other") + "\n");
}

Result<int> create(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const BundleArguments& asked = arguments.bundle;
  ASSETC_TRY(const std::vector<bundle::CookedAsset> assets, choose_assets(asked, disk));
  std::vector<bundle::Input> inputs;
  for (const bundle::CookedAsset& asset : assets) {
    ASSETC_TRY(const engine::OpenedFile file, disk.open_below(asked.cooked, asset.cooked_path));
    inputs.push_back({asset.uuid, file.size_bytes});
  }
  bundle::WriteOptions how;
  how.platform = asked.platform.empty() ? last_name(disk.real_path(asked.cooked)) : asked.platform;
  how.name = asked.name.empty() ? stem(asked.file) : asked.name;
  how.version = asked.version.value_or(1);
  std::optional<bundle::SigningKey> signing_key;
  if (!asked.signing_key.empty()) {
    ASSETC_TRY(signing_key, engine::read_signing_key(disk, asked.signing_key, asked.may_share_keys));
    how.sign = &*signing_key;
  }
  ASSETC_TRY(const auto content_key, content_key_of(disk, asked));
  how.encrypt = content_key.get();
  std::optional<bundle::Reader> base;
  if (!asked.base.empty()) {
    ASSETC_CHECK(check_other_file(asked.base, asked.file, disk));
    ASSETC_TRY(base, open_bundle(disk, asked.base, content_key));
    how.base = &*base;
  }
  std::vector<std::size_t> order;
  if (!asked.order.empty()) {
    ASSETC_TRY(const Bytes text, disk.read(asked.order));
    auto read = bundle::read_load_order(as_text(text), assets);
    if (!read) return std::unexpected(std::move(read).error().in(asked.order));
    order = std::move(*read);
    how.order = order;
  }
  say_needs(arguments, console, assets);
  if (how.encrypt != nullptr && how.sign == nullptr)
    say(arguments, console,
        {recipes::Severity::kNote, Error{ErrorCode::kUnsupported,
                                         asked.file,
                                         {},
                                         "is encrypted but not signed: anyone who has the encryption key can change it",
                                         "sign it with --sign KEY"}});
  const auto read = [&](std::size_t i) { return engine::read_listed(asked.cooked, assets[i], disk); };
  ASSETC_TRY(const bundle::WriteReport report, write_file(disk, asked.file, [&](const bundle::Sink& sink) {
               return write_bundle(how, inputs, read, sink);
             }));
  print(arguments, console, report, assets, how);
  return kExitOk;
}

}  // namespace

int run_bundle_create(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const auto done = create(arguments, console, disk);
  return done ? *done : stop(arguments, console, Error(done.error()).in(arguments.bundle.file));
}

}  // namespace assetc::cli
