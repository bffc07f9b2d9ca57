// The reaction of a watch to changed files, other programs' builds and broken configurations, on a fake disk without an
// operating system.
#include "engine/watch/watch.hpp"

#include <deque>

#include "engine/engine_fixture.hpp"

namespace assetc::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

using Woken = WatchLoop::Woken;

// Returns scripted events. After the last one it tells the program to end.
class ScriptedLoop final : public WatchLoop {
 public:
  Result<void> listen_at(const std::string& socket) override {
    if (is_taken) return fail(ErrorCode::kIo, "cannot listen here: address already in use");
    is_there = true;
    sockets.insert(socket);
    return {};
  }
  bool is_listening() override { return is_there; }
  void greet_with(std::string_view greeting) override { greeting_ = greeting; }
  bool has_listeners() const override { return listeners; }
  void let_all_go() override { ++let_go; }
  Result<std::uint16_t> listen_on(std::uint16_t port) override { return port == 0 ? 1234 : port; }
  const std::optional<Error>& unwatched() const override { return blind; }
  bool watch(const std::vector<std::string>& folders) override {
    const std::set<std::string> now(folders.begin(), folders.end());
    const bool is_new = !std::ranges::includes(watched, now);
    watched = now;
    return is_new;
  }
  Woken wait(std::chrono::milliseconds timeout) override {
    waits.push_back(timeout.count());
    if (script.empty()) return Woken::kStopped;
    const auto next = std::move(script.front());
    script.pop_front();
    return next();
  }
  std::optional<std::vector<std::string>> take_changes() override {
    return std::exchange(changes, std::vector<std::string>{});
  }
  void tell(std::string_view line) override { told.emplace_back(line); }
  void on_refused(std::function<void()> call) override { refuse = std::move(call); }

  std::optional<Error> blind;  // why it does not watch all folders
  std::deque<std::function<Woken()>> script;
  std::vector<std::int64_t> waits;  // the requested timeouts in milliseconds
  std::optional<std::vector<std::string>> changes = std::vector<std::string>{};
  std::set<std::string> watched, sockets;
  std::vector<std::string> told;
  std::string greeting_;
  std::function<void()> refuse;
  bool listeners = true, is_there = false;
  bool is_taken = false;  // another program owns the socket's name
  int let_go = 0;
};

class AWatch : public Engine, public BuildListener, public WatchListener {
 protected:
  Result<BuildTask> next() {
    auto config = parse_config(yaml, "assetc.yml");
    if (!config) return std::unexpected(config.error());
    auto resolved = resolve(*config, {});
    if (!resolved) return std::unexpected(resolved.error());
    return BuildTask{std::make_shared<const Profile>(std::move(*resolved)), request};
  }
  void say(const recipes::Diagnostic& diagnostic) override { ADD_FAILURE() << diagnostic.what.to_string(); }
  void begin(const BuildTask&) override {}
  void on(const Event&) override {}
  void steps_ended() override {}
  void uploading(std::size_t) override {}
  void stores_ended(const std::optional<RemoteStore::Summary>&) override {}
  void end(const BuildTask&, const Result<Report>& report) override {
    went_on.push_back(report && report->went_on);
    for (const recipes::Diagnostic& diagnostic : report ? report->diagnostics : std::vector<recipes::Diagnostic>())
      diagnostics.push_back(diagnostic.what.to_string());
  }
  void say_unreadable(const Error& error) override { unreadable.push_back(error.to_string()); }
  void say_places(const WatchPlaces& said) override { places.push_back(said); }
  void warn(const Warning& error) override { warnings.push_back(error.to_string()); }

