#include "cli/commands/bundle_files.hpp"

namespace assetc::cli {

Result<std::optional<bundle::PublicKey>> trusted_key_of(engine::Disk& disk, const BundleArguments& asked) {
  if (asked.public_key.empty()) return std::nullopt;
  return engine::read_public_key(disk, asked.public_key);
}

Result<std::shared_ptr<const bundle::ContentKey>> content_key_of(engine::Disk& disk, const BundleArguments& asked) {
  if (asked.content_key.empty()) return nullptr;
  ASSETC_TRY(const bundle::ContentKey key, engine::read_content_key(disk, asked.content_key, asked.may_share_keys));
  return std::make_shared<const bundle::ContentKey>(key);
}

Result<bundle::Reader> open_bundle(engine::Disk& disk, const std::string& path,
                                   std::shared_ptr<const bundle::ContentKey> key) {
  ASSETC_TRY(Bytes file, disk.peek(path));
  auto reader = bundle::Reader::open(std::move(file), std::move(key));
  if (!reader) return std::unexpected(std::move(reader).error().in(path));
  return reader;
}

Result<bundle::Reader> open_bundle(const Arguments& arguments, engine::Disk& disk) {
  const BundleArguments& asked = arguments.bundle;
  ASSETC_TRY(auto key, content_key_of(disk, asked));
  ASSETC_TRY(bundle::Reader reader, open_bundle(disk, asked.file, std::move(key)));
  if (asked.patch.empty()) return reader;
  ASSETC_TRY(Bytes patch, disk.peek(asked.patch));
  auto mounted = reader.mount(std::move(patch), asked.patch);
  if (!mounted) return std::unexpected(std::move(mounted).error().in(asked.patch));
  return mounted;
}

std::string bundle_title(const pak::Header& header) {
  return "\"" + std::string(header.name_text()) + "\" version " + std::to_string(header.bundle_version) + " for " +
         std::string(header.platform_text());
}

}  // namespace assetc::cli
