// assetc watch: the events for listeners, and the final build after any sequence of saves.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <csignal>
#include <cstdlib>
#include <map>
#include <optional>
#include <random>
#include <thread>

#include "assetc/formats/ktx2.hpp"
#include "assetc/runtime/manager.hpp"
#include "assetc/runtime/watch_client.hpp"
#include "e2e/project.hpp"
#include "parsed_json.hpp"

namespace assetc::e2e {
namespace {

using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr int kPatienceMs = 60'000;  // only a broken program is this slow

class Listener {
 public:
  ~Listener() {
    if (socket_ >= 0) close(socket_);
  }
  bool connect_to(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) return false;
    std::ranges::copy(path, address.sun_path);
    for (int waited = 0; waited < kPatienceMs; waited += 10) {
      socket_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
      if (connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return true;
      close(std::exchange(socket_, -1));
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
  // The next line, or null if none comes.
  Json next() {
    for (;;) {
      if (const std::size_t end = text_.find('\n'); end != std::string::npos) {
        Json line = parsed_json(text_.substr(0, end));
        text_.erase(0, end + 1);
        return line;
      }
      pollfd waits{socket_, POLLIN, 0};
      char bytes[4096];
      if (poll(&waits, 1, kPatienceMs) != 1) return nullptr;
      const ssize_t size = recv(socket_, bytes, sizeof bytes, 0);
      if (size <= 0) return nullptr;
      text_.append(bytes, static_cast<std::size_t>(size));
    }
  }
  bool is_over() { return next().is_null(); }

 private:
  int socket_ = -1;
  std::string text_;
};

class Watch : public Project {
 protected:
  void SetUp() override {
    Project::SetUp();
    std::signal(SIGINT, SIG_DFL);  // a shell in the background starts programs that ignore it
    write("assets/wood.png", png(8, 8, 1));
    write("assets/mats/red.mat", "base_color: [1, 0, 0]\n");
    build("-q");
  }
  void TearDown() override {
    if (child_ != 0) stop();
    Project::TearDown();
  }
  void watch(const std::string& more = {}, const std::string& output = "runtime") {
    child_ = start("watch " + more, "exec");
    ASSERT_TRUE(listener_.connect_to((root_ / output / ".assetc-watch").string()));
    const Json hello = listener_.next();
    EXPECT_EQ(hello["event"], "hello");
    EXPECT_EQ(hello["protocol"], 1);
    EXPECT_EQ(hello["output"], fs::canonical(root_ / output).string());
    // A listener that connects before the first build receives its result.
    if (!hello.contains("errors")) {
      EXPECT_EQ(listener_.next()["event"], "built");
    }
  }
  Finished stop(int signal = SIGINT) {
    kill(child_, signal);
    return finish(std::exchange(child_, 0));
  }
  // A save may be seen in two parts.
  void until_ok(bool ok) {
    Json line;
    do {
      line = listener_.next();
    } while (!line.is_null() && line["ok"].as_bool() != ok);
    EXPECT_FALSE(line.is_null());
  }
  // Builds beside the watch, whose own build may hold the output for a moment.
  void build_beside(const std::string& arguments) const {
    Finished done;
    for (int waited = 0; waited < kPatienceMs; waited += 10) {
      done = run(arguments);
      if (done.err.find("is writing this output") == std::string::npos) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_EQ(done.exit_code, 0) << "assetc " << arguments << "\n" << done.out << done.err;
  }
  // Reads events until one reports this output as written.
  void written_until(const std::string& path) {
    for (;;) {
      const Json line = listener_.next();
      if (line.is_null()) {
        ADD_FAILURE() << "no event reports that " << path << " was written";
        return;
      }
      if (!line.contains("written")) continue;
      const auto written = texts_in(line["written"]);
      if (std::ranges::find(written, path) != written.end()) return;
    }
  }

  pid_t child_ = 0;
  Listener listener_;
};

TEST_F(Watch, tells_what_a_save_changed) {
  watch();
  write("assets/wood.png", png(8, 8, 2));
  const Json line = listener_.next();
  EXPECT_EQ(line["event"], "built");
  EXPECT_EQ(line["ok"], true);
  EXPECT_THAT(texts_in(line["written"]), ElementsAre("wood.ktx2"));
  EXPECT_TRUE(line["errors"].empty());
  const auto built = tree();
  const Finished done = stop();
  EXPECT_THAT(done.exit_code, AnyOf(0, 130)) << "130 where the signal came in the middle of one more build";
  EXPECT_THAT(done.out, HasSubstr("watching assets; notifications at runtime/.assetc-watch"));
  EXPECT_THAT(done.out, HasSubstr("1 built"));
  EXPECT_THAT(build().out, HasSubstr("0 built"));
  build("-q --no-cache");
  EXPECT_EQ(tree(), built);
}

TEST_F(Watch, sees_new_folders_what_goes_and_the_configuration) {
  watch();
  write("assets/deep/er/new.png", png(8, 8, 3));
  written_until("deep/er/new.ktx2");
  write("assets/deep/er/newer.png", png(8, 8, 4));
  written_until("deep/er/newer.ktx2");
  remove("assets/deep");
  Json line = listener_.next();
  while (!line.is_null() && line["removed"].size() < 2) {
    // A removal is several changes; the first event may come after some of them.
    Json more = listener_.next();
    if (more.is_null()) break;
    for (const Json& path : more["removed"].items()) line["removed"].push_back(path);
  }
  EXPECT_EQ(line["removed"].size(), 2u) << line;
  write("assetc.yml", "default: {texture: {compress: false}}\n");
  written_until("wood.ktx2");
}

TEST_F(Watch, what_changed_alone_is_built_and_that_is_all) {
  const auto obj = [](int size) {
    return "mtllib all.mtl\nusemtl red\nv 0 0 0\nv " + std::to_string(size) + " 0 0\nv 0 1 0\nf 1 2 3\n";
  };
  for (int i = 0; i < 3; ++i) write("assets/models/" + std::to_string(i) + ".obj", obj(i + 1));
  write("assets/models/all.mtl", "newmtl red\nKd 1 0 0\n");
  build("-q");
  watch("-q");
  std::mt19937 random(11);
  for (int i = 0; i < 40; ++i) {
    const std::string one = std::to_string(random() % 3);
    const int size = static_cast<int>(2 + random() % 50);
    switch (random() % 8) {
      case 0:
        write("assets/models/all.mtl", "newmtl red\nKd 0." + std::to_string(size) + " 0 0\n");
        break;
      case 1:
        write("assets/models/" + one + ".obj", obj(size));
        break;
      case 2:
        write("assets/models/" + one + ".png", png(4, 4, random()));
        break;
      case 3:
        remove("assets/models/" + one + ".png");
        break;
      case 4:
        if (exists("assets/models/" + one + ".png"))
          fs::rename(root_ / ("assets/models/" + one + ".png"), root_ / "assets/moved.png");
        break;
      case 5:  // files that editors leave behind
        write("assets/models/." + one + ".obj.swp", "");
        write("assets/models/" + one + ".obj~", "");
        break;
      case 6:
        remove("assets/models/." + one + ".obj.swp");
        remove("assets/models/" + one + ".obj~");
        break;
      case 7:
        write("assets/mats/red.mat", size % 2 == 0 ? "base_color: red\n" : "base_color: [0, 1, 0]\n");
        break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 60));
  }
  write("assets/mats/red.mat", "base_color: [0, 0, 1]\n");
  write("assets/wood.png", png(8, 8, random()));
  written_until("wood.ktx2");
  stop();
  const auto built = tree();
  EXPECT_THAT(build().out, HasSubstr(" 0 built")) << "a build after a watch has nothing to do";
  EXPECT_EQ(tree(), built);
  build("-q --no-cache");
  EXPECT_EQ(tree(), built);
}

TEST_F(Watch, a_failure_is_told_and_the_next_save_mends_it) {
  watch();
  write("assets/mats/red.mat", "base_color: red\n");
  Json line = listener_.next();
  EXPECT_EQ(line["ok"], false);
  ASSERT_EQ(line["errors"].size(), 1u);
  EXPECT_EQ(line["errors"][0]["file"], "mats/red.mat");
  EXPECT_NE(line["errors"][0]["place"], "");
  write("assets/mats/red.mat", "base_color: [0.5, 0, 0]\n");
  do {
    line = listener_.next();
  } while (!line.is_null() && !line["ok"].as_bool());
  EXPECT_THAT(texts_in(line["written"]), ElementsAre("mats/red.hmat"));

  write("assetc.yml", "default: [\n");
  do {
    line = listener_.next();
  } while (!line.is_null() && line["ok"].as_bool());
  EXPECT_EQ(line["errors"][0]["file"], "assetc.yml");
  write("assetc.yml", "default: {texture: {compress: false}}\n");
  written_until("wood.ktx2");
}

TEST_F(Watch, a_mistake_that_is_taken_back_is_told_though_no_step_runs) {
  const std::string good = read("assets/wood.png");
  watch();
  write("assets/wood.png", "no picture");
  until_ok(false);
  write("assets/wood.png", good);
  until_ok(true);
  const Finished done = stop();
  EXPECT_THAT(done.err, HasSubstr("error: wood.png: "));
  const std::size_t failed = done.out.rfind(", 1 failed");
  ASSERT_NE(failed, std::string::npos) << done.out;
  EXPECT_THAT(done.out.substr(failed), HasSubstr("2 sources: 0 built, 2 up to date; "));
  EXPECT_THAT(read("runtime/.assetc-cache-build"), Not(HasSubstr("\"severity\":\"error\"")));
}

TEST_F(Watch, keep_going_leaves_an_incomplete_manifest_until_all_is_mended) {
  watch("--keep-going");
  write("assets/wood.png", "no picture");
  until_ok(false);
  EXPECT_THAT(run("info runtime/assets.hman").out, HasSubstr("incomplete"));
  write("assets/wood.png", png(8, 8, 2));
  until_ok(true);
  EXPECT_THAT(run("info runtime/assets.hman").out, Not(HasSubstr("incomplete")));
}

// Another program may have built the saved change, or a change that only it knows of.
TEST_F(Watch, what_others_build_is_told) {
  watch();
  write("assets/wood.png", png(8, 8, 2));
  written_until("wood.ktx2");
  const auto foreign = [&] {
    Json line;
    do {
      line = listener_.next();
    } while (!line.is_null() && !line["everything"].as_bool());
    return line;
  };
  fs::remove(root_ / "runtime/wood.ktx2");
  build_beside("-q");
  Json line = foreign();
  EXPECT_EQ(line["ok"], true) << line;
  EXPECT_TRUE(line["errors"].empty()) << line;
  // The watch's own change is not reported as another program's.
  write("assets/wood.png", png(8, 8, 3));
  do {
    line = listener_.next();
  } while (!line.is_null() && line["written"].empty());
  EXPECT_EQ(line["everything"], false) << line;
  // Both build at once: whichever is first, listeners receive the event and no error.
  for (std::uint8_t i = 4; i < 12 && !HasFailure(); ++i) {
    write("assets/wood.png", png(8, 8, i));
    run("-q");  // one of the two may find the lock taken
    bool heard = false;
    while (!heard && !HasFailure()) {
      line = listener_.next();
      ASSERT_FALSE(line.is_null());
      EXPECT_EQ(line["ok"], true) << line;
      const auto written = texts_in(line["written"]);
      heard = line["everything"].as_bool() || std::ranges::find(written, "wood.ktx2") != written.end();
    }
  }
}

TEST_F(Watch, has_the_last_word_where_others_build_the_same_sources_otherwise) {
  write("assetc.yml", "presets: {raw: {texture: {compress: false}}}\n");
  watch();
  write("assets/wood.png", png(8, 8, 2));
  written_until("wood.ktx2");
  const auto built = tree();
  build_beside("-q --preset raw");
  written_until("wood.ktx2");
  EXPECT_EQ(tree(), built);
}

TEST_F(Watch, waits_for_a_build_that_holds_the_output) {
  watch();
  const int lock = open((root_ / "runtime/.assetc-cache.lock").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(flock(lock, LOCK_EX), 0);
  write("assets/wood.png", png(8, 8, 2));
  const std::string held = "is writing this output";
  for (int waited = 0; waited < kPatienceMs && read("stderr.txt").find(held) == std::string::npos; waited += 10)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  close(lock);
  const Json line = listener_.next();
  EXPECT_EQ(line["ok"], true) << line;
  EXPECT_THAT(texts_in(line["written"]), ElementsAre("wood.ktx2"));
  const std::string said = stop().err;
  EXPECT_THAT(said, Not(HasSubstr("error:")));
  const std::size_t first = said.find(held);
  ASSERT_NE(first, std::string::npos) << said;
  EXPECT_EQ(said.find(held, first + 1), std::string::npos) << said;
}

TEST_F(Watch, listens_again_where_its_socket_was_removed) {
  watch();
  fs::remove(root_ / "runtime/.assetc-watch");
  Listener other;
  ASSERT_TRUE(other.connect_to((root_ / "runtime/.assetc-watch").string()));
  EXPECT_EQ(other.next()["event"], "hello");
}

TEST_F(Watch, listens_again_where_its_output_was_removed_or_has_moved) {
  watch();
  fs::rename(root_ / "runtime", root_ / "gone");
  fs::remove_all(root_ / "gone");
  written_until("wood.ktx2");
  Listener again;
  ASSERT_TRUE(again.connect_to((root_ / "runtime/.assetc-watch").string()));
  EXPECT_EQ(again.next()["event"], "hello");
  write("assets/wood.png", png(8, 8, 2));
  EXPECT_EQ(again.next()["event"], "built");
  write("assetc.yml", "output: other\n");
  Listener moved;
  ASSERT_TRUE(moved.connect_to((root_ / "other/.assetc-watch").string()));
  const Json hello = moved.next();
  EXPECT_EQ(hello["output"], fs::canonical(root_ / "other").string());
  EXPECT_FALSE(exists("runtime/.assetc-watch"));
  while (!again.is_over()) continue;  // the old watch has no more events
  write("assets/wood.png", png(8, 8, 3));
  for (Json line = moved.next(); !line.is_null() && line["written"].empty(); line = moved.next()) continue;
  EXPECT_TRUE(exists("other/wood.ktx2"));
}

TEST_F(Watch, who_comes_late_hears_what_is_broken_and_nothing_is_told_twice) {
  write("assets/mats/red.mat", "base_color: red\n");
  watch();
  Listener late;
  Json hello;
  do {
    late = {};
    ASSERT_TRUE(late.connect_to((root_ / "runtime/.assetc-watch").string()));
    hello = late.next();
  } while (!hello.is_null() && !hello.contains("errors"));
  ASSERT_EQ(hello["errors"].size(), 1u) << hello;
  EXPECT_EQ(hello["errors"][0]["file"], "mats/red.mat");
  EXPECT_THAT(texts_in(hello["errors"][0]["outputs"]), ElementsAre("mats/red.hmat"));
  // A save of a file that is not a source: the errors stay the same.
  write("assets/notes.unknown", "x");
  write("assets/mats/red.mat", "base_color: blue\n");
  Json line;
  do {
    line = late.next();
    ASSERT_FALSE(line.is_null());
    for (const char* const name : {"ok", "seconds", "everything", "written", "removed", "errors"})
      EXPECT_TRUE(line.contains(name)) << name << line;
  } while (!HasFailure() && line["errors"] == hello["errors"] && (line["written"].empty() || line["ok"].as_bool()));
  EXPECT_NE(line["errors"], hello["errors"]) << "reported twice";
  write("assetc.yml", "default: [\n");
  do {
    line = late.next();
  } while (!line.is_null() && line["errors"][0]["file"] != "assetc.yml");
  for (const char* const name : {"ok", "seconds", "everything", "written", "removed"})
    EXPECT_TRUE(line.contains(name)) << name << line;
}

TEST_F(Watch, warnings_are_said_once) {
  write("assets/mats/red.mat", "base_color: [1, 0, 0]\nnot_a_key: 1\n");
  watch();
  for (std::uint8_t i = 2; i < 5; ++i) {
    write("assets/wood.png", png(8, 8, i));
    written_until("wood.ktx2");
  }
  const std::string said = stop().err;
  const std::size_t first = said.find("not_a_key");
  ASSERT_NE(first, std::string::npos) << said;
  EXPECT_EQ(said.find("not_a_key", first + 1), std::string::npos) << said;
  EXPECT_THAT(said, HasSubstr("1 warning already reported; --warnings lists all"));
}

TEST_F(Watch, accepts_warnings_and_says_once_where_nothing_is_left_to_accept) {
  write("assets/mats/red.mat", "base_color: [1, 0, 0]\nnot_a_key: 1\n");
  write("assetc.yml", "accept: [{kind: unknown-key, reason: known}]\n");
  watch();
  write("assets/wood.png", png(8, 8, 2));
  written_until("wood.ktx2");
  for (std::uint8_t i = 3; i < 5; ++i) {
    write("assets/mats/red.mat", "base_color: [1, 0, 0." + std::to_string(i) + "]\n");
    written_until("mats/red.hmat");
  }
  const std::string said = stop().err;
  EXPECT_EQ(said.find("not_a_key"), std::string::npos) << said;
  const std::size_t first = said.find("accept: no warning is of the kind unknown-key");
  ASSERT_NE(first, std::string::npos) << said;
  EXPECT_EQ(said.find("accept: no warning", first + 1), std::string::npos) << said;
}

TEST_F(Watch, one_watch_an_output_and_a_killed_one_stands_in_nobodys_way) {
  watch();
  const Finished second = run("watch -q");
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_THAT(second.err, HasSubstr("another watch of this output is running"));
  stop(SIGKILL);
  EXPECT_TRUE(listener_.is_over());
  EXPECT_TRUE(exists("runtime/.assetc-watch")) << "left by a killed watch";
  listener_ = {};
  watch();
}

TEST_F(Watch, listeners_come_and_go) {
  watch();
  for (int i = 0; i < 100; ++i) {
    Listener other;
    ASSERT_TRUE(other.connect_to((root_ / "runtime/.assetc-watch").string()));
  }
  // Closed connections count until the watch has noticed.
  Listener other;
  Json hello;
  while (hello.is_null()) {
    other = {};
    ASSERT_TRUE(other.connect_to((root_ / "runtime/.assetc-watch").string()));
    hello = other.next();
  }
  EXPECT_EQ(hello["event"], "hello");
  write("assets/wood.png", png(8, 8, 5));
  EXPECT_EQ(other.next()["event"], "built");
  EXPECT_EQ(listener_.next()["event"], "built");
}

TEST_F(Watch, what_keeps_builds_from_starting_is_said_once_and_looked_at_again) {
  watch();
  fs::rename(root_ / "assets", root_ / "elsewhere");
  Json line = listener_.next();
  while (!line.is_null() && line["ok"].as_bool()) line = listener_.next();
  EXPECT_EQ(line["errors"][0]["file"], "assets");
  for (int look = 0; look < 2; ++look) {  // the watch restores the socket each time
    fs::remove(root_ / "runtime/.assetc-watch");
    while (!exists("runtime/.assetc-watch")) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  fs::rename(root_ / "elsewhere", root_ / "assets");
  write("assets/wood.png", png(8, 8, 2));
  line = listener_.next();
  EXPECT_EQ(line["ok"], true) << line;
  const std::string said = stop().err;
  const std::size_t first = said.find("the input directory does not exist");
  ASSERT_NE(first, std::string::npos) << said;
  EXPECT_EQ(said.find("the input directory does not exist", first + 1), std::string::npos) << said;
}

TEST_F(Watch, cooks_for_a_platform) {
  write("Assets/Textures/wood.png", png(8, 8, 1));
  watch("--platform Win64", "build/Cooked/Win64");
  write("Assets/Textures/new.png", png(8, 8, 2));
  do {
    written_until("Registry/AssetRegistry.json");
  } while (!HasFailure() &&
           read("build/Cooked/Win64/Registry/AssetRegistry.json").find("Textures/new") == std::string::npos);
  EXPECT_TRUE(exists("Assets/Textures/wood.png.meta"));
  stop();
  const auto built = tree("build/Cooked/Win64");
  build("import --check");
  build("cook --platform Win64 --no-cache -q");
  EXPECT_EQ(tree("build/Cooked/Win64"), built);
}

// A running engine: it has loaded everything and reloads saved assets.
class Engine {
 public:
  explicit Engine(const std::string& folder) {
    runtime::Catalog catalog;
    EXPECT_TRUE(catalog.mount(folder));
    manager_.emplace(catalog, runtime::ManagerOptions{.jobs = pool_.jobs(),
                                                      .on_failure = [this](const runtime::Failure&) { ++failures; }});
    manager_->add<Bytes>(aas1::Type::kTexture2D, {.decode = [](runtime::LoadInput& in) -> Result<Bytes> {
                           ASSETC_CHECK(ktx2::View::open(in.bytes));
                           return in.bytes;
                         }});
    client_.emplace(folder, [this](const runtime::Changes& changes) { manager_->changed(changes); });
  }
  void hold(const std::string& path) {
    refs_.emplace(path,
                  manager_->load_async<Bytes>({.path_hash = hash_embed_ref(path), .type = aas1::Type::kTexture2D}));
  }
  std::string bytes_of(const std::string& path) const {
    const Bytes* bytes = refs_.at(path).get();
    return bytes == nullptr ? "" : std::string(as_text(*bytes));
  }
  // Runs frames until the reported file is loaded with these bytes.
  void run_until(const std::string& path, const std::string& bytes) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kPatienceMs);
    do {
      frame();
      std::this_thread::yield();
    } while ((bytes_of(path) != bytes || manager_->stats().loading > 0) && std::chrono::steady_clock::now() < end);
  }
  void frame() { manager_->pump(); }

  std::size_t failures = 0;

 private:
  runtime::ThreadPool pool_{2};
  std::optional<runtime::Manager> manager_;
  std::map<std::string, runtime::AssetRef<Bytes>> refs_;
  std::optional<runtime::WatchClient> client_;
};

// ASSETC_SAVES sets the number of saves.
TEST_F(Watch, whatever_saves_do_the_last_state_is_built_and_in_the_engine) {
  const char* asked = std::getenv("ASSETC_SAVES");
  const int saves = asked != nullptr ? std::atoi(asked) : 60;
  watch("-q");
  Engine engine((root_ / "runtime").string());
  for (int i = 0; i < 12; ++i) engine.hold("folder" + std::to_string(i % 3) + "/" + std::to_string(i / 3) + ".ktx2");
  engine.hold("last.ktx2");
  std::mt19937 random(7);
  for (int i = 0; i < saves; ++i) {
    engine.frame();
    const std::string name =
        "assets/folder" + std::to_string(random() % 3) + "/" + std::to_string(random() % 4) + ".png";
    const std::string good = png(4, 4, random());
    switch (random() % 6) {
      case 0:  // in place, in two writes
        write(name, good.substr(0, good.size() / 2));
        std::this_thread::sleep_for(std::chrono::milliseconds(random() % 20));
        write(name, good);
        break;
      case 1:  // a new file, then renamed
        write(name + ".tmp", good);
        fs::rename(root_ / (name + ".tmp"), root_ / name);
        break;
      case 2:
        remove(name);
        break;
      case 3:
        remove(fs::path(name).parent_path().string());
        break;
      case 4:  // incomplete for a while
        write(name, good.substr(0, random() % good.size()));
        break;
      default:
        write(name, good);
    }
    if (random() % 3 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(random() % 60));
  }
  for (int folder = 0; folder < 3; ++folder) {
    for (int i = 0; i < 4; ++i)
      write("assets/folder" + std::to_string(folder) + "/" + std::to_string(i) + ".png", png(4, 4, random()));
  }
  // The last save: when it is built, all earlier ones are built too.
  write("assets/last.png", png(4, 4, random()));
  written_until("last.ktx2");
  engine.run_until("last.ktx2", tree().at("last.ktx2"));
  const Finished done = stop();
  EXPECT_THAT(done.exit_code, AnyOf(0, 130));
  const auto built = tree();
  build("-q --no-cache");
  EXPECT_EQ(tree(), built);
  for (const auto& [path, bytes] : built) {
    if (!path.starts_with("folder")) continue;
    EXPECT_EQ(engine.bytes_of(path), bytes) << path;
  }
  EXPECT_EQ(engine.bytes_of("last.ktx2"), built.at("last.ktx2"));
  EXPECT_GE(engine.failures, 13u) << "no asset existed at first";
}

}  // namespace
}  // namespace assetc::e2e
