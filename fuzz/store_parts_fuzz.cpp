// Any bytes as the parts of a store's file, also with a correct checksum. A file that can be split is the same when its
// parts are joined again.
#include "assetc/base/hash.hpp"
#include "engine/store/store_parts.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assetc;
  using namespace assetc::engine;
  ByteVector file = encode_parts({});
  const ByteSpan input(reinterpret_cast<const std::byte*>(data), size);
  auto parts = split_parts(Bytes(ByteVector(input.begin(), input.end())));
  if (!parts) {
    fuzz::require(!parts.error().what.empty());
    // The input after the magic of an empty file.
    file.resize(file.size() - sizeof(std::uint64_t));
    append_bytes(file, input);
    append(file, xxh3_64(file));
    parts = split_parts(Bytes(file));
  } else {
    file.assign(input.begin(), input.end());
  }
  if (!parts) return 0;
  fuzz::require(encode_parts(*parts) == file);
  return 0;
}
