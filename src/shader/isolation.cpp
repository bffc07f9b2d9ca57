#include "shader/isolation.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "shader/compiler_protocol.hpp"
#include "shader/compilers.hpp"
#include "shader/include_path.hpp"

namespace assetc::shader {
namespace {

constexpr const char* kArgument = "--compile-shaders";
constexpr int kSocket = 0;        // of the child: its standard input
constexpr int kNotStarted = 127;  // the status of a child that could not start the program, where spawning says nothing

std::atomic<bool> can_isolate = false;

// ---- the child

constexpr Deadline kNever = Deadline::max();

std::uint64_t address_space_bytes() {
  unsigned long long pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "re")) {
    if (std::fscanf(file, "%llu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGE_SIZE));
}

void limit(decltype(RLIMIT_AS) resource, std::uint64_t value) {
  rlimit now{};
  if (::getrlimit(resource, &now) != 0) return;
  now.rlim_cur = std::min<rlim_t>(value, now.rlim_max);
  ::setrlimit(resource, &now);
}

std::uint64_t processor_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return static_cast<std::uint64_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec + 1);
}

MessageWriter answer_of(const Result<Compiled>& compiled, Language language) {
  MessageWriter answer(Tag::kCompiled);
  answer.number(std::uint8_t{compiled.has_value()});
  if (!compiled) return std::move(answer.error(compiled.error()));
  answer.blob(language == Language::kSpirv ? ByteSpan() : ByteSpan(compiled->spirv));  // the asker has those
  answer.number(static_cast<std::uint32_t>(compiled->warnings.size()));
  for (const Error& warning : compiled->warnings) answer.error(warning);
  return answer;
}

// Until the socket closes.
int serve() {
  std::set_new_handler([] { ::_exit(kOutOfMemoryStatus); });
  limit(RLIMIT_CORE, 0);
  const std::uint64_t started_bytes = address_space_bytes();
  ByteVector message;
  while (receive_message(kSocket, message, kNever)) {
    MessageReader job(message);
    if (job.number<Tag>() != Tag::kJob) return 1;
    const auto options = job.number<Options>();
    const auto limits = job.number<ProcessLimits>();
    const std::string path = job.text();
    const ByteSpan source = job.blob();
    if (!job.ok()) return 1;
    if (kLimitsMemory) limit(RLIMIT_AS, started_bytes + limits.memory_bytes);
    limit(RLIMIT_CPU, processor_seconds() + limits.processor_seconds);

    const ReadFile read = [](std::string_view file) -> Result<Bytes> {
      ByteVector answer;
      if (!send_message(kSocket, MessageWriter(Tag::kRead).text(file).bytes(), kNever) ||
          !receive_message(kSocket, answer, kNever)) {
        ::_exit(1);
      }
      MessageReader reader(answer);
      if (reader.number<Tag>() != Tag::kFile) ::_exit(1);
      if (reader.number<std::uint8_t>() == 0) return std::unexpected(reader.error());
      const ByteSpan bytes = reader.blob();
      return Bytes(ByteVector(bytes.begin(), bytes.end()));
    };
    if (!send_message(kSocket, answer_of(compile_here(path, source, options, read), options.language).bytes(), kNever))
      return 1;
#if defined(__GLIBC__)
    malloc_trim(0);  // while it waits for the next source, nothing is reserved for it
#endif
  }
  return 0;
}

// ---- the parent

class Child {
 public:
  Child(pid_t pid, FileHandle socket) : pid_(pid), socket_(std::move(socket)) {}
  Child(Child&& other) noexcept
      : pid_(std::exchange(other.pid_, 0)),
        socket_(std::move(other.socket_)),
        used_(other.used_),
        started_(other.started_) {}
  Child& operator=(Child&&) = delete;
  ~Child() {
    if (pid_ != 0) kill_and_reap(pid_);
  }

  // Nothing where this program cannot be started again.
  static Result<std::optional<Child>> start();

  bool used() const { return used_; }
  // What the child answered, or what stands for how it ended.
  Result<Compiled> compile(std::string_view path, ByteSpan source, const Options& options, const ReadFile& read,
                           const ProcessLimits& limits);
  bool ended() const { return pid_ == 0; }
  bool started() const { return started_; }

 private:
  Result<Compiled> end(const ProcessLimits& limits, Deadline deadline);

