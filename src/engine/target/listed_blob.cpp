#include "engine/target/listed_blob.hpp"

#include <string>

#include "crypto/sha.hpp"
#include "crypto/text.hpp"

namespace assetc::engine {

Result<aas1::Description> describe_listed(ByteSpan blob, std::string_view sha256) {
  if (!sha256.empty()) {
    const std::string found = crypto::hex(crypto::sha256(blob));
    if (found != sha256) {
      return fail(ErrorCode::kInvalidData,
                  "has the SHA-256 " + found + ", but the registry says " + std::string(sha256));
    }
  }
  return aas1::describe(blob);
}

Result<void> check_listed_type(const aas1::Description& description, std::string_view type) {
  if (description.type == type) return {};
  return fail(ErrorCode::kInvalidData,
              "is a " + std::string(description.type) + ", but the registry says " + std::string(type));
}

Result<Bytes> read_listed(const std::string& cooked, const bundle::CookedAsset& asset, Disk& disk) {
  ASSETC_TRY(const OpenedFile file, disk.open_below(cooked, asset.cooked_path));
  ASSETC_TRY(Bytes blob, file.read(0, static_cast<std::size_t>(file.size_bytes)));
  const auto description = describe_listed(blob, asset.sha256);
  auto right =
      description ? check_listed_type(*description, asset.type) : Result<void>(std::unexpected(description.error()));
  if (right) return blob;
  Error error = std::move(right).error();
  error.hint = "cook again, or copy the folder again";
  return std::unexpected(std::move(error).in(cooked + "/" + asset.cooked_path));
}

}  // namespace assetc::engine
