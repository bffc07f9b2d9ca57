// Where an engine's files come from: a folder of compiled assets, or a pack of one. The same paths work in both.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"

namespace assetc::runtime {

// A read-only tree of files, cheap to copy.
//
//   auto files = FileTree::open("game.hpack");
//   auto bytes = files->read("models/chair.hmesh");
//
// Bytes are mapped, not copied, and stay valid for as long as a copy of the returned Bytes lives, also after the
// tree is gone. They start at a multiple of 16, as every format's view asks for.
// Constraints: paths are UTF-8, '/'-separated and relative; one that is absolute or has a ".." is kNotFound, never
// opened. assetc replaces files by renaming, so a mapped file does not change under its reader; a file that another
// program shortens in place faults on access, as with every mapping.
// On Windows, a folder finds names in either case, a pack in theirs, and a mapped file cannot be replaced.
// Thread safety: const, so any number of threads may read one tree.
class FileTree {
 public:
  // A directory, or a pack by its contents. Errors: kNotFound, kIo, and those of hpack::View::open.
  static Result<FileTree> open(const std::string& path);

  // Errors: kNotFound, kIo. Error::file is the path asked for.
  Result<Bytes> read(std::string_view path) const;
  bool contains(std::string_view path) const;
  // Every path that starts with prefix, in byte order.
  std::vector<std::string> list(std::string_view prefix = {}) const;

 private:
  class Source;
  class Directory;
  class Pack;
  explicit FileTree(std::shared_ptr<const Source> source) : source_(std::move(source)) {}
  std::shared_ptr<const Source> source_;
};

// A whole file, mapped. The path is UTF-8. Errors: kNotFound, kIo.
Result<Bytes> map_file(const std::string& path);

}  // namespace assetc::runtime
