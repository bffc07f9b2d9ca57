// assetc view: the export, the server's answers over HTTP (by curl), and each of its options.
#include <gmock/gmock.h>

#include "e2e/project.hpp"
#include "parsed_json.hpp"
#include "places.hpp"

namespace assetc::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class View : public Project {
 protected:
  void SetUp() override {
    Project::SetUp();
    if (!fs::exists(fs::path(places::kBinary) / "../web/page/index.html"))
      GTEST_SKIP() << "skipped: scripts/build-web has not built the page";
    write("assets/wall.png", png(16, 16, 1));
    write("assets/floor.png", png(8, 8, 2));
    write("assetc.yml", "budgets:\n  - match: \"**\"\n    bytes: 1M\n");
    ASSERT_EQ(run("").exit_code, 0);
  }
  void TearDown() override {
    if (server_ > 0) {
      kill(server_, SIGTERM);
      EXPECT_EQ(finish(server_).exit_code, 0) << "SIGTERM ends it";
    }
    Project::TearDown();
  }
  // Starts a server, and reads its address and token.
  void serve(const std::string& arguments) {
    server_ = start("view --no-browser --json " + arguments, "exec");
    std::string line;
    for (int tries = 0; tries < 3000 && line.find('\n') == line.npos; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      line = read("stdout.txt");
    }
    const std::string address = parsed_json(line.substr(0, line.find('\n')))["address"].as_string();
    base_ = address.substr(0, address.find('#'));
    token_ = address.substr(address.find('#') + 1);
  }
  // What curl prints for a path: status line, headers and body.
  std::string get(const std::string& path, const std::string& options = {}) const {
    const std::string file = (root_ / "answer").string();
    EXPECT_EQ(
        std::system(("curl -sS -i --path-as-is --max-time 60 " + options + " -o '" + file + "' '" + base_ + path + "'")
                        .c_str()),
        0);
    return read_file(file);
  }
  std::string data(const std::string& path, const std::string& options = {}) const {
    return get("data/" + path, "-H 'Authorization: Bearer " + token_ + "' " + options);
  }
  static std::string body(const std::string& answer) { return answer.substr(answer.find("\r\n\r\n") + 4); }

  pid_t server_ = 0;
  std::string base_, token_;
};

// The file lines of a files.jsonl, by path.
std::map<std::string, Json> listed(const std::string& text) {
  std::map<std::string, Json> files;
  for (const std::string& line : lines_after(text, "")) {
    const Json one = parsed_json(line);
    if (one["event"] == "file") files[one["path"].as_string()] = one;
  }
  return files;
}

TEST_F(View, exports_a_page_with_its_data) {
  const Finished done = run("view --export page --sources");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, StartsWith("wrote "));
  EXPECT_TRUE(fs::exists(root_ / "page/index.html"));
  const Json site = parsed_json(read_file(root_ / "page/data/site.json"));
  EXPECT_EQ(site["live"], false);
  EXPECT_EQ(site["compare"], nullptr);
  EXPECT_EQ(site["roots"][0]["type"], "output");
  const auto files = listed(read_file(root_ / "page/data/0/files.jsonl"));
  EXPECT_EQ(files.at("wall.ktx2")["source"], "wall.png");
  EXPECT_EQ(files.at("wall.ktx2")["recipe"], "texture");
  EXPECT_NE(files.at("wall.ktx2")["hash"], files.at("floor.ktx2")["hash"]);
  EXPECT_EQ(read_file(root_ / "page/data/0/files/wall.ktx2"), read_file(root_ / "runtime/wall.ktx2"));
  EXPECT_EQ(read_file(root_ / "page/data/0/sources/wall.png"), read_file(root_ / "assets/wall.png"));
  EXPECT_THAT(read_file(root_ / "page/data/0/build.jsonl"),
              AllOf(HasSubstr("\"step_finished\""), HasSubstr("\"summary\"")));
  EXPECT_THAT(read_file(root_ / "page/data/0/diagnostics.jsonl"), HasSubstr("\"budget\""));
  // Sources of pictures in models, and sources that are folders.
  fs::copy(fs::path(places::kSource) / "examples/demo/assets", root_ / "assets", fs::copy_options::recursive);
  ASSERT_EQ(run("").exit_code, 0);
  const Finished demo = run("view --export demo --sources");
  EXPECT_EQ(demo.exit_code, 0) << demo.err;
  const auto others = listed(read("demo/data/0/files.jsonl"));
  EXPECT_EQ(others.at("models/crate/crate/tex_0.ktx2")["source"], "models/crate/planks.png");
  EXPECT_TRUE(exists("demo/data/0/sources/models/crate/planks.png"));
  EXPECT_EQ(run("view --export bare").exit_code, 0);
  EXPECT_FALSE(fs::exists(root_ / "bare/data/0/sources"));
}

