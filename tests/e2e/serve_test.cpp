// assetc serve: outputs over HTTP, the rules of access, and hot reload on another machine.
#include <gmock/gmock.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

#include "assetc/formats/ktx2.hpp"
#include "assetc/http/source.hpp"
#include "assetc/http/watch_events.hpp"
#include "assetc/runtime/assets.hpp"
#include "assetc/runtime/manager.hpp"
#include "e2e/project.hpp"
#include "parsed_json.hpp"

namespace assetc::e2e {
namespace {

using runtime::Changes;
using testing::HasSubstr;

class Serve : public Project {
 protected:
  void SetUp() override {
    Project::SetUp();
    std::signal(SIGINT, SIG_DFL);  // a shell in the background starts programs that ignore it
    write("assets/wood.png", png(8, 8, 1));
    write("assets/ui/logo.png", png(16, 16, 2));
    build("-q");
  }
  void TearDown() override {
    for (const pid_t child : {server_, watch_}) {
      if (child == 0) continue;
      kill(child, SIGINT);
      finish(child);
    }
    Project::TearDown();
  }
  // Starts the server and reads its address.
  void serve(const std::string& arguments = "--port 0", const std::string& environment = "") {
    remove("stdout.txt");  // of an earlier one
    server_ = start("serve --json " + arguments, environment + "exec");
    std::string line;
    while ((line = read("stdout.txt")).find('\n') == std::string::npos) {
      ASSERT_EQ(waitpid(server_, nullptr, WNOHANG), 0) << read("stderr.txt");
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    const Json said = parsed_json(line.substr(0, line.find('\n')));
    EXPECT_EQ(said["event"], "serving");
    address_ = said["address"].as_string();
    token_ = said["token"].as_string();
  }
  void stop_serving() {
    kill(server_, SIGINT);
    EXPECT_EQ(finish(std::exchange(server_, 0)).exit_code, 0);
  }
  http::SourceOptions options() const { return {.url = address_, .bearer = token_}; }
  // The bytes of a file, or the error.
  std::string get(const std::string& path, http::SourceOptions options, std::uint64_t offset = 0) const {
    const auto source = http::Source::open(std::move(options));
    if (!source) return source.error().to_string();
    runtime::Completions completions;
    (*source)->submit({.path = path, .offset_bytes = offset}, completions);
    const auto answer = completions.wait().answer;
    return answer ? std::string(as_text(answer->bytes)) : answer.error().to_string();
  }

  pid_t server_ = 0, watch_ = 0;
  std::string address_, token_;
};

TEST_F(Serve, gives_outputs_and_their_ranges) {
  serve();
  EXPECT_EQ(token_, "") << "on loopback, none is needed";
  const std::string wood = read("runtime/wood.ktx2");
  EXPECT_EQ(get("wood.ktx2", options()), wood);
  EXPECT_EQ(get("wood.ktx2", options(), 100), wood.substr(100));
  EXPECT_EQ(get("ui/logo.ktx2", options()), read("runtime/ui/logo.ktx2"));
  EXPECT_EQ(get("none.ktx2", options()), "none.ktx2: the server answered 404");
  runtime::Catalog catalog;
  const auto mounted = catalog.mount(*http::Source::open(options()), runtime::Layout::kTree, "");
  ASSERT_TRUE(mounted) << mounted.error().to_string();
  EXPECT_EQ(catalog.list().size(), 2u);
}

TEST_F(Serve, does_not_give_other_files) {
  write("secret", "word");
  fs::create_symlink("../secret", root_ / "runtime/link");
  serve();
  for (const char* path : {"link", ".assetc-cache", "ui", ".assetc-build.jsonl"})
    EXPECT_THAT(get(path, options()), HasSubstr("the server answered 404")) << path;
  // Source refuses such paths itself, so they are part of the URL.
  for (const char* folder : {"/..", "/ui/../..", "/%2e%2e", "/..%2f..", "//etc"})
    EXPECT_THAT(get("secret", {.url = address_ + folder}), testing::AnyOf(HasSubstr("404"), HasSubstr("400")))
        << folder;
}

TEST_F(Serve, a_network_needs_a_token) {
  serve("--port 0 --address 0.0.0.0");
  EXPECT_GE(token_.size(), 20u);
  EXPECT_THAT(address_, testing::StartsWith("http://0.0.0.0:"));
  address_.replace(7, 7, "127.0.0.1");
  EXPECT_EQ(get("wood.ktx2", options()), read("runtime/wood.ktx2"));
  for (const char* wrong : {"", "wrong"})
    EXPECT_EQ(get("wood.ktx2", {.url = address_, .bearer = wrong}),
              "wood.ktx2: the server answered 401; check the token and the headers for this server");
}

// A mapping of such a file would end the server, or show the old bytes for ever.
TEST_F(Serve, a_pack_that_another_program_changes_is_what_is_there_now) {
  write("assets/large.bin", std::string(1 << 20, 'a'));  // small files are not mapped anyway
  write("assets/large.bin.embed.yml", "");
  build("-q --pack");
  const std::string first = read("runtime/wood.ktx2");
  serve("--port 0 runtime.hpack");
  const auto etag = [&] {
    const std::string file = (root_ / "head.txt").string();
    EXPECT_EQ(std::system(("curl -sSI '" + address_ + "/wood.ktx2' > '" + file + "'").c_str()), 0);
    const std::string head = read("head.txt");
    const std::size_t at = head.find("ETag: ");
    return at == head.npos ? std::string("none") : head.substr(at, head.find('\r', at) - at);
  };
  EXPECT_EQ(get("wood.ktx2", options()), first);
  EXPECT_EQ(get("wood.ktx2", options(), 100), first.substr(100));
  const std::string tag = etag();
  EXPECT_THAT(tag, testing::StartsWith("ETag: \""));

  const std::string old_pack = read("runtime.hpack");
  write("assets/wood.png", png(16, 16, 7));
  build("-q --pack");
  const std::string second = read("runtime/wood.ktx2");
  ASSERT_NE(first, second);
  EXPECT_EQ(get("wood.ktx2", options()), second) << "replaced";
  EXPECT_NE(etag(), tag);

  fs::resize_file(root_ / "runtime.hpack", 100);
  EXPECT_EQ(get("wood.ktx2", options()), "wood.ktx2: the server answered 503") << "truncated";
  std::ofstream(root_ / "runtime.hpack", std::ios::binary) << old_pack;
  EXPECT_EQ(get("wood.ktx2", options()), first) << "overwritten";
  fs::remove(root_ / "runtime.hpack");
  EXPECT_EQ(get("wood.ktx2", options()), "wood.ktx2: the server answered 404") << "removed";
  stop_serving();
}

// The same for bundles, whose index names blocks: the old index must not be read with the new blocks.
TEST_F(Serve, a_bundle_that_another_program_changes_is_what_is_there_now) {
  fs::remove_all(root_ / "assets");
  const auto bundle_of = [&](std::uint32_t seed, const std::string& name) {
    write("Assets/wall.png", png(256, 256, seed));
    build("import");
    build("cook --platform Linux");
    build("bundle create " + name + " --cooked build/Cooked/Linux");
    build("bundle extract " + name + " -o out");
    const fs::directory_iterator only(root_ / "out/Assets");
    return std::pair(only->path().stem().string(), read_file(only->path()));
  };
  const auto [uuid, first] = bundle_of(1, "base.pak");
  const auto [same_uuid, second] = bundle_of(2, "next.pak");
  ASSERT_EQ(uuid, same_uuid);
  ASSERT_NE(first, second);
  const std::string old_bundle = read("base.pak"), next_bundle = read("next.pak");
  serve("--port 0 base.pak");
  EXPECT_EQ(get(uuid, options()), first);
  fs::rename(root_ / "next.pak", root_ / "base.pak");
  EXPECT_EQ(get(uuid, options()), second) << "renamed over";
  EXPECT_EQ(get(uuid, options(), 100), second.substr(100));
  for (const std::size_t size : {next_bundle.size() - 1, next_bundle.size() / 2, std::size_t{200}, std::size_t{0}}) {
    fs::resize_file(root_ / "base.pak", size);
    EXPECT_EQ(get(uuid, options()), uuid + ": the server answered 503") << "shorter: " << size;
  }
  std::ofstream(root_ / "base.pak", std::ios::binary) << old_bundle;
  EXPECT_EQ(get(uuid, options()), first) << "overwritten";
  std::string damaged = old_bundle;
  damaged[300] = static_cast<char>(damaged[300] ^ 1);
  std::ofstream(root_ / "base.pak", std::ios::binary) << damaged;
  EXPECT_NE(get(uuid, options()), first) << "a changed block";
  fs::remove(root_ / "base.pak");
  EXPECT_EQ(get(uuid, options()), uuid + ": the server answered 404") << "removed";
  std::ofstream(root_ / "base.pak", std::ios::binary) << next_bundle;
  EXPECT_EQ(get(uuid, options()), second) << "there again";
  stop_serving();
}

TEST_F(Serve, gives_the_entries_of_bundles) {
  fs::remove_all(root_ / "assets");
  write("Assets/wall.png", png(256, 256, 1));
  build("import");
  build("cook --platform Linux");
  build("bundle create base.pak --cooked build/Cooked/Linux");
  build("bundle extract base.pak -o out");
  serve("--port 0 base.pak");
  int count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root_ / "out")) {
    if (!entry.is_regular_file()) continue;
    const std::string name = entry.path().stem().string(), bytes = read_file(entry.path());
    EXPECT_EQ(get(name, options()), bytes);
    EXPECT_EQ(get(name, options(), bytes.size() / 2), bytes.substr(bytes.size() / 2));
    ++count;
  }
  EXPECT_EQ(count, 1);
}

TEST_F(Serve, a_token_comes_from_a_file_or_the_environment_too) {
  write("token", "from-file\nsecond line\n");
  EXPECT_THAT(run("serve --token-file token").err, HasSubstr("error: token: holds a secret and belongs to or is open"));
  EXPECT_EQ(run("serve --token-file token --token abc").exit_code, 2);
  serve("--port 0 --token-file token --allow-shared-key");
  EXPECT_EQ(token_, "from-file");
  EXPECT_EQ(get("wood.ktx2", options()), read("runtime/wood.ktx2"));
  stop_serving();
  fs::permissions(root_ / "token", fs::perms::owner_read | fs::perms::owner_write);
  serve("--port 0 --token-file token", "ASSETC_SERVE_TOKEN=other ");
  EXPECT_EQ(token_, "from-file");
  EXPECT_THAT(get("wood.ktx2", {.url = address_}), HasSubstr("401"));
  EXPECT_EQ(get("wood.ktx2", options()), read("runtime/wood.ktx2"));
  stop_serving();
  serve("--port 0", "ASSETC_SERVE_TOKEN=other ");
  EXPECT_EQ(token_, "other");
  EXPECT_THAT(get("wood.ktx2", {.url = address_}), HasSubstr("401"));
}

TEST_F(Serve, every_flag_has_an_effect) {
  write("assetc.yml", "presets: {phone: {output: phone, texture: {format: etc2}}}\n");
  build("-q --preset phone");
  build("-q -o other");
  serve("--port 0 --token abc --preset phone");
  EXPECT_EQ(token_, "abc");
  const std::string port = address_.substr(address_.rfind(':') + 1);
  EXPECT_EQ(get("wood.ktx2", options()), read("phone/wood.ktx2"));
  EXPECT_THAT(get("wood.ktx2", {.url = address_}), HasSubstr("401"));
  stop_serving();
  serve("--port " + port + " -o other");
  EXPECT_EQ(address_.substr(address_.rfind(':') + 1), port);
  EXPECT_EQ(get("wood.ktx2", options()), read("other/wood.ktx2"));
  const Finished second = run("serve --port " + port);
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_THAT(second.err, HasSubstr("choose another port, or 0 for any free port"));
  EXPECT_EQ(run("serve --address nowhere").exit_code, 2);
  const Finished path = run("serve --allow-origin http://localhost:5173 --allow-origin http://localhost/game");
  EXPECT_EQ(path.exit_code, 2);  // web/runtime/test has pages of allowed and of other origins
  EXPECT_THAT(path.err, HasSubstr("found the origin \"http://localhost/game\", expected a scheme, a host"));
  stop_serving();
  serve("--port 0 runtime/ui");
  EXPECT_EQ(get("logo.ktx2", options()), read("runtime/ui/logo.ktx2"));
}

TEST_F(Serve, a_save_reloads_an_asset_on_another_machine) {
  serve();
  watch_ = start("watch -q", "exec");
  const auto source = http::Source::open(options());
  ASSERT_TRUE(source);
  runtime::Catalog catalog;
  const auto mounted = catalog.mount(*source, runtime::Layout::kTree, "");
  ASSERT_TRUE(mounted) << mounted.error().to_string();
  runtime::Manager manager(catalog);
  runtime::add_loaders(manager);
  const auto wood = manager.load<runtime::TextureData>("wood.ktx2");
  ASSERT_TRUE(wood.is_ready());
  EXPECT_EQ(wood.get()->levels[0].width_texels, 8u);
  const auto events = http::WatchEvents::open(options(), [&](const Changes& changes) {
    (*source)->changed(changes);
    manager.changed(changes);
  });
  ASSERT_TRUE(events);
  while (!(*events)->is_connected()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  write("assets/wood.png", png(32, 32, 3));
  for (int frame = 0; frame < 6000 && wood.get()->levels[0].width_texels != 32; ++frame) {
    manager.pump();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(wood.get()->levels[0].width_texels, 32u);
}

}  // namespace
}  // namespace assetc::e2e
