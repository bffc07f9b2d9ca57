#include "process/program.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <system_error>

#include "assetc/base/hash.hpp"
#include "os/file.hpp"
#include "os/mapping.hpp"

namespace assetc::process {
namespace fs = std::filesystem;

Result<TemporaryFolder> TemporaryFolder::create(std::string_view name) {
  auto path = os::make_temporary_directory("assetc-" + std::string(name) + "-");
  if (!path) return fail(ErrorCode::kIo, "cannot make a temporary folder: " + path.error().text(), "set TMPDIR");
  return TemporaryFolder(os::native_path(*path));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

Result<void> write_file(const fs::path& path, ByteSpan bytes) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) return fail(ErrorCode::kIo, "cannot write " + os::utf8_path(path));
  return {};
}

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Result<std::optional<os::Exit>> run_program(std::vector<std::string> words, const fs::path& folder, const fs::path& log,
                                            const Limits& limits, const Words& words_of_errors) {
  const std::string program = words[0];
  auto child = os::Process::start({.program = program,
                                   .arguments = std::move(words),
                                   .output_path = os::utf8_path(log),
                                   .working_directory = os::utf8_path(folder),
                                   .memory_bytes = limits.memory_bytes,
                                   .processor_seconds = limits.processor_seconds,
                                   .writes_core = false});
  if (!child) {
    if (child.error().is(os::FaultKind::kNotFound) || child.error().is(os::FaultKind::kNotAllowed)) return std::nullopt;
    return fail(ErrorCode::kIo, "cannot run " + program + ": " + child.error().text());
  }
  auto exit = child->wait(std::chrono::steady_clock::now() + std::chrono::seconds(limits.seconds));
  if (!exit) return std::unexpected(hang_error(limits, words_of_errors));
  return exit;
}

std::string program_signature(std::string_view name) {
  std::string path = os::find_program(name);
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

std::string program_version(std::string_view name, std::string_view argument, const Limits& limits) {
  constexpr std::size_t kMaxText = 64;
  const std::string path = os::find_program(name);
  if (path.empty()) return "not installed";
  std::string said;
  if (const auto folder = TemporaryFolder::create(name)) {
    const fs::path log = folder->path() / "log";
    const auto exit = run_program({std::string(name), std::string(argument)}, folder->path(), log, limits, {});
    if (exit && *exit && (*exit)->is(0)) said = read_text(log);
  }
  said = said.substr(0, std::min(said.find_first_of("\r\n"), kMaxText));
  const std::string file = read_text(os::native_path(path));
  char hash[9];
  std::snprintf(hash, sizeof hash, "%08x", static_cast<unsigned>(content_hash(as_bytes(file)).low));
  return (said.empty() ? "unknown" : said) + " (" + hash + ")";
}

}  // namespace assetc::process
