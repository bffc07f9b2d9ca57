#include "crypto/sha.hpp"

#include <gtest/gtest.h>

#include <string>

#include "crypto/text.hpp"

namespace assetc::crypto {
namespace {

constexpr std::string_view kDns = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";

// FIPS 180-4, the examples of one and of two blocks.
TEST(Sha, matches_the_examples_of_the_standard) {
  const std::string two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
  EXPECT_EQ(hex(sha1(as_bytes("abc"))), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(hex(sha1(as_bytes(two))), "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
  EXPECT_EQ(hex(sha256(as_bytes("abc"))), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex(sha256(as_bytes(two))), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hex(sha256({})), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha, two_spans_are_hashed_as_one) {
  EXPECT_EQ(sha256(as_bytes("a"), as_bytes("bc")), sha256(as_bytes("abc")));
  EXPECT_EQ(sha1(as_bytes("ab"), as_bytes("c")), sha1(as_bytes("abc")));
}

// RFC 9562, A.4.
TEST(UuidOfName, names_give_version_5) {
  EXPECT_EQ(uuid_of_name(Uuid::parse(kDns).value(), as_bytes("www.example.com")).to_string(),
            "2ed6657d-e927-568b-95e1-2665a8aea6a2");
}

// Names around the hash's block size of 64 bytes, with the results of Python's uuid5.
TEST(UuidOfName, long_names_give_version_5) {
  const Uuid dns = Uuid::parse(kDns).value();
  const auto named = [&](std::size_t size) { return uuid_of_name(dns, as_bytes(std::string(size, 'x'))).to_string(); };
  EXPECT_EQ(named(0), "4ebd0208-8328-5d69-8c44-ec50939c0967");
  EXPECT_EQ(named(39), "2f80c0d1-1c62-579f-8d68-e61ad5592c9b");
  EXPECT_EQ(named(40), "e56fd57a-7633-5e1d-8f80-70e05ac413e5");
  EXPECT_EQ(named(47), "a112377b-8258-5ef7-b5b0-d2540bc03abb");
  EXPECT_EQ(named(48), "83993b6c-dea9-55ca-be5b-9989c85943fc");
  EXPECT_EQ(named(49), "a0f0b33b-afbf-5cad-b334-d8140d5af575");
  EXPECT_EQ(named(111), "1a48738a-dc98-5032-bf56-974c361d949d");
  EXPECT_EQ(named(112), "0243b19e-8bd4-5b57-95a2-1fcacc3142a0");
  EXPECT_EQ(named(1000), "f6d12730-a238-51ed-bf69-3689855f9bbf");
}

}  // namespace
}  // namespace assetc::crypto
