// Threads for decoding: an engine's job system behind three functions, or the small thread pool of this library.
#pragma once

#include <memory>

namespace assetc::runtime {

// The functions of an engine's job system. The manager keeps a copy of the struct.
// Thread safety: every function is called from any thread.
struct JobSystem {
  void* context = nullptr;
  // Calls job(data) once, on any thread, now or later. Unset: there are no other threads, and pump() decodes.
  void (*submit)(void* context, void (*job)(void* data), void* data) = nullptr;
  // Returns how many jobs run at the same time, at least 1.
  unsigned (*concurrency)(void* context) = nullptr;
  // Runs one waiting job on the calling thread, if there is one. The manager calls it instead of blocking. Returns
  // whether there was a job. Unset or false if the job system cannot do that.
  bool (*help)(void* context) = nullptr;
};

// A thread pool. Each thread has its own queue and takes jobs from other queues when its own is empty. The destructor
// runs all remaining jobs before it returns. On Linux and Windows, the threads have a lower priority than those of the
// program: they are for work that may be late.
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
  // Returns the functions of this pool. Valid as long as the pool exists.
  JobSystem jobs();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace assetc::runtime
