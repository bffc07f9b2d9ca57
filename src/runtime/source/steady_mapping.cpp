#include "runtime/source/steady_mapping.hpp"

#include "os/mapping.hpp"

namespace assetc::runtime {

Error changed_since_mount(const std::string& file) {
  return {ErrorCode::kConflict,
          file,
          {},
          "the file was replaced or changed after it was mounted",
          "mount it again; replace mounted files by renaming"};
}

namespace {

Result<os::File> opened(const std::string& path) {
  auto file = os::File::open(path, os::File::Mode::kRead);
  if (!file) return std::unexpected(Error{ErrorCode::kIo, path, {}, file.error().text(), {}});
  return std::move(*file);
}

}  // namespace

Result<SteadyMapping> SteadyMapping::open(const std::string& path) {
  // The file that is mapped is the one that has the name before and after.
  const auto before = os::File::open(path, os::File::Mode::kRead);
  ASSETC_TRY(os::MappedFile mapped, os::map_file(path));
  ASSETC_TRY(os::File file, opened(path));
  const auto was = before ? before->status() : std::unexpected(before.error()), now = file.status();
  if (!was || !now || os::version_of(*was) != os::version_of(*now) || now->size_bytes != mapped.bytes.size())
    return std::unexpected(changed_since_mount(path));
  return SteadyMapping(path, std::move(mapped.bytes), os::version_of(*now),
                       std::make_shared<const os::File>(std::move(file)));
}

Result<void> SteadyMapping::check() const {
  const auto now = file_->status();
  if (now && os::version_of(*now) == version_) return {};
  return std::unexpected(changed_since_mount(path_));
}

}  // namespace assetc::runtime
