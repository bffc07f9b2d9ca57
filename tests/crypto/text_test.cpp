#include "crypto/text.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace assetc::crypto {
namespace {

std::string decoded(std::string_view text) { return std::string(as_text(decode_base64(text).value())); }
std::string refusal(std::string_view text) {
  const auto result = decode_base64(text);
  return result ? "decoded" : result.error().what;
}

// RFC 4648, section 10.
TEST(Base64, matches_the_examples_of_the_standard) {
  const std::pair<std::string_view, std::string_view> examples[] = {{"", ""},
                                                                    {"f", "Zg=="},
                                                                    {"fo", "Zm8="},
                                                                    {"foo", "Zm9v"},
                                                                    {"foob", "Zm9vYg=="},
                                                                    {"fooba", "Zm9vYmE="},
                                                                    {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, text] : examples) {
    EXPECT_EQ(encode_base64(as_bytes(plain)), text);
    EXPECT_EQ(decoded(text), plain);
  }
}

TEST(Base64, padding_is_optional) {
  EXPECT_EQ(decoded("Zg"), "f");
  EXPECT_EQ(decoded("Zg="), "f");
  EXPECT_EQ(decoded("Zm8"), "fo");
}

TEST(Base64, bits_behind_the_last_byte_are_ignored) {
  EXPECT_EQ(decoded("Zh=="), "f");
  EXPECT_EQ(decoded("Zm9="), "fo");
}

TEST(Base64, a_character_that_is_none_is_named_by_its_position) {
  EXPECT_EQ(refusal("Zm9v*mFy"), "character 4 of the base64 text is not base64");
  EXPECT_EQ(refusal("Zm9vYm*y"), "character 6 of the base64 text is not base64");
  EXPECT_EQ(refusal("Zm9vY-"), "character 5 of the base64 text is not base64");
  EXPECT_EQ(refusal("Zg==Zg=="), "character 2 of the base64 text is not base64");
  EXPECT_EQ(refusal("Zm9v Zm9v"), "base64 text ends in the middle of a byte");
  EXPECT_EQ(refusal("Zm9v Zm9vZm9"), "character 4 of the base64 text is not base64");
}

TEST(Base64, random_bytes_survive) {
  std::mt19937 random(7);
  for (std::size_t size = 0; size < 200; ++size) {
    ByteVector bytes(size);
    for (std::byte& b : bytes) b = static_cast<std::byte>(random());
    EXPECT_EQ(decoded(encode_base64(bytes)), as_text(bytes));
  }
}

TEST(Hex, has_two_lower_case_digits_a_byte) {
  const std::uint8_t bytes[] = {0x00, 0x0f, 0xa0, 0xff};
  EXPECT_EQ(hex(bytes), "000fa0ff");
  EXPECT_EQ(hex({}), "");
}

}  // namespace
}  // namespace assetc::crypto
