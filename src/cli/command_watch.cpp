#include <cstdio>

#include "base/json_line.hpp"
#include "cli/commands.hpp"
#include "engine/watch/watch.hpp"
#include "os/local_socket.hpp"

namespace assetc::cli {
namespace {

class Host final : public engine::WatchHost {
 public:
  Host(const Arguments& arguments, Console& console, engine::Disk& disk)
      : arguments_(arguments), console_(console), disk_(disk) {}

  // The next build: that of `assetc` or, with --platform, of `assetc import` and `assetc cook`.
  Result<engine::BuildTask> next() override {
    if (arguments_.platform.empty()) {
      ASSETC_TRY(engine::Profile profile, load_profile(arguments_, console_, disk_));
      return engine::BuildTask{std::make_shared<const engine::Profile>(std::move(profile)), build_request(arguments_)};
    }
    // The files that it writes wake the watch again; that build finds nothing to do.
    Arguments import = arguments_;
    import.quiet = true;
    run_import(import, console_, disk_);
    return cook_task(arguments_, console_, disk_);
  }

  engine::WatchOutcome build(engine::Session& session, const engine::BuildTask& task,
                             const engine::Changes& changes) override {
    const NextBuild next{session, changes, said_};
    BuildOutcome outcome = build_and_tell(arguments_, console_, disk_, task, &next);
    std::fflush(stdout);  // so that a reader of a pipe gets the output now
    said_.error = outcome.error;
    return {outcome.exit_code == kExitOk, std::move(outcome.report), std::move(outcome.error)};
  }

  void say_unreadable(const Error& error) override {
    stop(arguments_, console_, error);
    said_.error = error;
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

 private:
  const Arguments& arguments_;
  Console& console_;
  engine::Disk& disk_;
  Said said_;
};

}  // namespace

int run_watch(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const auto loop = engine::WatchLoop::open();
  if (!loop) return stop(arguments, console, loop.error());
  Host host(arguments, console, disk);
  const auto ended = engine::watch(host, disk, **loop, {.program = ASSETC_VERSION, .websocket = arguments.websocket});
  return ended ? kExitOk : stop(arguments, console, ended.error());
}

}  // namespace assetc::cli
