// What libc++ leaves out on WebAssembly: threads and files. Included before each source. Locks do nothing. To wait for
// another thread is a fault: the module ends in a trap. The manager with io_thread = false and without jobs never does
// (tests/runtime/no_threads_probe.cpp). There are no files.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace std {

enum class cv_status { no_timeout, timeout };

struct mutex {
  void lock() {}
  void unlock() {}
  bool try_lock() { return true; }
};
struct timed_mutex : mutex {
  template <class Time>
  bool try_lock_until(const Time&) {
    return true;
  }
};

template <class Mutex>
struct unique_lock {
  unique_lock() = default;
  explicit unique_lock(Mutex& mutex) : mutex_(&mutex), owns_(true) {}
  unique_lock(Mutex& mutex, defer_lock_t) : mutex_(&mutex) {}
  unique_lock(Mutex& mutex, try_to_lock_t) : mutex_(&mutex), owns_(true) {}
  unique_lock(unique_lock&& other) noexcept
      : mutex_(exchange(other.mutex_, nullptr)), owns_(exchange(other.owns_, false)) {}
  unique_lock& operator=(unique_lock&& other) noexcept {
    unlock_if_owned();
    mutex_ = exchange(other.mutex_, nullptr);
    owns_ = exchange(other.owns_, false);
    return *this;
  }
  ~unique_lock() { unlock_if_owned(); }
  void lock() {
    mutex_->lock();
    owns_ = true;
  }
  bool try_lock() { return owns_ = mutex_->try_lock(); }
  template <class Time>
  bool try_lock_until(const Time& time) {
    return owns_ = mutex_->try_lock_until(time);
  }
  void unlock() {
    mutex_->unlock();
    owns_ = false;
  }
  bool owns_lock() const { return owns_; }
  explicit operator bool() const { return owns_; }
  Mutex* mutex() const { return mutex_; }

 private:
  void unlock_if_owned() {
    if (owns_) mutex_->unlock();
  }
  Mutex* mutex_ = nullptr;
  bool owns_ = false;
};
template <class Mutex>
unique_lock(Mutex&) -> unique_lock<Mutex>;

template <class Mutex>
struct scoped_lock {
  explicit scoped_lock(Mutex& mutex) : mutex_(mutex) { mutex_.lock(); }
  ~scoped_lock() { mutex_.unlock(); }
  scoped_lock(const scoped_lock&) = delete;
  scoped_lock& operator=(const scoped_lock&) = delete;

 private:
  Mutex& mutex_;
};

struct condition_variable {
  void notify_one() {}
  void notify_all() {}
  template <class Lock>
  void wait(Lock&) {
    __builtin_trap();
  }
  template <class Lock, class Predicate>
  void wait(Lock&, Predicate is_over) {
    if (!is_over()) __builtin_trap();
  }
  template <class Lock, class Time, class Predicate>
  bool wait_until(Lock&, const Time&, Predicate is_over) {
    return is_over();
  }
  template <class Lock, class Time>
  cv_status wait_until(Lock&, const Time&) {
    return cv_status::timeout;
  }
  template <class Lock, class Duration, class Predicate>
  bool wait_for(Lock&, const Duration&, Predicate is_over) {
    return is_over();
  }
  template <class Lock, class Duration>
  cv_status wait_for(Lock&, const Duration&) {
    return cv_status::timeout;
  }
};
using condition_variable_any = condition_variable;

struct thread {
  using id = int;
  thread() = default;
  template <class Function>
  explicit thread(Function&&) {
    __builtin_trap();
  }
  bool joinable() const { return false; }
  void join() {}
  id get_id() const { return 0; }
  static unsigned hardware_concurrency() { return 1; }
};
namespace this_thread {
inline thread::id get_id() { return 1; }
inline void yield() {}
template <class Duration>
void sleep_for(const Duration&) {
  __builtin_trap();
}
template <class Time>
void sleep_until(const Time&) {
  __builtin_trap();
}
}  // namespace this_thread

template <class T>
struct future {
  shared_ptr<optional<T>> value;
  T get() { return std::move(value->value()); }
};
template <class T>
struct promise {
  void set_value(T value) { *value_ = std::move(value); }
  future<T> get_future() { return {value_}; }

 private:
  shared_ptr<optional<T>> value_ = make_shared<optional<T>>();
};

namespace filesystem {
inline bool is_directory(const path&, error_code&) { return false; }
inline bool is_regular_file(const path&, error_code&) { return false; }
// No entries.
struct recursive_directory_iterator {
  struct Path {
    path lexically_relative(const path&) const { return {}; }
  };
  struct Entry {
    bool is_regular_file(error_code&) const { return false; }
    Path path() const { return {}; }
  };
  recursive_directory_iterator() = default;
  recursive_directory_iterator(const path&, error_code&) {}
  bool operator==(const recursive_directory_iterator&) const { return true; }
  const Entry* operator->() const { return nullptr; }
  void increment(error_code&) {}
};
}  // namespace filesystem

}  // namespace std
