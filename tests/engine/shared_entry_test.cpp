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
    // Of what surrounds the signed part: the list of files, for servers.
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

}  // namespace
}  // namespace assetc::engine
