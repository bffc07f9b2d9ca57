#include "engine/look/listed_blob.hpp"

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

}  // namespace assetc::engine
