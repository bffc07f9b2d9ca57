// Runs external programs on sources: found in PATH, in a temporary folder, with limits of memory and time.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "os/file.hpp"
#include "process/limits.hpp"

namespace assetc::process {

// A folder that the destructor removes with its contents. If the process is killed, the next process that needs a
// temporary folder removes it.
class TemporaryFolder {
 public:
  // name: part of the name of the folder, "slang". Errors: kIo.
  static Result<TemporaryFolder> create(std::string_view name);
  // Removes the folders of processes that have ended.
  static void remove_leftovers();
  TemporaryFolder(TemporaryFolder&& other) noexcept
      : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  TemporaryFolder(std::filesystem::path path, os::File lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  std::filesystem::path path_;
  os::File lock_;
};

// Also creates the parent folders. Errors: kIo.
Result<void> write_file(const std::filesystem::path& path, ByteSpan bytes);
// Empty if the file cannot be read.
std::string read_text(const std::filesystem::path& path);

// Runs words[0] from PATH in the working folder `folder`, with its output and errors in the file `log`. Returns nothing
// if PATH has no such program. words_of_errors: for the error of a timeout. Errors: kIo, kLimit.
Result<std::optional<os::Exit>> run_program(std::vector<std::string> words, const std::filesystem::path& folder,
                                            const std::filesystem::path& log, const Limits& limits,
                                            const Words& words_of_errors);

// Identifies the program that PATH leads to without running it: path, size, timestamps and inode. Empty if there is
// none.
std::string program_signature(std::string_view name);
// Identifies the program by running it with `argument`: the first line that it prints, and a hash of its file. Returns
// "not installed" if there is none.
std::string program_version(std::string_view name, std::string_view argument, const Limits& limits);

}  // namespace assetc::process
