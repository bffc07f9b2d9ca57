// A program of somebody else's that works on a source: found through PATH, run in a temporary folder, with limits.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "process/limits.hpp"

namespace assetc::process {

// Removed with everything in it at the end.
class TemporaryFolder {
 public:
  // name: of whom, "slang". kIo.
  static Result<TemporaryFolder> create(std::string_view name);
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

// Creates the folders that the file is in. kIo.
Result<void> write_file(const std::filesystem::path& path, ByteSpan bytes);
// Empty where the file cannot be read.
std::string read_text(const std::filesystem::path& path);

// Runs words[0], found through PATH, in a working folder, its output and errors into the file log. Nothing where PATH
// leads to no such program. words_of_errors: of how it ended where its time is over. kIo.
Result<std::optional<os::Exit>> run_program(std::vector<std::string> words, const std::filesystem::path& folder,
                                            const std::filesystem::path& log, const Limits& limits,
                                            const Words& words_of_errors);

// What tells that the program that PATH leads to is another one, without running it: its path, size, stamps and inode.
// Empty where there is none.
std::string program_signature(std::string_view name);
// What it says of its version, in one line, and a hash of its file: programs that may act differently differ in it.
// "not installed" where there is none.
std::string program_version(std::string_view name, std::string_view argument, const Limits& limits);

}  // namespace assetc::process
