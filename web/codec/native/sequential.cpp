// Replaces src/parallel/parallel.cpp where there are no threads, as in WebAssembly: the parts that the encoders use, on
// one thread.
#include "parallel/parallel.hpp"

namespace assetc {
namespace parallel {

void run(std::size_t count, const Call& call) {
  if (count != 0) call.function(call.work, 0, count);
}
void run_both(const Call& first, const Call& second) {
  first.function(first.work, 0, 0);
  second.function(second.work, 0, 0);
}
void isolate(const Call& call) { call.function(call.work, 0, 0); }

void yield() {}

}  // namespace parallel

int default_concurrency() { return 1; }

struct ThreadSlots::Impl {
  void* slot = nullptr;
};
ThreadSlots::ThreadSlots() : impl_(new Impl) {}
ThreadSlots::~ThreadSlots() = default;
void*& ThreadSlots::local() { return impl_->slot; }
void ThreadSlots::for_each(void (*work)(void* context, void*& slot), void* context) { work(context, impl_->slot); }

}  // namespace assetc
