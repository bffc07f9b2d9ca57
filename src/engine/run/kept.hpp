// What a process that builds again and again keeps of its last good build, so that the next looks only at what changed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/config/config.hpp"
#include "engine/disk/disk.hpp"
#include "engine/run/build.hpp"

namespace assetc::engine {

struct Resident;

// A build in which nothing failed, as it left everything.
struct LastBuild {
  Profile profile;
  ContentHash environment;  // environment_of()
  CacheStamp cache;
  Tree input, output;
  Totals totals;
  std::vector<recipes::Diagnostic> diagnostics;  // but those of that build alone
};

// Itself, the empty one, and all that are in it.
std::vector<std::string> folders_in(const Tree& tree);

// For builds with the same options, one after another.
class Kept {
 public:
  Kept();
  ~Kept();

  // For the next build: paths below the input that may be other than when the last one began; nothing: any may be.
  void expect(const std::optional<std::vector<std::string>>& changed);
  // After a build, when there is time: reads the records, so that the next build need not.
  void prepare(const Options& options, Disk& disk);
  // Whether the last build since expect() looked only at what changed.
  bool was_used() const { return was_used_; }
  // Those of the input that the last build knew; nothing where they are not kept.
  std::optional<std::vector<std::string>> folders() const;

  // ---- for builds ----

  // What is ready and what changed since, to be kept again by a build that is as good; nothing where a build has to
  // look at everything. Nothing is kept then.
  std::unique_ptr<Resident> take(std::vector<std::string>& changed);
  void keep(LastBuild last);
  void keep(std::unique_ptr<Resident> resident);

 private:
  std::optional<std::vector<std::string>> changed_ = std::vector<std::string>{};
  std::optional<LastBuild> last_;
  std::unique_ptr<Resident> resident_;
  bool was_used_ = false;
};

}  // namespace assetc::engine
