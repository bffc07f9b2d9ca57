// Outputs that another program changes or removes while a build runs.
#include <gmock/gmock.h>

#include "engine/engine_fixture.hpp"

namespace assetc::engine {
namespace {

class Meddling : public Engine {
 protected:
  void sources(int version) {
    disk.put("assets/a.pic", "a " + std::to_string(version));
    disk.put("assets/deep/m.model", "inside p red " + std::to_string(version) + "\nclip\n");
    disk.put("assets/same.pic", "same");
  }
  // Once, when `when` is published, applies `what` to `path`. Expects that the build notices.
  void expect_noticed(const std::string& when, const std::string& path, void (*what)(FakeDisk&, const std::string&)) {
    SCOPED_TRACE(path + " after " + when);
    const std::string pack = disk.text("runtime.hpack");
    bool done = false;
    disk.after_publish = [&](const std::string& published) {
      if (published != when || std::exchange(done, true)) return;
      what(disk, path);
    };
    const auto report = try_build();
    disk.after_publish = nullptr;
    if (!done) return;  // the file already had these bytes
    ++noticed;
    EXPECT_FALSE(report && report->ok);
    EXPECT_EQ(report ? messages(*report) : report.error().to_string() + "\n",
              path + ": was changed or removed by something else while the build ran; build again\n");
    EXPECT_EQ(disk.text("runtime.hpack"), pack);
    build();
    expect_tree_as_clean();
    EXPECT_THAT(why(build()), testing::IsEmpty());
  }

  int noticed = 0;
};

TEST_F(Meddling, an_output_that_changes_while_a_build_runs_is_noticed_and_mended) {
  yaml = "pack: true";
  int version = 0;
  const auto vanish = [](FakeDisk& d, const std::string& path) { d.erase(path); };
  const auto change = [](FakeDisk& d, const std::string& path) { d.put(path, "changed"); };
  const auto flip = [](FakeDisk& d, const std::string& path) {
    d.sleep(1'000'000'000);  // within one tick of the clock, a change cannot be seen
    std::string text = d.text(path);
    text[0] ^= 1;
    d.overwrite(path, text);
  };
  for (const auto what : {+vanish, +change, +flip}) {
    for (const bool first : {true, false}) {
      for (const char* output : {"runtime/a.ktx2", "runtime/deep/m.hmesh", "runtime/deep/m.hanim",
                                 "runtime/deep/m/p.ktx2", "runtime/assets.hman"}) {
        if (first) {
          disk.remove_all("runtime");
          if (disk.has("runtime.hpack")) disk.erase("runtime.hpack");
        }
        sources(++version);
        disk.put("assets/new" + std::to_string(version) + ".pic", "the manifest changes");
        expect_noticed(output, output, what);
      }
    }
    // An output of a step that was up to date.
    sources(++version);
    expect_noticed("runtime/a.ktx2", "runtime/same.ktx2", what);
    if (HasFailure()) return;
  }
  EXPECT_GT(noticed, 20);
}

TEST_F(Meddling, files_that_are_not_ours_may_come_and_go) {
  disk.put("runtime/mine.txt", "mine");
  sources(1);
  disk.after_publish = [&](const std::string& path) {
    if (path != "runtime/a.ktx2") return;
    disk.erase("runtime/mine.txt");
    disk.put("runtime/yours.txt", "yours");
  };
  build();
  disk.after_publish = nullptr;
  EXPECT_THAT(why(build()), testing::IsEmpty());
}

}  // namespace
}  // namespace assetc::engine
