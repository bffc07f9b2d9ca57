// Why the operating system refused something.
#pragma once

#include <cstdint>
#include <expected>
#include <string>

namespace assetc::os {

enum class FaultKind : std::uint8_t {
  kNotFound,       // no such file
  kNotDirectory,   // a part of the path is a file instead of a folder
  kIsDirectory,    // the path names a folder instead of a file
  kExists,         // the name exists
  kNotEmpty,       // the folder has entries
  kNoSpace,        // on the disk, or in a quota
  kNameTooLong,    // a name or the path
  kNotName,        // no name of a file on this system
  kTooManyLinks,   // a loop of links, or a link where none is followed
  kOutside,        // a path leads out of its folder, or to another file system
  kNotAllowed,     // permissions, or a read-only file system
  kNotExecutable,  // not a program for this machine
  kBusy,           // locked by another process
  kInUse,          // open in another program that does not share it
  kNotSupported,   // the system or this file system cannot do that
  kOther,
};

// An error code of the operating system. Thread safety: const.
class Fault {
 public:
  explicit Fault(int code) : code_(code) {}
  // kIsDirectory, for our own checks.
  static Fault is_directory();
  // Returns the fault of the calling thread's last call.
  static Fault last();

  int code() const { return code_; }
  FaultKind kind() const;
  bool is(FaultKind asked) const { return kind() == asked; }
  // Returns the system's text: "No such file or directory".
  std::string text() const;

 private:
  int code_;
};

template <class T>
using OsResult = std::expected<T, Fault>;

}  // namespace assetc::os
