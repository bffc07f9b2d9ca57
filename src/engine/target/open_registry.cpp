#include "engine/target/open_registry.hpp"

#include <utility>

namespace assetc::engine {

Result<RegistryFile> open_registry(const std::string& path, Disk& disk) {
  const auto status = disk.status(path);
  const bool folder = status && status->type == FileType::kDirectory;
  const std::string file = folder ? path + "/" + std::string(registry::kBinaryPath) : path;
  auto bytes = disk.read(file);
  if (!bytes) return std::unexpected(std::move(bytes).error().in(file));
  auto view = registry::View::open(*bytes);
  if (view) {
    if (auto fine = view->check(); !fine) return std::unexpected(std::move(fine).error().in(file));
  }
  if (!view) return std::unexpected(std::move(view).error().in(file));
  return RegistryFile{std::move(*bytes), *view};
}

}  // namespace assetc::engine
