// Consecutive builds of one output: from resolved configurations to a published output tree.
//
// Guarantees, whatever happened to earlier builds (killed, disk full, two at once): after a build that reports success,
// the output tree equals, byte for byte, the result of a build into an empty directory. A build that fails keeps the
// last good outputs and index, and still does all work that did not fail.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/config/config.hpp"
#include "engine/run/report.hpp"
#include "engine/run/request.hpp"

namespace assetc::engine {

struct Resident;
struct LastBuild;

// Not thread-safe.
class Session {
 public:
  Session();
  ~Session();

  // Builds. If it can continue from the last build, it looks only at what changed; otherwise Report::whole gives the
  // reason. A Result error means that the build could not start: kUsage, kConflict (another build in the same output),
  // kNotFound (no input), kIo (no output folder, no cache). All other errors are in the report and do not stop other
  // work.
  Result<Report> apply(const BuildRequest& request, const BuildServices& services, const Profile& profile,
                       const Changes& changes);

  // Call after a build, when there is time. Reads the records, so that the next build does not have to. request: of the
  // next build.
  void prepare(const BuildRequest& request, Disk& disk);
  // Whether the last build looked only at what changed.
  bool went_on() const { return went_on_; }
  // The input folders that the last build knew, including the input itself (""); nullopt if they are not kept.
  std::optional<std::vector<std::string>> folders() const;

 private:
  // The part of apply() before warnings are accepted.
  Result<Report> build_next(const BuildRequest& request, const BuildServices& services, const Profile& profile,
                            const Changes& changes);

  bool is_first_ = true;  // nothing has been built yet
  bool went_on_ = false;
  std::unique_ptr<LastBuild> last_;     // the state after the last build, until prepare()
  std::unique_ptr<Resident> resident_;  // ready for the next build
};

// One build, without a session for later builds.
Result<Report> build(const BuildRequest& request, const BuildServices& services, const Profile& profile);

// The root itself ("") and all folders in the tree.
std::vector<std::string> folders_in(const Tree& tree);

}  // namespace assetc::engine
