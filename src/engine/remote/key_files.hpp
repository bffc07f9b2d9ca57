// Reads files that contain keys of bundles and of products.
#pragma once

#include <string>

#include "assetc/base/result.hpp"
#include "bundle/crypto.hpp"
#include "engine/disk/disk.hpp"

namespace assetc::engine {

// Error messages name the file.
Result<bundle::SigningKey> read_signing_key(Disk& disk, const std::string& path);
Result<bundle::PublicKey> read_public_key(Disk& disk, const std::string& path);
Result<bundle::ContentKey> read_content_key(Disk& disk, const std::string& path);

}  // namespace assetc::engine
