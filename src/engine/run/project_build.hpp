// A build of a project as commands and watches run it: it opens the stores of the project, judges the result, and
// leaves the log that `assetc view` shows.
#pragma once

#include <cstddef>
#include <optional>

#include "assetc/base/result.hpp"
#include "engine/config/environment.hpp"
#include "engine/disk/disk.hpp"
#include "engine/remote/stores.hpp"
#include "engine/run/events.hpp"
#include "engine/run/report.hpp"
#include "engine/run/request.hpp"
#include "engine/run/session.hpp"

namespace assetc::engine {

// Follows builds. It only listens: nothing that it does changes a build. Calls come in the order of the functions, from
// one thread at a time.
class BuildListener : public EventSink {
 public:
  // A warning or a note about the stores, at any time.
  virtual void say(const recipes::Diagnostic& diagnostic) = 0;
  // The steps will be planned and run; on() follows. Not called if the request contradicts the configuration.
  virtual void begin(const BuildTask& task) = 0;
  virtual void steps_ended() = 0;
  // Called once a second while uploads to a shared cache are left.
  virtual void uploading(std::size_t left) = 0;
  // shared: how the build used the shared cache, if it used one.
  virtual void stores_ended(const std::optional<RemoteStore::Summary>& shared) = 0;
  // The judged report, or why the build could not start. Always called last.
  virtual void end(const BuildTask& task, const Result<Report>& report) = 0;
};

// Builds and judges:
//   - A shard that the store did not keep has failed, because it has no other output.
//   - BuildRequest::strict: warnings fail the build.
//   - Entries of `accept:` that cover no warning fail the build, or with BuildRequest::tolerates_unmatched are
//   warnings.
// session: null for a build that no other one follows. environment: for the stores. Errors: those of Session::apply();
// kUsage for a shard that no other machine could get.
Result<Report> build_project(const BuildTask& task, Session* session, const Changes& changes, Disk& disk,
                             const Environment& environment, BuildListener& listener);

}  // namespace assetc::engine
