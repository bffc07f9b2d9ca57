#include "engine/remote/entry.hpp"

#include <algorithm>
#include <cmath>

namespace assetc::engine {
namespace {

constexpr std::string_view kEntryMagic = "assetc shared 2\n";
constexpr std::string_view kBatchMagic = "assetc batch 2\n";
// Prefix of the signed bytes, so that a signature of a bundle is never valid for a product.
constexpr std::string_view kSigned = "assetc shared product 2\n";
constexpr std::size_t kBlobBytes = sizeof(bundle::Sha256) + 9;
constexpr std::size_t kSealBytes = sizeof(bundle::PublicKey) + sizeof(bundle::Signature);

// Field numbers of ActionResult, OutputFile and Digest. Source: build.bazel.remote.execution.v2.
constexpr std::uint64_t kOutputFiles = 2, kStdoutRaw = 5;
constexpr std::uint64_t kPath = 1, kDigest = 2;
constexpr std::uint64_t kHash = 1, kSizeBytes = 2;
// Wire types. Source: Protocol Buffers, "Encoding".
constexpr std::uint64_t kVarint = 0, k64 = 1, kBlock = 2, k32 = 5;

void put_varint(ByteVector& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<std::byte>(value | 0x80));
  out.push_back(static_cast<std::byte>(value));
}

void put_block(ByteVector& out, std::uint64_t field, ByteSpan bytes) {
  put_varint(out, field << 3 | kBlock);
  put_varint(out, bytes.size());
  append_bytes(out, bytes);
}

std::unexpected<Error> damaged_entry(std::string what) {
  return fail(ErrorCode::kInvalidData, std::move(what), "the store is damaged; clear it");
}

// Reads a protobuf message. Each call advances the position.
class Message {
 public:
  explicit Message(const Bytes& bytes) : bytes_(bytes) {}
  bool ended() const { return at_ == bytes_.size(); }

  Result<std::uint64_t> varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at_ == bytes_.size()) break;
      const auto byte = static_cast<std::uint64_t>(bytes_.data()[at_++]);
      if (shift == 63 && byte > 1) break;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return damaged_entry("found a number that does not end, expected an ActionResult");
  }
  Result<Bytes> block(std::uint64_t size) {
    if (!range_fits(at_, size, bytes_.size()))
      return damaged_entry("found an ActionResult that ends at byte " + std::to_string(bytes_.size()));
    Bytes part = bytes_.slice(at_, static_cast<std::size_t>(size));
    at_ += static_cast<std::size_t>(size);
    return part;
  }

 private:
  const Bytes& bytes_;
  std::size_t at_ = 0;
};

Result<Bytes> stdout_of(const Bytes& action_result) {
  Message message(action_result);
  Bytes found;
  while (!message.ended()) {
    ASSETC_TRY(const std::uint64_t tag, message.varint());
    switch (tag & 7) {
      case kVarint: {
        ASSETC_CHECK(message.varint());
        break;
      }
      case kBlock: {
        ASSETC_TRY(const std::uint64_t size, message.varint());
        ASSETC_TRY(const Bytes block, message.block(size));
        if (tag >> 3 == kStdoutRaw) found = block;
        break;
      }
      case k64:
      case k32: {
        ASSETC_CHECK(message.block((tag & 7) == k64 ? 8 : 4));
        break;
      }
      default:
        return damaged_entry("found a field of type " + std::to_string(tag & 7) + ", expected an ActionResult");
    }
  }
  return found;
}

ByteVector signed_bytes(const ContentHash& key, ByteSpan body) {
  ByteVector message;
  append_bytes(message, as_bytes(kSigned));
  append(message, key.low);
  append(message, key.high);
  append_bytes(message, body);
  return message;
}

// Layout: float32 seconds; uint32 product size; product; uint32 number of blobs; for each blob its SHA-256, uint64 size
// and uint8 packed.
ByteVector encode_body(const SharedProduct& product) {
  ByteVector body;
  append(body, product.seconds);
  append(body, static_cast<std::uint32_t>(product.encoded.size()));
  append_bytes(body, product.encoded);
  append(body, static_cast<std::uint32_t>(product.blobs.size()));
  for (const SharedBlob& blob : product.blobs) {
    append(body, blob.name);
    append(body, blob.size_bytes);
    append(body, static_cast<std::uint8_t>(blob.packed));
  }
  return body;
}

