#include "base/json_line.hpp"
#include "cli/commands/commands.hpp"
#include "engine/remote/stores.hpp"
#include "engine/remote/trim.hpp"
#include "text/format.hpp"

namespace assetc::cli {
namespace {

using LocalStores = std::vector<std::unique_ptr<engine::LocalStore>>;

Result<engine::Caching> find_settings(const Arguments& arguments, Console& console, engine::Disk& disk) {
  ASSETC_TRY(const engine::Config config, engine::nearest_config(disk, "."));
  for (const recipes::Diagnostic& diagnostic : config.diagnostics) say(arguments, console, diagnostic);
  return engine::find_caching(engine::cache_of(config), disk, engine::process_environment(),
                              [&](const recipes::Diagnostic& d) { say(arguments, console, d); });
}

// Opens the user's store, then the stores inside it, one for each server that only a project names.
Result<LocalStores> stores_here(const Arguments& arguments, Console& console, engine::Disk& disk) {
  ASSETC_TRY(const engine::Caching all, find_settings(arguments, console, disk));
  if (all.homeless) return std::unexpected(*all.homeless);
  if (all.root.empty())
    return fail(ErrorCode::kUsage, "the cache is off", "unset ASSETC_CACHE, or cache.path in assetc.yml");
  LocalStores stores;
  ASSETC_TRY(stores.emplace_back(), engine::LocalStore::open(disk, {all.root, all.local.size_bytes}));
  const auto skip = [](std::string_view path, bool directory) {
    const bool is_store =
        directory && path.starts_with(engine::kStoreOfServer) && path.find('/') == std::string_view::npos;
    return is_store ? engine::Visit::kTake : engine::Visit::kLeaveOut;
  };
  ASSETC_TRY(const engine::Tree below, disk.walk(all.root, skip, 1));
  for (std::size_t i = 0; i < below.size(); ++i) {
    std::string path = all.root + "/" + std::string(below.path(i));
    ASSETC_TRY(stores.emplace_back(), engine::LocalStore::open(disk, {std::move(path), all.local.size_bytes}));
  }
  return stores;
}

std::string age_text(std::int64_t ns) {
  const std::int64_t hours = ns / 3'600'000'000'000;
  if (hours < 1) return "less than an hour";
  return hours < 48 ? plural(static_cast<std::uint64_t>(hours), "hour")
                    : plural(static_cast<std::uint64_t>(hours / 24), "day");
}

template <class Work>
int with_stores(const Arguments& arguments, Console& console, engine::Disk& disk, const Work& work) {
  const auto stores = stores_here(arguments, console, disk);
  if (!stores) return stop(arguments, console, stores.error());
  const Result<void> done = work(*stores);
  return done ? kExitOk : stop(arguments, console, done.error());
}

// The sum of a function over all stores.
template <class Function>
Result<std::uint64_t> sum(const LocalStores& stores, const Function& of) {
  std::uint64_t all = 0;
  for (const auto& store : stores) {
    ASSETC_TRY(const std::uint64_t one, of(*store));
    all += one;
  }
  return all;
}

void tell_removed(const Arguments& arguments, Console& console, std::uint64_t files) {
  console.out(arguments.json ? json_event("cache_trimmed").add("removed", files).str() + "\n"
                             : plural(files, "file") + " removed\n");
}

}  // namespace

int run_cache_stats(const Arguments& arguments, Console& console, engine::Disk& disk) {
  return with_stores(arguments, console, disk, [&](const LocalStores& stores) -> Result<void> {
    engine::LocalStore::Usage usage;
    for (const auto& store : stores) {
      ASSETC_TRY(const engine::LocalStore::Usage one, store->count());
      usage.products += one.products;
      usage.blobs += one.blobs;
      usage.batches += one.batches;
      usage.bytes += one.bytes;
      if (usage.oldest_use_ns == 0 || (one.oldest_use_ns != 0 && one.oldest_use_ns < usage.oldest_use_ns))
        usage.oldest_use_ns = one.oldest_use_ns;
    }
    const engine::StoreSettings& settings = stores.front()->settings();
    const std::int64_t age_ns = usage.oldest_use_ns == 0 ? 0 : disk.now_ns() - usage.oldest_use_ns;
    if (arguments.json) {
      console.out(json_event("cache_stats")
                      .add("path", settings.path)
                      .add("products", usage.products)
                      .add("blobs", usage.blobs)
                      .add("batches", usage.batches)
                      .add("bytes", usage.bytes)
                      .add("size", settings.size_bytes)
                      .add("oldest_use_seconds", static_cast<double>(age_ns) * 1e-9)
                      .str() +
                  "\n");
      return {};
    }
    console.out(formatted("{}: {} of {}; {} and {}{}{}\n", settings.path, size_text(usage.bytes),
                          size_text(settings.size_bytes), plural(usage.products, "product"),
                          plural(usage.blobs, "file"),
                          usage.batches == 0 ? "" : " and " + plural(usage.batches, "batch"),
                          age_ns == 0 ? "" : ", the oldest used " + age_text(age_ns) + " ago"));
    return {};
  });
}

int run_cache_verify(const Arguments& arguments, Console& console, engine::Disk& disk) {
  std::uint64_t damaged = 0;
  const int code = with_stores(arguments, console, disk, [&](const LocalStores& stores) -> Result<void> {
    ASSETC_TRY(damaged, sum(stores, [](auto& store) { return store.verify(); }));
    console.out(arguments.json ? json_event("cache_verified").add("damaged", damaged).str() + "\n"
                : damaged == 0 ? "no damaged files\n"
                               : plural(damaged, "damaged file") + " removed; later builds write them again\n");
    return {};
  });
  // Damage is a problem although it was removed: the disk may be failing.
  return code == kExitOk && damaged > 0 ? kExitProblems : code;
}

namespace {

Result<engine::Trimmed> trim_shared(const Arguments& arguments, engine::Disk& disk, const engine::Caching& all) {
  if (all.remote.url.empty())
    return fail(ErrorCode::kUsage, "--remote: there is no shared cache", "set ASSETC_CACHE_REMOTE or cache.remote");
  const engine::TrimLimits limits{arguments.cache_size_bytes, arguments.cache_age_s};
  if (!limits.size_bytes && !limits.age_s)
    return fail(ErrorCode::kUsage, "--remote: found neither --size nor --age", "add one, for example --age 60d");
  ASSETC_TRY(const engine::RemoteSettings settings, engine::remote_settings(all, disk, false));
  ASSETC_TRY(const auto transfers, engine::Transfers::open(settings.endpoint));
  constexpr std::int64_t kSecondNs = 1'000'000'000;
  return engine::trim_remote(settings.endpoint, *transfers, limits, disk.now_ns() / kSecondNs, arguments.dry_run);
}

int run_remote_trim(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const auto settings = find_settings(arguments, console, disk);
  if (!settings) return stop(arguments, console, settings.error());
  const auto trimmed = trim_shared(arguments, disk, *settings);
  if (!trimmed) return stop(arguments, console, trimmed.error());
  if (arguments.json) {
    console.out(json_event("cache_trimmed")
                    .add("removed", trimmed->removed)
                    .add("removed_bytes", trimmed->removed_bytes)
                    .add("kept", trimmed->kept)
                    .add("kept_bytes", trimmed->kept_bytes)
                    .add("others", trimmed->others)
                    .add("dry_run", arguments.dry_run)
                    .str() +
                "\n");
    return kExitOk;
  }
  console.out(formatted("{}: {} of {} {}, {} of {} left{}\n", settings->remote.url, plural(trimmed->removed, "file"),
                        size_text(trimmed->removed_bytes), arguments.dry_run ? "would be removed" : "removed",
                        plural(trimmed->kept, "file"), size_text(trimmed->kept_bytes),
                        trimmed->others == 0 ? "" : ", and " + plural(trimmed->others, "other object")));
  return kExitOk;
}

}  // namespace

int run_cache_trim(const Arguments& arguments, Console& console, engine::Disk& disk) {
  if (arguments.trims_remote) return run_remote_trim(arguments, console, disk);
  if (arguments.dry_run)
    return stop(arguments, console, {ErrorCode::kUsage, {}, {}, "--dry-run: is only for --remote", "leave it out"});
  constexpr std::int64_t kSecondNs = 1'000'000'000;
  const std::int64_t used_before_ns = arguments.cache_age_s ? disk.now_ns() - *arguments.cache_age_s * kSecondNs : 0;
  return with_stores(arguments, console, disk, [&](const LocalStores& stores) -> Result<void> {
    ASSETC_TRY(const std::uint64_t removed, sum(stores, [&](auto& store) {
                 return store.trim(arguments.cache_size_bytes.value_or(store.settings().size_bytes), used_before_ns);
               }));
    tell_removed(arguments, console, removed);
    return {};
  });
}

int run_cache_clear(const Arguments& arguments, Console& console, engine::Disk& disk) {
  return with_stores(arguments, console, disk, [&](const LocalStores& stores) -> Result<void> {
    ASSETC_TRY(const std::uint64_t removed, sum(stores, [](auto& store) { return store.clear(); }));
    tell_removed(arguments, console, removed);
    return {};
  });
}

}  // namespace assetc::cli
