// Builds and runs the code of docs/guide/integration.md; engine_guide_test.cpp compares it with the page.
#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "assetc/runtime/assets.hpp"
#include "assetc/runtime/source.hpp"
#include "runtime/cooked.hpp"

namespace assetc {
namespace {

void log(const std::string& what) { ADD_FAILURE() << what; }
void engine_log(const char*, const std::string&) {}

// Stand-ins for parts of an engine: files, a heap, a scheduler.
class Vfs {
 public:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  std::map<std::string, Bytes> files;

  std::uint64_t size_of(const std::string& path) const {
    const auto found = files.find(path);
    return found == files.end() ? kNone : found->second.size();
  }
  bool read(const std::string& path, std::uint64_t offset, std::span<std::byte> out) const {
    const ByteSpan file = files.at(path);
    if (!range_fits(offset, out.size(), file.size())) return false;
    std::ranges::copy(file.subspan(static_cast<std::size_t>(offset), out.size()), out.begin());
    return true;
  }
  void read_later(const std::string& path, std::uint64_t offset, std::uint64_t size,
                  const std::function<void(std::uint64_t, Bytes)>& then) const {
    const auto found = files.find(path);
    const ByteSpan file = found == files.end() ? ByteSpan() : found->second.span();
    const ByteSpan part = file.subspan(static_cast<std::size_t>(std::min<std::uint64_t>(offset, file.size())));
    const ByteSpan read = part.first(static_cast<std::size_t>(std::min<std::uint64_t>(size, part.size())));
    then(file.size(), Bytes(ByteVector(read.begin(), read.end())));
  }
};

struct Heap {
  std::byte* allocate(std::size_t size_bytes, std::size_t alignment) {
    ++live;
    return static_cast<std::byte*>(::operator new(size_bytes, std::align_val_t(alignment)));
  }
  void free(const void* memory) {
    --live;
    ::operator delete(const_cast<void*>(memory), std::align_val_t(16));
  }
  void* take(std::size_t size_bytes, std::size_t alignment, std::string_view tag) {
    EXPECT_FALSE(tag.empty());
    used_bytes += size_bytes;
    return ::operator new(size_bytes, std::align_val_t(alignment));
  }
  void give_back(void* memory, std::size_t size_bytes, std::size_t alignment, std::string_view) {
    used_bytes -= size_bytes;
    ::operator delete(memory, std::align_val_t(alignment));
  }
  int live = 0;
  std::size_t used_bytes = 0;
};

class Scheduler {
 public:
  void run(void (*job)(void*), void* data) {
    const std::lock_guard lock(mutex_);
    jobs_.emplace_back(job, data);
  }
  unsigned thread_count() const { return 1; }
  bool run_one() {
    std::pair<void (*)(void*), void*> job;
    {
      const std::lock_guard lock(mutex_);
      if (jobs_.empty()) return false;
      job = jobs_.front();
      jobs_.pop_front();
    }
    job.first(job.second);
    return true;
  }

 private:
  std::mutex mutex_;
  std::deque<std::pair<void (*)(void*), void*>> jobs_;
};

struct ChromeTrace {
  std::mutex mutex;
  std::string text;
  static std::string thread() {
    return std::to_string(std::hash<std::thread::id>()(std::this_thread::get_id()) % 1000);
  }
  static std::string microseconds() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
  }
};

class Overlapped final : public runtime::Source {
 public:
  explicit Overlapped(Vfs& vfs) : vfs_(vfs) {}
  runtime::Ticket submit(runtime::ReadRequest request, runtime::Completions& completions) override {
    const runtime::Ticket ticket{++last_};
    vfs_.read_later(request.path, request.offset_bytes, request.size_bytes,
                    [&completions, user = request.user](std::uint64_t file_size, Bytes bytes) {
                      completions.post({user, runtime::ReadAnswer{file_size, std::move(bytes)}});
                    });
    return ticket;
  }
  void cancel(runtime::Ticket) override {}  // the answer may still come: it is dropped

