// Tells the user of builds: progress, messages and a summary, and the files of --trace, --report and --sarif.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/commands/store.hpp"
#include "cli/report/build_report.hpp"
#include "cli/report/trace.hpp"
#include "engine/run/project_build.hpp"

namespace assetc::cli {

// The messages that a watch printed for its last build. It does not repeat them.
struct Said {
  std::optional<Error> error;  // why the build could not start
  std::set<std::string> warnings;
  std::set<std::string> of_stores;  // what stores have said in any build: they are opened for each
};

class BuildTeller : public engine::BuildListener {
 public:
  // All arguments must outlive it.
  BuildTeller(const Arguments& arguments, Console& console, engine::Disk& disk)
      : arguments_(arguments), console_(console), disk_(disk) {}

  void say(const recipes::Diagnostic& diagnostic) override;
  void begin(const engine::BuildTask& task) override;
  void on(const engine::Event& event) override;
  void steps_ended() override;
  void uploading(std::size_t left) override;
  void stores_ended(const std::optional<engine::RemoteStore::Summary>& shared) override;
  void end(const engine::BuildTask& task, const Result<engine::Report>& report) override;

  // Of the last build.
  int exit_code() const { return exit_code_; }

 protected:
  const Arguments& arguments_;
  Console& console_;
  engine::Disk& disk_;
  std::optional<Said> said_;  // by earlier builds; nothing outside a watch

 private:
  void end_failed(const engine::BuildTask& task, const Error& error);
  void print(const engine::BuildTask& task, const engine::Report& report);
  bool write_records(const engine::BuildTask& task, const Result<engine::Report>& report);
  bool write_record(const std::string& path, const std::string& text);

  int exit_code_ = kExitOk;
  std::unique_ptr<engine::EventSink> progress_;
  std::optional<TraceRecorder> trace_;
  std::optional<BuildReporter> reporter_;
  engine::EventSink* sink_ = nullptr;          // the first of them
  double built_us_ = 0;                        // in the trace
  std::vector<recipes::Diagnostic> failures_;  // errors of steps, for a build that stops before it has a report
  std::optional<UploadLines> uploads_;
  std::optional<engine::RemoteStore::Summary> shared_;
};

// Builds once and tells the user. Applies --shard and --costs. Returns the exit code.
int build_and_tell(const Arguments& arguments, Console& console, engine::Disk& disk, engine::BuildTask task);

}  // namespace assetc::cli
