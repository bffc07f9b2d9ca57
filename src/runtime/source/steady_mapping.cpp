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

Result<SteadyMapping> SteadyMapping::open(const std::string& path) {
  ASSETC_TRY(os::MappedFile mapped, os::map_file(path));
  auto file = os::File::open(path, os::File::Mode::kRead);
  if (!file) return std::unexpected(Error{ErrorCode::kIo, path, {}, file.error().text(), {}});
  SteadyMapping mapping(path, std::move(mapped.bytes), mapped.version,
                        std::make_shared<const os::File>(std::move(*file)));
  ASSETC_CHECK(mapping.check());
  return mapping;
}

Result<void> SteadyMapping::check() const {
  const auto now = file_->status();
  if (now && os::version_of(*now) == version_) return {};
  return std::unexpected(changed_since_mount(path_));
}

}  // namespace assetc::runtime
