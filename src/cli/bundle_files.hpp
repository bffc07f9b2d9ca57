// Bundles and keys as files: what the commands of both open and say.
#pragma once

#include <memory>
#include <string>

#include "bundle/reader.hpp"
#include "bundle/write.hpp"
#include "cli/commands.hpp"
#include "engine/disk/disk.hpp"
#include "engine/remote/key_files.hpp"

namespace assetc::cli {

// Null for no path. Errors name the file.
Result<std::shared_ptr<const bundle::ContentKey>> content_key_of(engine::Disk& disk, const std::string& path);

Result<bundle::Reader> open_bundle(engine::Disk& disk, const std::string& path,
                                   std::shared_ptr<const bundle::ContentKey> key = nullptr);
// What arguments name: the bundle with its key, and the patch that is mounted over it.
Result<bundle::Reader> open_bundle(const Arguments& arguments, engine::Disk& disk);

// Writes a file beside `path` and renames it into place when all of it is there. write(sink) is a Result.
template <class Write>
auto write_file(engine::Disk& disk, const std::string& path, const Write& write)
    -> decltype(write(std::declval<const bundle::Sink&>())) {
  const std::size_t slash = path.rfind('/');
  ASSETC_CHECK(disk.sweep(slash == path.npos ? std::string(".") : path.substr(0, slash + 1)));
  ASSETC_TRY(const auto file, disk.create(path));
  auto written = write([&](ByteSpan bytes) { return file->write(bytes); });
  if (!written) return written;
  ASSETC_CHECK(file->commit());
  return written;
}

// The key that --key names; null where it names none. Errors name the file.
Result<std::optional<bundle::PublicKey>> trusted_key_of(engine::Disk& disk, const BundleArguments& asked);

// "base" version 3 for Win64
std::string bundle_title(const pak::Header& header);

}  // namespace assetc::cli
