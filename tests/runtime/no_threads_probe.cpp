// The runtime in a program of one thread, as in a browser. A new thread, a wait for one or a sleep ends the program. It
// is a separate program because it replaces these functions.
#include <gmock/gmock.h>
#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <deque>

#include "assetc/runtime/audio_stream.hpp"
#include "assetc/runtime/cluster_streamer.hpp"
#include "assetc/runtime/clusters.hpp"
#include "assetc/runtime/source.hpp"
#include "runtime/cluster_strip.hpp"
#include "runtime/notes.hpp"
#include "runtime/parts.hpp"

namespace {

[[noreturn]] void forbidden(const char* what) {
  std::fprintf(stderr, "no_threads_probe: %s was reached\n", what);
  std::abort();
}

}  // namespace

extern "C" {
int pthread_create(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*) { forbidden("pthread_create"); }
int pthread_cond_wait(pthread_cond_t*, pthread_mutex_t*) { forbidden("pthread_cond_wait"); }
int pthread_cond_timedwait(pthread_cond_t*, pthread_mutex_t*, const timespec*) { forbidden("pthread_cond_timedwait"); }
int pthread_cond_clockwait(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*) {
  forbidden("pthread_cond_clockwait");
}
int nanosleep(const timespec*, timespec*) { forbidden("nanosleep"); }
int clock_nanosleep(clockid_t, int, const timespec*, timespec*) { forbidden("clock_nanosleep"); }
int sched_yield() { forbidden("sched_yield"); }
}

namespace assetc::runtime {
namespace {

using testing::IsEmpty;

constexpr std::uint32_t kFrames = 3000, kFramesPerChunk = 500;

// Answers when the host calls it, like fetch().
class LateSource : public Source {
 public:
  explicit LateSource(Files& files) : files_(files.source()) {}
  Ticket submit(ReadRequest request, Completions& completions) override {
    if (!is_late) return files_->submit(std::move(request), completions);
    waiting_.push_back({Ticket{++last_}, std::move(request), &completions});
    return waiting_.back().ticket;
  }
  void cancel(Ticket ticket) override {
    const auto at = std::ranges::find(waiting_, ticket, &Waiting::ticket);
    if (at == waiting_.end()) return;
    at->completions->post({at->request.user, fail(ErrorCode::kCanceled, "canceled")});
    waiting_.erase(at);
  }
  void answer_one() {
    if (waiting_.empty()) return;
    Waiting first = std::move(waiting_.front());
    waiting_.pop_front();
    files_->submit(std::move(first.request), *first.completions);
  }
  bool is_late = false;

