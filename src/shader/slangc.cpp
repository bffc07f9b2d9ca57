#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "assetc/base/hash.hpp"
#include "shader/compiler_message.hpp"
#include "shader/compilers.hpp"
#include "shader/include_path.hpp"
#include "shader/process.hpp"
#include "shader/toolchain.hpp"

namespace assetc::shader {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFiles = 1024;  // of one stage: the source and what it names, directly or not

class TemporaryFolder {
 public:
  static Result<TemporaryFolder> create() {
    std::error_code error;
    std::string name = (fs::temp_directory_path(error) / "assetc-slang-XXXXXX").string();
    if (error || !mkdtemp(name.data())) {
      return fail(ErrorCode::kIo, "cannot make a temporary folder: " + std::string(std::strerror(errno)), "set TMPDIR");
    }
    return TemporaryFolder(std::move(name));
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

struct Mention {
  std::string name;
  bool angled = false;
};

std::string_view skip_spaces(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  return text;
}

// The files that a line of Slang names: #include "x", #include <x>, import a.b; __include a; implementing a;
// A line inside a comment or an untaken #if is taken too: the file is offered, and nothing is lost if it is not there.
std::vector<Mention> mentions_of(std::string_view line) {
  line = skip_spaces(line);
  if (line.starts_with('#')) {
    line = skip_spaces(line.substr(1));
    if (!line.starts_with("include")) return {};
    line = skip_spaces(line.substr(7));
    if (line.empty() || (line.front() != '"' && line.front() != '<')) return {};
    const bool angled = line.front() == '<';
    const std::size_t end = line.find(angled ? '>' : '"', 1);
    if (end == line.npos) return {};
    return {{std::string(line.substr(1, end - 1)), angled}};
  }
  for (std::string_view word : {"import ", "__import ", "__include ", "implementing "}) {
    if (!line.starts_with(word)) continue;
    std::string_view name = skip_spaces(line.substr(word.size()));
    name = name.substr(0, name.find_first_of("; \t\r"));
    if (name.size() > 1 && name.front() == '"' && name.back() == '"')
      return {{std::string(name.substr(1, name.size() - 2))}};
    std::string path(name);
    for (char& c : path) {
      if (c == '.') c = '/';
    }
    std::string dashed = path;
    for (char& c : dashed) {
      if (c == '_') c = '-';
    }
    std::vector<Mention> found{{path + ".slang"}};
    if (dashed != path) found.push_back({dashed + ".slang"});  // a module foo_bar may live in foo-bar.slang
    return found;
  }
  return {};
}

// Writes the source and every file that it names, at any depth, below folder.
Result<void> gather(const fs::path& folder, std::string_view path, ByteSpan source, const ReadFile& read) {
  std::set<std::string, std::less<>> seen{std::string(path)};
  std::vector<Included> pending{{std::string(path), Bytes(ByteVector(source.begin(), source.end()))}};
  while (!pending.empty()) {
    const Included file = std::move(pending.back());
    pending.pop_back();
    ASSETC_CHECK(write_file(folder / file.path, file.bytes));
    std::string_view text = as_text(file.bytes);
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      for (const Mention& mention : mentions_of(text.substr(0, end))) {
        auto found = find_include(mention.name, mention.angled, file.path, read);
        if (!found) {
          if (found.error().code == ErrorCode::kNotFound) continue;  // slangc says so itself, with the line
          return std::unexpected(std::move(found).error().in(file.path));
        }
        if (!seen.insert(found->path).second) continue;
        if (seen.size() > kMaxFiles) {
          return fail(ErrorCode::kLimit, "names more than " + std::to_string(kMaxFiles) + " files");
        }
        pending.push_back(std::move(*found));
      }
      text = end == text.npos ? std::string_view{} : text.substr(end + 1);
    }
  }
  return {};
}

// The descriptor by which a child is known to live; a program leaves those it does not know alone.
constexpr int kAlive = 9;

struct Exit {
  bool started = false;
  int status = 0;
};

// Runs a program found through PATH with its output in log, in the given working folder.
Result<Exit> run(std::vector<std::string> words, const fs::path& folder, const fs::path& log,
                 const ProcessLimits& limits) {
  // The child holds the writing end: it closes when the child ends.
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail(ErrorCode::kIo, std::string("cannot make a pipe: ") + strerror(errno));
  const process::FileHandle mine(ends[0]);
  process::FileHandle its(ends[1]);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, its.get(), kAlive);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  pid_t child = 0;
  const int error = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT || error == EACCES) return Exit{};
  if (error) return fail(ErrorCode::kIo, "cannot run " + words[0] + ": " + std::strerror(error));
  its = process::FileHandle();
  const auto limit = [&](decltype(RLIMIT_AS) resource, rlim_t value) {
    rlimit now{};  // the hard one stays: when time reaches that, the kernel kills, which says nothing
    if (::prlimit(child, resource, nullptr, &now) != 0) return;
    now.rlim_cur = std::min(value, now.rlim_max);
    ::prlimit(child, resource, &now, nullptr);
  };
  limit(RLIMIT_CORE, 0);
  if (process::kLimitsMemory) limit(RLIMIT_AS, limits.memory_bytes);
  limit(RLIMIT_CPU, limits.processor_seconds);
  const process::Deadline deadline = std::chrono::steady_clock::now() + std::chrono::seconds(limits.seconds);
  // A program may close the pipe and go on.
  const auto status =
      process::wait_until_ready(mine.get(), POLLIN, deadline) ? process::reap(child, deadline) : std::optional<int>();
  if (!status) {
    process::kill_and_reap(child);
    return std::unexpected(process::hang_error(limits, kCompilerWords));
  }
  return Exit{true, *status};
}

