// Universally unique identifiers (UUIDs). Source: RFC 9562.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "assetc/base/bytes.hpp"

namespace assetc {

// A UUID: 16 bytes in the order in which they are written. Comparison uses the same order. All zero means none (nil).
struct Uuid {
  std::array<std::uint8_t, 16> bytes{};
  auto operator<=>(const Uuid&) const = default;
  // Compares two numbers instead of calling memcmp().
  constexpr bool operator==(const Uuid& other) const {
    using Halves = std::array<std::uint64_t, 2>;
    const auto a = std::bit_cast<Halves>(bytes), b = std::bit_cast<Halves>(other.bytes);
    return ((a[0] ^ b[0]) | (a[1] ^ b[1])) == 0;
  }

  bool is_nil() const { return *this == Uuid{}; }
  // Returns the version. UUIDs that assetc creates have version 4 or 5.
  int version() const { return bytes[6] >> 4; }
  // Returns 36 characters in lower case: "6ba7b810-9dad-11d1-80b4-00c04fd430c8".
  std::string to_string() const;
  // Parses the text that to_string() writes, in lower or upper case and of any version. Returns nothing for other text.
  static std::optional<Uuid> parse(std::string_view text);

  // Returns these bytes with 6 bits replaced by the version (0 to 15) and the variant of RFC 9562.
  static Uuid from_bytes(const std::array<std::uint8_t, 16>& bytes, unsigned version);
  // Returns a UUID of version 4 that keeps 122 of these random bits.
  static Uuid from_random(const std::array<std::uint8_t, 16>& random) { return from_bytes(random, 4); }
};
static_assert(sizeof(Uuid) == 16 && alignof(Uuid) == 1);

}  // namespace assetc

template <>
struct std::hash<assetc::Uuid> {
  std::size_t operator()(const assetc::Uuid& uuid) const noexcept {
    std::uint64_t halves[2];
    std::memcpy(halves, uuid.bytes.data(), sizeof halves);
    return static_cast<std::size_t>(halves[0] ^ (halves[1] * 0x9e3779b97f4a7c15ull));
  }
};
