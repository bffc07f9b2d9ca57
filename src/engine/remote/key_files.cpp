#include "engine/remote/key_files.hpp"

#include "base/text_file.hpp"

namespace assetc::engine {
namespace {

template <class Parse>
auto parse_key(const Result<Bytes>& bytes, const std::string& path, const Parse& parse)
    -> decltype(parse(std::string_view())) {
  if (!bytes) return std::unexpected(bytes.error());
  auto key = parse(as_text(*bytes));
  if (!key) return std::unexpected(std::move(key).error().in(path));
  return key;
}

}  // namespace

Result<bundle::SigningKey> read_signing_key(Disk& disk, const std::string& path, bool may_be_shared) {
  return parse_key(disk.read_secret(path, may_be_shared), path, bundle::SigningKey::parse);
}

Result<bundle::PublicKey> read_public_key(Disk& disk, const std::string& path) {
  return parse_key(disk.read(path), path, bundle::parse_public_key);
}

Result<bundle::ContentKey> read_content_key(Disk& disk, const std::string& path, bool may_be_shared) {
  return parse_key(disk.read_secret(path, may_be_shared), path, bundle::ContentKey::parse);
}

Result<std::string> read_token(Disk& disk, const std::string& path, bool may_be_shared) {
  auto bytes = disk.read_secret(path, may_be_shared);
  if (!bytes) return std::unexpected(std::move(bytes).error().in(path));
  const std::string_view text = without_mark(as_text(*bytes));
  std::string line(text.substr(0, text.find_first_of("\r\n")));
  if (line.empty()) return std::unexpected(Error{ErrorCode::kUsage, path, {}, "is empty", "write the secret into it"});
  return line;
}

}  // namespace assetc::engine
