// Selects the stores of a build from the settings of the environment, the project and the user. Also decides which
// credentials are sent to which server and which signers are trusted.
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
#include "engine/remote/remote_store.hpp"
#include "engine/store/layered_store.hpp"
#include "engine/store/local_store.hpp"

namespace assetc::engine {

// Prefix of a folder in the user's store. The folder is a separate store for the products of a server that only a
// project names.
inline constexpr std::string_view kStoreOfServer = "of-";

// The combined settings. The environment has precedence over the project, and the project over the user. A server that
// only the project names gets none of the user's credentials and has a local store of its own.
struct Caching {
  std::string root;               // the user's store: the build's store or the folder that contains it; empty: none
  StoreSettings local;            // no path if caching is off or the user has no folder
  std::optional<Error> homeless;  // the user has no folder, and nothing names another one
  CacheSettings::Remote remote;
  std::string bearer, basic;          // from the environment
  AwsKeys aws;                        // from the environment, without the region; or none, and:
  std::string aws_file, aws_profile;  // the file with the keys of a bucket, and the profile in it; empty: none
  bool may_lack_aws_file = false;     // nobody has named the file
  std::vector<std::string> trust;
  std::string sign;
  bool may_share_keys = false;  // whether files with secrets may be open to other users
};

// Reports a warning or a note about the user's configuration.
using SayDiagnostic = std::function<void(const recipes::Diagnostic&)>;

// Errors: those of the user's configuration; kUsage for an invalid URL or mode in the environment.
Result<Caching> find_caching(const CacheSettings& project, Disk& disk, const Environment& environment,
                             const SayDiagnostic& say);

// Reads the files with keys and credentials now. Errors name the file. records: see Endpoint.
Result<RemoteSettings> remote_settings(const Caching& caching, Disk& disk, bool records);

// The stores of a build. If a requested store cannot be used, a warning says why and the build continues.
class Stores {
 public:
  // If `project` is null, no store is opened, for example in a dry run.
  Stores(const CacheSettings* project, Disk& disk, const Environment& environment, SayDiagnostic say, bool records);

  Store* local() { return local_.get(); }
  // local() in front of the remote store. The first call opens it, so a build that compiles nothing contacts no server.
  // Null if there is no remote store.
  Store* shared();
  // Why no other machine could get what this build compiles; nothing if one could.
  std::optional<Error> unshared() const;
  // Waits for uploads. Calls `waiting` once a second with the number of remaining uploads. Call it once, after
  // everything else. Returns false, after a warning, if something is missing in a store.
  bool finish(const std::function<void(std::size_t)>& waiting);
  // Of the remote store, after finish(). Nothing if no remote store was used.
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
