// Builds on machines that share a server: a step that one machine has compiled is downloaded by the others, or compiled
// while they wait.
#include "engine/restore/fetcher.hpp"

#include <thread>

#include "engine/engine_fixture.hpp"
#include "engine/sharing.hpp"

namespace assetc::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class Sharing : public Engine {
 protected:
  static RemoteSettings writing() { return {.endpoint = {.url = "http://cache"}, .writes = true, .races = false}; }
  static RemoteSettings waiting() { return {.endpoint = {.url = "http://cache"}, .races = false}; }
  static RemoteSettings racing() { return {.endpoint = {.url = "http://cache"}}; }

  // Builds like a command on a machine of its own: the sources are those of `disk`, and nothing has been built there.
  Report build_on(Machine& machine) {
    toy::cooked().take();
    machine.disk.copy_files(disk, "assets");
    const BuildServices services{
        .disk = machine.disk, .listener = &events, .store = machine.local.get(), .shared = [&] {
          return &*machine.layered;
        }};
    auto report = engine::build(request, services, profile());
    EXPECT_TRUE(report) << report.error().to_string();
    if (!report) return {};
    EXPECT_TRUE(report->ok) << messages(*report);
    cooked = toy::cooked().take();
    trouble = machine.trouble();
    EXPECT_EQ(machine.disk.tree(profile().output), clean_tree());
    return std::move(*report);
  }
  // Another machine has built the project and uploaded everything.
  Report fill() {
    Machine machine(server, writing());
    Report report = build_on(machine);
    EXPECT_EQ(report.totals.restored, 0u);
    EXPECT_EQ(trouble, "");
    (void)server.take_requests();
    return report;
  }
  void put_project() {
    disk.put("assets/a.pic", "a");
    disk.put("assets/b.pic", large("b"));
    disk.put("assets/c.model",
             "include d.bin\ntry e.bin\npicture a.pic\nwarn soft\nclip\ninside skin " + large("s") + "\n");
    disk.put("assets/d.bin", "bytes");
    disk.put("assets/f.set/one", "1");
  }
  static std::string large(const std::string& word) {
    std::string text = word;
    for (std::uint32_t random = 1; text.size() < 3 * kInlineBytes;)
      text += static_cast<char>('a' + ((random = random * 1664525 + 1013904223) >> 27));
    return text;
  }

  FakeServer server;
  std::string trouble;              // of the last build
  std::vector<std::string> cooked;  // by the last build
};

TEST_F(Sharing, another_machine_compiles_nothing_again) {
  put_project();
  const Report first = fill();
  Machine machine(server, waiting());
  const Report report = build_on(machine);
  EXPECT_THAT(why(report), SizeIs(first.steps.size()));
  EXPECT_EQ(report.totals.ran, 0u);
  EXPECT_EQ(report.totals.restored, first.totals.ran);
  EXPECT_EQ(messages(report), messages(first));
  EXPECT_EQ(trouble, "");
}

TEST_F(Sharing, what_was_made_of_other_files_is_compiled) {
  put_project();
  fill();
  disk.put("assets/d.bin", "other");
  Machine machine(server, waiting());
  build_on(machine);
  EXPECT_THAT(cooked, ElementsAre("c.model"));
}

TEST_F(Sharing, what_came_is_used_without_a_look_into_the_local_store) {
  disk.put("assets/a.pic", "a");
  fill();
  Machine machine(server, waiting());
  machine.disk.after_publish = [&](const std::string& path) {
    if (path.starts_with("cache/")) machine.disk.unreadable.insert(path);
  };
  EXPECT_EQ(build_on(machine).totals.restored, 1u);
}

TEST_F(Sharing, small_products_travel_in_batches) {
  for (int i = 0; i < 40; ++i) disk.put("assets/" + std::to_string(i) + ".pic", std::to_string(i));
  fill();
  const std::size_t batches = server.paths("ac/").size();
  EXPECT_LT(batches, 10u);
  Machine machine(server, waiting());
  EXPECT_EQ(build_on(machine).totals.restored, 40u);
  EXPECT_LE(server.take_requests().size(), batches);
}

TEST_F(Sharing, steps_of_one_key_are_asked_for_once) {
  disk.put("assets/a.pic", large("same"));
  disk.put("assets/b.pic", large("same"));
  fill();
  Machine machine(server, waiting());
  const Report report = build_on(machine);
  EXPECT_EQ(report.totals.ran, 0u);
  EXPECT_EQ(report.totals.restored + report.totals.copied, 2u);
  std::vector<std::string> requests = server.take_requests();
  std::ranges::sort(requests);
  EXPECT_THAT(std::ranges::unique(requests), IsEmpty());
}