  // The next wait ends with this save.
  void save(const std::string& path, const std::string& text) {
    loop.script.emplace_back([this, path, text] {
      disk.put(path, text);
      loop.changes->push_back(path);
      return Woken::kChanged;
    });
  }
  // The next wait reports no event; `meanwhile` runs during it.
  void pass(std::function<void()> meanwhile = [] {}) {
    loop.script.emplace_back([meanwhile = std::move(meanwhile)] {
      meanwhile();
      return Woken::kTimeout;
    });
  }
  void run() {
    const auto ended = watch_with({.program = "1.2.3"});
    EXPECT_TRUE(ended) << ended.error().to_string();
    EXPECT_THAT(loop.script, IsEmpty());
  }

  Result<void> watch_with(WatchSettings settings) {
    settings.environment = [](const char* name) {
      return std::string_view(name) == "ASSETC_CACHE" ? std::optional<std::string>("off") : std::nullopt;
    };
    return watch([this] { return next(); }, *this, *this, disk, loop, settings);
  }

  ScriptedLoop loop;
  std::vector<bool> went_on;  // one entry for each build
  std::vector<std::string> diagnostics;
  std::vector<std::string> unreadable, warnings;
  std::vector<WatchPlaces> places;
};

TEST_F(AWatch, builds_at_once_and_says_where_it_listens) {
  disk.put("assets/a.pic", "a");
  run();
  EXPECT_THAT(went_on, SizeIs(1));
  ASSERT_THAT(places, SizeIs(1));
  EXPECT_EQ(places[0].input, "assets");
  EXPECT_EQ(places[0].socket, "runtime/.assetc-watch");
  EXPECT_EQ(places[0].web, "");
  EXPECT_THAT(loop.watched, ElementsAre(".", "assets"));
  ASSERT_THAT(loop.told, SizeIs(1));
  EXPECT_THAT(loop.told[0], HasSubstr(R"({"event":"built","ok":true,"seconds":)"));
  EXPECT_THAT(loop.told[0],
              HasSubstr(R"("everything":false,"written":["a.ktx2","assets.hman"],"removed":[],"errors":[]})"));
  EXPECT_THAT(loop.greeting_, HasSubstr(R"({"event":"hello","protocol":1,"program":"1.2.3","output":)"));
  EXPECT_THAT(loop.greeting_, HasSubstr(R"("errors":[]})"));
}

// On a network drive, or beyond the system's limit of watched folders.
TEST_F(AWatch, looks_for_changes_that_the_system_does_not_report) {
  for (const bool is_remote : {true, false}) {
    SCOPED_TRACE(is_remote);
    disk.remote = is_remote;
    if (!is_remote) loop.blind = Error{ErrorCode::kLimit, "assets/sub", {}, "the system cannot watch more folders", {}};
    warnings.clear();
    went_on.clear();
    loop.told.clear();
    disk.put("assets/a.pic", is_remote ? "a" : "b");
    for (int i = 0; i < 3; ++i) pass();
    pass([&] { disk.put("assets/sub/new.pic", is_remote ? "new" : "newer"); });
    pass();
    pass([&] { disk.put("assets/a.pic", is_remote ? "second" : "third"); });
    run();
    EXPECT_THAT(went_on, SizeIs(is_remote ? 4 : 3));  // one more after a new folder
    EXPECT_EQ(disk.tree("runtime"), clean_tree());
    EXPECT_THAT(warnings,
                ElementsAre(HasSubstr("so this watch looks for changes itself, once a second or less often")));
  }
}

TEST_F(AWatch, builds_without_a_socket_where_there_can_be_none) {
  loop.is_taken = true;
  disk.put("assets/a.pic", "a");
  save("assets/a.pic", "b");
  run();
  EXPECT_EQ(disk.tree("runtime"), clean_tree());
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("listeners get no messages until then")));
}

