// Universally unique identifiers, of RFC 9562.
#pragma once

#include <array>
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

// 16 bytes in the order in which they are written, which is also that of comparison. All zero is none.
struct Uuid {
  std::array<std::uint8_t, 16> bytes{};
  auto operator<=>(const Uuid&) const = default;

  bool is_nil() const { return *this == Uuid{}; }
  // 4 and 5 of those made here.
  int version() const { return bytes[6] >> 4; }
  // 36 characters in lower case: "6ba7b810-9dad-11d1-80b4-00c04fd430c8".
  std::string to_string() const;
  // What to_string() writes, in either case, of any version; nothing for any other text.
  static std::optional<Uuid> parse(std::string_view text);

  // These bytes, with 6 bits replaced by the version (0 to 15) and the variant of RFC 9562.
  static Uuid from_bytes(const std::array<std::uint8_t, 16>& bytes, unsigned version);
  // Version 4: 122 of these random bits.
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
