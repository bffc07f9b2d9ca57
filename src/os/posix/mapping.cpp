#include "os/mapping.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include "os/file.hpp"
#include "os/pages.hpp"

namespace assetc::os {
namespace {

Error io_error(const std::string& path, const Fault& fault) {
  const bool absent = fault.is(FaultKind::kNotFound) || fault.is(FaultKind::kNotDirectory);
  return {absent ? ErrorCode::kNotFound : ErrorCode::kIo, path, {}, absent ? "no such file" : fault.text(), {}};
}

// Applies to the pages that contain the bytes.
bool advise(ByteSpan bytes, int advice) {
  const auto page_bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data()) / page_bytes * page_bytes;
  const std::size_t size = reinterpret_cast<std::uintptr_t>(bytes.data()) + bytes.size() - begin;
  return ::madvise(reinterpret_cast<void*>(begin), size, advice) == 0;
}

}  // namespace

bool is_plain_name(std::string_view part) { return part.find('\0') == part.npos; }

Result<MappedFile> map_file(const std::string& path, std::uint64_t map_from_bytes) {
  const auto file = File::open(path, File::Mode::kRead);
  if (!file) return std::unexpected(io_error(path, file.error()));
  const auto status = file->status();
  if (!status || status->kind != FileKind::kRegular)
    return std::unexpected(Error{ErrorCode::kIo, path, {}, "not a regular file", {}});
  const auto size = static_cast<std::size_t>(status->size_bytes);
  if (size == 0) return MappedFile{{}, version_of(*status)};
  if (size < map_from_bytes) {
    const auto copy = std::make_shared_for_overwrite<std::byte[]>(size);
    for (std::size_t done = 0; done < size;) {
      const auto got = file->read_at(done, {copy.get() + done, size - done});
      if (!got) return std::unexpected(io_error(path, got.error()));
      if (*got == 0)
        return std::unexpected(Error{ErrorCode::kIo, path, {}, "the file became shorter while it was read", {}});
      done += *got;
    }
    return MappedFile{Bytes(copy, {copy.get(), size}), version_of(*status), false};
  }
  auto pages = map_pages(*file, size);
  if (!pages) return std::unexpected(io_error(path, pages.error()));
  const ByteSpan bytes(pages->get(), size);
  return MappedFile{Bytes(std::move(*pages), bytes), version_of(*status)};
}

void will_need(ByteSpan bytes) { advise(bytes, MADV_WILLNEED); }

bool populate([[maybe_unused]] ByteSpan bytes) {
#ifdef MADV_POPULATE_READ  // Linux 5.14
  return advise(bytes, MADV_POPULATE_READ);
#else
  return false;
#endif
}

}  // namespace assetc::os
