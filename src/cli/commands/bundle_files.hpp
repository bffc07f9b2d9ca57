// Bundle and key files, as the bundle and key commands open and name them.
#pragma once

#include <memory>
#include <string>

#include "bundle/reader.hpp"
#include "bundle/write.hpp"
#include "cli/commands/commands.hpp"
#include "engine/disk/disk.hpp"
#include "engine/remote/key_files.hpp"

namespace assetc::cli {

// Null if no content key was given. Errors name the file.
Result<std::shared_ptr<const bundle::ContentKey>> content_key_of(engine::Disk& disk, const BundleArguments& asked);

Result<bundle::Reader> open_bundle(engine::Disk& disk, const std::string& path,
                                   std::shared_ptr<const bundle::ContentKey> key = nullptr);
// The bundle that the arguments name, with its key and with the patch mounted over it.
Result<bundle::Reader> open_bundle(const Arguments& arguments, engine::Disk& disk);

// Writes a temporary file beside `path` and renames it to `path` when it is complete. write(sink) returns a Result.
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

// The key of --key; nothing without --key. Errors name the file.
Result<std::optional<bundle::PublicKey>> trusted_key_of(engine::Disk& disk, const BundleArguments& asked);

// Returns text such as: "base" version 3 for Win64
std::string bundle_title(const pak::Header& header);

}  // namespace assetc::cli
