// Working memory that a thread keeps for its next call. A project may have 100,000 pictures of a few blocks: memory for
// each call takes longer to clear than such a picture to encode, and what is freed leaves holes in the heap.
#pragma once

#include <cassert>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace assetc::codec {

// The object of the calling thread, as the last call left it. Nothing that uses it may wait for other tasks, which
// could run on this thread.
template <class T>
T& thread_object() {
#if defined(__wasm__)
  static T* const object = new T();  // one thread, which never ends
#else
  thread_local const std::unique_ptr<T> object = std::make_unique<T>();
#endif
  return *object;
}

// A new object in memory of the calling thread, which has one of a type at a time. The same holds for what uses it.
template <class T>
class OnThread {
 public:
  template <class... Values>
  explicit OnThread(Values&&... values) {
    Memory& memory = of_thread();
    assert(!memory.is_used);
    memory.is_used = true;
    object_ = ::new (memory.bytes) T(std::forward<Values>(values)...);
  }
  ~OnThread() {
    std::destroy_at(object_);
    of_thread().is_used = false;
  }
  OnThread(const OnThread&) = delete;
  OnThread& operator=(const OnThread&) = delete;

  T& operator*() const { return *object_; }
  T* operator->() const { return object_; }

 private:
  struct Memory {
    bool is_used = false;
    alignas(T) std::byte bytes[sizeof(T)];
  };
  static Memory& of_thread() { return thread_object<Memory>(); }

  T* object_ = nullptr;
};

}  // namespace assetc::codec
