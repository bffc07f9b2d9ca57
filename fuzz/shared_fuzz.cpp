// Any bytes as an entry, a batch and a signed part of a shared cache. Data that decodes is the same when it is written
// and decoded again.
#include "engine/remote/entry.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assetc;
  using namespace assetc::engine;
  const ByteSpan input(reinterpret_cast<const std::byte*>(data), size);
  const Bytes bytes(ByteVector(input.begin(), input.end()));
  const ContentHash key{1, 2};
  auto entry = decode_entry(key, bytes, {});
  if (!entry && !bytes.empty()) entry = decode_entry(key, Bytes(encode_entry({&bytes, 1})), {});
  const auto batch = decode_batch(bytes);
  if (batch) {
    const auto same = decode_batch(Bytes(encode_batch(*batch)));
    fuzz::require(same && same->size() == batch->size());
    for (const BatchMember& member : *batch) (void)open_product(member, {});
  }
  if (!entry) return 0;
  const auto again = decode_entry(key, Bytes(encode_entry(entry->sealed)), {});
  fuzz::require(again && again->products.size() == entry->products.size() && entry->refused == 0);
  for (std::size_t i = 0; i < entry->products.size(); ++i) {
    fuzz::require(std::ranges::equal(again->products[i].encoded.span(), entry->products[i].encoded.span()));
    fuzz::require(again->products[i].blobs == entry->products[i].blobs);
  }
  const bundle::PublicKey nobody[] = {{}};
  const auto distrusted = decode_entry(key, bytes, nobody);
  fuzz::require(!distrusted || distrusted->products.empty());
  return 0;
}
