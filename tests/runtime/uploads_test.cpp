// Device objects that are not complete when finalize returns.
#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "runtime/notes.hpp"

namespace assetc::runtime {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Uploads : public Managers {
 protected:
  // finalize returns a pending object; poll asks `is_done`.
  Manager& start_polled(ManagerOptions options = {.io_thread = false}, unsigned threads = 0) {
    Loader<Note> loader = note_loader(log);
    loader.finalize = [this](Note& note, const AssetDesc&) -> Result<GpuObject> {
      log.add("begin " + note.text);
      return GpuObject{.object = note.text.size(), .size_bytes = 10, .is_pending = true};
    };
    loader.poll = [this](const GpuObject& pending) -> Result<GpuObject> {
      if (!is_done) return pending;
      return GpuObject{pending.object + 100, 20};
    };
    start(std::move(options), threads).add<Note>(kRaw, std::move(loader));
    return *manager;
  }
  // finalize_async keeps the tokens.
  Manager& start_tokens(ManagerOptions options = {.io_thread = false}, unsigned threads = 0) {
    Loader<Note> loader = note_loader(log);
    loader.finalize = nullptr;
    loader.finalize_async = [this](Note& note, const AssetDesc&, FinalizeToken token) {
      log.add("begin " + note.text);
      const std::lock_guard lock(mutex);
      tokens.push_back(std::move(token));
    };
    start(std::move(options), threads).add<Note>(kRaw, std::move(loader));
    return *manager;
  }

