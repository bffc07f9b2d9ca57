// Why the operating system refused something.
#pragma once

#include <cstdint>
#include <expected>
#include <string>

namespace assetc::os {

enum class FaultKind : std::uint8_t {
  kNotFound,       // no such file
  kNotDirectory,   // a file is in the place of a folder of the path
  kIsDirectory,    // a folder is in the place of the file
  kExists,         // the name is taken
  kNotEmpty,       // the folder has entries
  kNoSpace,        // of the disk, or of a quota
  kNameTooLong,    // a name or the path
  kTooManyLinks,   // links that lead in a circle
  kNotAllowed,     // permissions, or a file system that is read-only
  kNotExecutable,  // not a program of this machine
  kBusy,           // another process has it locked
  kOther,
};

// A code of the operating system. Thread safety: const.
class Fault {
 public:
  explicit Fault(int code) : code_(code) {}
  // kIsDirectory, for a check of our own.
  static Fault is_directory();
  // The fault of the calling thread's last call.
  static Fault last();

  int code() const { return code_; }
  FaultKind kind() const;
  bool is(FaultKind asked) const { return kind() == asked; }
  // The system's words: "No such file or directory".
  std::string text() const;

 private:
  int code_;
};

template <class T>
using OsResult = std::expected<T, Fault>;

}  // namespace assetc::os
