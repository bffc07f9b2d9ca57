#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include "assetc/base/hash.hpp"
#include "os/file.hpp"
#include "os/process.hpp"
#include "shader/compiler_message.hpp"
#include "shader/compilers.hpp"
#include "shader/mentions.hpp"
#include "shader/process.hpp"
#include "shader/toolchain.hpp"

namespace assetc::shader {
namespace {

namespace fs = std::filesystem;

class TemporaryFolder {
 public:
  static Result<TemporaryFolder> create() {
    auto name = os::make_temporary_directory("assetc-slang-");
    if (!name) return fail(ErrorCode::kIo, "cannot make a temporary folder: " + name.error().text(), "set TMPDIR");
    return TemporaryFolder(std::move(*name));
  }
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  explicit TemporaryFolder(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
};

Result<void> write_file(const fs::path& path, ByteSpan bytes) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) return fail(ErrorCode::kIo, "cannot write " + path.string());
  return {};
}

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Writes the source and every file that it names, at any depth, below folder.
Result<void> gather(const fs::path& folder, std::string_view path, ByteSpan source, const ReadFile& read) {
  ASSETC_TRY(const std::vector<Included> files,
             mentioned_files(path, Bytes(ByteVector(source.begin(), source.end())), read));
  for (const Included& file : files) ASSETC_CHECK(write_file(folder / file.path, file.bytes));
  return {};
}

// Runs a program found through PATH with its output in log, in the given working folder; nothing if there is none.
Result<std::optional<os::Exit>> run(std::vector<std::string> words, const fs::path& folder, const fs::path& log,
                                    const ProcessLimits& limits) {
  const std::string program = words[0];
  auto child = os::Process::start({.program = program,
                                   .arguments = std::move(words),
                                   .output_path = log.string(),
                                   .working_directory = folder.string(),
                                   .memory_bytes = limits.memory_bytes,
                                   .processor_seconds = limits.processor_seconds,
                                   .writes_core = false});
  if (!child) {
    if (child.error().is(os::FaultKind::kNotFound) || child.error().is(os::FaultKind::kNotAllowed)) return std::nullopt;
    return fail(ErrorCode::kIo, "cannot run " + program + ": " + child.error().text());
  }
  const auto exit = child->wait(std::chrono::steady_clock::now() + std::chrono::seconds(limits.seconds));
  if (!exit) return std::unexpected(process::hang_error(limits, kCompilerWords));
  return exit;
}

// The file that os::Process::start runs; empty where PATH leads to none.
std::string find_slangc() {
  const char* set = getenv("PATH");
  std::string_view rest = set != nullptr ? set : "/bin:/usr/bin";
  for (bool last = false; !last;) {
    const std::size_t end = rest.find(':');
    last = end == rest.npos;
    const std::string_view folder = rest.substr(0, end);
    if (!last) rest.remove_prefix(end + 1);
    std::string path = std::string(folder.empty() ? "." : folder) + "/slangc";
    if (os::is_executable(path)) return path;
  }
  return {};
}

std::string profile_of(Target target) {
  switch (target) {
    case Target::kVulkan10:
      return "spirv_1_0";
    case Target::kVulkan11:
      return "spirv_1_3";
    case Target::kVulkan12:
      return "spirv_1_5";
    case Target::kVulkan13:
      return "spirv_1_6";
  }
  return "spirv_1_5";
}

std::string stage_of(Stage stage) {
  switch (stage) {
    case Stage::kTessControl:
      return "hull";
    case Stage::kTessEvaluation:
      return "domain";
    case Stage::kTask:
      return "amplification";
    default:
      return std::string(to_string(stage));
  }
}

}  // namespace

std::string slangc_signature() {
  std::string path = find_slangc();
  if (path.empty()) return {};
  const auto status = os::status(path);
  if (!status) return {};
  const auto add = [&](auto value) { path.append(" ").append(std::to_string(value)); };
  add(status->size_bytes);
  add(status->mtime_ns);
  add(status->ctime_ns);
  add(status->inode);
  return path;
}

std::string slangc_version() {
  constexpr std::size_t kMaxText = 64;
  const std::string path = find_slangc();
  if (path.empty()) return "not installed";
  std::string said;
  if (const auto folder = TemporaryFolder::create()) {
    const fs::path log = folder->path() / "log";
    const auto exit = run({"slangc", "-v"}, folder->path(), log, kSlangcLimits);
    if (exit && *exit && (*exit)->is(0)) said = read_text(log);
  }
  said = said.substr(0, std::min(said.find_first_of("\r\n"), kMaxText));
  const std::string file = read_text(path);
  char hash[9];
  std::snprintf(hash, sizeof hash, "%08x", static_cast<unsigned>(content_hash(as_bytes(file)).low));
  return (said.empty() ? "unknown" : said) + " (" + hash + ")";
}

Result<Compiled> compile_with_slangc(std::string_view path, ByteSpan source, const Options& options,
                                     const ReadFile& read, const ProcessLimits& limits) {
  ASSETC_TRY(const TemporaryFolder folder, TemporaryFolder::create());
  const fs::path sources = folder.path() / "in";
  const fs::path log = folder.path() / "log";
  const fs::path output = folder.path() / "out.spv";
  ASSETC_CHECK(gather(sources, path, source, read));

  std::vector<std::string> words{"slangc",
                                 std::string(path),
                                 "-target",
                                 "spirv",
                                 "-profile",
                                 profile_of(options.target),
                                 "-entry",
                                 "main",
                                 "-stage",
                                 stage_of(options.stage),
                                 "-I",
                                 ".",
                                 options.optimize ? "-O2" : "-O0",
                                 "-o",
                                 output.string()};
  if (options.debug) words.insert(words.end() - 2, "-g2");
  const auto ran = run(words, sources, log, limits);
  if (!ran) return std::unexpected(Error(ran.error()).in(path));
  if (!*ran) {
    return std::unexpected(
        Error{ErrorCode::kNotFound,
              std::string(path),
              {},
              "Slang needs the program slangc, which is not on PATH",
              "install the shader-slang release for your system and add its bin folder to PATH, or write the "
              "stage in GLSL or HLSL"});
  }
  Compiled needs_memory{{}, {}, true};
  const bool may_have_more = limits.memory_bytes < kSlangcLimits.memory_bytes;
  const os::Exit& exit = **ran;
  if (!exit.status) {
    if (may_have_more && !exit.took_too_long) return needs_memory;
    return std::unexpected(process::crash_error(exit, limits, kCompilerWords).in(path));
  }
  const std::string text = read_text(log);
  CompilerMessages messages = parse_compiler_output(text);
  if (!exit.is(0)) {
    if (may_have_more && messages.errors.empty()) return needs_memory;
    return std::unexpected(
        first_error(std::move(messages), text.empty() ? "slangc failed and said nothing" : text, path));
  }
  const std::string words_written = read_text(output);
  const ByteSpan bytes = as_bytes(words_written);
  return Compiled{{bytes.begin(), bytes.end()}, std::move(messages.warnings)};
}

}  // namespace assetc::shader