TEST_F(AWatch, a_save_is_built_from_what_the_last_build_knew) {
  disk.put("assets/a.pic", "a");
  save("assets/a.pic", "b");
  save("assets/b.pic", "new");
  run();
  EXPECT_THAT(went_on, ElementsAre(false, true, false));  // the manifest lists the new file
  EXPECT_THAT(loop.told, SizeIs(3));
  EXPECT_THAT(loop.told[1], HasSubstr(R"("written":["a.ktx2"])"));
  EXPECT_THAT(loop.told[2], HasSubstr(R"("written":["assets.hman","b.ktx2"])"));
  EXPECT_EQ(disk.tree("runtime"), clean_tree());
}

TEST_F(AWatch, what_turns_out_to_be_nothing_is_not_told) {
  disk.put("assets/a.pic", "a");
  save("assets/a.pic", "a");
  run();
  EXPECT_THAT(loop.told, SizeIs(1));
}

TEST_F(AWatch, watches_folders_that_came) {
  disk.put("assets/a.pic", "a");
  loop.script.emplace_back([this] {
    disk.put("assets/x/b.pic", "b");
    loop.changes->push_back("assets/x");
    return Woken::kChanged;
  });
  run();
  EXPECT_THAT(loop.watched, ElementsAre(".", "assets", "assets/x"));
  EXPECT_THAT(went_on, ElementsAre(false, false, false)) << "built again: it may have changed before it was watched";
  EXPECT_EQ(disk.tree("runtime"), clean_tree());
}

