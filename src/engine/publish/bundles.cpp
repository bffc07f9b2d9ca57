#include "engine/publish/bundles.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "bundle/load_order.hpp"
#include "bundle/reader.hpp"
#include "bundle/rules.hpp"
#include "bundle/write.hpp"
#include "engine/target/listed_blob.hpp"

namespace assetc::engine {
namespace {

// Cache entries: the state after the last call; the names of the bundles that it left, one a line; and, with the name
// of a bundle, its state and that of its assets.
constexpr std::string_view kState = "bundles";
constexpr std::string_view kNames = "bundle names";
constexpr std::string_view kBundle = "bundle ";

void add(ContentHasher& hasher, const FileSignature& signature) {
  hasher.add(signature.size_bytes)
      .add(static_cast<std::uint64_t>(signature.mtime_ns))
      .add(static_cast<std::uint64_t>(signature.ctime_ns))
      .add(signature.inode);
}

void add(ContentHasher& hasher, std::string_view text) { hasher.add(std::uint64_t{text.size()}).add(as_bytes(text)); }

void add(ContentHasher& hasher, const bundle::Rule& rule) {
  add(hasher, rule.name);
  for (const auto* list : {&rule.prefixes, &rule.tags, &rule.types, &rule.demos}) {
    hasher.add(std::uint64_t{list->size()});
    for (const std::string& value : *list) add(hasher, value);
  }
  hasher.add(static_cast<std::uint64_t>(rule.dependencies)).add(rule.version);
}

class Bundles {
 public:
  Bundles(const Target& target, const Profile& profile, const BundleRequest& request, Disk& disk, Cache& cache)
      : target_(target), profile_(profile), request_(request), disk_(disk), cache_(cache) {}

  Result<BundlesReport> update() {
    if (profile_.bundles.empty() && !cache_.has(kNames)) return std::move(report_);
    // After a part of a cook, the tree of outputs is not known.
    if (!request_.is_partial && stands(kState, state())) return std::move(report_);
    ASSETC_CHECK(read_assets());
    auto division = bundle::divide(profile_.bundles, assets_, request_.is_partial);
    if (!division) return std::unexpected(std::move(division).error().in(profile_.config_file));
    report_.count = division->shares.size();
    report_.left = division->left;
    if (!division->shares.empty()) ASSETC_CHECK(check_folder());
    std::string names;
    for (const bundle::Rule& rule : profile_.bundles) ASSETC_CHECK(read_order(rule));
    for (const bundle::Share& share : division->shares) {
      ASSETC_CHECK(update(share));
      names += share.name + "\n";
    }
    ASSETC_CHECK(remove_others(names));
    if (!request_.is_partial) ASSETC_CHECK(cache_.set(kState, object_bytes(state())));
    return std::move(report_);
  }

 private:
  std::string path_of(std::string_view name) const {
    return folder_ + "/" + std::string(name) + std::string(target_.bundle_suffix);
  }

  bool stands(std::string_view entry, const ContentHash& now) {
    if (request_.verifies) return false;
    const auto mark = cache_.get(entry);
    return mark && mark->size() == sizeof(ContentHash) && load<ContentHash>(*mark) == now;
  }

  // Of the rules, the outputs and the folder of bundles.
  ContentHash state() {
    ContentHasher hasher;
    hasher.add(request_.outputs.fingerprint());
    for (const bundle::Rule& rule : profile_.bundles) {
      add(hasher, rule);
      if (rule.order.empty()) continue;
      add(hasher, rule.order);
      if (const auto file = disk_.status(rule.order)) add(hasher, file->signature);
    }
    const auto names = disk_.list(folder_);
    for (std::size_t i = 0; names && i < names->size(); ++i) {
      add(hasher, (*names)[i]);
      if (const auto file = disk_.status(folder_ + "/" + (*names)[i])) add(hasher, file->signature);
    }
    return hasher.finish();
  }

  // Of a bundle's file and the files of its assets; nothing if one cannot be read.
  std::optional<ContentHash> state(const bundle::Share& share) {
    ContentHasher hasher;
    hasher.add(share.rule->version);
    if (const auto order = orders_.find(share.rule->order); order != orders_.end()) hasher.add(order->second.hash);
    const auto bundle = disk_.status(path_of(share.name));
    if (!bundle) return std::nullopt;
    add(hasher, bundle->signature);
    for (const std::size_t i : share.assets) {
      const auto blob = disk_.status(profile_.output + "/" + assets_[i].cooked_path);
      if (!blob) return std::nullopt;
      add(hasher, assets_[i].uuid.to_string());
      add(hasher, blob->signature);
    }
    return hasher.finish();
  }

  Result<void> read_assets() {
    const std::string path = profile_.output + "/" + std::string(target_.index_paths.front());
    ASSETC_TRY(const Bytes text, disk_.read(path));
    auto assets = bundle::read_registry(as_text(text));
    if (!assets) return std::unexpected(std::move(assets).error().in(path));
    assets_ = std::move(*assets);
    return {};
  }

  Result<void> read_order(const bundle::Rule& rule) {
    if (rule.order.empty() || orders_.contains(rule.order)) return {};
    auto text = disk_.read(rule.order);
    auto order = text ? bundle::read_load_order(as_text(*text), assets_)
                      : Result<std::vector<std::size_t>>(std::unexpected(text.error()));
    if (!order) return std::unexpected(std::move(order).error().in(rule.order));
    orders_.emplace(rule.order, Order{std::move(*order), content_hash(*text)});
    return {};
  }

