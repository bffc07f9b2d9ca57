// assetc watch: builds after each change, and tells listeners. It prints as a build does, so BuildTeller is its base.
#include "engine/watch/watch.hpp"

#include <cstdio>

#include "base/json_line.hpp"
#include "cli/report/build_teller.hpp"
#include "cli/report/version.hpp"
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

// The next build: that of `assetc` or, with --platform, of `assetc import` and `assetc cook`.
Result<engine::BuildTask> read_task(const Arguments& arguments, Console& console, engine::Disk& disk) {
  if (arguments.platform.empty()) {
    ASSETC_TRY(engine::Profile profile, load_profile(arguments, console, disk));
    return engine::BuildTask{std::make_shared<const engine::Profile>(std::move(profile)), build_request(arguments)};
  }
  // The files that it writes wake the watch again; that build finds nothing to do.
  Arguments import = arguments;
  import.quiet = true;
  run_import(import, console, disk);
  return cook_task(arguments, console, disk);
}

}  // namespace

int run_watch(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const auto loop = engine::WatchLoop::open();
  if (!loop) return stop(arguments, console, loop.error());
  WatchTeller teller(arguments, console, disk);
  const auto ended = engine::watch([&] { return read_task(arguments, console, disk); }, teller, teller, disk, **loop,
                                   {.program = kVersion, .websocket = arguments.websocket});
  return ended ? kExitOk : stop(arguments, console, ended.error());
}

}  // namespace assetc::cli
