// Where builds keep what they compiled for other builds.
#pragma once

#include <memory>
#include <optional>

#include "cli/commands.hpp"
#include "engine/store/local_store.hpp"

namespace assetc::cli {

// ASSETC_CACHE where that is set, else cache: of the configuration, else the user's folder; no path where one says off
// or the user has no folder.
engine::StoreSettings store_settings(const engine::CacheSettings& configured);

// The store of a build; null where there is none. Why one that was asked for cannot be used is said as a warning, and
// the build goes on.
std::unique_ptr<engine::LocalStore> open_store(const Arguments& arguments, Console& console, engine::Disk& disk,
                                               const engine::CacheSettings& configured);
void finish_store(const Arguments& arguments, Console& console, engine::LocalStore* store);

}  // namespace assetc::cli