// The file that posix_spawnp runs; empty where PATH leads to none.
std::string find_slangc() {
  const char* set = getenv("PATH");
  std::string_view rest = set != nullptr ? set : "/bin:/usr/bin";
  for (bool last = false; !last;) {
    const std::size_t end = rest.find(':');
    last = end == rest.npos;
    const std::string_view folder = rest.substr(0, end);
    if (!last) rest.remove_prefix(end + 1);
    std::string path = std::string(folder.empty() ? "." : folder) + "/slangc";
    struct stat status{};
    if (stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && access(path.c_str(), X_OK) == 0) return path;
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
  struct stat status{};
  if (path.empty() || stat(path.c_str(), &status) != 0) return {};
  const auto add = [&](auto value) { path.append(" ").append(std::to_string(value)); };
  add(status.st_size);
  add(status.st_mtim.tv_sec);
  add(status.st_mtim.tv_nsec);
  add(status.st_ctim.tv_sec);
  add(status.st_ctim.tv_nsec);
  add(status.st_ino);
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
    if (exit && exit->started && exit->status == 0) said = read_text(log);
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
  const Exit exit = *ran;
  if (!exit.started) {
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
  if (WIFSIGNALED(exit.status)) {
    if (may_have_more && WTERMSIG(exit.status) != SIGXCPU) return needs_memory;
    return std::unexpected(process::crash_error(exit.status, limits, kCompilerWords).in(path));
  }
  const std::string text = read_text(log);
  CompilerMessages messages = parse_compiler_output(text);
  if (WEXITSTATUS(exit.status) != 0) {
    if (may_have_more && messages.errors.empty()) return needs_memory;
    return std::unexpected(
        first_error(std::move(messages), text.empty() ? "slangc failed and said nothing" : text, path));
  }
  const std::string words_written = read_text(output);
  const ByteSpan bytes = as_bytes(words_written);
  return Compiled{{bytes.begin(), bytes.end()}, std::move(messages.warnings)};
}

}  // namespace assetc::shader