 private:
  Vfs& vfs_;
  std::atomic<std::uint64_t> last_ = 0;
};

Bytes in_our_heap(Heap& heap, std::size_t size_bytes) {
  std::byte* const memory = heap.allocate(size_bytes, 16);
  return Bytes(std::shared_ptr<const void>(memory, [&heap](const void* p) { heap.free(p); }), {memory, size_bytes});
}

runtime::Cooked console() {
  runtime::Cooked cooked;
  cooked.add(runtime::uuid(1), {aas1::Type::kRaw, "Demo/Data", runtime::raw_blob("data"), {}, {}});
  return cooked;
}

TEST(IntegrationGuide, files_jobs_log_and_trace) {
  runtime::Files made;
  console().put(made, "Cooked/Console/");
  Vfs vfs;
  vfs.files = made.files;
  runtime::Catalog catalog;
  const auto read = [&vfs](const runtime::ReadRequest& request,
                           const std::atomic<bool>& canceled) -> Result<runtime::ReadAnswer> {
    const std::uint64_t size = vfs.size_of(request.path);
    if (size == Vfs::kNone) return fail(ErrorCode::kNotFound, "no such file");
    const std::uint64_t left = size - std::min(request.offset_bytes, size);
    ByteVector bytes(static_cast<std::size_t>(std::min(request.size_bytes, left)));
    if (canceled || !vfs.read(request.path, request.offset_bytes, bytes)) return fail(ErrorCode::kIo, "cannot read");
    return runtime::ReadAnswer{size, Bytes(std::move(bytes))};
  };
  const std::shared_ptr<runtime::Source> files = runtime::make_source(read, 2);
  if (auto mounted = catalog.mount(files, runtime::Layout::kCooked, "Cooked/Console"); !mounted)
    log(mounted.error().to_string());

  Scheduler scheduler;
  runtime::JobSystem jobs{.context = &scheduler};
  jobs.submit = [](void* to, void (*job)(void*), void* data) { static_cast<Scheduler*>(to)->run(job, data); };
  jobs.concurrency = [](void* to) { return static_cast<Scheduler*>(to)->thread_count(); };
  jobs.help = [](void* to) { return static_cast<Scheduler*>(to)->run_one(); };

  ChromeTrace trace;
  Heap heap;
  runtime::ManagerOptions options{.jobs = jobs};
  options.on_failure = [&](const runtime::Failure& failure) {
    const bool is_ours = failure.fault == runtime::Fault::kCanceled;
    if (!is_ours) engine_log("assets", failure.to_string());  // path, UUID, place, what was found, what to do
  };
  options.trace = {&trace, [](void* context, const runtime::TraceEvent& event) {
                     auto& out = *static_cast<ChromeTrace*>(context);
                     const std::lock_guard lock(out.mutex);
                     const bool counts = event.kind == runtime::TraceEvent::Kind::kCounter;
                     out.text += out.text.empty() ? "[" : ",\n";
                     out.text += std::string("{\"ph\":\"") + "BEbeCi"[static_cast<int>(event.kind)] + "\",\"name\":\"" +
                                 event.name + "\",\"cat\":\"assets\",\"pid\":1,\"tid\":" + out.thread() +
                                 ",\"ts\":" + out.microseconds() + ",\"id\":" + std::to_string(event.value) +
                                 (counts ? ",\"args\":{\"value\":" + std::to_string(event.value) + "}" : "") + "}";
                   }};
  options.memory = {
      .context = &heap,
      .allocate = [](void* to, std::size_t size_bytes, std::size_t alignment, const char* tag) -> void* {
        return static_cast<Heap*>(to)->take(size_bytes, alignment, tag);
      },
      .free = [](void* to, void* memory, std::size_t size_bytes, std::size_t alignment,
                 const char* tag) { static_cast<Heap*>(to)->give_back(memory, size_bytes, alignment, tag); }};
  options.io_thread = false;
  {
    runtime::Manager manager(catalog, std::move(options));
    runtime::add_loaders(manager);
    const auto data = manager.load_async<runtime::RawData>({.uuid = runtime::uuid(1)});
    while (data.state() == runtime::LoadState::kLoading) {
      manager.pump();
      scheduler.run_one();
    }
    ASSERT_TRUE(data.is_ready()) << data.failure()->to_string();
    EXPECT_EQ(as_text(data.get()->bytes), "data");
    EXPECT_GT(heap.used_bytes, 0u);
  }
  EXPECT_EQ(heap.used_bytes, 0u);
  EXPECT_THAT(trace.text,
              testing::StartsWith("[{\"ph\":\"B\",\"name\":\"pump\",\"cat\":\"assets\",\"pid\":1,\"tid\":"));
  for (const char* part : {"\"ph\":\"b\",\"name\":\"read\"", "\"ph\":\"e\",\"name\":\"read\"",
                           "\"ph\":\"E\",\"name\":\"decode\"", "\"args\":{\"value\":0}"})
    EXPECT_THAT(trace.text, testing::HasSubstr(part));
}

TEST(IntegrationGuide, answers_later_and_memory_of_a_heap) {
  runtime::Files made;
  console().put(made, "Cooked/Console/");
  Vfs vfs;
  vfs.files = made.files;
  runtime::Catalog catalog;
  ASSERT_TRUE(catalog.mount(std::make_shared<Overlapped>(vfs), runtime::Layout::kCooked, "Cooked/Console"));
  EXPECT_TRUE(catalog.read({.uuid = runtime::uuid(1)}));
  Heap heap;
  {
    const Bytes bytes = in_our_heap(heap, 100);
    const Bytes part = bytes.slice(10, 20);
    EXPECT_EQ(heap.live, 1);
  }
  EXPECT_EQ(heap.live, 0);
}

}  // namespace
}  // namespace assetc
