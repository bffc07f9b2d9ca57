// Another kind of store is one class: a store in memory, with which builds compile, restore and share. It stands alone,
// in front of a store on other machines, and behind the store of this machine.
#include <map>
#include <mutex>

#include "engine/engine_fixture.hpp"
#include "engine/run/one_step.hpp"
#include "engine/sharing.hpp"

namespace assetc::engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class MemoryStore final : public Store {
 public:
  std::vector<StoredProduct> find(const ContentHash& key, const std::optional<ContentHash>&) override {
    const std::lock_guard lock(mutex_);
    const auto at = products_.find(key);
    return at == products_.end() ? std::vector<StoredProduct>() : at->second;
  }
  std::optional<PackedBlob> packed_blob(const ContentHash& hash) override {
    const std::lock_guard lock(mutex_);
    const auto at = blobs_.find(hash);
    return at == blobs_.end() ? std::nullopt : std::optional(PackedBlob{at->second, false});
  }
  void put_blob(const ContentHash& hash, const Bytes& bytes) override {
    const std::lock_guard lock(mutex_);
    blobs_.insert_or_assign(hash, bytes);
  }
  void put(const MadeProduct& made) override {
    auto product = StoredProduct::decode(made.key, Bytes(StoredProduct::encode(made.key, made.record, made.small)));
    ASSERT_TRUE(product);
    const std::lock_guard lock(mutex_);
    std::vector<StoredProduct>& of_key = products_[made.key];
    of_key.insert(of_key.begin(), std::move(*product));
  }

  std::size_t size() const { return products_.size(); }
  void lose_blobs() { blobs_.clear(); }
  void damage_blobs() {
    for (auto& [hash, bytes] : blobs_) {
      ByteVector other(bytes.span().begin(), bytes.span().end());
      other[other.size() / 2] ^= std::byte{1};
      bytes = Bytes(std::move(other));
    }
  }

 private:
  std::mutex mutex_;
  std::unordered_map<ContentHash, std::vector<StoredProduct>> products_;
  std::unordered_map<ContentHash, Bytes> blobs_;
};

class AStoreInMemory : public Engine {
 protected:
  AStoreInMemory() {
    disk.put("assets/a.pic", "a");
    disk.put("assets/b.pic", large("b"));
    disk.put("assets/c.model",
             "include d.bin\ntry e.bin\npicture a.pic\nwarn soft\nclip\ninside skin " + large("s") + "\n");
    disk.put("assets/d.bin", "bytes");
    disk.put("assets/f.set/one", "1");
  }
  // Text too large for a record.
  static std::string large(const std::string& word) {
    std::string text = word;
    for (std::uint32_t random = 1; text.size() < 3 * kInlineBytes;)
      text += static_cast<char>('a' + ((random = random * 1664525 + 1013904223) >> 27));
    return text;
  }
  // Builds on a machine on which nothing was built before. shared: null for none.
  Report build_with(Store& store, Store* shared) {
    toy::cooked().take();
    FakeDisk machine;
    machine.copy_files(disk, "assets");
    const BuildServices services{
        .disk = machine, .listener = &events, .store = &store, .shared = [shared] { return shared; }};
    auto report = engine::build(request, services, profile());
    EXPECT_TRUE(report) << report.error().to_string();
    if (!report) return {};
    EXPECT_TRUE(report->ok) << messages(*report);
    cooked = toy::cooked().take();
    EXPECT_EQ(machine.tree(profile().output), clean_tree());
    return std::move(*report);
  }

  std::vector<std::string> cooked;  // by the last build
};

TEST_F(AStoreInMemory, gives_a_build_back_what_another_one_compiled) {
  MemoryStore store;
  const Report first = build_with(store, nullptr);
  EXPECT_EQ(first.totals.restored, 0u);
  const Report again = build_with(store, nullptr);
  EXPECT_THAT(cooked, IsEmpty());
  EXPECT_EQ(again.totals.restored, first.totals.ran);
  EXPECT_EQ(messages(again), messages(first));
  disk.put("assets/d.bin", "other");
  build_with(store, nullptr);
  EXPECT_THAT(cooked, ElementsAre("c.model"));
}

