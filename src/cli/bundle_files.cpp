#include "cli/bundle_files.hpp"

namespace assetc::cli {
namespace {

template <class Parse>
auto read_key(engine::Disk& disk, const std::string& path, const Parse& parse) -> decltype(parse(std::string_view())) {
  ASSETC_TRY(const Bytes bytes, disk.read(path));
  auto key = parse(as_text(bytes));
  if (!key) return std::unexpected(std::move(key).error().in(path));
  return key;
}

}  // namespace

Result<bundle::SigningKey> read_signing_key(engine::Disk& disk, const std::string& path) {
  return read_key(disk, path, bundle::SigningKey::parse);
}

Result<bundle::PublicKey> read_public_key(engine::Disk& disk, const std::string& path) {
  return read_key(disk, path, bundle::parse_public_key);
}

Result<std::shared_ptr<const bundle::ContentKey>> read_content_key(engine::Disk& disk, const std::string& path) {
  if (path.empty()) return nullptr;
  ASSETC_TRY(const bundle::ContentKey key, read_key(disk, path, bundle::ContentKey::parse));
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
  ASSETC_TRY(auto key, read_content_key(disk, asked.content_key));
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
