// Read access to the files of an engine: a folder of compiled assets or a pack of one. The same paths work in both.
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
// Bytes are mapped, not copied. They start at a multiple of 16, which is enough for the views of all formats.
// Constraints: paths are UTF-8, '/'-separated and relative. An absolute path, or one with "..", gives kNotFound and is
// never opened.
// Lifetime: bytes stay valid as long as one copy of the returned Bytes exists, even after the tree is destroyed. assetc
// replaces files by renaming, so a mapped file does not change while it is read. If another program shortens a file in
// place, reading bytes that were returned before faults, as with every mapping; a pack returns no further ones
// (kConflict).
// Windows: a folder finds names in any letter case, a pack only in the exact case, and a mapped file cannot be
// replaced. Thread safety: const, so any number of threads may read one tree.
class FileTree {
 public:
  // Opens a directory, or a pack (detected by its content). Errors: kNotFound, kIo, and those of hpack::View::open.
  static Result<FileTree> open(const std::string& path);

  // Returns the bytes of a file. Errors: kNotFound, kIo. Error::file is the requested path.
  Result<Bytes> read(std::string_view path) const;
  bool contains(std::string_view path) const;
  // Returns every path that starts with prefix, in byte order.
  std::vector<std::string> list(std::string_view prefix = {}) const;

 private:
  class Source;
  class Directory;
  class Pack;
  explicit FileTree(std::shared_ptr<const Source> source) : source_(std::move(source)) {}
  std::shared_ptr<const Source> source_;
};

// Maps a whole file. The path is UTF-8. Errors: kNotFound, kIo.
Result<Bytes> map_file(const std::string& path);

}  // namespace assetc::runtime
