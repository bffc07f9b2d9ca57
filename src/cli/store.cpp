#include "cli/store.hpp"

#include <cstdlib>
#include <string_view>

namespace assetc::cli {
namespace {

constexpr std::string_view kOff = "off";

std::string text_of(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// Empty where the user has none. XDG Base Directory Specification: a path that is not absolute counts as unset.
std::string users_folder() {
  if (const std::string caches = text_of("XDG_CACHE_HOME"); caches.starts_with('/')) return caches + "/assetc";
  const std::string home = text_of("HOME");
  return home.starts_with('/') ? home + "/.cache/assetc" : std::string();
}

void say_unused(const Arguments& arguments, Console& console, Error error) {
  error.what += "; this build shares nothing with others";
  if (error.hint.empty()) error.hint = "set cache.path or ASSETC_CACHE to another folder, or to off";
  say(arguments, console, {recipes::Severity::kWarning, std::move(error)});
}

}  // namespace

engine::StoreSettings store_settings(const engine::CacheSettings& configured) {
  engine::StoreSettings settings;
  if (configured.size_bytes) settings.size_bytes = *configured.size_bytes;
  settings.path = std::getenv("ASSETC_CACHE") != nullptr ? text_of("ASSETC_CACHE")
                  : !configured.path.empty()             ? configured.path
                                                         : users_folder();
  if (settings.path == kOff) settings.path.clear();
  return settings;
}

std::unique_ptr<engine::LocalStore> open_store(const Arguments& arguments, Console& console, engine::Disk& disk,
                                               const engine::CacheSettings& configured) {
  engine::StoreSettings settings = store_settings(configured);
  if (settings.path.empty() || arguments.dry_run) return nullptr;
  auto store = engine::LocalStore::open(disk, std::move(settings));
  if (store) return std::move(*store);
  say_unused(arguments, console, std::move(store).error());
  return nullptr;
}

void finish_store(const Arguments& arguments, Console& console, engine::LocalStore* store) {
  if (store == nullptr) return;
  if (auto finished = store->finish(); !finished) say_unused(arguments, console, std::move(finished).error());
}

}  // namespace assetc::cli
