// Where builds keep what they compiled for other builds.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cli/commands.hpp"
#include "engine/remote/layered_store.hpp"
#include "engine/store/local_store.hpp"

namespace assetc::cli {

// Begins the name of a folder in the user's store: a store of its own for what a server says that only a project names.
inline constexpr std::string_view kStoreOfServer = "of-";

// What the environment, the project and the user say, in this order.
struct Caching {
  std::string root;  // the user's store: that of the build, or the folder it is in; empty where there is none
  engine::StoreSettings local;  // no path where one says off or the user has no folder
  engine::CacheSettings::Remote remote;
  std::string bearer, basic;  // secrets of the environment
  std::vector<std::string> trust;
  std::string sign;
};
// Errors: of the user's configuration; kUsage for a URL or a mode of the environment that is none.
Result<Caching> caching(const Arguments& arguments, Console& console, engine::Disk& disk,
                        const engine::CacheSettings& project);

// The stores of a build. Why one that was asked for cannot be used is said as a warning, and the build goes on.
class Stores {
 public:
  Stores(const Arguments& arguments, Console& console, engine::Disk& disk, const engine::CacheSettings& project);

  engine::LocalStore* local() { return local_.get(); }
  // local() in front of that of other machines, opened by the first call: a build that compiles nothing asks nobody.
  // Null where there is none.
  engine::LayeredStore* shared();
  // Why nobody would get what this build compiles; nothing where somebody would.
  std::optional<Error> unshared() const;
  // Waits for uploads. Once, last. False where something is not in a store that should be, which is said.
  bool finish();
  // Of the remote store, after finish(); nothing where none was used.
  const std::optional<engine::RemoteStore::Summary>& summary() const { return summary_; }

 private:
  Result<void> open_remote();
  void say_unused(Error error, const std::string& consequence, const std::string& hint);

  const Arguments& arguments_;
  Console& console_;
  engine::Disk& disk_;
  Caching caching_;
  std::unique_ptr<engine::LocalStore> local_;
  bool opened_ = false;
  std::optional<engine::LayeredStore> shared_;
  std::unique_ptr<engine::RemoteStore> remote_;
  std::optional<engine::RemoteStore::Summary> summary_;
};

}  // namespace assetc::cli
