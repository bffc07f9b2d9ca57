#include "assetc/runtime/file_tree.hpp"

#include <algorithm>
#include <filesystem>

#include "assetc/formats/hpack.hpp"
#include "runtime/source/native_file.hpp"
#include "runtime/source/steady_mapping.hpp"

namespace assetc::runtime {
namespace {

std::unexpected<Error> not_found(std::string_view path) {
  return std::unexpected(Error{ErrorCode::kNotFound, std::string(path), {}, "no such file in the mount", {}});
}

}  // namespace

class FileTree::Source {
 public:
  virtual ~Source() = default;
  virtual Result<Bytes> read(std::string_view path) const = 0;
  virtual bool contains(std::string_view path) const = 0;
  virtual std::vector<std::string> list(std::string_view prefix) const = 0;
};

class FileTree::Directory : public Source {
 public:
  explicit Directory(std::string root) : root_(std::move(root)) {}

  Result<Bytes> read(std::string_view path) const override {
    if (!stays_below(path)) return not_found(path);
    auto bytes = map_file(root_ + "/" + std::string(path));
    if (!bytes) {
      bytes.error().file = path;
    }
    return bytes;
  }
  bool contains(std::string_view path) const override {
    std::error_code error;
    return stays_below(path) && std::filesystem::is_regular_file(native_path(root_ + "/" + std::string(path)), error);
  }
  std::vector<std::string> list(std::string_view prefix) const override {
    std::vector<std::string> paths;
    std::error_code error;
    const std::filesystem::path root = native_path(root_);
    std::filesystem::recursive_directory_iterator entry(root, error), end;
    while (!error && entry != end) {
      std::error_code ignored;
      if (entry->is_regular_file(ignored)) {
        std::string path = utf8_path(entry->path().lexically_relative(root));
        if (path.starts_with(prefix)) paths.push_back(std::move(path));
      }
      entry.increment(error);
    }
    std::ranges::sort(paths);
    return paths;
  }

 private:
  std::string root_;
};

class FileTree::Pack : public Source {
 public:
  Pack(SteadyMapping file, hpack::View view) : file_(std::move(file)), view_(std::move(view)) {}

  Result<Bytes> read(std::string_view path) const override {
    ASSETC_CHECK(file_.check());
    const hpack::EntryView* entry = view_.find(path);
    if (!entry) return not_found(path);
    return file_.bytes().slice(entry->offset_bytes, entry->size_bytes);
  }
  bool contains(std::string_view path) const override { return file_.check() && view_.find(path) != nullptr; }
  std::vector<std::string> list(std::string_view prefix) const override {
    std::vector<std::string> paths;
    if (!file_.check()) return paths;
    for (const hpack::EntryView& entry : view_.entries()) {
      if (entry.path.starts_with(prefix)) paths.emplace_back(entry.path);
    }
    return paths;
  }

 private:
  SteadyMapping file_;
  hpack::View view_;
};

Result<FileTree> FileTree::open(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(native_path(path), error)) return FileTree(std::make_shared<Directory>(path));
  ASSETC_TRY(SteadyMapping file, SteadyMapping::open(path));
  auto view = hpack::View::open(file.bytes());
  if (!view) return std::unexpected(std::move(view).error().in(path));
  return FileTree(std::make_shared<Pack>(std::move(file), std::move(*view)));
}

Result<Bytes> FileTree::read(std::string_view path) const { return source_->read(path); }
bool FileTree::contains(std::string_view path) const { return source_->contains(path); }
std::vector<std::string> FileTree::list(std::string_view prefix) const { return source_->list(prefix); }

}  // namespace assetc::runtime
