// Where builds keep what they compiled for other builds: which stores the environment, the project and the user ask
// for, which secrets go where, and whom to believe.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/config/config.hpp"
#include "engine/config/environment.hpp"
#include "engine/disk/disk.hpp"
#include "engine/remote/layered_store.hpp"

namespace assetc::engine {

// Begins the name of a folder in the user's store: a store of its own for what a server says that only a project names.
inline constexpr std::string_view kStoreOfServer = "of-";

// What the environment, the project and the user say, in this order. A server that the project alone names gets no
// secret of the user, and a local store of its own.
struct Caching {
  std::string root;     // the user's store: that of the build, or the folder it is in; empty where there is none
  StoreSettings local;  // no path where one says off or the user has no folder
  CacheSettings::Remote remote;
  std::string bearer, basic;  // secrets of the environment
  std::vector<std::string> trust;
  std::string sign;
};

// A warning, or a note of the user's configuration.
using SayDiagnostic = std::function<void(const recipes::Diagnostic&)>;

// Errors: of the user's configuration; kUsage for a URL or a mode of the environment that is none.
Result<Caching> find_caching(const CacheSettings& project, Disk& disk, const Environment& environment,
                             const SayDiagnostic& say);

// Files of keys and secrets are read now. Errors name the file. records: as of Endpoint.
Result<RemoteSettings> remote_settings(const Caching& caching, Disk& disk, bool records);

// The stores of a build. Why one that was asked for cannot be used is said as a warning, and the build goes on.
class Stores {
 public:
  // Nothing is opened where there is no caching: as of a dry run.
  Stores(const CacheSettings* project, Disk& disk, const Environment& environment, SayDiagnostic say, bool records);

  LocalStore* local() { return local_.get(); }
  // local() in front of that of other machines, opened by the first call: a build that compiles nothing asks nobody.
  // Null where there is none.
  LayeredStore* shared();
  // Why nobody would get what this build compiles; nothing where somebody would.
  std::optional<Error> unshared() const;
  // Waits for uploads; waiting is told once a second how many are left. Once, last. False where something is not in a
  // store that should be, which is said.
  bool finish(const std::function<void(std::size_t)>& waiting);
  // Of the remote store, after finish(); nothing where none was used.
  const std::optional<RemoteStore::Summary>& summary() const { return summary_; }

 private:
  Result<void> open_remote();
  void say_unused(Error error, const std::string& consequence, const std::string& hint);

  Disk& disk_;
  SayDiagnostic say_;
  bool records_;
  Caching caching_;
  std::unique_ptr<LocalStore> local_;
  bool opened_ = false;
  std::optional<LayeredStore> shared_;
  std::unique_ptr<RemoteStore> remote_;
  std::optional<RemoteStore::Summary> summary_;
};

}  // namespace assetc::engine
