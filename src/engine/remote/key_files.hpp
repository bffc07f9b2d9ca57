// Reads files that contain keys of bundles and of products.
#pragma once

#include <string>

#include "assetc/base/result.hpp"
#include "bundle/crypto.hpp"
#include "engine/disk/disk.hpp"

namespace assetc::engine {

// Error messages name the file. A secret that other users may read or write is refused, unless may_be_shared.
Result<bundle::SigningKey> read_signing_key(Disk& disk, const std::string& path, bool may_be_shared);
Result<bundle::PublicKey> read_public_key(Disk& disk, const std::string& path);
Result<bundle::ContentKey> read_content_key(Disk& disk, const std::string& path, bool may_be_shared);
// The first line of a file: a token or a password.
Result<std::string> read_token(Disk& disk, const std::string& path, bool may_be_shared);

}  // namespace assetc::engine