TEST_F(View, compares_two_builds_and_opens_archives) {
  fs::copy(root_ / "runtime", root_ / "old", fs::copy_options::recursive);
  write("assets/wall.png", png(32, 32, 3));
  ASSERT_EQ(run("--pack").exit_code, 0);
  EXPECT_EQ(run("view --compare old --export page").exit_code, 0);
  EXPECT_EQ(parsed_json(read_file(root_ / "page/data/site.json"))["compare"], "1");
  EXPECT_EQ(listed(read_file(root_ / "page/data/1/files.jsonl")).at("wall.ktx2")["width"], 16);
  EXPECT_EQ(run("view runtime.hpack --export packed").exit_code, 0);
  const auto entries = listed(read_file(root_ / "packed/data/0/files.jsonl"));
  EXPECT_EQ(entries.at("wall.ktx2")["width"], 32);
  EXPECT_GT(entries.at("wall.ktx2")["offset"].as_number(), 0);
  EXPECT_EQ(read_file(root_ / "packed/data/0/files/wall.ktx2"), read_file(root_ / "runtime/wall.ktx2"));
  EXPECT_EQ(run("view runtime/wall.ktx2 --export one").exit_code, 0);
  EXPECT_EQ(listed(read_file(root_ / "one/data/0/files.jsonl")).size(), 1u);
}

TEST_F(View, shows_an_archive_that_another_program_changes_as_it_is_now) {
  ASSERT_EQ(run("--pack").exit_code, 0);
  const std::string first = read("runtime/wall.ktx2"), old_pack = read("runtime.hpack");
  serve("runtime.hpack");
  EXPECT_EQ(body(data("0/files/wall.ktx2")), first);
  write("assets/wall.png", png(32, 32, 3));
  ASSERT_EQ(run("--pack").exit_code, 0);
  EXPECT_EQ(body(data("0/files/wall.ktx2")), read("runtime/wall.ktx2")) << "renamed over";
  EXPECT_EQ(listed(body(data("0/files.jsonl"))).at("wall.ktx2")["width"], 32);
  fs::resize_file(root_ / "runtime.hpack", 100);
  EXPECT_THAT(data("0/files/wall.ktx2"), StartsWith("HTTP/1.1 503")) << "shorter";
  std::ofstream(root_ / "runtime.hpack", std::ios::binary) << old_pack;
  EXPECT_EQ(body(data("0/files/wall.ktx2")), first) << "overwritten";
  EXPECT_EQ(listed(body(data("0/files.jsonl"))).at("wall.ktx2")["width"], 16);
}

TEST_F(View, names_the_types_of_the_entries_of_bundles) {
  fs::remove_all(root_ / "assets");
  fs::remove(root_ / "assetc.yml");
  write("Assets/wall.png", png(16, 16, 1));
  ASSERT_EQ(run("import").exit_code, 0);
  ASSERT_EQ(run("cook --platform Linux").exit_code, 0);
  ASSERT_EQ(run("bundle create base.pak --cooked build/Cooked/Linux").exit_code, 0);
  ASSERT_EQ(run("view base.pak --export page").exit_code, 0);
  const auto entries = listed(read_file(root_ / "page/data/0/files.jsonl"));
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries.begin()->second["type"], "Texture2D");
}

