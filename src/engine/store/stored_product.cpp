#include "engine/store/stored_product.hpp"

#include "assetc/base/hash.hpp"

namespace assetc::engine {
namespace {

// Layout: uint32 size of the record; the record as a block of a log; the small outputs in order, without sizes; uint64
// checksum of all that and the key.
constexpr std::size_t kPrefixBytes = 4;
constexpr std::size_t kChecksumBytes = 8;
constexpr std::string_view kProductsMagic = "assetc products 2\n";

std::unexpected<Error> damaged_product(std::string what) { return fail(ErrorCode::kInvalidData, std::move(what)); }

bool is_small(const OutputRecord& output) { return output.signature.size_bytes <= kInlineBytes; }

}  // namespace

ByteVector StoredProduct::encode(const ContentHash& key, const StepRecord& record, std::span<const Bytes> small) {
  StepRecord portable = record;
  for (OutputRecord& output : portable.outputs) output.signature = {.size_bytes = output.signature.size_bytes};
  LogWriter writer;
  writer.step(portable);
  const ByteVector block = writer.take();
  std::size_t size = kPrefixBytes + block.size() + kChecksumBytes;
  for (const Bytes& bytes : small) size += bytes.size();
  ByteVector encoded;
  encoded.reserve(size);
  append(encoded, static_cast<std::uint32_t>(block.size()));
  append_bytes(encoded, block);
  for (std::size_t i = 0; i < portable.outputs.size(); ++i) {
    if (is_small(portable.outputs[i])) append_bytes(encoded, small[i]);
  }
  append(encoded, checksum(key, encoded));
  return encoded;
}

std::uint64_t StoredProduct::checksum(const ContentHash& key, ByteSpan bytes) {
  return ContentHasher().add(key).add(content_hash(bytes)).finish().low;
}

Result<StoredProduct> StoredProduct::decode(const ContentHash& key, const Bytes& encoded) {
  if (encoded.size() < kPrefixBytes + kChecksumBytes) return damaged_product("a product that ends too early");
  const Bytes body = encoded.slice(0, encoded.size() - kChecksumBytes);
  if (load<std::uint64_t>(encoded, body.size()) != checksum(key, body))
    return damaged_product("a product that is damaged, or of another key");
  const auto block = load<std::uint32_t>(body);
  if (!range_fits(kPrefixBytes, block, body.size())) return damaged_product("a product that ends too early");
  auto product = std::make_shared<Content>();
  product->encoded = encoded;
  ASSETC_CHECK(replay(product->state, body.slice(kPrefixBytes, block)));
  if (product->state.steps.size() != 1) return damaged_product("a product that is not of one step");
  product->record = product->state.steps[0].read(product->record);
  std::size_t at = kPrefixBytes + block;
  for (const OutputRecord& output : product->record.outputs) {
    Bytes& bytes = product->small.emplace_back();
    if (!is_small(output)) continue;
    const auto size = static_cast<std::size_t>(output.signature.size_bytes);
    if (!range_fits(at, size, body.size())) return damaged_product("a product that ends too early");
    bytes = body.slice(at, size);
    if (content_hash(bytes) != output.hash) return damaged_product("an output that does not match its record");
    at += size;
  }
  if (at != body.size()) return damaged_product("a product with extra bytes at its end");
  return StoredProduct(std::move(product));
}

ByteVector encode_products(std::span<const Bytes> encoded) {
  std::size_t size = kProductsMagic.size() + kChecksumBytes;
  for (const Bytes& product : encoded) size += kPrefixBytes + product.size();
  ByteVector file;
  file.reserve(size);
  append_bytes(file, as_bytes(kProductsMagic));
  for (const Bytes& product : encoded) {
    append(file, static_cast<std::uint32_t>(product.size()));
    append_bytes(file, product);
  }
  append(file, xxh3_64(file));
  return file;
}

Result<std::vector<Bytes>> split_products(const Bytes& file) {
  if (file.size() < kProductsMagic.size() + kChecksumBytes || !as_text(file).starts_with(kProductsMagic))
    return damaged_product("no products of this version");
  const std::size_t end = file.size() - kChecksumBytes;
  if (load<std::uint64_t>(file, end) != xxh3_64(file.span().first(end)))
    return damaged_product("a checksum that does not match");
  std::vector<Bytes> products;
  for (std::size_t at = kProductsMagic.size(); at < end;) {
    if (!range_fits(at, kPrefixBytes, end)) return damaged_product("products that end too early");
    const auto size = load<std::uint32_t>(file, at);
    at += kPrefixBytes;
    if (!range_fits(at, size, end)) return damaged_product("products that end too early");
    products.push_back(file.slice(at, size));
    at += size;
  }
  return products;
}

}  // namespace assetc::engine