TEST_F(Sharing, a_server_that_is_offline_costs_a_warning) {
  put_project();
  const std::uint64_t steps = fill().totals.ran;
  server.fail_reads(FakeServer::Fault{0, "Couldn't connect to server"});
  for (const RemoteSettings& settings : {waiting(), racing()}) {
    Machine machine(server, settings);
    EXPECT_EQ(build_on(machine).totals.ran, steps);
    // If steps are compiled before an answer can arrive, the error is not reported.
    if (!settings.races) {
      EXPECT_THAT(trouble, HasSubstr("Couldn't connect to server"));
    }
  }
}

TEST_F(Sharing, a_server_that_refuses_uploads_costs_a_warning) {
  put_project();
  server.fail_writes(FakeServer::Fault{403, "answered 403: access is denied"});
  Machine machine(server, writing());
  EXPECT_GT(build_on(machine).totals.ran, 0u);
  EXPECT_THAT(trouble, HasSubstr("answered 403"));
  EXPECT_THAT(server.files(), IsEmpty());
}

TEST_F(Sharing, what_the_server_damages_is_compiled) {
  put_project();
  fill();
  const auto files = server.files();
  for (const auto& [path, whole] : files) {
    for (const std::size_t i : {std::size_t{0}, whole.size() / 3, whole.size() / 2, whole.size() - 1}) {
      std::string flipped = whole;
      flipped[i] = static_cast<char>(flipped[i] ^ 0x10);
      for (const std::string& damaged : {flipped, whole.substr(0, i)}) {
        server.put(path, damaged);
        Machine machine(server, waiting());
        build_on(machine);
      }
    }
    server.put(path, whole);
  }
}

TEST_F(Sharing, what_the_server_has_lost_is_compiled) {
  put_project();
  fill();
  for (const auto& [path, bytes] : server.files()) {
    server.erase(path);
    Machine machine(server, waiting());
    const Report report = build_on(machine);
    EXPECT_GT(report.totals.ran, 0u) << path;
    EXPECT_GT(report.totals.restored, 0u) << path;
    EXPECT_EQ(trouble, "");
    server.put(path, bytes);
  }
}

TEST_F(Sharing, products_that_nobody_has_signed_are_compiled) {
  put_project();
  const std::uint64_t steps = fill().totals.ran;
  const auto key = bundle::SigningKey::generate();
  RemoteSettings settings = waiting();
  settings.trust = {key.public_key()};
  Machine machine(server, settings);
  EXPECT_EQ(build_on(machine).totals.ran, steps);
  EXPECT_THAT(trouble, HasSubstr("without a valid signature by a key of cache.trust"));
  for (const auto& [path, bytes] : server.files()) server.erase(path);
  RemoteSettings signing = writing();
  signing.signing = key;
  Machine writer(server, signing);
  build_on(writer);
  Machine believer(server, settings);
  EXPECT_EQ(build_on(believer).totals.restored, steps);
  EXPECT_EQ(trouble, "");
}

TEST_F(Sharing, a_server_that_is_silent_is_not_waited_for) {
  put_project();
  const std::uint64_t steps = fill().totals.ran;
  server.hold();
  Machine machine(server, racing());
  const Report report = build_on(machine);
  EXPECT_EQ(report.totals.ran, steps);
  EXPECT_THAT(server.take_requests(), IsEmpty());
}

TEST_F(Sharing, where_nothing_races_a_slow_server_is_waited_for) {
  disk.put("assets/a.pic", large("a"));
  disk.put("assets/b.pic", large("b"));
  fill();
  server.hold();
  Machine machine(server, waiting());
  std::thread later([&] {
    while (server.held() < 1) std::this_thread::yield();
    server.release();
  });
  const Report report = build_on(machine);
  later.join();
  EXPECT_EQ(report.totals.ran, 0u);
  EXPECT_EQ(report.totals.restored, 2u);
}

TEST_F(Sharing, answers_that_come_while_steps_are_compiled_harm_nothing) {
  for (int i = 0; i < 60; ++i) disk.put("assets/" + std::to_string(i) + ".pic", large(std::to_string(i)));
  fill();
  for (int round = 0; round < 5; ++round) {
    server.hold();
    Machine machine(server, racing());
    std::atomic<bool> ended = false;
    std::thread slow([&] {
      while (!ended) {
        server.release();
        server.hold();
        std::this_thread::yield();
      }
      server.release();
    });
    const Report report = build_on(machine);
    ended = true;
    slow.join();
    EXPECT_EQ(report.totals.ran + report.totals.restored + report.totals.copied, 60u);
  }
}

}  // namespace
}  // namespace assetc::engine
