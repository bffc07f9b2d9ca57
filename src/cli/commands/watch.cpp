// assetc watch: builds after each change, and tells listeners. It prints as a build does, so BuildTeller is its base.
#include "engine/watch/watch.hpp"

#include <chrono>
#include <cstdio>
#include <set>
#include <utility>

#include "base/json_line.hpp"
#include "cli/report/build_teller.hpp"
#include "cli/report/version.hpp"
#include "engine/meta/cook.hpp"
#include "os/local_socket.hpp"

namespace assetc::cli {
namespace {

class WatchTeller final : public BuildTeller, public engine::WatchListener {
 public:
  WatchTeller(const Arguments& arguments, Console& console, engine::Disk& disk)
      : BuildTeller(arguments, console, disk) {
    said_.emplace();
  }

  void end(const engine::BuildTask& task, const Result<engine::Report>& report) override {
    BuildTeller::end(task, report);
    std::fflush(stdout);  // so that a reader of a pipe gets the output now
  }

  void say_unreadable(const Error& error) override {
    stop(arguments_, console_, error);
    said_->error = error;
  }

  void say_places(const engine::WatchPlaces& places) override {
    const std::string socket = os::SocketAddress::kIsFile ? places.socket : os::SocketAddress(places.socket).name();
    if (arguments_.json) {
      JsonObject event = json_event("watching").add("input", places.input).add("socket", socket);
      if (!places.web.empty()) event.add("websocket", places.web);
      console_.out(event.str() + "\n");
    } else if (!arguments_.quiet) {
      const std::string listening = places.web.empty() ? socket : socket + " and " + places.web;
      console_.out("watching " + places.input + "; notifications at " + listening + "\n");
    }
    std::fflush(stdout);  // listeners need the address before the first build ends
  }

  void warn(const Warning& warning) override { console_.diagnostic(warning); }
};

// The next builds of a watch: those of `assetc` or, with --platform, of `assetc import` and `assetc cook`.
class Tasks {
 public:
  Tasks(const Arguments& arguments, Console& console, engine::Disk& disk)
      : arguments_(arguments), console_(console), disk_(disk) {}

  // kCanceled: other programs write now, so the next build must begin again.
  Result<engine::BuildTask> next() {
    if (arguments_.platform.empty()) {
      ASSETC_TRY(engine::Profile profile, load_profile(arguments_, console_, disk_));
      return engine::BuildTask{std::make_shared<const engine::Profile>(std::move(profile)), build_request(arguments_)};
    }
    if (arguments_.dry_run) return cook({}, 0);
    ASSETC_TRY(engine::ImportOptions options, import_options(arguments_));
    options.patience.longest_ns = options.patience.rest_ns;  // once; then the watch looks for a request to end
    const auto start = std::chrono::steady_clock::now();
    ASSETC_TRY(const engine::ImportReport report, engine::import_assets(options, disk_));
    const bool may_cancel = canceled_ < kMostCanceled;
    if (report.is_busy && may_cancel) {
      ++canceled_;
      return fail(ErrorCode::kCanceled, "files change while they are imported");
    }
    // The files that an import writes wake the watch again; that build finds nothing to do.
    Arguments quiet = arguments_;
    quiet.quiet = true;
    tell_import(quiet, console_, report,
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    // Errors that the import has not reported are of files that arrived since.
    std::set<std::string> known;
    for (const Error& error : report.errors) {
      const std::string_view owner = identity::owner_of_meta(error.file);
      known.emplace(owner.empty() ? std::string_view(error.file) : owner);
    }
    return cook([may_cancel, known](const std::string& path) { return may_cancel && !known.contains(path); },
                std::exchange(canceled_, 0));
  }

 private:
  // canceled: how many builds before it in a row.
  Result<engine::BuildTask> cook(const std::function<bool(const std::string&)>& is_arrival, unsigned canceled) {
    const auto identities = [this, canceled, is_arrival](const engine::Profile& profile) {
      auto loaded = engine::load_identities(profile, is_arrival, disk_);
      if (!loaded && loaded.error().code == ErrorCode::kCanceled) canceled_ = canceled + 1;
      return loaded;
    };
    ASSETC_TRY(engine::BuildTask task, cook_task(arguments_, identities, console_, disk_));
    task.gives_way = [this, canceled] {
      if (canceled >= kMostCanceled) return false;
      canceled_ = canceled + 1;
      return true;
    };
    return task;
  }

  // So often may a build begin again, at least a second after the one before, until it says which files have no .meta.
  static constexpr unsigned kMostCanceled = 10;

  const Arguments& arguments_;
  Console& console_;
  engine::Disk& disk_;
  unsigned canceled_ = 0;  // builds in a row
};

}  // namespace

int run_watch(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const auto loop = engine::WatchLoop::open();
  if (!loop) return stop(arguments, console, loop.error());
  WatchTeller teller(arguments, console, disk);
  Tasks tasks(arguments, console, disk);
  const auto ended = engine::watch([&] { return tasks.next(); }, teller, teller, disk, **loop,
                                   {.program = kVersion, .websocket = arguments.websocket});
  return ended ? kExitOk : stop(arguments, console, ended.error());
}

}  // namespace assetc::cli
