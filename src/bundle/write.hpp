// Writes bundles: contents are cut, shared, compressed, encrypted, hashed and signed in one pass.
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
  // The previous bundle. Its dictionary is used again, so that unchanged small assets keep their bytes. Null: a
  // dictionary is trained if it saves bytes.
  const Reader* base = nullptr;
  // Positions of inputs in the order in which a game loads them, each at most once: their blocks lie in this order, and
  // those of other inputs behind them. Empty: in the order of UUIDs.
  std::span<const std::size_t> order = {};
};

struct Input {
  Uuid uuid;
  std::uint64_t size_bytes = 0;
};
// Returns the content of inputs[i], which must have the declared size. Called up to three times for each, from several
// threads.
using ReadInput = std::function<Result<Bytes>(std::size_t i)>;
// Receives the parts of a file, from start to end.
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
  std::uint64_t shared_bytes = 0;  // content bytes that are already in other blocks, including whole entries
  std::vector<Twice> twice;        // entries with the same content as another
};

// Writes a bundle of inputs, which must ascend by UUID. The result depends only on options, UUIDs, contents and the
// version of libzstd. Errors: those of read and sink; kUsage for an invalid platform or name; kConflict; kLimit.
Result<WriteReport> write_bundle(const WriteOptions& options, std::span<const Input> inputs, const ReadInput& read,
                                 const Sink& sink);

// Writes the same bundle, signed with this key instead of its old signature. Requires a bundle that passes verify().
Result<void> sign_bundle(const Reader& bundle, const SigningKey& key, const Sink& sink);

}  // namespace assetc::bundle
