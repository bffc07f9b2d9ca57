#include "shader/isolation.hpp"

#include <chrono>
#include <mutex>
#include <vector>

#include "os/machine.hpp"
#include "shader/compiler_protocol.hpp"
#include "shader/compilers.hpp"
#include "shader/include_path.hpp"

namespace assetc::shader {
namespace {

using process::Deadline;
using process::kNever;
using process::MessageReader;
using process::MessageWriter;
using process::receive_message;
using process::send_message;

// ---- the child

MessageWriter answer_of(const Result<Compiled>& compiled, Language language) {
  MessageWriter answer;
  answer.number(Tag::kCompiled);
  answer.number(std::uint8_t{compiled.has_value()});
  if (!compiled) return std::move(answer.error(compiled.error()));
  answer.blob(language == Language::kSpirv ? ByteSpan() : ByteSpan(compiled->spirv));  // the parent has these
  answer.number(static_cast<std::uint32_t>(compiled->warnings.size()));
  for (const Error& warning : compiled->warnings) answer.error(warning);
  return answer;
}

// Serves requests until the socket closes.
int serve(int socket) {
  const std::uint64_t started_bytes = process::prepare_to_serve();
  ByteVector message;
  while (receive_message(socket, message, kNever, kMaxMessageBytes)) {
    MessageReader job(message);
    if (job.number<Tag>() != Tag::kJob) return 1;
    const auto options = job.number<Options>();
    const auto limits = job.number<ProcessLimits>();
    const std::string path = job.text();
    const ByteSpan source = job.blob();
    if (!job.ok()) return 1;
    process::limit_source(limits, started_bytes);

    const ReadFile read = [socket](std::string_view file) -> Result<Bytes> {
      ByteVector answer;
      if (!send_message(socket, MessageWriter().number(Tag::kRead).text(file).bytes(), kNever, kMaxMessageBytes) ||
          !receive_message(socket, answer, kNever, kMaxMessageBytes)) {
        os::exit_now(1);
      }
      MessageReader reader(answer);
      if (reader.number<Tag>() != Tag::kFile) os::exit_now(1);
      if (reader.number<std::uint8_t>() == 0) return std::unexpected(reader.error());
      const ByteSpan bytes = reader.blob();
      return Bytes(ByteVector(bytes.begin(), bytes.end()));
    };
    const MessageWriter answer = answer_of(compile_here(path, source, options, read), options.language);
    if (!send_message(socket, answer.bytes(), kNever, kMaxMessageBytes)) return 1;
    os::trim_heap();  // a waiting process has no memory reservation
  }
  return 0;
}

// ---- the parent

class Compiler {
 public:
  explicit Compiler(process::Child child) : child_(std::move(child)) {}

  bool used() const { return used_; }
  // The answer of the process, or an error for the way it ended.
  Result<Compiled> compile(std::string_view path, ByteSpan source, const Options& options, const ReadFile& read,
                           const ProcessLimits& limits);
  bool ended() const { return child_.ended(); }
  bool started() const { return child_.started(); }

 private:
  process::Child child_;
  bool used_ = false;  // for an earlier source
};

Result<Compiled> Compiler::compile(std::string_view path, ByteSpan source, const Options& options, const ReadFile& read,
                                   const ProcessLimits& limits) {
  const Deadline deadline = std::chrono::steady_clock::now() + std::chrono::seconds(limits.seconds);
  const auto dead = [&]() -> Result<Compiled> {
    Error error = child_.end(limits, deadline, kCompilerWords);
    if (child_.out_of_memory()) return Compiled{{}, {}, true};
    return std::unexpected(std::move(error));
  };
  MessageWriter job;
  job.number(Tag::kJob).number(options).number(limits).text(path).blob(source);
  if (!send_message(child_.socket(), job.bytes(), deadline, kMaxMessageBytes)) return dead();
  ByteVector message;
  while (receive_message(child_.socket(), message, deadline, kMaxMessageBytes)) {
    MessageReader reader(message);
    if (const auto tag = reader.number<Tag>(); tag == Tag::kRead) {
      const std::string name = reader.text();
      if (!reader.ok() || join_inside_root({}, name) != name) return dead();
      MessageWriter file;
      file.number(Tag::kFile);
      const Result<Bytes> bytes = read(name);
      file.number(std::uint8_t{bytes.has_value()});
      bytes ? file.blob(*bytes) : file.error(bytes.error());
      if (!send_message(child_.socket(), file.bytes(), deadline, kMaxMessageBytes)) return dead();
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

// Idle child processes: as many as compiled at the same time.
class Pool {
 public:
  std::optional<Compiler> take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return std::nullopt;
    Compiler child = std::move(idle_.back());
    idle_.pop_back();
    return child;
  }
  void give_back(Compiler child) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(child));
  }

 private:
  std::mutex mutex_;
  std::vector<Compiler> idle_;
};

Pool& pool() {
  static Pool children;
  return children;
}

}  // namespace

constinit const process::Role kShaderCompiler{.argument = "--compile-shaders", .serve = serve};

Result<Compiled> compile_isolated(std::string_view path, ByteSpan source, const Options& options, const ReadFile& read,
                                  const ProcessLimits& limits) {
  std::optional<Compiler> child = process::can_start() ? pool().take() : std::nullopt;
  for (;;) {
    if (!child && process::can_start()) {
      auto started = process::Child::start(kShaderCompiler, kCompilerWords);
      if (!started) return std::unexpected(std::move(started).error().in(path));
      if (*started) child.emplace(std::move(**started));
    }
    if (!child) return compile_here(path, source, options, read);
    const bool used = child->used();
    auto compiled = child->compile(path, source, options, read, limits);
    if (!child->ended()) {
      pool().give_back(std::move(*child));
      return compiled;
    }
    // If the process had compiled other sources before, their leftovers may have ended it: try again in a new one.
    if (child->started() && !used) {
      if (!compiled) return std::unexpected(std::move(compiled).error().in(path));
      return compiled;
    }
    child.reset();
  }
}

}  // namespace assetc::shader