TEST_F(View, serves_the_page_to_its_user_only) {
  serve("");
  EXPECT_THAT(get(""), AllOf(StartsWith("HTTP/1.1 200 OK"), HasSubstr("Content-Security-Policy: default-src 'none'"),
                             HasSubstr("nosniff"), HasSubstr("<html")));
  EXPECT_THAT(get("", "-H 'Host: evil.example'"), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(get("", "-H 'Origin: http://evil.example'"), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(get("data/site.json"), StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(get("data/site.json", "-H 'Authorization: Bearer wrong'"), StartsWith("HTTP/1.1 401"));
  EXPECT_EQ(parsed_json(body(data("site.json")))["live"], true);
  EXPECT_EQ(body(data("0/files/wall.ktx2")), read_file(root_ / "runtime/wall.ktx2"));
  EXPECT_EQ(body(data("0/files/wall.ktx2", "-r 1-3")), read_file(root_ / "runtime/wall.ktx2").substr(1, 3));
  EXPECT_EQ(body(data("0/sources/wall.png")), read_file(root_ / "assets/wall.png"));
}

// Other users can read the arguments of a program.
TEST_F(View, the_program_that_opens_the_browser_gets_no_token) {
  write("bin/xdg-open", "#!/bin/sh\nprintf '%s' \"$1\" > '" + (root_ / "new").string() + "' && mv '" +
                            (root_ / "new").string() + "' '" + (root_ / "opened").string() + "'\n");
  fs::permissions(root_ / "bin/xdg-open", fs::perms::owner_all);
  server_ = start("view --json", "PATH='" + (root_ / "bin").string() + "':\"$PATH\" exec");
  while (!exists("opened")) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const std::string said = read("stdout.txt"), opened = read("opened");
  const std::string address = parsed_json(said.substr(0, said.find('\n')))["address"].as_string();
  base_ = address.substr(0, address.find('#'));
  token_ = address.substr(address.find('#') + 1);
  EXPECT_THAT(opened, AllOf(StartsWith(base_ + "open/"), Not(HasSubstr(token_))));
  const std::string start = opened.substr(base_.size());
  EXPECT_THAT(get(start, "-I"), StartsWith("HTTP/1.1 404")) << "a look does not use it up";
  EXPECT_THAT(get(start), AllOf(StartsWith("HTTP/1.1 303"), HasSubstr("\r\nLocation: /#" + token_ + "\r\n"),
                                HasSubstr("\r\nCache-Control: no-store\r\n")));
  EXPECT_THAT(get(start), AllOf(StartsWith("HTTP/1.1 404"), Not(HasSubstr(token_)))) << "it leads there once";
  EXPECT_THAT(data("site.json"), StartsWith("HTTP/1.1 200"));
}

TEST_F(View, leads_to_no_file_outside_its_folders) {
  write("secret", "secret");
  fs::create_symlink(root_ / "secret", root_ / "runtime/link.ktx2");
  fs::create_symlink(root_ / "secret", root_ / "assets/link.png");
  serve("");
  for (const char* path : {"0/files/../secret", "0/files/%2e%2e/secret", "0/files//etc/passwd", "0/files/..%5csecret",
                           "0/sources/../secret", "0/sources/link.png", "0/files/link.ktx2", "0/files/", "0/files",
                           "1/files.jsonl", "0/registry.json", "..", "0/x"})
    EXPECT_THAT(data(path), AllOf(StartsWith("HTTP/1.1 404"), Not(HasSubstr("\r\n\r\nsecret")))) << path;
  for (const char* path : {"../../../secret", "%2e%2e/%2e%2e/secret", "/etc/passwd"})
    EXPECT_THAT(get(path), StartsWith("HTTP/1.1 404")) << path;
}

TEST_F(View, gives_no_hidden_files) {
  write("runtime/.hidden/a.ktx2", read("runtime/wall.ktx2"));
  write("assets/.secret.png", "secret");
  serve("");
  for (const char* path :
       {"0/files/.assetc-cache", "0/files/.assetc-build.jsonl", "0/files/.hidden/a.ktx2", "0/sources/.secret.png"})
    EXPECT_THAT(data(path), AllOf(StartsWith("HTTP/1.1 404"), HasSubstr("is not here"))) << path;
}

TEST_F(View, exports_without_files_that_lie_elsewhere) {
  write("other.ktx2", read("runtime/wall.ktx2"));
  fs::create_symlink("../other.ktx2", root_ / "runtime/link.ktx2");
  const Finished done = run("view --export page");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("note: runtime/link.ktx2: is reached through a link that leads out of runtime; it is "
                                  "not exported; put the file itself in the folder\n"));
  EXPECT_EQ(read("page/data/0/files/wall.ktx2"), read("runtime/wall.ktx2"));
  EXPECT_FALSE(exists("page/data/0/files/link.ktx2"));
}

TEST_F(View, tells_pages_of_builds) {
  serve("");
  const std::string events = (root_ / "events").string();
  const std::string follow = "curl -sSN --max-time 60 -H 'Authorization: Bearer " + token_ + "' '" + base_ +
                             "data/events' > '" + events + "' & echo $! > '" + events + ".pid'";
  ASSERT_EQ(std::system(follow.c_str()), 0);
  const auto wait_for = [&](const std::string& text) {
    for (int tries = 0; tries < 3000 && read_file(events).find(text) == std::string::npos; ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_THAT(read_file(events), HasSubstr(text));
  };
  wait_for(": hello");
  write("assets/wall.png", png(16, 16, 9));
  ASSERT_EQ(run("").exit_code, 0);
  wait_for("\"everything\":true");  // a build by hand
  const pid_t watch = start("watch", "exec");
  wait_for("\"hello\"");
  write("assets/wall.png", png(16, 16, 10));
  wait_for("\"wall.ktx2\"");
  kill(watch, SIGTERM);
  finish(watch);
  std::system(("kill $(cat '" + events + ".pid')").c_str());
}

TEST_F(View, uses_the_port_that_it_is_given) {
  serve("");
  const std::string port = base_.substr(base_.rfind(':') + 1, base_.rfind('/') - base_.rfind(':') - 1);
  const Finished second = run("view --no-browser --port " + port);
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_THAT(second.err, HasSubstr("cannot listen on 127.0.0.1:" + port));
}

TEST_F(View, an_export_of_nothing_is_an_error) {
  fs::create_directories(root_ / "empty");
  const Finished done = run("view empty --export page");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("empty: has no files to show"));
  EXPECT_FALSE(exists("page"));
}

TEST_F(View, says_what_is_missing) {
  EXPECT_THAT(run("view nowhere").err, HasSubstr("nowhere"));
  EXPECT_EQ(run("view --sources").exit_code, 2);
  EXPECT_EQ(run("view --export a --port 1").exit_code, 2);
  for (const char* folder : {"runtime", "./assets", "assets/new/page"}) {
    const Finished refused = run("view --export " + std::string(folder));
    EXPECT_EQ(refused.exit_code, 2) << folder;
    EXPECT_THAT(refused.err, HasSubstr("which is read")) << folder;
  }
  EXPECT_FALSE(exists("runtime/index.html"));
  fs::remove_all(root_ / "runtime");
  EXPECT_THAT(run("view").err, HasSubstr("build it first: assetc"));
}

}  // namespace
}  // namespace assetc::e2e