  // The order of a bundle's assets in its file, as positions in the share.
  std::vector<std::size_t> order_of(const bundle::Share& share) const {
    std::vector<std::size_t> order;
    if (share.rule->order.empty()) return order;
    for (const std::size_t asset : orders_.at(share.rule->order).assets) {
      const auto at = std::ranges::lower_bound(share.assets, asset);
      if (at != share.assets.end() && *at == asset)
        order.push_back(static_cast<std::size_t>(at - share.assets.begin()));
    }
    return order;
  }

  // Removes what dead processes left. Like outputs, bundles are not written through links.
  Result<void> check_folder() {
    if (disk_.real_path(folder_) != disk_.real_path(profile_.output) + "/" + std::string(kBundlesFolder)) {
      return std::unexpected(Error{ErrorCode::kConflict,
                                   folder_,
                                   {},
                                   "is a link, and bundles are not written through links",
                                   "remove the link, or make the output folder itself a link"});
    }
    return disk_.sweep(folder_);
  }

  // Whether the existing file has these assets, with these bytes.
  Result<bool> is_current(const bundle::Share& share, const bundle::Reader& present) const {
    const pak::Header& header = present.header();
    if (header.platform_text() != profile_.preset || header.name_text() != share.name || header.is_encrypted() ||
        header.bundle_version != share.rule->version || present.entries().size() != share.assets.size() ||
        !bundle::lies_in_order(present.view(), order_of(share)) || !present.verify())
      return false;
    for (std::size_t i = 0; i < share.assets.size(); ++i) {
      const bundle::CookedAsset& asset = assets_[share.assets[i]];
      if (present.entries()[i].uuid != asset.uuid) return false;
      ASSETC_TRY(const Bytes blob, read_listed(profile_.output, asset, disk_));
      if (present.entries()[i].digest != bundle::sha256(blob)) return false;
    }
    return true;
  }

  Result<void> update(const bundle::Share& share) {
    const std::string path = path_of(share.name), entry = std::string(kBundle) + share.name;
    if (const auto now = state(share); now && stands(entry, *now)) return {};
    BundleChange change{path, false, false, share.assets.size(), share.pulled, 0};
    if (auto bytes = disk_.peek(path)) {
      const auto present = bundle::Reader::open(std::move(*bytes));
      ASSETC_TRY(const bool current, present ? is_current(share, *present) : Result<bool>(false));
      if (current) return remember(share, entry);
      change.was_signed = present && present->header().is_signed();
    }
    ASSETC_CHECK(write(share, path));
    ASSETC_TRY(const FileStatus written, disk_.status(path));
    change.bytes = written.signature.size_bytes;
    report_.changes.push_back(std::move(change));
    return remember(share, entry);
  }

  Result<void> remember(const bundle::Share& share, const std::string& entry) {
    const auto now = state(share);
    return now ? cache_.set(entry, object_bytes(*now)) : Result<void>();
  }

  Result<void> write(const bundle::Share& share, const std::string& path) {
    std::vector<bundle::Input> inputs;
    for (const std::size_t i : share.assets) {
      ASSETC_TRY(const OpenedFile file, disk_.open_below(profile_.output, assets_[i].cooked_path));
      inputs.push_back({assets_[i].uuid, file.size_bytes});
    }
    ASSETC_TRY(const auto file, disk_.create(path));
    const auto read = [&](std::size_t i) { return read_listed(profile_.output, assets_[share.assets[i]], disk_); };
    const std::vector<std::size_t> order = order_of(share);
    const auto written = bundle::write_bundle(
        {.platform = profile_.preset, .name = share.name, .version = share.rule->version, .order = order}, inputs, read,
        [&](ByteSpan bytes) { return file->write(bytes); });
    if (!written) return std::unexpected(Error(written.error()).in(path));
    ASSETC_CHECK(file->commit());
    if (!request_.verifies) return {};
    ASSETC_TRY(Bytes bytes, disk_.peek(path));
    const auto back = bundle::Reader::open(std::move(bytes));
    auto right = back ? back->verify() : Result<void>(std::unexpected(back.error()));
    return right ? right : std::unexpected(std::move(right).error().in(path));
  }

  // Removes the bundles of rules that are gone. A signed file was a person's work, and stays.
  Result<void> remove_others(std::string names) {
    const auto before = cache_.get(kNames);
    std::string_view rest = before ? as_text(*before) : std::string_view();
    const std::string now = "\n" + names;
    while (!rest.empty()) {
      const std::string name(rest.substr(0, rest.find('\n')));
      rest.remove_prefix(std::min(rest.size(), name.size() + 1));
      if (now.contains("\n" + name + "\n")) continue;
      if (request_.is_partial) {
        names += name + "\n";
        continue;
      }
      const std::string path = path_of(name);
      auto bytes = disk_.peek(path);
      const auto present = bytes ? bundle::Reader::open(std::move(*bytes)) : std::unexpected(bytes.error());
      if (!present || present->header().is_signed()) continue;
      ASSETC_CHECK(disk_.remove(path));
      report_.changes.push_back({path, true, false, 0, 0, 0});
    }
    return cache_.set(kNames, as_bytes(names));
  }

  const Target& target_;
  const Profile& profile_;
  const BundleRequest& request_;
  Disk& disk_;
  Cache& cache_;
  const std::string folder_ = profile_.output + "/" + std::string(kBundlesFolder);
  struct Order {
    std::vector<std::size_t> assets;  // positions in assets_
    ContentHash hash;                 // of the file
  };
  std::vector<bundle::CookedAsset> assets_;
  std::map<std::string, Order> orders_;  // by file
  BundlesReport report_;
};

}  // namespace

Result<BundlesReport> update_bundles(const Target& target, const Profile& profile, const BundleRequest& request,
                                     Disk& disk, Cache& cache) {
  return Bundles(target, profile, request, disk, cache).update();
}

}  // namespace assetc::engine