TEST_F(AStoreInMemory, a_blob_that_is_lost_or_damaged_is_compiled_again) {
  MemoryStore store;
  const Report first = build_with(store, nullptr);
  store.damage_blobs();
  EXPECT_GT(build_with(store, nullptr).totals.ran, 0u);
  EXPECT_EQ(build_with(store, nullptr).totals.restored, first.totals.ran);
  store.lose_blobs();
  EXPECT_GT(build_with(store, nullptr).totals.ran, 0u);
  EXPECT_EQ(build_with(store, nullptr).totals.restored, first.totals.ran);
}

TEST_F(AStoreInMemory, keeps_a_step_of_no_project) {
  MemoryStore store;
  FakeDisk other;
  other.put("/one/a.pic", "a");
  const OneStep step{toy::picture_recipe(), "/one/a.pic", {}, {}};
  toy::cooked().take();
  ASSERT_TRUE(run_one(step, other, &store));
  EXPECT_THAT(toy::cooked().take(), testing::SizeIs(1));
  const auto again = run_one(step, other, &store);
  ASSERT_TRUE(again);
  EXPECT_THAT(again->outputs, testing::SizeIs(1));
  EXPECT_THAT(toy::cooked().take(), IsEmpty());
}

TEST_F(AStoreInMemory, stands_in_front_of_a_server) {
  FakeServer server;
  FakeClock clock;
  std::uint64_t steps = 0;
  {
    MemoryStore front;
    RemoteStore remote({.endpoint = {.url = "http://cache"}, .writes = true, .races = false}, server.connect(), front,
                       clock);
    LayeredStore layered(front, remote);
    steps = build_with(front, &layered).totals.ran;
    const RemoteStore::Summary summary = remote.finish([](std::size_t) {});
    EXPECT_EQ(summary.uploaded, front.size());
    EXPECT_FALSE(summary.trouble);
  }
  MemoryStore front;
  RemoteStore remote({.endpoint = {.url = "http://cache"}, .races = false}, server.connect(), front, clock);
  LayeredStore layered(front, remote);
  EXPECT_EQ(build_with(front, &layered).totals.restored, steps);
  EXPECT_THAT(cooked, IsEmpty());
  EXPECT_EQ(build_with(front, nullptr).totals.restored, steps) << "the front has kept what came";
}

TEST_F(AStoreInMemory, is_shared_by_machines_with_stores_of_their_own) {
  MemoryStore shared;
  FakeDisk one, two;
  const auto store_on = [](FakeDisk& machine) { return std::move(*LocalStore::open(machine, {.path = "cache"})); };
  const auto first = store_on(one), second = store_on(two);
  LayeredStore from_first(*first, shared), from_second(*second, shared);
  const std::uint64_t steps = build_with(*first, &from_first).totals.ran;
  EXPECT_EQ(build_with(*second, &from_second).totals.restored, steps);
  EXPECT_THAT(cooked, IsEmpty());
  EXPECT_EQ(build_with(*second, nullptr).totals.restored, steps) << "the front has kept what came";
}

TEST_F(AStoreInMemory, gets_what_was_compiled_before_it_was_shared) {
  MemoryStore shared;
  FakeDisk machine;
  const auto local = std::move(*LocalStore::open(machine, {.path = "cache"}));
  const std::uint64_t steps = build_with(*local, nullptr).totals.ran;
  LayeredStore layered(*local, shared);
  EXPECT_EQ(build_with(*local, &layered).totals.restored, steps);
  EXPECT_EQ(build_with(shared, nullptr).totals.restored, steps);
}

}  // namespace
}  // namespace assetc::engine
