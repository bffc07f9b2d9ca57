// A mapping of a file that finds out if another program writes into the file.
#pragma once

#include <memory>
#include <string>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "os/file.hpp"

namespace assetc::runtime {

// The error of a file that is not the one that was mounted.
Error changed_since_mount(const std::string& file);

// Thread safety: const.
class SteadyMapping {
 public:
  // Errors: those of os::map_file(); kIo if the file is replaced meanwhile.
  static Result<SteadyMapping> open(const std::string& path);

  const Bytes& bytes() const { return bytes_; }
  // Fails if the mapped file, by whatever name it has now, became shorter or was written. Its last pages may then be
  // gone, and reading them would end the program. A write between this call and the use of the bytes is not found.
  Result<void> check() const;

 private:
  SteadyMapping(std::string path, Bytes bytes, std::uint64_t version, std::shared_ptr<const os::File> file)
      : path_(std::move(path)), bytes_(std::move(bytes)), version_(version), file_(std::move(file)) {}

  std::string path_;
  Bytes bytes_;
  std::uint64_t version_;
  std::shared_ptr<const os::File> file_;
};

}  // namespace assetc::runtime
