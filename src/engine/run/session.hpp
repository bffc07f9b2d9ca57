// Builds of one output, one after another: from resolved configurations to a published output tree.
//
// Guarantees, whatever happened to earlier builds (killed, out of space, two at once): after a build that reports
// success the output tree equals, byte for byte, the one that a build into an empty directory makes. A build that
// fails leaves the last good outputs and index in place and does all the work that did not fail.
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

  // Builds. Looks only at what changed, where it goes on from the last build; Report::whole says why it does not. A
  // Result error is what keeps a build from starting: kUsage, kConflict (another build in the same output), kNotFound
  // (no input), kIo (no output folder, no cache). All else is in the report, and stops nothing else.
  Result<Report> apply(const BuildRequest& request, const BuildServices& services, const Profile& profile,
                       const Changes& changes);

  // After a build, when there is time: reads the records, so that the next build need not. request: of the next.
  void prepare(const BuildRequest& request, Disk& disk);
  // Whether the last build looked only at what changed.
  bool went_on() const { return went_on_; }
  // Those of the input that the last build knew, the input itself (empty) among them; nothing where they are not kept.
  std::optional<std::vector<std::string>> folders() const;

 private:
  // apply(), before anything is accepted.
  Result<Report> build_next(const BuildRequest& request, const BuildServices& services, const Profile& profile,
                            const Changes& changes);

  bool is_first_ = true;  // nothing was built yet
  bool went_on_ = false;
  std::unique_ptr<LastBuild> last_;     // as the last build left everything, until prepare()
  std::unique_ptr<Resident> resident_;  // ready for the next
};

// The same without a next one.
Result<Report> build(const BuildRequest& request, const BuildServices& services, const Profile& profile);

// Itself, the empty one, and all that are in it.
std::vector<std::string> folders_in(const Tree& tree);

}  // namespace assetc::engine