Result<SharedProduct> decode_body(const Bytes& body) {
  const auto too_short = [] { return damaged_entry("found a product that ends too early"); };
  SharedProduct product;
  if (body.size() < 8) return too_short();
  product.seconds = load<float>(body);
  if (!std::isfinite(product.seconds) || product.seconds < 0) return damaged_entry("found an invalid time");
  const auto size = load<std::uint32_t>(body, 4);
  if (!range_fits(8, std::uint64_t{size} + 4, body.size())) return too_short();
  product.encoded = body.slice(8, size);
  std::size_t at = 8 + size;
  const auto count = load<std::uint32_t>(body, at);
  at += 4;
  if (std::uint64_t{count} * kBlobBytes != body.size() - at) return too_short();
  for (; at < body.size(); at += kBlobBytes) {
    product.blobs.push_back({load<bundle::Sha256>(body, at), load<std::uint64_t>(body, at + sizeof(bundle::Sha256)),
                             load<std::uint8_t>(body, at + sizeof(bundle::Sha256) + 8) != 0});
  }
  return product;
}

// Layout of a sealed product: uint8 is signed; the body; if it is signed, the signer's key and signature.
bool is_signed(const Bytes& sealed) { return load<std::uint8_t>(sealed) != 0; }

Result<Bytes> body_of(const Bytes& sealed) {
  const std::size_t around = sealed.empty() || !is_signed(sealed) ? 1 : 1 + kSealBytes;
  if (sealed.size() < around) return damaged_entry("found a product that ends too early");
  return sealed.slice(1, sealed.size() - around);
}

// Whether a key of `trust` has signed this body for this key.
bool is_trusted(const ContentHash& key, const Bytes& sealed, const Bytes& body,
                std::span<const bundle::PublicKey> trust) {
  if (trust.empty() || !is_signed(sealed)) return trust.empty();
  const auto signer = load<bundle::PublicKey>(sealed, 1 + body.size());
  const auto signature = load<bundle::Signature>(sealed, 1 + body.size() + sizeof(signer));
  return std::ranges::find(trust, signer) != trust.end() &&
         bundle::verify_signature(signer, signed_bytes(key, body), signature);
}

std::string action_path(std::string_view what, const ContentHash& hash) {
  ByteVector name;
  append_bytes(name, as_bytes(what));
  append(name, hash.low);
  append(name, hash.high);
  return "ac/" + bundle::hex(bundle::sha256(name));
}

}  // namespace

std::string entry_path(const ContentHash& key) { return action_path("assetc key 2\n", key); }

std::string batch_path(const ContentHash& batch) { return action_path(kBatchMagic, batch); }

std::string blob_path(const bundle::Sha256& name) { return "cas/" + bundle::hex(name); }

Bytes seal_product(const ContentHash& key, const SharedProduct& product, const bundle::SigningKey* signing) {
  const ByteVector body = encode_body(product);
  ByteVector sealed{static_cast<std::byte>(signing != nullptr)};
  append_bytes(sealed, body);
  if (signing != nullptr) {
    append(sealed, signing->public_key());
    append(sealed, signing->sign(signed_bytes(key, body)));
  }
  return Bytes(std::move(sealed));
}

ByteVector encode_entry(std::span<const Bytes> sealed) {
  ByteVector file, result;
  append_bytes(file, as_bytes(kEntryMagic));
  for (const Bytes& one : sealed) {
    append(file, static_cast<std::uint32_t>(one.size()));
    append_bytes(file, one);
    const auto body = body_of(one);
    const auto product = body ? decode_body(*body) : std::unexpected(body.error());
    if (!product) continue;
    for (const SharedBlob& blob : product->blobs) {
      const std::string name = bundle::hex(blob.name);
      ByteVector digest, output;
      put_block(digest, kHash, as_bytes(name));
      put_varint(digest, kSizeBytes << 3 | kVarint);
      put_varint(digest, blob.size_bytes);
      put_block(output, kPath, as_bytes(name));
      put_block(output, kDigest, digest);
      put_block(result, kOutputFiles, output);
    }
  }
  put_block(result, kStdoutRaw, file);
  return result;
}

