#include "process/program.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <mutex>
#include <system_error>

#include "assetc/base/hash.hpp"
#include "os/directory.hpp"
#include "os/mapping.hpp"

namespace assetc::process {
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kFolderPrefix = "assetc-";
// A file in each temporary folder that its process has locked. A folder whose file is not locked is left over.
constexpr std::string_view kLockName = ".assetc-lock";

// Removes the locked file last: if this process is killed meanwhile, the rest is still a leftover.
void remove_folder(const fs::path& path) {
  std::error_code ignored;
  for (fs::directory_iterator entry(path, ignored), end; entry != end; entry.increment(ignored)) {
    if (entry->path().filename() != kLockName) fs::remove_all(entry->path(), ignored);
  }
  fs::remove_all(path, ignored);
}

// Whether os::make_temporary_directory() makes such names for create().
bool is_made(std::string_view name) {
  constexpr std::size_t kRandomCharacters = 6;
  const std::size_t dash = name.rfind('-');
  return dash > kFolderPrefix.size() && name.size() - dash - 1 == kRandomCharacters;
}

}  // namespace

Result<TemporaryFolder> TemporaryFolder::create(std::string_view name) {
  static std::once_flag is_swept;
  std::call_once(is_swept, remove_leftovers);
  const auto failed = [](const os::Fault& fault) {
    return fail(ErrorCode::kIo, "cannot make a temporary folder: " + fault.text(), "set TMPDIR");
  };
  for (;;) {
    auto path = os::make_temporary_directory(std::string(kFolderPrefix).append(name).append("-"));
    if (!path) return failed(path.error());
    auto lock = os::File::open(*path + "/" + std::string(kLockName), os::File::Mode::kReadWriteCreate);
    if (!lock && lock.error().is(os::FaultKind::kNotFound)) continue;
    const auto locked = lock ? lock->lock() : std::unexpected(lock.error());
    const auto status = locked ? lock->status() : std::unexpected(locked.error());
    // If another process took it for a leftover before it was locked, the file is deleted.
    if (status && status->link_count == 0) continue;
    if (status) return TemporaryFolder(os::native_path(*path), std::move(*lock));
    remove_folder(os::native_path(*path));
    return failed(status.error());
  }
}

void TemporaryFolder::remove_leftovers() {
  const std::string temporary = os::temporary_path();
  auto folder = os::Directory::open(temporary);
  if (!folder) return;
  std::vector<std::string> names;
  for (auto entry = folder->next(); entry && *entry; entry = folder->next()) {
    if ((*entry)->name.starts_with(kFolderPrefix)) names.emplace_back((*entry)->name);
  }
  for (const std::string& name : names) {
    // Other users can put anything here.
    const auto kind = folder->link_status_of(name);
    if (!kind || kind->kind != os::FileKind::kDirectory) continue;
    const std::string path = temporary + "/" + name;
    const auto opened = os::File::open(path, os::File::Mode::kDirectory);
    if (!opened || !opened->is_private().value_or(false)) continue;
    {
      const auto lock = os::File::open(path + "/" + std::string(kLockName), os::File::Mode::kReadWrite);
      // A process was killed before it made the file, or after it removed it: only the empty folder is left.
      std::error_code ignored;
      if (!lock && lock.error().is(os::FaultKind::kNotFound) && is_made(name))
        fs::remove(os::native_path(path), ignored);
      if (!lock || !lock->try_lock()) continue;
#ifndef _WIN32  // Windows removes no folder with an open file
      remove_folder(os::native_path(path));
      continue;
#endif
    }
    remove_folder(os::native_path(path));
  }
}

TemporaryFolder::~TemporaryFolder() {
#ifdef _WIN32  // Windows removes no folder with an open file
  lock_ = os::File();
#endif
  if (!path_.empty()) remove_folder(path_);
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
                                   .writes_core = false,
                                   .ends_with_thread = true});
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
