// Any bytes as the products of a store, also with a correct checksum. A product that decodes is the same when it is
// written and decoded again.
#include "engine/store/stored_product.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assetc;
  using namespace assetc::engine;
  const ByteSpan input(reinterpret_cast<const std::byte*>(data), size);
  const Bytes bytes(ByteVector(input.begin(), input.end()));
  auto parts = split_products(bytes);
  if (!parts || parts->empty()) parts = split_products(Bytes(encode_products({&bytes, 1})));
  fuzz::require(parts && !parts->empty());
  const ContentHash key{1, 2};
  auto product = StoredProduct::decode(key, parts->front());
  if (!product) {
    ByteVector checked(parts->front().span().begin(), parts->front().span().end());
    append(checked, StoredProduct::checksum(key, checked));
    product = StoredProduct::decode(key, Bytes(std::move(checked)));
  }
  if (!product) {
    fuzz::require(!product.error().what.empty());
    return 0;
  }
  const auto again = StoredProduct::decode(key, Bytes(StoredProduct::encode(key, product->record(), product->small())));
  fuzz::require(again && again->record().outputs.size() == product->record().outputs.size());
  fuzz::require(again->record().dependencies == product->record().dependencies);
  for (std::size_t i = 0; i < product->small().size(); ++i)
    fuzz::require(std::ranges::equal(again->small()[i].span(), product->small()[i].span()));
  return 0;
}
