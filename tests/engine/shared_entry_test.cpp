#include <gmock/gmock.h>

#include "engine/remote/entry.hpp"

namespace assetc::engine {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const ContentHash kKey{1, 2};

Bytes bytes_of(std::string_view text) {
  const ByteSpan span = as_bytes(text);
  return Bytes(ByteVector(span.begin(), span.end()));
}

SharedProduct product(std::string_view text) {
  SharedProduct made;
  made.encoded = bytes_of(text);
  made.blobs = {{bundle::sha256(as_bytes("red")), 3, false}, {bundle::sha256(as_bytes("blue")), 4, true}};
  made.seconds = 1.5f;
  return made;
}

Bytes entry_of(std::initializer_list<Bytes> sealed) { return Bytes(encode_entry(std::vector<Bytes>(sealed))); }

TEST(SharedEntry, says_what_was_written) {
  const auto key = bundle::SigningKey::generate();
  const Bytes entry = entry_of({seal_product(kKey, product("new"), &key), seal_product(kKey, product("old"), nullptr)});
  const auto read = decode_entry(kKey, entry, {});
  ASSERT_TRUE(read) << read.error().what;
  ASSERT_EQ(read->products.size(), 2u);
  EXPECT_EQ(read->refused, 0u);
  EXPECT_EQ(as_text(read->products[0].encoded), "new");
  EXPECT_EQ(as_text(read->products[1].encoded), "old");
  EXPECT_EQ(read->products[0].blobs, product("").blobs);
  EXPECT_EQ(read->products[0].seconds, 1.5f);
}

TEST(SharedEntry, is_named_as_the_protocol_has_it) {
  EXPECT_THAT(entry_path(kKey), StartsWith("ac/"));
  EXPECT_EQ(entry_path(kKey).size(), 3u + 64);
  EXPECT_NE(entry_path(kKey), entry_path({2, 1}));
  // FIPS 180-2, appendix B.1.
  EXPECT_EQ(blob_path(bundle::sha256(as_bytes("abc"))),
            "cas/ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(SharedEntry, believes_those_who_are_trusted) {
  const auto ours = bundle::SigningKey::generate(), theirs = bundle::SigningKey::generate();
  const bundle::PublicKey trust[] = {ours.public_key()};
  const Bytes entry =
      entry_of({seal_product(kKey, product("unsigned"), nullptr), seal_product(kKey, product("theirs"), &theirs),
                seal_product(kKey, product("ours"), &ours)});
  const auto read = decode_entry(kKey, entry, trust);
  ASSERT_TRUE(read);
  ASSERT_EQ(read->products.size(), 1u);
  EXPECT_EQ(as_text(read->products[0].encoded), "ours");
  EXPECT_EQ(read->refused, 2u);
  EXPECT_EQ(read->sealed.size(), 3u);
}

TEST(SharedEntry, of_one_key_is_none_of_another) {
  const auto key = bundle::SigningKey::generate();
  const bundle::PublicKey trust[] = {key.public_key()};
  const auto read = decode_entry({1, 3}, entry_of({seal_product(kKey, product("a"), &key)}), trust);
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->products.empty());
  EXPECT_EQ(read->refused, 1u);
}

TEST(SharedEntry, a_changed_bit_is_not_believed) {
  const auto key = bundle::SigningKey::generate();
  const bundle::PublicKey trust[] = {key.public_key()};
  const Bytes entry = entry_of({seal_product(kKey, product("a"), &key)});
  for (std::size_t bit = 0; bit < entry.size() * 8; ++bit) {
    ByteVector changed(entry.span().begin(), entry.span().end());
    changed[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    const auto read = decode_entry(kKey, Bytes(std::move(changed)), trust);
    if (!read || read->products.empty()) continue;
    // The list of files outside of the signed part, which servers use.
    EXPECT_EQ(as_text(read->products[0].encoded), "a") << bit;
    EXPECT_EQ(read->products[0].blobs, product("").blobs) << bit;
  }
}

TEST(SharedEntry, that_ends_anywhere_is_an_error_or_has_less) {
  const Bytes entry = entry_of({seal_product(kKey, product("a"), nullptr), seal_product(kKey, product("b"), nullptr)});
  for (std::size_t size = 0; size < entry.size(); ++size) {
    const auto read = decode_entry(kKey, entry.slice(0, size), {});
    EXPECT_FALSE(read) << size;
  }
}

TEST(SharedEntry, fields_of_later_servers_are_passed_over) {
  ByteVector bytes;
  for (const int byte : {0x20, 0x80, 0x01, 0x39, 1, 2, 3, 4, 5, 6, 7, 8, 0x4a, 2, 0x68, 0x69, 0x55, 1, 2, 3, 4})
    bytes.push_back(static_cast<std::byte>(byte));
  append_bytes(bytes, entry_of({seal_product(kKey, product("a"), nullptr)}));
  const auto read = decode_entry(kKey, Bytes(std::move(bytes)), {});
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->products.size(), 1u);
}

TEST(SharedEntry, something_else_is_told) {
  const auto read = decode_entry(kKey, bytes_of("\x2a\x05hello"), {});
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().what, HasSubstr("no products of this version"));
}

