#include "engine/target/pack.hpp"

#include "assetc/formats/hpack.hpp"
#include "engine/engine_fixture.hpp"

namespace assetc::engine {
namespace {

class Pack : public Engine {
 protected:
  std::vector<std::string> entries(const std::string& path = "runtime.hpack") {
    bytes_ = disk.text(path);
    const auto view = hpack::View::open(as_bytes(bytes_));
    if (!view) return {view.error().to_string()};
    std::vector<std::string> result;
    for (const auto& e : view->entries())
      result.push_back(std::string(e.path) + " = " + std::string(as_text(view->payload(e))).substr(0, 30));
    return result;
  }
  std::string bytes_;
};

TEST_F(Pack, holds_every_runtime_file_and_no_cache) {
  yaml = "pack: true";
  disk.put("assets/a.pic", "a");
  disk.put("assets/sub/b.pic", "b");
  disk.put("runtime/mine.txt", "mine");
  disk.put("runtime/old.hpack", "old");
  const Report report = build();
  EXPECT_EQ(report.pack_file, "runtime.hpack");
  const auto found = entries();
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0], "a.ktx2 = picture color good a");
  EXPECT_EQ(found[1].substr(0, 11), "assets.hman");
  EXPECT_EQ(found[2], "mine.txt = mine");
  EXPECT_EQ(found[3], "sub/b.ktx2 = picture color good b");
}

TEST_F(Pack, is_left_alone_when_nothing_changed_and_made_again_when_something_did) {
  yaml = "pack: true";
  disk.put("assets/a.pic", "a");
  build();
  const auto stamp = disk.mtime_ns("runtime.hpack");
  disk.put("assets/later", "the clock moves");
  build();
  EXPECT_EQ(disk.mtime_ns("runtime.hpack"), stamp);
  disk.put("assets/a.pic", "A");
  build();
  EXPECT_EQ(entries()[0], "a.ktx2 = picture color good A");
}

TEST_F(Pack, is_made_again_when_it_was_deleted_or_modified) {
  yaml = "pack: true";
  disk.put("assets/a.pic", "a");
  build();
  const std::string whole = disk.text("runtime.hpack");
  disk.erase("runtime.hpack");
  build();
  EXPECT_EQ(disk.text("runtime.hpack"), whole);
  disk.put("runtime.hpack", "broken");
  build();
  EXPECT_EQ(disk.text("runtime.hpack"), whole);
}

TEST_F(Pack, of_one_preset_leaves_out_the_others_that_lie_inside) {
  yaml = "presets: {low: {output: runtime/low}}";
  disk.put("assets/a.pic", "a");
  preset = "low";
  build();
  preset.reset();
  build();
  const auto packed = write_pack(runtime_target(), profile(), {}, disk);
  ASSERT_TRUE(packed);
  EXPECT_EQ(entries().size(), 2u);
}

TEST_F(Pack, equal_trees_give_equal_bytes) {
  disk.put("assets/a.pic", "a");
  disk.put("assets/b.pic", "a");
  build();
  ASSERT_TRUE(write_pack(runtime_target(), profile(), {}, disk));
  const std::string first = disk.text("runtime.hpack");
  disk.remove_all("runtime");
  disk.erase("runtime.hpack");
  build();
  ASSERT_TRUE(write_pack(runtime_target(), profile(), {}, disk));
  EXPECT_EQ(disk.text("runtime.hpack"), first);
}

TEST_F(Pack, verify_reads_written_files_again) {
  request.verify = true;
  disk.put("assets/a.set/one", "1");
  build();
  disk.put("assets/a.pic", "not a KTX2 file");
  const auto report = try_build();
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->ok);
  EXPECT_THAT(messages(*report), testing::HasSubstr("runtime/a.ktx2"));
}

}  // namespace
}  // namespace assetc::engine