  std::atomic<bool> is_done = false;
  std::mutex mutex;
  std::vector<FinalizeToken> tokens;
};

TEST_F(Uploads, an_asset_is_ready_when_poll_says_so) {
  add(1, "one");
  add(2, "user", {1});
  start_polled();
  const AssetRef<Note> user = ask(2), one = ask(1);
  for (int i = 0; i < 4; ++i) pump_all();
  EXPECT_EQ(one.state(), LoadState::kLoading);
  EXPECT_EQ(user.state(), LoadState::kLoading);
  EXPECT_EQ(manager->stats().uploading, 1u);
  EXPECT_GT(manager->stats().in_flight_bytes, 0u);
  EXPECT_THAT(log.lines(), ElementsAre("decode one", "begin one", "decode user"));
  is_done = true;
  pump_until_done();
  EXPECT_EQ(one.gpu().object, 103u);
  EXPECT_TRUE(user.is_ready());
  EXPECT_EQ(manager->stats().uploading, 0u);
  EXPECT_EQ(manager->stats().gpu_bytes, 40u);
  EXPECT_EQ(manager->stats().in_flight_bytes, 0u);
}

TEST_F(Uploads, a_token_completes_an_asset_from_another_thread) {
  add(1, "one");
  start_tokens();
  const AssetRef<Note> one = ask(1);
  pump_all();
  ASSERT_EQ(tokens.size(), 1u);
  EXPECT_EQ(one.state(), LoadState::kLoading);
  std::jthread([this] { EXPECT_TRUE(tokens[0].complete(GpuObject{7, 70})); }).join();
  EXPECT_EQ(one.state(), LoadState::kLoading);  // only a pump makes it ready
  pump_all();
  EXPECT_EQ(one.gpu().object, 7u);
  EXPECT_EQ(manager->stats().gpu_bytes, 70u);
  EXPECT_FALSE(tokens[0].complete(GpuObject{8, 80}));  // complete already
  EXPECT_EQ(one.gpu().object, 7u);
}

TEST_F(Uploads, a_token_that_is_destroyed_or_gets_an_error_fails_its_asset) {
  add(1, "one");
  add(2, "two");
  start_tokens();
  const AssetRef<Note> one = ask(1), two = ask(2);
  while (tokens.size() < 2) pump_all();
  EXPECT_TRUE(tokens[1].complete(fail(ErrorCode::kLimit, "no memory on the device")));
  tokens.clear();
  pump_until_done();
  EXPECT_EQ(one.failure()->fault, Fault::kCanceled);
  EXPECT_THAT(one.failure()->to_string(), HasSubstr("the token of its upload was destroyed"));
  EXPECT_EQ(two.failure()->fault, Fault::kLimit);
}

TEST_F(Uploads, load_waits_for_uploads_with_and_without_threads) {
  add(1, "one");
  for (const bool io_thread : {false, true}) {
    start_tokens({.io_thread = io_thread});
    std::jthread device([this] {
      while (true) {
        {
          const std::lock_guard lock(mutex);
          if (!tokens.empty()) break;
        }
        std::this_thread::yield();
      }
      const std::lock_guard lock(mutex);
      tokens[0].complete(GpuObject{5, 1});
    });
    EXPECT_EQ(manager->load<Note>({.uuid = uuid(1)}).gpu().object, 5u);
    device.join();
    tokens.clear();
  }
}

TEST_F(Uploads, a_canceled_upload_that_is_polled_releases_its_pending_object) {
  add(1, "one");
  start_polled();
  AssetRef<Note> one = ask(1);
  pump_all();
  one = {};
  pump_all();
  EXPECT_THAT(log.lines(), ElementsAre("decode one", "begin one", "release 3"));
  EXPECT_EQ(manager->stats().uploading, 0u);
  EXPECT_EQ(manager->stats().in_flight_bytes, 0u);
  is_done = true;
  pump_all();
  const AssetRef<Note> again = ask(1);
  pump_until_done();
  EXPECT_TRUE(again.is_ready());
}

// A note that tells when it is destroyed.
struct UploadedValue {
  std::shared_ptr<int> count;
};

TEST_F(Uploads, a_canceled_upload_with_a_token_keeps_its_value_until_the_device_is_done) {
  add(1, "one");
  const auto count = std::make_shared<int>(1);
  std::vector<FinalizeToken> kept;
  Loader<UploadedValue> loader;
  loader.decode = [&](LoadInput&) -> Result<UploadedValue> { return UploadedValue{count}; };
  loader.finalize_async = [&](UploadedValue&, const AssetDesc&, FinalizeToken token) {
    kept.push_back(std::move(token));
  };
  loader.release = [this](const GpuObject& gpu) { log.add("release " + std::to_string(gpu.object)); };
  start().add<UploadedValue>(kRaw, std::move(loader));
  // The last ref is destroyed.
  AssetRef<UploadedValue> one = manager->load_async<UploadedValue>({.uuid = uuid(1)});
  pump_all();
  one = {};
  pump_all();
  EXPECT_EQ(count.use_count(), 2);  // of the test and of the value
  EXPECT_FALSE(kept[0].complete(GpuObject{7, 1}));
  kept.clear();
  EXPECT_EQ(count.use_count(), 1);
  // The manager is destroyed.
  one = manager->load_async<UploadedValue>({.uuid = uuid(1)});
  pump_all();
  manager.reset();
  EXPECT_EQ(count.use_count(), 2);
  EXPECT_EQ(one.failure()->fault, Fault::kCanceled);
  EXPECT_FALSE(kept[0].complete(GpuObject{8, 1}));
  kept.clear();
  EXPECT_EQ(count.use_count(), 1);
  EXPECT_THAT(log.lines(), testing::IsEmpty());
}

TEST_F(Uploads, an_upload_that_was_complete_and_then_canceled_is_released) {
  add(1, "one");
  start_tokens();
  AssetRef<Note> one = ask(1);
  pump_all();
  EXPECT_TRUE(tokens[0].complete(GpuObject{9, 1}));
  one = {};
  pump_all();
  EXPECT_THAT(log.lines(), ElementsAre("decode one", "begin one", "release 9"));
}

TEST_F(Uploads, a_reload_keeps_the_old_value_until_the_new_upload_is_complete) {
  add(1, "old");
  start_tokens({.io_thread = false, .frames_in_flight = 1});
  const AssetRef<Note> one = ask(1);
  pump_all();
  tokens[0].complete(GpuObject{1, 1});
  pump_all();
  files.put(blob_path(1), Bytes(raw_blob("new")));
  manager->changed({.written = {"Assets/" + uuid(1).to_string() + ".bin"}, .assets = {{.uuid = uuid(1)}}});
  for (int i = 0; i < 3; ++i) pump_all();
  EXPECT_EQ(one.get()->text, "old");
  ASSERT_EQ(tokens.size(), 2u);
  tokens[1].complete(GpuObject{2, 1});
  pump_all();
  EXPECT_EQ(one.get()->text, "new");
  EXPECT_EQ(one.gpu().object, 2u);
}

TEST_F(Uploads, a_fallback_may_be_pending_too) {
  Loader<Note> loader = note_loader(log);
  loader.fallback = [](AssetType) { return Note{"fallback"}; };
  loader.finalize = nullptr;
  loader.finalize_async = [this](Note&, const AssetDesc&, FinalizeToken token) { tokens.push_back(std::move(token)); };
  start().add<Note>(kRaw, loader);
  const AssetRef<Note> missing = ask(50);
  pump_all();
  EXPECT_EQ(missing.gpu().object, 0u);
  ASSERT_EQ(tokens.size(), 1u);
  tokens[0].complete(GpuObject{4, 4});
  pump_all();
  EXPECT_EQ(missing.gpu().object, 4u);
  manager.reset();
  EXPECT_THAT(log.lines(), ElementsAre("release 4"));
  // And be given up while it is.
  tokens.clear();
  start().add<Note>(kRaw, loader);
  const AssetRef<Note> held = ask(50);
  pump_all();
  manager.reset();
  EXPECT_FALSE(tokens[0].complete(GpuObject{5, 5}));
  tokens.clear();
  EXPECT_EQ(held.get_or_fallback()->text, "fallback");
}

TEST_F(Uploads, a_pending_object_without_poll_is_an_error) {
  add(1, "one");
  Loader<Note> loader = note_loader(log);
  loader.finalize = [](Note&, const AssetDesc&) -> Result<GpuObject> {
    return GpuObject{.object = 1, .is_pending = true};
  };
  start().add<Note>(kRaw, std::move(loader));
  const AssetRef<Note> one = ask(1);
  pump_until_done();
  EXPECT_THAT(one.failure()->to_string(), HasSubstr("set Loader::poll"));
}

// Several threads request and drop assets while a device thread completes their uploads.
TEST_F(Uploads, uploads_complete_while_threads_request_and_drop) {
  for (std::uint32_t i = 1; i <= 40; ++i) add(i, "note " + std::to_string(i));
  start_tokens({.jobs = start_pool(2)}, 1);
  std::atomic<bool> stopping = false;
  std::jthread device([&] {
    while (!stopping) {
      std::vector<FinalizeToken> some;
      {
        const std::lock_guard lock(mutex);
        some.swap(tokens);
      }
      for (std::size_t i = 0; i < some.size(); ++i) {
        if (i % 4 != 3) some[i].complete(GpuObject{i + 1, 1});  // the others are destroyed
      }
      std::this_thread::yield();
    }
  });
  {
    std::vector<std::jthread> threads;
    threads.reserve(2);
    std::atomic<unsigned> running = 2;
    for (std::uint32_t seed = 0; seed < 2; ++seed) {
      threads.emplace_back([&, seed] {
        for (std::uint32_t i = 0; i < 150; ++i) {
          const AssetRef<Note> one = ask(1 + (i * 7 + seed * 13) % 40), two = ask(1 + (i * 11) % 40);
          std::this_thread::yield();
        }
        --running;
      });
    }
    while (running > 0) manager->pump({.time = std::chrono::milliseconds(2)});
  }
  std::vector<AssetRef<Note>> all;
  for (std::uint32_t i = 1; i <= 40; ++i) all.push_back(ask(i));
  pump_until_done();
  for (const AssetRef<Note>& one : all) EXPECT_TRUE(one.is_ready() || one.failure()->fault == Fault::kCanceled);
  all.clear();
  manager.reset();
  stopping = true;
}

}  // namespace
}  // namespace assetc::runtime