TEST(SharedEntry, has_a_bounded_number_of_products) {
  const Bytes one = seal_product(kKey, product("a"), nullptr);
  const auto read = decode_entry(kKey, Bytes(encode_entry(std::vector<Bytes>(1000, one))), {});
  ASSERT_TRUE(read);
  EXPECT_EQ(read->sealed.size(), kMaxSharedProducts);
}

SharedProduct small_product(std::string_view text) {
  SharedProduct made = product(text);
  made.blobs.clear();
  return made;
}

TEST(SharedBatch, has_products_of_many_keys_each_signed_with_its_own) {
  const auto ours = bundle::SigningKey::generate(), theirs = bundle::SigningKey::generate();
  const bundle::PublicKey trust[] = {ours.public_key()};
  const ContentHash other{3, 4};
  const BatchMember written[] = {
      {kKey, seal_product(kKey, small_product("a"), &ours), {bytes_of("red"), bytes_of("blue")}},
      {other, seal_product(other, small_product("b"), &theirs), {}},
      // stored under a key that it was not signed with
      {other, seal_product(kKey, small_product("a"), &ours), {}}};
  const auto members = decode_batch(Bytes(encode_batch(written)));
  ASSERT_TRUE(members) << members.error().what;
  ASSERT_EQ(members->size(), 3u);
  EXPECT_EQ(members->at(0).key, kKey);
  EXPECT_EQ(members->at(1).key, other);
  ASSERT_EQ(members->at(0).blobs.size(), 2u);
  EXPECT_EQ(as_text(members->at(0).blobs[1]), "blue");
  EXPECT_TRUE(members->at(1).blobs.empty());
  const auto believed = open_product(members->at(0), trust);
  ASSERT_TRUE(believed && *believed);
  EXPECT_EQ(as_text((*believed)->encoded), "a");
  EXPECT_EQ((*believed)->seconds, 1.5f);
  for (const std::size_t i : {1u, 2u}) {
    const auto refused = open_product(members->at(i), trust);
    ASSERT_TRUE(refused) << i;
    EXPECT_FALSE(*refused) << i;
  }
}

TEST(SharedBatch, a_damaged_one_says_so) {
  const BatchMember members[] = {{kKey, seal_product(kKey, small_product("a"), nullptr), {bytes_of("red")}}};
  const Bytes batch(encode_batch(members));
  // The data before the last field determines the total size, so every shorter file ends too early.
  for (std::size_t size = 0; size < batch.size(); ++size) EXPECT_FALSE(decode_batch(batch.slice(0, size))) << size;
  const auto of_entry = decode_batch(entry_of({members[0].sealed}));
  ASSERT_FALSE(of_entry);
  EXPECT_THAT(of_entry.error().what, HasSubstr("no batch"));
  EXPECT_NE(batch_path(kKey), entry_path(kKey));
}

}  // namespace
}  // namespace assetc::engine
