#include "os/directory.hpp"

#include <array>

#include "os/windows/system.hpp"

namespace assetc::os {
namespace {

// An open folder and the entries that the last call read.
struct Stream {
  std::wstring path;
  File folder;
  alignas(8) std::array<std::byte, 64u << 10> buffer;
  std::size_t next = 0;  // offset of the next entry in buffer
  bool has_entries = false;
  bool is_first = true;
  std::string name;
};

Stream& of(void* stream) { return *static_cast<Stream*>(stream); }

// The size of extended attributes of a link is its tag.
FileKind kind_of(const FILE_ID_BOTH_DIR_INFO& entry) {
  if ((entry.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 &&
      (entry.EaSize == IO_REPARSE_TAG_SYMLINK || entry.EaSize == IO_REPARSE_TAG_MOUNT_POINT))
    return FileKind::kLink;
  return (entry.FileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0 ? FileKind::kDirectory : FileKind::kRegular;
}

OsResult<File> open_entry(void* stream, const std::string& name, DWORD access, DWORD flags) {
  const auto path = system_path_in(of(stream).path, name);
  if (!path) return std::unexpected(path.error());
  return open_path(*path, access, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | flags);
}

OsResult<Status> status_in(void* stream, const std::string& name, DWORD flags) {
  const auto file = open_entry(stream, name, FILE_READ_ATTRIBUTES, flags);
  if (!file) return std::unexpected(file.error());
  return file->status();
}

}  // namespace

Directory::~Directory() { delete static_cast<Stream*>(stream_); }

OsResult<Directory> Directory::open(const std::string& path) {
  auto folder = File::open(path, File::Mode::kDirectory);
  if (!folder) return std::unexpected(folder.error());
  auto wide = system_path(path);
  auto stream = std::make_unique<Stream>();
  stream->path = std::move(*wide);
  stream->folder = std::move(*folder);
  return Directory(stream.release());
}

OsResult<Status> Directory::status() const { return of(stream_).folder.status(); }

OsResult<std::optional<Directory::Entry>> Directory::next() {
  Stream& stream = of(stream_);
  for (;;) {
    if (!stream.has_entries) {
      const auto what = stream.is_first ? FileIdBothDirectoryRestartInfo : FileIdBothDirectoryInfo;
      stream.is_first = false;
      if (GetFileInformationByHandleEx(handle_of(stream.folder.descriptor()), what, stream.buffer.data(),
                                       static_cast<DWORD>(stream.buffer.size())) == 0) {
        const Fault fault = Fault::last();
        if (fault.code() == ERROR_NO_MORE_FILES || fault.code() == ERROR_FILE_NOT_FOUND) return std::nullopt;
        return std::unexpected(fault);
      }
      stream.has_entries = true;
      stream.next = 0;
    }
    const auto& entry = *reinterpret_cast<const FILE_ID_BOTH_DIR_INFO*>(stream.buffer.data() + stream.next);
    stream.name = utf8({entry.FileName, entry.FileNameLength / sizeof(wchar_t)});
    const FileKind kind = kind_of(entry);
    stream.next += entry.NextEntryOffset;
    stream.has_entries = entry.NextEntryOffset != 0;
    if (stream.name != "." && stream.name != "..") return Entry{stream.name, kind};
  }
}

OsResult<Status> Directory::status_of(const std::string& name) const { return status_in(stream_, name, 0); }
OsResult<Status> Directory::link_status_of(const std::string& name) const {
  return status_in(stream_, name, FILE_FLAG_OPEN_REPARSE_POINT);
}

OsResult<File> Directory::open_file(const std::string& name) const {
  auto file = open_entry(stream_, name, GENERIC_READ, FILE_FLAG_OPEN_REPARSE_POINT);
  const auto found = file ? file->status() : std::unexpected(file.error());
  if (found && found->kind == FileKind::kLink) return std::unexpected(Fault(ERROR_CANT_RESOLVE_FILENAME));
  return file;
}

OsResult<void> Directory::remove_file(const std::string& name) const {
  const auto path = system_path_in(of(stream_).path, name);
  if (!path) return std::unexpected(path.error());
  return remove_path(*path);
}

}  // namespace assetc::os
