// Threads for decoding: an engine's job system behind three functions, or a small pool of ours.
#pragma once

#include <memory>

namespace assetc::runtime {

// An engine that has a job system fills this in; the manager keeps a copy.
// Thread safety: every function is called from any thread.
struct JobSystem {
  void* context = nullptr;
  // Calls job(data) once, on any thread, now or later. Unset: there are no other threads, and pump() decodes.
  void (*submit)(void* context, void (*job)(void* data), void* data) = nullptr;
  // How many jobs run at the same time, at least 1.
  unsigned (*concurrency)(void* context) = nullptr;
  // Runs a job that waits, if there is one, on the thread that calls: what a thread does that would wait otherwise.
  // Returns whether there was one; unset or false where that cannot be done.
  bool (*help)(void* context) = nullptr;
};

// A pool in which each thread has a queue of its own, and takes from the others' when it is empty. Jobs that are left
// when it is destroyed are run before its destructor returns.
//
//   ThreadPool pool(4);
//   Manager manager(catalog, {.jobs = pool.jobs()});
class ThreadPool {
 public:
  // threads: at least 1.
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  // Valid for as long as the pool.
  JobSystem jobs();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace assetc::runtime
