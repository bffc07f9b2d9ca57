#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/json_line.hpp"
#include "cli/store.hpp"

namespace assetc::cli {
namespace {

Result<std::unique_ptr<engine::LocalStore>> store_here(const Arguments& arguments, Console& console,
                                                       engine::Disk& disk) {
  ASSETC_TRY(const engine::Config config, engine::nearest_config(disk, "."));
  for (const recipes::Diagnostic& diagnostic : config.diagnostics) say(arguments, console, diagnostic);
  ASSETC_TRY(Caching all, caching(arguments, console, disk, engine::cache_of(config)));
  if (all.local.path.empty())
    return fail(ErrorCode::kUsage, "there is no cache: it is off", "unset ASSETC_CACHE, or cache.path in assetc.yml");
  return engine::LocalStore::open(disk, std::move(all.local));
}

std::string age_text(std::int64_t ns) {
  const std::int64_t hours = ns / 3'600'000'000'000;
  if (hours < 1) return "less than an hour";
  return hours < 48 ? plural(static_cast<std::uint64_t>(hours), "hour")
                    : plural(static_cast<std::uint64_t>(hours / 24), "day");
}

template <class Work>
int with_store(const Arguments& arguments, Console& console, engine::Disk& disk, const Work& work) {
  const auto store = store_here(arguments, console, disk);
  if (!store) return stop(arguments, console, store.error());
  const Result<void> done = work(**store);
  return done ? kExitOk : stop(arguments, console, done.error());
}

void tell_removed(const Arguments& arguments, Console& console, std::uint64_t files) {
  console.out(arguments.json ? json_event("cache_trimmed").add("removed", files).str() + "\n"
                             : plural(files, "file") + " removed\n");
}

}  // namespace

int run_cache_stats(const Arguments& arguments, Console& console, engine::Disk& disk) {
  return with_store(arguments, console, disk, [&](engine::LocalStore& store) -> Result<void> {
    ASSETC_TRY(const engine::LocalStore::Usage usage, store.count());
    const engine::StoreSettings& settings = store.settings();
    const std::int64_t age_ns = usage.oldest_use_ns == 0 ? 0 : disk.now_ns() - usage.oldest_use_ns;
    if (arguments.json) {
      console.out(json_event("cache_stats")
                      .add("path", settings.path)
                      .add("products", usage.products)
                      .add("blobs", usage.blobs)
                      .add("bytes", usage.bytes)
                      .add("size", settings.size_bytes)
                      .add("oldest_use_seconds", static_cast<double>(age_ns) * 1e-9)
                      .str() +
                  "\n");
      return {};
    }
    console.out(fmt::format("{}: {} of {}; {} and {}{}\n", settings.path, size_text(usage.bytes),
                            size_text(settings.size_bytes), plural(usage.products, "product"),
                            plural(usage.blobs, "file"),
                            age_ns == 0 ? "" : ", the oldest used " + age_text(age_ns) + " ago"));
    return {};
  });
}

int run_cache_verify(const Arguments& arguments, Console& console, engine::Disk& disk) {
  return with_store(arguments, console, disk, [&](engine::LocalStore& store) -> Result<void> {
    ASSETC_TRY(const std::uint64_t damaged, store.verify());
    console.out(arguments.json ? json_event("cache_verified").add("damaged", damaged).str() + "\n"
                : damaged == 0 ? "everything is as it was written\n"
                               : plural(damaged, "damaged file") + " removed; builds will make them again\n");
    return {};
  });
}

int run_cache_trim(const Arguments& arguments, Console& console, engine::Disk& disk) {
  return with_store(arguments, console, disk, [&](engine::LocalStore& store) -> Result<void> {
    ASSETC_TRY(const std::uint64_t removed,
               store.trim(arguments.cache_size_bytes.value_or(store.settings().size_bytes)));
    tell_removed(arguments, console, removed);
    return {};
  });
}

int run_cache_clear(const Arguments& arguments, Console& console, engine::Disk& disk) {
  return with_store(arguments, console, disk, [&](engine::LocalStore& store) -> Result<void> {
    ASSETC_TRY(const std::uint64_t removed, store.clear());
    tell_removed(arguments, console, removed);
    return {};
  });
}

}  // namespace assetc::cli
