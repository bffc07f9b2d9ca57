// The memory functions of an engine.
#include <gmock/gmock.h>
#include <zstd.h>

#include <map>
#include <mutex>
#include <new>

#include "runtime/notes.hpp"
#include "runtime/parts.hpp"

namespace assetc::runtime {
namespace {

// Checks that each block is freed with the arguments of its allocation.
class Heap {
 public:
  struct Block {
    std::size_t size_bytes, alignment;
    std::string tag;
    bool operator==(const Block&) const = default;
  };
  Memory memory() {
    return {.context = this,
            .allocate = [](void* context, std::size_t size_bytes, std::size_t alignment, const char* tag) -> void* {
              return static_cast<Heap*>(context)->allocate({size_bytes, alignment, tag});
            },
            .free = [](void* context, void* block, std::size_t size_bytes, std::size_t alignment,
                       const char* tag) { static_cast<Heap*>(context)->free(block, {size_bytes, alignment, tag}); }};
  }
  std::size_t live() const {
    const std::lock_guard lock(mutex_);
    return blocks_.size();
  }
  std::uint64_t bytes_of(const std::string& tag) const {
    const std::lock_guard lock(mutex_);
    std::uint64_t total = 0;
    for (const auto& [address, block] : blocks_) total += block.tag == tag ? block.size_bytes : 0;
    return total;
  }
  std::string refused;  // the tag for which allocate returns null

 private:
  void* allocate(const Block& block) {
    const std::lock_guard lock(mutex_);
    if (block.tag == refused) return nullptr;
    void* const address = ::operator new(block.size_bytes, std::align_val_t{block.alignment});
    blocks_.emplace(address, block);
    return address;
  }
  void free(void* address, const Block& block) {
    const std::lock_guard lock(mutex_);
    const auto at = blocks_.find(address);
    ASSERT_NE(at, blocks_.end());
    EXPECT_EQ(at->second, block);
    blocks_.erase(at);
    ::operator delete(address, std::align_val_t{block.alignment});
  }
  mutable std::mutex mutex_;
  std::map<void*, Block> blocks_;
};

class Heaps : public Managers {
 protected:
  void TearDown() override { manager.reset(); }  // before the heap
  Heap heap;
};

TEST_F(Heaps, records_come_from_the_engine_and_go_back_with_the_last_ref) {
  for (std::uint32_t i = 1; i <= 200; ++i) add(i, "note");
  start_notes({.jobs = start_pool(2), .memory = heap.memory()}, 1);
  std::optional<AssetRef<Note>> last = ask(1);
  {
    std::vector<AssetRef<Note>> refs;
    for (std::uint32_t i = 1; i <= 200; ++i) refs.push_back(ask(i));
    pump_until_done();
  }
  EXPECT_GT(heap.bytes_of("records"), 200 * sizeof(void*));
  manager.reset();
  EXPECT_GT(heap.live(), 0u);
  EXPECT_EQ(last->get()->text, "note");
  last.reset();
  EXPECT_EQ(heap.live(), 0u);
}

TEST_F(Heaps, content_that_is_moved_to_an_alignment_is_the_engines_and_null_is_a_failure) {
  add(1, "note");
  start({.io_thread = false, .memory = heap.memory()});
  Loader<RawData> loader;
  loader.decode = load_raw;
  manager->add<RawData>(kRaw, std::move(loader));
  // The source answers with bytes at an odd address.
  ByteVector moved(1);
  append_bytes(moved, raw_blob("content"));
  const Bytes whole(std::move(moved));
  files.put(blob_path(1), whole.slice(1, whole.size() - 1));
  {
    const AssetRef<RawData> one = manager->load<RawData>({.uuid = uuid(1)});
    ASSERT_TRUE(one.is_ready()) << one.failure()->to_string();
    EXPECT_EQ(as_text(one.get()->bytes), "content");
    EXPECT_EQ(heap.bytes_of("content"), whole.size() - 1);
  }
  manager->unload({.uuid = uuid(1)});
  pump_all();
  EXPECT_EQ(heap.bytes_of("content"), 0u);
  heap.refused = "content";
  const AssetRef<RawData> none = manager->load<RawData>({.uuid = uuid(1)});
  EXPECT_EQ(none.failure()->fault, Fault::kLimit);
}

class TextureHeaps : public PartsOf {
 protected:
  void TearDown() override { manager.reset(); }  // before the heap
  Heap heap;
};

TEST_F(TextureHeaps, levels_that_were_decompressed_are_the_engines) {
  files.files["z.ktx2"] = Bytes(ktx2_of(true));
  start(kSmallReads, {.io_thread = false, .memory = heap.memory()});
  AssetRef<TextureData> z = texture("z.ktx2");
  settle();
  expect_levels(z, 0);
  std::uint64_t levels = 0;
  for (std::uint32_t i = 0; i <= 8; ++i) levels += texels_of(i).size();
  EXPECT_EQ(heap.bytes_of("texture"), levels);
  const Bytes kept = z.get()->levels[0].bytes;
  z = {};
  manager.reset();
  EXPECT_EQ(heap.bytes_of("texture"), texels_of(0).size());
  EXPECT_EQ(kept.data()[0], std::byte{1});
}

}  // namespace
}  // namespace assetc::runtime
