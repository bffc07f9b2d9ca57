// Memory of records, and of the nodes of their containers.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory_resource>
#include <utility>

namespace assetc::runtime {

// Reuses freed blocks for blocks of the same size. Unlike std::pmr::unsynchronized_pool_resource, it does not search
// for the chunk of a block, so allocating and freeing cost a few instructions. Chunks are freed with this object. Not
// thread-safe.
class NodeMemory final : public std::pmr::memory_resource {
 public:
  explicit NodeMemory(std::pmr::memory_resource& upstream) : upstream_(upstream) {}
  NodeMemory(const NodeMemory&) = delete;
  NodeMemory& operator=(const NodeMemory&) = delete;
  ~NodeMemory() override {
    while (chunks_ != nullptr) {
      Chunk* const chunk = std::exchange(chunks_, chunks_->next);
      upstream_.deallocate(chunk, chunk->size_bytes, kStep);
    }
  }

 private:
  // Sizes are multiples of this, and larger blocks come from `upstream`.
  static constexpr std::size_t kStep = alignof(std::max_align_t), kMaxBytes = 1024;
  static constexpr std::size_t kFirstChunkBytes = 4u << 10, kMaxChunkBytes = 256u << 10;
  struct alignas(kStep) Chunk {
    Chunk* next;
    std::size_t size_bytes;
  };
  struct Free {
    Free* next;
  };

  static bool is_node(std::size_t size_bytes, std::size_t alignment) {
    return size_bytes > 0 && size_bytes <= kMaxBytes && alignment <= kStep;
  }
  void* do_allocate(std::size_t size_bytes, std::size_t alignment) override {
    if (!is_node(size_bytes, alignment)) return upstream_.allocate(size_bytes, alignment);
    const std::size_t steps = (size_bytes + kStep - 1) / kStep;
    if (Free*& free = free_[steps - 1]; free != nullptr) return std::exchange(free, free->next);
    if (left_bytes_ < steps * kStep) add_chunk();
    left_bytes_ -= steps * kStep;
    return std::exchange(rest_, rest_ + steps * kStep);
  }
  void do_deallocate(void* memory, std::size_t size_bytes, std::size_t alignment) override {
    if (!is_node(size_bytes, alignment)) return upstream_.deallocate(memory, size_bytes, alignment);
    Free*& free = free_[(size_bytes + kStep - 1) / kStep - 1];
    free = new (memory) Free{free};
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  // The rest of the chunk before is lost: less than one block.
  void add_chunk() {
    const std::size_t size = chunks_ == nullptr ? kFirstChunkBytes : std::min(chunks_->size_bytes * 2, kMaxChunkBytes);
    void* const memory = upstream_.allocate(size, kStep);
    chunks_ = new (memory) Chunk{chunks_, size};
    rest_ = static_cast<std::byte*>(memory) + sizeof(Chunk);
    left_bytes_ = size - sizeof(Chunk);
  }

  std::pmr::memory_resource& upstream_;
  Chunk* chunks_ = nullptr;
  std::byte* rest_ = nullptr;  // of the last chunk
  std::size_t left_bytes_ = 0;
  std::array<Free*, kMaxBytes / kStep> free_{};
};

}  // namespace assetc::runtime