TEST_F(AWatch, what_fails_is_told_until_it_is_mended) {
  disk.put("assets/a.pic", "a");
  save("assets/a.pic", "broken");
  save("assets/a.pic", "mended");
  run();
  ASSERT_THAT(loop.told, SizeIs(3));
  EXPECT_THAT(loop.told[1], HasSubstr(R"("ok":false)"));
  EXPECT_THAT(loop.told[1],
              HasSubstr(R"("file":"a.pic","place":"line 1","what":"found \"broken\", expected a picture")"));
  EXPECT_THAT(loop.told[1], HasSubstr(R"("outputs":["a.ktx2"])"));
  EXPECT_THAT(loop.told[2], HasSubstr(R"("ok":true)"));
  EXPECT_THAT(loop.told[2], HasSubstr(R"("errors":[]})"));
}

TEST_F(AWatch, a_configuration_that_cannot_be_read_is_said_once) {
  disk.put("assets/a.pic", "a");
  const auto configure = [this](const std::string& text) {
    loop.script.emplace_back([this, text] {
      yaml = text;
      loop.changes->push_back("./assetc.yml");
      return Woken::kChanged;
    });
  };
  configure("input: [");
  configure("input: [");
  configure("input: assets");
  run();
  EXPECT_THAT(unreadable, SizeIs(1));
  EXPECT_THAT(went_on, ElementsAre(false, false)) << "built again once it can be read";
  EXPECT_THAT(loop.told, SizeIs(testing::Ge(2u)));
  EXPECT_THAT(loop.told[1], HasSubstr(R"("ok":false)"));
}

TEST_F(AWatch, waits_for_another_build_that_holds_the_output) {
  disk.put("assets/a.pic", "a");
  auto held = disk.lock("runtime/.assetc-cache.lock");
  ASSERT_TRUE(held);
  pass();
  pass([&] { held->reset(); });
  run();
  EXPECT_THAT(loop.waits, ElementsAre(100, 100, 1000));
  EXPECT_THAT(went_on, SizeIs(3));
  EXPECT_THAT(loop.told, SizeIs(1)) << "no event for builds that did not run";
  EXPECT_EQ(disk.tree("runtime"), clean_tree());
}

TEST_F(AWatch, sees_within_a_second_that_another_program_has_built) {
  disk.put("assets/a.pic", "a");
  pass();
  pass([this] {
    disk.put("assets/b.pic", "b");
    EXPECT_TRUE(engine::build(request, {.disk = disk}, profile()));
  });
  run();
  ASSERT_THAT(loop.told, SizeIs(2));
  EXPECT_THAT(loop.told[0], HasSubstr(R"("everything":false)"));
  EXPECT_THAT(loop.told[1], HasSubstr(R"("everything":true)"));
}

// A build that continues from the last one and finds that it must check everything changes the cache before it does so.
TEST_F(AWatch, names_what_changed_where_it_looked_at_everything) {
  disk.put("assets/a.pic", "a");
  disk.put("assets/b.model", "x\n");
  save("assets/b.model", "picture a.pic\n");
  save("assets/a.pic", "c");
  save("assets/a.pic.meta", "m");
  run();
  EXPECT_THAT(went_on, ElementsAre(false, false, true, false));
  for (const std::string& line : loop.told) EXPECT_THAT(line, HasSubstr(R"("everything":false)"));
  EXPECT_THAT(loop.told[1], HasSubstr("b.hmesh"));
  EXPECT_EQ(disk.tree("runtime"), clean_tree());
}

TEST_F(AWatch, looks_at_everything_a_while_after_the_last_save) {
  disk.put("assets/a.pic", "a");
  save("assets/a.pic", "b");
  for (int second = 0; second < 30; ++second) pass();
  run();
  EXPECT_THAT(went_on, ElementsAre(false, true, false));
}

TEST_F(AWatch, listens_anew_where_its_socket_was_taken_away) {
  disk.put("assets/a.pic", "a");
  pass([this] { loop.is_there = false; });
  run();
  EXPECT_TRUE(loop.is_there);
  EXPECT_THAT(went_on, SizeIs(2));
}

TEST_F(AWatch, goes_on_without_listeners_while_something_else_has_its_sockets_name) {
  disk.put("assets/a.pic", "a");
  pass([this] {
    loop.is_there = false;
    loop.is_taken = true;
  });
  save("assets/a.pic", "b");
  pass();
  pass([this] { loop.is_taken = false; });
  pass();
  run();
  EXPECT_THAT(warnings, ElementsAre("cannot listen here: address already in use; listeners get no messages until "
                                    "then; remove the file at this path"));
  EXPECT_TRUE(loop.is_there);
  EXPECT_THAT(went_on, ElementsAre(false, false, true));
}

TEST_F(AWatch, lets_listeners_go_where_the_output_moves) {
  disk.put("assets/a.pic", "a");
  loop.script.emplace_back([this] {
    yaml = "output: elsewhere";
    loop.changes->push_back("./assetc.yml");
    return Woken::kChanged;
  });
  run();
  EXPECT_EQ(loop.let_go, 1);
  EXPECT_THAT(loop.sockets, ElementsAre("elsewhere/.assetc-watch", "runtime/.assetc-watch"));
  ASSERT_THAT(places, SizeIs(2));
  EXPECT_EQ(places[1].socket, "elsewhere/.assetc-watch");
}

TEST_F(AWatch, says_once_that_it_turns_listeners_away) {
  disk.put("assets/a.pic", "a");
  pass([this] {
    loop.refuse();
    loop.refuse();
  });
  run();
  EXPECT_THAT(warnings, ElementsAre("runtime/.assetc-watch: a listener was refused: 128 are connected already; "
                                    "close some of them"));
}

TEST_F(AWatch, an_accept_entry_that_matches_nothing_is_a_warning) {
  yaml = "accept: [{kind: merged-nodes, reason: on purpose}]";
  disk.put("assets/a.pic", "a");
  run();
  EXPECT_THAT(diagnostics, ElementsAre(HasSubstr("the entry matches nothing any more; remove it")));
  ASSERT_THAT(loop.told, SizeIs(1));
  EXPECT_THAT(loop.told[0], HasSubstr(R"({"event":"built","ok":true)"));
}

TEST_F(AWatch, names_the_port_for_pages) {
  const auto ended = watch_with({.program = "1", .websocket = 0});
  ASSERT_TRUE(ended);
  EXPECT_EQ(places.at(0).web, "ws://127.0.0.1:1234");
}

}  // namespace
}  // namespace assetc::engine
