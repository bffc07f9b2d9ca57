// Random requests to a manager in random order, by a seed. At the end every held asset is correct, and everything else
// is released.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/counted.hpp"
#include "runtime/notes.hpp"

namespace assetc::runtime {
namespace {

class Storm {
 public:
  explicit Storm(unsigned seed) : random_(seed), count_(5 + below(60)), faults_(count_ + 1), needs_(count_ + 1) {
    for (std::uint32_t id = 1; id <= count_; ++id) {
      texts_.push_back("");
      std::vector<Uuid> hard;
      if (id > 1 && one_in(2)) hard.push_back(uuid(before(id)));
      if (id > 1 && one_in(4)) needs_[id] = before(id);
      cooked_.add(uuid(id), {kRaw, "Demo/" + std::to_string(id), {}, hard, {}});
      faults_[id] = one_in(5) ? 1 + below(2) : 0;
    }
    cooked_.put(files_, "");
    texts_.push_back("");
    for (std::uint32_t id = 1; id <= count_; ++id) save(id);
  }

  void run() {
    constexpr std::array<std::uint64_t, 4> kBounds{1, 5000, 50'000, 1u << 20};
    Catalog catalog;
    ASSERT_TRUE(catalog.mount(files_.source(below(3)), Layout::kCooked, ""));
    std::optional<ThreadPool> pool;
    if (const unsigned threads = below(3)) pool.emplace(threads);
    {
      Manager manager(catalog, {.jobs = pool ? pool->jobs() : JobSystem{},
                                .io_thread = one_in(2),
                                .in_flight_bytes = kBounds[below(kBounds.size())],
                                .cpu_bytes = one_in(2) ? 0 : 1u << 20,
                                .frames_in_flight = below(3)});
      manager.add<Counted>(kRaw, loader());
      for (int step = 0; step < 100; ++step) {
        act(manager);
        for (const AssetRef<Counted>& ref : refs_) {
          ASSERT_TRUE(!ref.is_ready() || ref.get() != nullptr);
          ASSERT_TRUE(ref.state() != LoadState::kFailed || ref.failure() != nullptr);
        }
      }
      calm(manager);
    }
    EXPECT_EQ(alive_, 0);
    EXPECT_EQ(finalized_, released_);
    EXPECT_LE(called_, wanted_calls_);
  }

 private:
  std::uint32_t below(std::size_t n) { return static_cast<std::uint32_t>(random_() % n); }
  bool one_in(unsigned n) { return below(n) == 0; }
  std::uint32_t before(std::uint32_t id) { return 1 + below(id - 1); }
  AssetHandle any() { return {.uuid = uuid(1 + below(count_))}; }
  static std::string file(std::uint32_t id) { return "Assets/" + uuid(id).to_string() + ".bin"; }

  void save(std::uint32_t id) {
    texts_[id] = std::to_string(id) + " " + std::string(1 + below(one_in(4) ? 20'000 : 200), 'a' + below(20));
    files_.put(file(id), Bytes(raw_blob(texts_[id])));
  }

  Loader<Counted> loader() {
    Loader<Counted> made;
    const auto id_of = [](std::string_view text) { return std::stoul(std::string(text.substr(0, text.find(' ')))); };
    made.decode = [this, id_of](LoadInput& in) -> Result<Counted> {
      ASSETC_TRY(const aas1::PayloadView view, aas1::PayloadView::open(in.bytes));
      const std::size_t id = id_of(as_text(view.payload()));
      if (faults_[id] == 1) return fail(ErrorCode::kInvalidData, "no note");
      if (needs_[id] != 0) in.hard.push_back({.uuid = uuid(needs_[id])});
      return Counted(alive_, as_text(view.payload()));
    };
    if (const unsigned grows = below(4)) made.decoded_bytes = [grows](ByteSpan bytes) { return bytes.size() * grows; };
    made.finalize = [this, id_of](Counted& note, const AssetDesc&) -> Result<GpuObject> {
      if (faults_[id_of(note.text)] == 2) return fail(ErrorCode::kLimit, "the device is full");
      ++finalized_;
      return GpuObject{1, 10};
    };
    made.release = [this](const GpuObject&) { ++released_; };
    return made;
  }

  void act(Manager& manager) {
    switch (below(9)) {
      case 0:
      case 1:
        refs_.push_back(manager.load_async<Counted>(any(), static_cast<int>(below(5))));
        if (!one_in(3)) return;
        ++wanted_calls_;
        tokens_.push_back(manager.when_done(refs_.back(), [this](const AnyRef&) { ++called_; }));
        if (one_in(3)) tokens_[below(tokens_.size())].cancel();
        return;
      case 2:
        if (!refs_.empty()) refs_.erase(refs_.begin() + below(refs_.size()));
        return;
      case 3:
        manager.pump({.time = std::chrono::microseconds(below(3) * 200)});
        return;
      case 4: {
        const std::uint32_t id = 1 + below(count_);
        faults_[id] = one_in(4) ? 1 + below(2) : 0;
        save(id);
        return manager.changed({.written = {file(id)}});
      }
      case 5:
        if (!refs_.empty()) manager.set_priority(refs_[below(refs_.size())], static_cast<int>(below(10)));
        return;
      case 6:
        return manager.unload(any());
      case 7:
        refs_.push_back(manager.load<Counted>(any()));
        return;
      default: {
        Changes changes;
        for (std::uint32_t id = 1; id <= count_; ++id) {
          if (!one_in(3)) continue;
          faults_[id] = 0;
          changes.written.push_back(file(id));
        }
        return manager.changed(changes);
      }
    }
  }

  static void settle(Manager& manager) {
    constexpr int kQuick = 1000, kHangs = 61'000;  // a minute in which no load ends
    for (int i = 0; i < 8 || manager.stats().loading > 0; ++i) {
      manager.pump({.time = std::chrono::seconds(1)});
      if (i > kQuick) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (i > kHangs) FAIL() << manager.stats().loading << " assets do not finish loading";
    }
  }

  // Removes all faults.
  void calm(Manager& manager) {
    for (std::atomic<unsigned>& fault : faults_) fault = 0;
    manager.changed({.everything = true});
    settle(manager);
    for (const AssetRef<Counted>& ref : refs_) {
      ASSERT_TRUE(ref.is_ready()) << ref.failure()->to_string();
      EXPECT_EQ(ref.get()->text, texts_[std::stoul(ref.get()->text)]);
    }
    EXPECT_EQ(manager.stats().in_flight_bytes, 0u);
    refs_.clear();
    settle(manager);
    for (std::uint32_t id = 1; id <= count_; ++id) manager.unload({.uuid = uuid(id)});
    settle(manager);
    const ManagerStats stats = manager.stats();
    EXPECT_EQ(stats.cpu_bytes + stats.gpu_bytes + stats.cached, 0u);
  }

  std::mt19937 random_;
  const std::uint32_t count_;
  Cooked cooked_;
  Files files_;
  std::vector<std::string> texts_;
  std::vector<std::atomic<unsigned>> faults_;  // 1: fails in decode, 2: in finalize
  std::vector<std::uint32_t> needs_;           // found by its loader; 0: nothing
  std::vector<AssetRef<Counted>> refs_;
  std::vector<CallbackToken> tokens_;
  std::atomic<long> alive_ = 0;
  long finalized_ = 0, released_ = 0, called_ = 0, wanted_calls_ = 0;
};

TEST(Storms, leave_what_is_right_and_nothing_else) {
  for (unsigned seed = 1; seed <= 100 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Storm(seed).run();
  }
}

}  // namespace
}  // namespace assetc::runtime