 private:
  struct Waiting {
    Ticket ticket;
    ReadRequest request;
    Completions* completions;
  };
  std::shared_ptr<Source> files_;
  std::deque<Waiting> waiting_;
  std::uint64_t last_ = 0;
};

class NoThreads : public Managers {
 protected:
  // Notes 1 to 3, a texture, a mesh and a sound.
  void begin() {
    add(1, "one", {2});
    add(2, "two");
    add(3, "three");
    cooked.add(uuid(10), {AssetType::kTexture2D, "Demo/Wall", aas1_of(), {}, {}});
    cooked.add(uuid(11), {AssetType::kMesh, "Demo/Grid", aas1_grid(64), {}, {}});
    cooked.add(uuid(12), {AssetType::kAudio, "Demo/Music", sound(7), {}, {}});
    cooked.put(files);
    source = std::make_shared<LateSource>(files);
    Catalog catalog;
    ASSERT_TRUE(catalog.mount(source, Layout::kCooked, "cooked"));
    manager.emplace(std::move(catalog),
                    ManagerOptions{.io_thread = false, .on_failure = [this](const Failure& failure) {
                                     failures.push_back(failure.to_string());
                                   }});
    manager->add<Note>(kRaw, note_loader(log));
    const PartOptions parts{.first_read_bytes = 4096};
    manager->add(AssetType::kTexture2D, texture_loader({}, parts));
    manager->add(AssetType::kMesh, mesh_loader(parts));
    manager->add(AssetType::kAudio, audio_loader(parts));
  }
  static ByteVector sound(std::int16_t value) {
    ByteVector chunk;
    for (std::uint32_t i = 0; i < kFramesPerChunk; ++i) append(chunk, value);
    aas1::Audio audio;
    audio.channel_count = 1;
    audio.frame_count = kFrames;
    audio.frames_per_chunk = kFramesPerChunk;
    for (std::uint32_t i = 0; i < kFrames / kFramesPerChunk; ++i) audio.chunks.emplace_back(chunk);
    return aas1::write(audio).value();
  }
  // Runs frames of a host: an answer, then a pump.
  void run(int frames) {
    for (int i = 0; i < frames; ++i) {
      source->answer_one();
      manager->pump();
    }
  }
  std::size_t hear(AudioStream& music, float value) {
    std::vector<float> buffer(100);
    std::size_t heard = 0;
    for (int i = 0; i < 200 && !music.is_silent(); ++i) {
      run(1);
      music.fill();
      const std::size_t frames = music.pull(buffer);
      for (std::size_t f = 0; f < frames; ++f) heard += buffer[f] == value / 32768;
    }
    return heard;
  }
  std::shared_ptr<LateSource> source;
};

TEST_F(NoThreads, load_returns_what_it_loaded) {
  begin();
  const AssetRef<Note> one = manager->load<Note>({.uuid = uuid(1)});
  ASSERT_TRUE(one.is_ready());
  EXPECT_EQ(one.get()->text, "one");
  const AssetRef<TextureData> wall = manager->load<TextureData>({.uuid = uuid(10)});
  ASSERT_TRUE(wall.is_ready());
  EXPECT_GT(wall.get()->first_level, 0u);
  EXPECT_EQ(manager->load<Note>({.uuid = uuid(77)}).failure()->fault, Fault::kMissing);
  const Group group = manager->preload(std::vector<AssetHandle>{{.uuid = uuid(3)}, {.uuid = uuid(11)}});
  manager->wait(group);
  EXPECT_EQ(group.progress().ready, 2u);
}

TEST_F(NoThreads, pump_makes_progress_with_sources_that_answer_later) {
  begin();
  source->is_late = true;
  const AssetRef<Note> one = manager->load_async<Note>({.uuid = uuid(1)});
  const AssetRef<TextureData> wall = manager->load_async<TextureData>({.uuid = uuid(10)});
  const AssetRef<MeshData> mesh = manager->load_async<MeshData>({.uuid = uuid(11)});
  run(40);
  EXPECT_TRUE(one.is_ready());
  ASSERT_TRUE(wall.is_ready());
  EXPECT_EQ(wall.get()->first_level, 0u);
  ASSERT_TRUE(mesh.is_ready());
  EXPECT_EQ(mesh.get()->lod, 0u);
  wall.want(2);
  run(5);
  EXPECT_EQ(wall.get()->first_level, 2u);
  EXPECT_THAT(failures, IsEmpty());
}

TEST_F(NoThreads, changes_are_loaded_anew) {
  begin();
  const AssetRef<Note> one = manager->load<Note>({.uuid = uuid(1)});
  const AssetRef<TextureData> wall = manager->load<TextureData>({.uuid = uuid(10)});
  run(20);
  source->is_late = true;
  files.put(blob_path(1), Bytes(raw_blob("another")));
  manager->changed({.written = {"Assets/" + uuid(1).to_string() + ".bin", "Assets/" + uuid(10).to_string() + ".bin"}});
  run(20);
  EXPECT_EQ(one.get()->text, "another");
  EXPECT_EQ(wall.get()->first_level, 0u);
  EXPECT_EQ(wall.reload_failure(), nullptr);
}

TEST_F(NoThreads, letting_go_cancels_at_every_stage) {
  for (int frames = 0; frames < 12; ++frames) {
    begin();
    source->is_late = true;
    {
      const AssetRef<Note> one = manager->load_async<Note>({.uuid = uuid(1)});
      const AssetRef<TextureData> wall = manager->load_async<TextureData>({.uuid = uuid(10)});
      run(frames);
    }
    run(40);
    EXPECT_EQ(manager->stats().loading, 0u);
    EXPECT_EQ(manager->stats().in_flight_bytes, 0u);
    manager.reset();
  }
}

TEST_F(NoThreads, sounds_are_heard_by_the_chunk) {
  begin();
  source->is_late = true;
  AudioStream music(*manager, {.uuid = uuid(12)}, {.ring_frames = 256});
  EXPECT_EQ(hear(music, 7), kFrames);
  EXPECT_EQ(music.failure(), nullptr);
  EXPECT_TRUE(music.is_silent());
}

TEST_F(NoThreads, clusters_are_streamed_by_the_page) {
  files.put("strip.hcluster", strip_file());
  source = std::make_shared<LateSource>(files);
  Catalog catalog;
  ASSERT_TRUE(catalog.mount(source, Layout::kTree, "", {.files = {std::string("strip.hcluster")}}));
  manager.emplace(std::move(catalog), ManagerOptions{.io_thread = false});
  manager->add(AssetType::kClusters, cluster_loader({.first_read_bytes = 4096}));
  ClusterStreamer streamer(*manager);
  const ClusterMesh mesh = streamer.add(manager->load_async<ClusterData>("strip.hcluster"));
  const ClusterUse use{mesh, {.eye = {128, 1, 1}, .limit = 1e-9f}};
  source->is_late = true;
  for (int i = 0; i < 200; ++i) {
    run(1);
    streamer.update({&use, 1});
  }
  ASSERT_NE(streamer.pages(mesh), nullptr);
  EXPECT_EQ(streamer.stats().pages, streamer.pages(mesh)->page_count());
  EXPECT_GT(streamer.stats().pages, 20u);
}

TEST_F(NoThreads, a_manager_goes_with_all_that_waits) {
  begin();
  const AssetRef<TextureData> wall = manager->load_async<TextureData>({.uuid = uuid(10)});
  manager->pump({.time = std::chrono::microseconds(0)});
  manager.reset();
  EXPECT_NE(wall.state(), LoadState::kLoading);
}

}  // namespace
}  // namespace assetc::runtime
