#include "shader/isolation.hpp"

#include <chrono>
#include <mutex>
#include <vector>

#include "shader/compiler_protocol.hpp"
#include "shader/compilers.hpp"
#include "shader/include_path.hpp"
#include "shader/toolchain.hpp"

namespace assetc::shader {
namespace {

using process::Deadline;
using process::MessageReader;
using process::MessageWriter;
using process::receive_message;
using process::send_message;

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
  job.number(Tag::kJob).text(build()).number(options).number(limits).text(path).blob(source);
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
      result = std::unexpected(reader.error().in(path));
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
