// Bundles from contents: cut, shared, compressed, encrypted, hashed and signed, in one pass over them.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/base/uuid.hpp"
#include "bundle/crypto.hpp"
#include "bundle/reader.hpp"

namespace assetc::bundle {

struct WriteOptions {
  std::string platform, name;
  std::uint64_t version = 1;
  const SigningKey* sign = nullptr;
  const ContentKey* encrypt = nullptr;
  // The bundle before this one, whose dictionary is used again, so that small assets that did not change keep their
  // bytes. Null: one is trained where it pays.
  const Reader* base = nullptr;
};

struct Input {
  Uuid uuid;
  std::uint64_t size_bytes = 0;
};
// The content of inputs[i], of the size that was said. Called once or twice for each, from several threads.
using ReadInput = std::function<Result<Bytes>(std::size_t i)>;
// Takes a part of a file, from its start to its end.
using Sink = std::function<Result<void>(ByteSpan)>;

struct WriteReport {
  struct Twice {
    Uuid uuid, same_as;
    std::uint64_t size_bytes = 0;
  };
  std::uint64_t content_bytes = 0;  // of all entries
  std::uint64_t file_bytes = 0;
  std::uint64_t blocks = 0;
  std::uint64_t dictionary_bytes = 0;
  std::uint64_t shared_bytes = 0;  // of content that other blocks hold already, whole entries among them
  std::vector<Twice> twice;        // entries whose content another has
};

// Writes a bundle of inputs, which ascend by UUID. A function of options, UUIDs and contents alone, and of libzstd.
// Errors: those of read and sink; kUsage for a platform or name that cannot be; kConflict; kLimit.
Result<WriteReport> write_bundle(const WriteOptions& options, std::span<const Input> inputs, const ReadInput& read,
                                 const Sink& sink);

// The same bundle, signed with this key in place of whatever signed it. Requires a bundle that verifies.
Result<void> sign_bundle(const Reader& bundle, const SigningKey& key, const Sink& sink);

}  // namespace assetc::bundle