Result<Entry> decode_entry(const ContentHash& key, const Bytes& bytes, std::span<const bundle::PublicKey> trust) {
  ASSETC_TRY(const Bytes file, stdout_of(bytes));
  if (!as_text(file).starts_with(kEntryMagic)) return damaged_entry("found no products of this version");
  Entry entry;
  for (std::size_t at = kEntryMagic.size(); at < file.size() && entry.sealed.size() < kMaxSharedProducts;) {
    if (!range_fits(at, 4, file.size())) return damaged_entry("found products that end too early");
    const auto size = load<std::uint32_t>(file, at);
    at += 4;
    if (!range_fits(at, size, file.size())) return damaged_entry("found products that end too early");
    entry.sealed.push_back(file.slice(at, size));
    at += size;
    ASSETC_TRY(std::optional<SharedProduct> product, open_product({key, entry.sealed.back()}, trust));
    if (product) {
      entry.products.push_back(std::move(*product));
    } else {
      ++entry.refused;
    }
  }
  return entry;
}

Result<std::optional<SharedProduct>> open_product(const BatchMember& member, std::span<const bundle::PublicKey> trust) {
  ASSETC_TRY(const Bytes body, body_of(member.sealed));
  ASSETC_TRY(SharedProduct product, decode_body(body));
  if (!is_trusted(member.key, member.sealed, body, trust)) return std::nullopt;
  return product;
}

std::size_t BatchMember::size() const {
  std::size_t bytes = sealed.size();
  for (const Bytes& blob : blobs) bytes += blob.size();
  return bytes;
}

// Layout after the magic, for each member: uint64 low and high half of its key; uint32 size of the sealed product;
// sealed product; uint32 number of blobs; for each blob its uint32 size and its bytes.
ByteVector encode_batch(std::span<const BatchMember> members) {
  ByteVector file, result;
  append_bytes(file, as_bytes(kBatchMagic));
  const auto append_block = [&](const Bytes& block) {
    append(file, static_cast<std::uint32_t>(block.size()));
    append_bytes(file, block);
  };
  for (const BatchMember& member : members) {
    append(file, member.key.low);
    append(file, member.key.high);
    append_block(member.sealed);
    append(file, static_cast<std::uint32_t>(member.blobs.size()));
    for (const Bytes& blob : member.blobs) append_block(blob);
  }
  put_block(result, kStdoutRaw, file);
  return result;
}

Result<std::vector<BatchMember>> decode_batch(const Bytes& bytes) {
  ASSETC_TRY(const Bytes file, stdout_of(bytes));
  if (!as_text(file).starts_with(kBatchMagic)) return damaged_entry("found no batch of this version");
  std::size_t at = kBatchMagic.size();
  const auto take = [&](std::size_t size) -> Result<Bytes> {
    if (!range_fits(at, size, file.size())) return damaged_entry("found a batch that ends too early");
    at += size;
    return file.slice(at - size, size);
  };
  const auto number = [&]() -> Result<std::uint32_t> {
    ASSETC_TRY(const Bytes block, take(4));
    return load<std::uint32_t>(block);
  };
  std::vector<BatchMember> members;
  while (at < file.size()) {
    BatchMember member;
    ASSETC_TRY(const Bytes key, take(sizeof(ContentHash)));
    member.key = {load<std::uint64_t>(key), load<std::uint64_t>(key, 8)};
    ASSETC_TRY(const std::uint32_t size, number());
    ASSETC_TRY(member.sealed, take(size));
    ASSETC_TRY(const std::uint32_t blobs, number());
    for (std::uint32_t i = 0; i < blobs; ++i) {
      ASSETC_TRY(const std::uint32_t blob_size, number());
      ASSETC_TRY(member.blobs.emplace_back(), take(blob_size));
    }
    members.push_back(std::move(member));
  }
  return members;
}

}  // namespace assetc::engine
