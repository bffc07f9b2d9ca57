#include "engine/remote/key_files.hpp"

namespace assetc::engine {
namespace {

template <class Parse>
auto read_key(Disk& disk, const std::string& path, const Parse& parse) -> decltype(parse(std::string_view())) {
  ASSETC_TRY(const Bytes bytes, disk.read(path));
  auto key = parse(as_text(bytes));
  if (!key) return std::unexpected(std::move(key).error().in(path));
  return key;
}

}  // namespace

Result<bundle::SigningKey> read_signing_key(Disk& disk, const std::string& path) {
  return read_key(disk, path, bundle::SigningKey::parse);
}

Result<bundle::PublicKey> read_public_key(Disk& disk, const std::string& path) {
  return read_key(disk, path, bundle::parse_public_key);
}

Result<bundle::ContentKey> read_content_key(Disk& disk, const std::string& path) {
  return read_key(disk, path, bundle::ContentKey::parse);
}

}  // namespace assetc::engine
