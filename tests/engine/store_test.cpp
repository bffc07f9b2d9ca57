#include <random>

#include "engine/engine_fixture.hpp"
#include "engine/store/local_store.hpp"

namespace assetc::engine {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

class AStore : public Engine {
 protected:
  AStore() { shares = true; }
  // Expects that no step was compiled: all came from the store.
  void expect_restored(const Report& report, std::uint64_t steps) {
    EXPECT_THAT(toy::cooked().take(), IsEmpty());
    EXPECT_EQ(report.totals.ran, 0u);
    EXPECT_EQ(report.totals.restored, steps);
    expect_tree_as_clean();
  }
  std::vector<std::string> files(const std::string& folder) const {
    std::vector<std::string> found;
    for (std::string& path : disk.paths_below("cache")) {
      if (path.starts_with(folder)) found.push_back("cache/" + std::move(path));
    }
    return found;
  }
  // Builds and returns the path of the only blob, which is stored compressed.
  std::string build_packed() {
    disk.put("assets/a.pic", std::string(1u << 20, 'a'));
    build();
    const std::vector<std::string> blobs = files("blobs-1");
    EXPECT_THAT(blobs, testing::ElementsAre(EndsWith(".zst")));
    return blobs[0];
  }
  // Text too large for a record.
  static std::string large(const std::string& word) {
    std::string text = word;
    std::uint32_t random = 1;
    while (text.size() < 3 * kInlineBytes)
      text += static_cast<char>('a' + ((random = random * 1664525 + 1013904223) >> 27));
    return text;
  }
};

TEST_F(AStore, gives_an_output_folder_back_that_is_gone) {
  disk.put("assets/a.pic", "a");
  disk.put("assets/b.pic", large("b"));
  disk.put("assets/c.model", "include d.bin\ntry e.bin\npicture a.pic\nwarn soft\nclip\n");
  disk.put("assets/d.bin", "bytes");
  disk.put("assets/f.set/one", "1");
  const Report first = build();
  EXPECT_EQ(first.totals.restored, 0u);
  disk.remove_all("runtime");
  const Report again = build();
  expect_restored(again, first.totals.ran);
  EXPECT_EQ(messages(again), messages(first));
  EXPECT_THAT(why(build()), IsEmpty());
  disk.put("assets/d.bin", "other");
  EXPECT_THAT(why(build()), ElementsAre("c.model: input changed: d.bin"));
  disk.put("assets/e.bin", "");
  EXPECT_THAT(why(build()), ElementsAre("c.model: input appeared: e.bin"));
  expect_tree_as_clean();
}

TEST_F(AStore, goes_from_one_state_to_another_and_back) {
  disk.put("assets/a.pic", "a");
  disk.put("assets/c.model", "include d.bin\n");
  disk.put("assets/d.bin", "of one branch");
  build();
  disk.put("assets/a.pic", "A");
  disk.put("assets/d.bin", "of the other");
  build();
  disk.put("assets/a.pic", "a");
  disk.put("assets/d.bin", "of one branch");
  expect_restored(build(), 2);
  disk.put("assets/a.pic", "A");
  disk.put("assets/d.bin", "of the other");
  expect_restored(build(), 2);
}

TEST_F(AStore, serves_presets_and_other_outputs) {
  yaml = "presets: {low: {texture: {quality: fast}, output: low}, high: {texture: {quality: normal}}}";
  disk.put("assets/a.pic", "a");
  preset = "high";
  build();
  preset = "low";
  EXPECT_EQ(build().totals.restored, 0u);
  yaml = "presets: {low: {texture: {quality: fast}, output: elsewhere}}";
  expect_restored(build(), 1);
}

TEST_F(AStore, takes_a_picture_whatever_it_is_called) {
  disk.put("assets/a.pic", "odd");
  build();
  disk.remove_all("runtime");
  disk.move("assets/a.pic", "assets/new/b.pic");
  const Report moved = build();
  expect_restored(moved, 1);
  EXPECT_THAT(messages(moved), HasSubstr("new/b.pic: line 1: an odd picture"));
}

TEST_F(AStore, a_model_moved_is_another_model) {
  disk.put("assets/a.model", "x\n");
  build();
  disk.remove_all("runtime");
  disk.move("assets/a.model", "assets/b.model");
  EXPECT_EQ(build().totals.restored, 0u);
  expect_tree_as_clean();
}

TEST_F(AStore, has_what_is_inside_a_model_or_nothing_of_it) {
  disk.put("assets/a.model", "inside skin " + large("red") + "\nnormal bumps blue\n");
  build();
  disk.remove_all("runtime");
  expect_restored(build(), 3);
  // The blob of an embedded picture is lost: only the model has its bytes.
  for (const std::string& path : files("blobs-1")) disk.erase(path);
  disk.remove_all("runtime");
  const Report report = build();
  EXPECT_EQ(report.totals.failed, 0u);
  EXPECT_EQ(report.totals.ran, 2u) << "the model, and the missing picture";
  expect_tree_as_clean();
}

TEST_F(AStore, no_cache_reads_nothing_and_fills_it) {
  disk.put("assets/a.pic", "a");
  request.no_cache = true;
  build();
  EXPECT_EQ(build().totals.restored, 0u);
  request.no_cache = false;
  disk.remove_all("runtime");
  expect_restored(build(), 1);
}

TEST_F(AStore, what_is_damaged_is_dropped_and_made_again) {
  disk.put("assets/a.pic", large("a"));
  disk.put("assets/b.pic", "b");
  disk.put("assets/c.set/one", "1");
  build();
  for (const char* folder : {"products-2", "blobs-1"}) {
    for (const std::string& path : files(folder)) {
      const std::string whole = disk.text(path);
      for (const std::size_t size : {std::size_t{0}, whole.size() / 2, whole.size() - 1}) {
        disk.put(path, whole.substr(0, size));
        disk.remove_all("runtime");
        EXPECT_EQ(build().totals.restored, 2u) << path;
        expect_tree_as_clean();
        EXPECT_EQ(disk.text(path), whole) << "it was restored";
      }
      for (std::size_t i = 0; i < whole.size(); i += 1 + whole.size() / 40) {
        std::string flipped = whole;
        flipped[i] = static_cast<char>(flipped[i] ^ 0x10);
        disk.put(path, flipped);
        disk.remove_all("runtime");
        build();
        expect_tree_as_clean();
      }
      disk.put(path, whole);
    }
  }
}

TEST_F(AStore, does_not_compress_a_compressed_file_that_begins_with_text) {
  std::mt19937 random(7);
  std::string file(100'000, 'a');
  while (file.size() < 1'000'000) file += static_cast<char>(random());
  disk.put("assets/a.pic", file);
  build();
  EXPECT_THAT(files("blobs-1"), ElementsAre(testing::Not(EndsWith(".zst"))));
  disk.remove_all("runtime");
  expect_restored(build(), 1);
}

TEST_F(AStore, a_damaged_size_is_not_believed) {
  const std::string path = build_packed();
  // A frame of Zstd (RFC 8878, 3.1.1): one segment, a content of 2^63 bytes, one empty last block.
  disk.put(path, std::string("\x28\xb5\x2f\xfd\xe0\0\0\0\0\0\0\0\x80\x01\0\0", 16));
  auto store = LocalStore::open(disk, {.path = "cache"});
  ASSERT_TRUE(store);
  EXPECT_THAT((*store)->verify(), testing::Optional(1u));
  EXPECT_THAT(files("blobs-1"), IsEmpty());
}

TEST_F(AStore, files_of_earlier_versions_are_no_damage_and_go_when_their_room_is_needed) {
  disk.put("assets/a.pic", "a");
  disk.put("cache/products-1/ab/ab", "as it was before");
  disk.put("cache/batches-1/cd/cd", "as it was before");
  build();
  auto store = LocalStore::open(disk, {.path = "cache"});
  ASSERT_TRUE(store);
  EXPECT_THAT((*store)->verify(), testing::Optional(0u));
  EXPECT_TRUE(disk.has("cache/products-1/ab/ab"));
  EXPECT_TRUE((*store)->trim(0));
  EXPECT_FALSE(disk.has("cache/products-1/ab/ab"));
  EXPECT_FALSE(disk.has("cache/batches-1/cd/cd"));
}

TEST_F(AStore, more_than_was_written_is_damage) {
  const std::string path = build_packed();
  const std::string whole = disk.text(path);
  auto store = LocalStore::open(disk, {.path = "cache"});
  ASSERT_TRUE(store);
  disk.put(path, whole + "x");
  EXPECT_THAT((*store)->verify(), testing::Optional(1u));
  disk.put(path, whole + "x");
  request.no_cache = true;
  build();
  EXPECT_EQ(disk.text(path), whole);
}

TEST_F(AStore, what_cannot_be_read_is_not_called_intact) {
  disk.put("assets/a.pic", large("a"));
  build();
  auto store = LocalStore::open(disk, {.path = "cache"});
  ASSERT_TRUE(store);
  const std::string path = files("blobs-1")[0], folder = path.substr(0, path.rfind('/'));
  for (const std::string& shut : {path, folder}) {
    disk.unreadable = {shut};
    const auto verified = (*store)->verify();
    ASSERT_FALSE(verified) << shut;
    EXPECT_THAT(verified.error().to_string(), HasSubstr(shut));
  }
  disk.unreadable.clear();
  EXPECT_THAT((*store)->verify(), testing::Optional(0u));
  disk.erase(path);
  disk.put(path + "/inside", "");
  EXPECT_THAT((*store)->verify().error().to_string(), HasSubstr("found a folder, expected a file"));
}

TEST_F(AStore, products_of_another_key_do_not_stay) {
  disk.put("assets/a.pic", "a");
  build();
  const std::string of_a = files("products-2")[0], others = disk.text(of_a);
  disk.put("assets/a.pic", "b");
  build();
  const std::vector<std::string> both = files("products-2");
  const std::string of_b = both[0] == of_a ? both[1] : both[0];
  disk.put(of_b, others);
  request.no_cache = true;
  build();
  auto store = LocalStore::open(disk, {.path = "cache"});
  ASSERT_TRUE(store);
  EXPECT_THAT((*store)->verify(), testing::Optional(0u));
}

TEST_F(AStore, one_that_takes_nothing_stops_no_build) {
  disk.put("assets/a.pic", large("a"));
  auto store = LocalStore::open(disk, {.path = "cache"});
  ASSERT_TRUE(store);
  local_store = store->get();
  shares = false;
  disk.after_publish = [&](const std::string& path) {
    if (!path.starts_with("cache/") || !disk.unwritable.empty()) return;
    for (const std::string& other : files("")) disk.unwritable.insert(other);
  };
  build();
  build();
  disk.after_publish = nullptr;
  expect_tree_as_clean();
  disk.put("assets/a.pic", large("b"));
  disk.put("cache/blobs-1", "a file where a folder should be");
  build();
  expect_tree_as_clean();
}

TEST_F(AStore, says_what_kept_it_from_being_written) {
  auto store = LocalStore::open(disk, {.path = "cache"});
  ASSERT_TRUE(store);
  disk.read_only = true;
  const Bytes bytes = toy::bytes_of(large("a"));
  (*store)->put_blob(content_hash(bytes), bytes);
  (*store)->put_blob(content_hash(as_bytes("b")), toy::bytes_of("b"));
  const auto finished = (*store)->finish();
  ASSERT_FALSE(finished);
  EXPECT_THAT(finished.error().to_string(), HasSubstr("cannot write: Read-only file system"));
}

TEST_F(AStore, is_not_kept_on_another_machines_disk) {
  disk.remote = true;
  const auto store = LocalStore::open(disk, {.path = "cache"});
  ASSERT_FALSE(store);
  EXPECT_THAT(store.error().to_string(), HasSubstr("cache: is on a network file system"));
}

TEST_F(AStore, presets_that_share_a_folder_are_told_of_one_another) {
  yaml = "presets: {low: {texture: {quality: fast}}, high: {texture: {quality: normal}}}";
  disk.put("assets/a.pic", "a");
  preset = "high";
  EXPECT_EQ(messages(build()), "");
  preset = "low";
  const Report low = build();
  EXPECT_THAT(messages(low), HasSubstr("runtime: was built with the preset high before"));
  EXPECT_EQ(messages(build()), "") << "reported only once";
  preset = "high";
  expect_restored(build(), 1);
}

TEST_F(AStore, stays_below_its_size_and_keeps_what_is_used) {
  disk.put("assets/old.pic", large("old"));
  build();
  disk.sleep(7'200'000'000'000);
  disk.put("assets/new.pic", large("new"));
  build();
  disk.sleep(7'200'000'000'000);
  disk.remove_all("runtime");
  disk.erase("assets/old.pic");
  EXPECT_EQ(build().totals.restored, 1u) << "which marks it as used";
  auto store = LocalStore::open(disk, {.path = "cache"});
  ASSERT_TRUE(store);
  const auto full = (*store)->count();
  ASSERT_TRUE(full);
  EXPECT_EQ(full->products, 2u);
  EXPECT_EQ(full->blobs, 2u);
  const auto removed = (*store)->trim(full->bytes - 1);
  ASSERT_TRUE(removed);
  EXPECT_GE(*removed, 1u);
  disk.remove_all("runtime");
  EXPECT_EQ(build().totals.restored, 1u) << "the most recently used entry stays";
  disk.put("assets/old.pic", large("old"));
  EXPECT_EQ(build().totals.restored, 0u);
  EXPECT_THAT((*store)->verify(), testing::Optional(0u));
  const auto cleared = (*store)->clear();
  ASSERT_TRUE(cleared);
  EXPECT_THAT(disk.paths_below("cache"), IsEmpty());
}

TEST_F(AStore, what_a_killed_build_wrote_is_noted) {
  {
    auto killed = LocalStore::open(disk, {.path = "cache"});
    ASSERT_TRUE(killed);
    const Bytes first = toy::bytes_of("first");
    (*killed)->put_blob(content_hash(first), first);
    ASSERT_TRUE((*killed)->finish());
    for (int i = 0; i < 5; ++i) {
      ByteVector noise(16u << 20);
      std::minstd_rand random(static_cast<unsigned>(i + 1));
      for (std::size_t at = 0; at < noise.size(); at += 2) noise[at] = static_cast<std::byte>(random());
      const Bytes bytes(std::move(noise));
      (*killed)->put_blob(content_hash(bytes), bytes);
    }
  }
  auto store = LocalStore::open(disk, {.path = "cache", .size_bytes = 64u << 20});
  ASSERT_TRUE(store);
  const Bytes last = toy::bytes_of("last");
  (*store)->put_blob(content_hash(last), last);
  ASSERT_TRUE((*store)->finish());
  const auto usage = (*store)->count();
  ASSERT_TRUE(usage);
  EXPECT_LE(usage->bytes, 64u << 20);
}

TEST_F(AStore, a_clock_that_was_ahead_once_keeps_nothing_for_ever) {
  constexpr std::int64_t kYearNs = 365 * 24 * 3'600'000'000'000;
  disk.sleep(10 * kYearNs);
  disk.put("assets/ahead.pic", large("ahead"));
  build();
  disk.sleep(-10 * kYearNs);
  disk.put("assets/now.pic", large("now"));
  build();
  auto store = LocalStore::open(disk, {.path = "cache"});
  ASSERT_TRUE(store);
  const auto full = (*store)->count();
  ASSERT_TRUE(full);
  ASSERT_TRUE((*store)->trim(full->bytes - 1));
  disk.remove_all("runtime");
  disk.erase("assets/ahead.pic");
  EXPECT_EQ(build().totals.restored, 1u);
}

TEST_F(AStore, a_blob_from_elsewhere_that_unpacks_to_too_much_is_not_taken) {
  // A frame of Zstd (RFC 8878, 3.1.1): one segment, a content of 2^63 bytes, one empty last block.
  const Bytes frame = toy::bytes_of(std::string("\x28\xb5\x2f\xfd\xe0\0\0\0\0\0\0\0\x80\x01\0\0", 16));
  EXPECT_FALSE(holds({frame, true}, content_hash({}), 1ull << 63));
}

ContentHash key_of(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  return {std::stoull(name.substr(16), nullptr, 16), std::stoull(name.substr(0, 16), nullptr, 16)};
}

TEST_F(AStore, a_record_of_another_key_is_not_taken) {
  disk.put("assets/a.pic", "a");
  disk.put("assets/b.pic", "b");
  build();
  const auto paths = files("products-2");
  ASSERT_EQ(paths.size(), 2u);
  disk.put(paths[0], disk.text(paths[1]));
  disk.remove_all("runtime");
  EXPECT_EQ(build().totals.restored, 1u);
  expect_tree_as_clean();
  disk.put(paths[0], disk.text(paths[1]));
  auto store = LocalStore::open(disk, {.path = "cache"});
  ASSERT_TRUE(store);
  EXPECT_THAT((*store)->verify(), testing::Optional(1u));
}

TEST_F(AStore, a_record_of_what_no_step_may_publish_is_not_taken) {
  disk.put("assets/a.pic", "a");
  build();
  ASSERT_EQ(files("products-2").size(), 1u);
  const std::string path = files("products-2")[0];
  const ContentHash key = key_of(path);
  using Change = std::function<void(StepRecord&)>;
  for (const Change& change : {Change([](StepRecord& r) { r.outputs[0].suffix = "/../../p.x"; }),
                               Change([](StepRecord& r) { r.outputs.push_back(r.outputs[0]); }),
                               Change([](StepRecord& r) { r.children.emplace_back().recipe = "nobody's"; })}) {
    auto store = LocalStore::open(disk, {.path = "cache"});
    ASSERT_TRUE(store);
    const auto found = (*store)->find(key, {});
    ASSERT_EQ(found.size(), 1u);
    StepRecord record = found[0].record();
    std::vector<Bytes> small(found[0].small().begin(), found[0].small().end());
    change(record);
    small.resize(record.outputs.size(), small[0]);
    disk.erase(path);
    (*store)->put({key, record, small});
    disk.remove_all("runtime");
    const Report report = build();
    EXPECT_EQ(report.totals.failed + report.totals.restored, 0u) << messages(report);
    expect_tree_as_clean();
    disk.erase(path);
    disk.remove_all("runtime");
    build();
  }
}

TEST_F(AStore, a_blob_that_is_put_again_is_used) {
  const Bytes blob = toy::bytes_of(large("a"));
  const auto put = [&] {
    auto store = LocalStore::open(disk, {.path = "cache"});
    ASSERT_TRUE(store);
    (*store)->put_blob(content_hash(blob), blob);
  };
  put();
  ASSERT_EQ(files("blobs-1").size(), 1u);
  const std::int64_t first_ns = disk.mtime_ns(files("blobs-1")[0]);
  disk.sleep(7'200'000'000'000);
  put();
  EXPECT_GE(disk.mtime_ns(files("blobs-1")[0]), first_ns + 7'200'000'000'000);
}

// A product of one small output and one blob.
struct Small {
  explicit Small(const std::string& text)
      : key(content_hash(as_bytes("key of " + text))), bytes(toy::bytes_of(text)), blob(toy::bytes_of(text + " blob")) {
    record.recipe = "picture";
    record.stem = record.source = "s";
    record.outputs = {{".a", content_hash(bytes), {.size_bytes = bytes.size()}, {}}};
  }
  void put(LocalStore& store, const ContentHash& batch) const {
    store.keep_blob(content_hash(blob), {blob, false}, batch);
    store.put({key, record, std::vector<Bytes>{bytes}, 0, batch});
  }
  void expect_in(LocalStore& store) const {
    const auto found = store.find(key, {});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(as_text(found[0].small()[0]), as_text(bytes));
    const auto blob_there = store.blob(content_hash(blob), blob.size());
    ASSERT_TRUE(blob_there);
    EXPECT_EQ(as_text(*blob_there), as_text(blob));
    EXPECT_TRUE(store.has_blob(content_hash(blob)));
  }
  ContentHash key;
  Bytes bytes, blob;
  StepRecord record;
};

TEST_F(AStore, small_products_that_came_together_lie_in_one_file) {
  const ContentHash batch = content_hash(as_bytes("batch"));
  const Small one("one"), two("two"), three("three");
  {
    auto store = LocalStore::open(disk, {.path = "cache"});
    ASSERT_TRUE(store);
    one.put(**store, batch);
    one.expect_in(**store);
    EXPECT_THAT(files("batches-2"), IsEmpty());
    two.put(**store, batch);
    (*store)->end_batch(batch);
    one.expect_in(**store);
    ASSERT_TRUE((*store)->finish());
  }
  {
    auto store = LocalStore::open(disk, {.path = "cache"});
    ASSERT_TRUE(store);
    EXPECT_THAT((*store)->find(one.key, {}), IsEmpty()) << "the batch was not read";
    three.put(**store, batch);
    ASSERT_TRUE((*store)->finish());
    EXPECT_EQ(files("products-2").size() + files("blobs-1").size(), 0u);
    EXPECT_EQ(files("batches-2").size(), 1u);
  }
  auto store = LocalStore::open(disk, {.path = "cache"});
  ASSERT_TRUE(store);
  EXPECT_THAT((*store)->find(one.key, batch), testing::SizeIs(1));
  for (const Small* product : {&one, &two, &three}) product->expect_in(**store);
  EXPECT_THAT((*store)->verify(), testing::Optional(0u));
  const auto usage = (*store)->count();
  ASSERT_TRUE(usage);
  EXPECT_EQ(usage->batches, 1u);
  EXPECT_EQ(usage->products + usage->blobs, 0u);
}

TEST_F(AStore, a_damaged_batch_is_dropped) {
  const ContentHash batch = content_hash(as_bytes("batch"));
  const Small one("one");
  {
    auto store = LocalStore::open(disk, {.path = "cache"});
    ASSERT_TRUE(store);
    one.put(**store, batch);
    (*store)->end_batch(batch);
  }
  ASSERT_EQ(files("batches-2").size(), 1u);
  const std::string path = files("batches-2")[0];
  const std::string whole = disk.text(path);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string flipped = whole;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x10);
    for (const std::string& damaged : {flipped, whole.substr(0, i)}) {
      disk.put(path, damaged);
      auto store = LocalStore::open(disk, {.path = "cache"});
      ASSERT_TRUE(store);
      EXPECT_THAT((*store)->find(one.key, batch), IsEmpty());
      EXPECT_FALSE(disk.has(path)) << i;
    }
  }
  disk.put(path, whole.substr(1));
  auto store = LocalStore::open(disk, {.path = "cache"});
  ASSERT_TRUE(store);
  EXPECT_THAT((*store)->verify(), testing::Optional(1u));
}

TEST_F(AStore, trims_itself_when_a_build_has_filled_it) {
  for (int i = 0; i < 20; ++i) disk.put("assets/" + std::to_string(i) + ".pic", large(std::to_string(i)));
  auto store = LocalStore::open(disk, {.path = "cache", .size_bytes = 10 * 4 * kInlineBytes});
  ASSERT_TRUE(store);
  local_store = store->get();
  shares = false;
  build();
  ASSERT_TRUE((*store)->finish());
  const auto usage = (*store)->count();
  ASSERT_TRUE(usage);
  EXPECT_LE(usage->bytes, 10 * 4 * kInlineBytes);
  EXPECT_GT(usage->blobs, 3u);
}

}  // namespace
}  // namespace assetc::engine