  pid_t pid_;
  FileHandle socket_;
  bool used_ = false;  // for an earlier source
  bool started_ = true;
};

Result<std::optional<Child>> Child::start() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return fail(ErrorCode::kIo, std::string("cannot start the shader compiler: ") + std::strerror(errno));
  FileHandle mine(ends[0]);
  const FileHandle its(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, its.get(), kSocket);
  for (const int output : {1, 2}) posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0);
  std::string words[] = {"assetc", kArgument};
  char* arguments[] = {words[0].data(), words[1].data(), nullptr};
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, "/proc/self/exe", &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOEXEC || error == ENOENT) return std::nullopt;
  if (error != 0) return fail(ErrorCode::kIo, std::string("cannot start the shader compiler: ") + std::strerror(error));
  return Child(pid, std::move(mine));
}

Result<Compiled> Child::end(const ProcessLimits& limits, Deadline deadline) {
  const bool late = std::chrono::steady_clock::now() >= deadline;
  if (late) {
    kill_and_reap(pid_);
    pid_ = 0;
    return std::unexpected(hang_error(limits));
  }
  ::shutdown(socket_.get(), SHUT_RDWR);  // one that lives breaks the protocol, and ends now
  const int status = reap(std::exchange(pid_, 0));
  started_ = !WIFEXITED(status) || WEXITSTATUS(status) != kNotStarted;
  if (WIFEXITED(status) && WEXITSTATUS(status) == kOutOfMemoryStatus) return Compiled{{}, {}, true};
  return std::unexpected(crash_error(status, limits));
}

Result<Compiled> Child::compile(std::string_view path, ByteSpan source, const Options& options, const ReadFile& read,
                                const ProcessLimits& limits) {
  const Deadline deadline = std::chrono::steady_clock::now() + std::chrono::seconds(limits.seconds);
  const auto dead = [&] { return end(limits, deadline); };
  MessageWriter job(Tag::kJob);
  job.number(options).number(limits).text(path).blob(source);
  if (!send_message(socket_.get(), job.bytes(), deadline)) return dead();
  ByteVector message;
  while (receive_message(socket_.get(), message, deadline)) {
    MessageReader reader(message);
    if (const auto tag = reader.number<Tag>(); tag == Tag::kRead) {
      const std::string name = reader.text();
      if (!reader.ok() || join_inside_root({}, name) != name) return dead();
      MessageWriter file(Tag::kFile);
      const Result<Bytes> bytes = read(name);
      file.number(std::uint8_t{bytes.has_value()});
      bytes ? file.blob(*bytes) : file.error(bytes.error());
      if (!send_message(socket_.get(), file.bytes(), deadline)) return dead();
      continue;
    } else if (tag != Tag::kCompiled) {
      return dead();
    }
    Result<Compiled> result;
    if (reader.number<std::uint8_t>() != 0) {
      const ByteSpan spirv = options.language == Language::kSpirv ? source : reader.blob();
      if (options.language == Language::kSpirv) (void)reader.blob();
      result->spirv.assign(spirv.begin(), spirv.end());
      for (auto left = reader.number<std::uint32_t>(); left != 0 && reader.ok(); --left)
        result->warnings.push_back(reader.error());
    } else {
      result = std::unexpected(reader.error());
    }
    if (!reader.ok()) return dead();
    used_ = true;
    return result;
  }
  return dead();
}

// Children that wait for a source: as many as compiled at once.
class Pool {
 public:
  std::optional<Child> take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return std::nullopt;
    Child child = std::move(idle_.back());
    idle_.pop_back();
    return child;
  }
  void give_back(Child child) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(child));
  }

 private:
  std::mutex mutex_;
  std::vector<Child> idle_;
};

Pool& pool() {
  static Pool children;
  return children;
}

}  // namespace

std::optional<int> run_as_compiler(int argc, const char* const* argv) {
  if (argc == 2 && std::strcmp(argv[1], kArgument) == 0) return serve();
  can_isolate = true;
  return std::nullopt;
}

Result<Compiled> compile_isolated(std::string_view path, ByteSpan source, const Options& options, const ReadFile& read,
                                  const ProcessLimits& limits) {
  std::optional<Child> child = can_isolate ? pool().take() : std::nullopt;
  for (;;) {
    if (!child && can_isolate) {
      auto started = Child::start();
      if (!started) return std::unexpected(std::move(started).error().in(path));
      if (!*started) can_isolate = false;
      if (*started) child.emplace(std::move(**started));
    }
    if (!child) return compile_here(path, source, options, read);
    const bool used = child->used();
    auto compiled = child->compile(path, source, options, read, limits);
    if (!child->ended()) {
      pool().give_back(std::move(*child));
      return compiled;
    }
    if (!child->started()) {
      can_isolate = false;
    } else if (!used) {  // else what earlier sources left there may have ended it
      if (!compiled) return std::unexpected(std::move(compiled).error().in(path));
      return compiled;
    }
    child.reset();
  }
}

}  // namespace assetc::shader
