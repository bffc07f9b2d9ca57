// Mutants: valid files with one to three changes. A reader must accept or refuse each of them, and two readers of one
// format must agree.
//
//   const Mutants mutants(file, "quad_full.hmesh");
//   for (std::uint32_t i = 0; i < 1000; ++i) judge(mutants.make(i));
//
// Mutant i of a file has the same bytes with every compiler and on every machine: the generator is our own, because the
// standard library may implement its distributions in any way. It counts in integers only.
//
// Many changes are small on purpose. A mutant that breaks the magic tests one line of a reader, and a mutant with
// another index, float or count tests the rule of that field.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/hash.hpp"

namespace assetc::formats_test {

// SplitMix64. Source: Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  // 0 to limit - 1. Requires limit > 0.
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(next() % limit); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <class T, std::size_t N>
  T one_of(const std::array<T, N>& list) {
    return list[below(N)];
  }

 private:
  std::uint64_t state_;
};

class Mutants {
 public:
  // file must outlive this object. name: files with different names get different changes.
  Mutants(ByteSpan file, std::string_view name)
      : file_(file), seed_(fnv1a64_lower(name)), rows_(find_rows(file)), texts_(find_texts(file)) {}

  // The bytes of mutant i. They differ from the file in most cases; a change may write the value that was there.
  ByteVector make(std::uint32_t i) const {
    Random random(seed_ + i);
    ByteVector bytes(file_.begin(), file_.end());
    const std::size_t dice = random.below(10);
    for (std::size_t left = dice < 7 ? 1 : dice < 9 ? 2 : 3; left > 0; --left) change(bytes, random);
    return bytes;
  }

 private:
  // A row of a chunk table or of an extension table.
  struct Rows {
    std::size_t first = 0, count = 0, stride = 0;
    bool has_offsets = false;  // flags, offset and size follow the id; otherwise only a size of 32 bits
  };

  static Rows find_rows(ByteSpan file) {
    const std::string_view magic = as_text(file.first(std::min<std::size_t>(4, file.size())));
    Rows rows;
    if ((magic == "HMSH" || magic == "HSCN" || magic == "HCLU") && file.size() >= 32 &&
        load<std::uint32_t>(file, 8) <= 64) {
      rows = {32, load<std::uint32_t>(file, 8), 24, true};
    } else if (magic == "AAS1" && file.size() >= 16 && (load<std::uint8_t>(file, 7) & 0x80) != 0) {
      const std::size_t end = 16 + std::size_t{load<std::uint32_t>(file, 8)} + load<std::uint32_t>(file, 12);
      const std::size_t at = (end + 3) / 4 * 4;
      if (at + 8 <= file.size()) rows = {at + 8, load<std::uint32_t>(file, at + 4), 8, false};
    }
    if (rows.stride > 0 && rows.first + rows.count * rows.stride > file.size()) rows.count = 0;
    return rows;
  }

  // The places of letters that are part of three or more. Names and ids of a file lie there.
  static std::vector<std::size_t> find_texts(ByteSpan file) {
    const auto is_letter = [&](std::size_t i) {
      const auto c = static_cast<unsigned char>(file[i]);
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '/';
    };
    std::vector<std::size_t> texts;
    for (std::size_t i = 0; i + 2 < file.size(); ++i) {
      if (is_letter(i) && is_letter(i + 1) && is_letter(i + 2)) texts.push_back(i);
    }
    return texts;
  }

  template <class T>
  static void put(ByteVector& bytes, std::size_t at, T value) {
    if (range_fits(at, sizeof(T), bytes.size())) std::memcpy(bytes.data() + at, &value, sizeof(T));
  }
  template <class T>
  static T get(const ByteVector& bytes, std::size_t at) {
    return range_fits(at, sizeof(T), bytes.size()) ? load<T>(bytes, at) : T{};
  }

  // The place of a word. Most are aligned, and a third are near the start, where headers and tables lie.
  static std::size_t word_place(const ByteVector& bytes, Random& random, std::size_t size) {
    if (bytes.size() < size) return 0;
    const std::size_t end = bytes.size() - size + 1;
    const std::size_t at = random.below(random.one_in(3) ? std::min<std::size_t>(end, 192) : end);
    return random.one_in(16) ? at : at / size * size;
  }

  static std::uint32_t float_bits(Random& random) {
    constexpr std::array<std::uint32_t, 12> kBits = {0x7fc00000, 0xffc00000, 0x7f800001,  // NaN
                                                     0x7f800000, 0xff800000,              // infinite
                                                     0x80000000, 0x00000001, 0x80000001,  // -0, denormal
                                                     0xbf800000, 0x3f800000, 0x7f7fffff, 0x3f800001};
    return random.one_of(kBits);
  }

  static std::uint32_t other_value(const ByteVector& bytes, Random& random, std::uint32_t old) {
    switch (random.below(8)) {
      case 0:
        return static_cast<std::uint32_t>(random.below(9));
      case 1:
        return old + 1;
      case 2:
        return old - 1;
      case 3:
        return get<std::uint32_t>(bytes, word_place(bytes, random, 4));
      case 4:
        return float_bits(random);
      case 5:
        return old ^ (1u << random.below(32));
      case 6:
        return random.one_of(std::array<std::uint32_t, 6>{0, 1, 0xffffffff, 0xfffffffe, 0x80000000, 0x7fffffff});
      default:
        return old + static_cast<std::uint32_t>(random.one_of(std::array<int, 6>{4, -4, 8, -8, 16, -16}));
    }
  }

  static void change_word(ByteVector& bytes, Random& random) {
    const std::size_t at = word_place(bytes, random, 4);
    put(bytes, at, other_value(bytes, random, get<std::uint32_t>(bytes, at)));
  }

  // A float stays near its value or becomes a special one. Words that look like no float are left alone.
  static void change_float(ByteVector& bytes, Random& random) {
    std::size_t at = 0;
    std::uint32_t old = 0;
    for (int tries = 0; tries < 16; ++tries) {
      at = word_place(bytes, random, 4) / 4 * 4;
      old = get<std::uint32_t>(bytes, at);
      const std::uint32_t exponent = old >> 23 & 0xff;
      if (exponent >= 0x60 && exponent <= 0x9f) break;
    }
    switch (random.below(4)) {
      case 0:
        return put(bytes, at, float_bits(random));
      case 1:
        return put(bytes, at, old ^ 0x80000000u);
      case 2:
        return put(bytes, at, old + static_cast<std::uint32_t>(random.one_of(std::array<int, 4>{1, -1, 4096, -4096})));
      default:
        return put(bytes, at, old + static_cast<std::uint32_t>(random.one_of(std::array<int, 2>{0x800000, -0x800000})));
    }
  }

  static void change_short(ByteVector& bytes, Random& random) {
    const std::size_t at = word_place(bytes, random, 2);
    put(bytes, at, static_cast<std::uint16_t>(other_value(bytes, random, get<std::uint16_t>(bytes, at))));
  }

  static void change_long(ByteVector& bytes, Random& random) {
    const std::size_t at = word_place(bytes, random, 8);
    const auto old = get<std::uint64_t>(bytes, at);
    constexpr std::array<std::uint64_t, 6> kValues = {0, 1, ~0ull, 1ull << 63, 1ull << 32, (1ull << 53) + 1};
    constexpr std::array<std::int64_t, 6> kSteps = {1, -1, 8, -8, 16, -16};
    put(bytes, at, random.one_in(2) ? old + static_cast<std::uint64_t>(random.one_of(kSteps)) : random.one_of(kValues));
  }

  static void change_byte(ByteVector& bytes, Random& random) {
    if (bytes.empty()) return;
    const std::size_t at = word_place(bytes, random, 1);
    if (random.one_in(2)) {
      bytes[at] = static_cast<std::byte>(random.below(256));
    } else {
      bytes[at] ^= static_cast<std::byte>(1u << random.below(8));
    }
  }

  static void swap_words(ByteVector& bytes, Random& random) {
    const std::size_t a = word_place(bytes, random, 4);
    // Half of the pairs are neighbors: fields of one row, or the same field of two.
    const std::size_t b = random.one_in(2) ? a + 4 * (1 + random.below(8)) : word_place(bytes, random, 4);
    const auto first = get<std::uint32_t>(bytes, a), second = get<std::uint32_t>(bytes, b);
    if (!range_fits(b, 4, bytes.size())) return;
    put(bytes, a, second);
    put(bytes, b, first);
  }

  // Two rows change places: a list that must ascend no longer does.
  static void swap_blocks(ByteVector& bytes, Random& random) {
    const std::size_t size = random.one_of(std::array<std::size_t, 9>{8, 12, 16, 20, 24, 28, 32, 40, 64});
    const std::size_t at = word_place(bytes, random, 4);
    if (!range_fits(at, 2 * size, bytes.size())) return;
    for (std::size_t i = at; i < at + size; ++i) std::swap(bytes[i], bytes[i + size]);
  }

  static void copy_block(ByteVector& bytes, Random& random) {
    const std::size_t size = random.one_of(std::array<std::size_t, 7>{4, 8, 12, 16, 24, 28, 64});
    if (bytes.size() < size) return;
    const std::size_t from = word_place(bytes, random, 4), to = word_place(bytes, random, 4);
    if (!range_fits(from, size, bytes.size()) || !range_fits(to, size, bytes.size())) return;
    std::memmove(bytes.data() + to, bytes.data() + from, size);
  }

  static void change_size(ByteVector& bytes, Random& random) {
    const std::size_t count = random.one_of(std::array<std::size_t, 6>{1, 2, 4, 8, 16, 24});
    switch (random.below(4)) {
      case 0:
        bytes.resize(bytes.empty() ? 0 : random.below(bytes.size()));
        break;
      case 1:
        bytes.resize(bytes.size() - std::min(bytes.size(), count));
        break;
      case 2:
        bytes.resize(bytes.size() + count);
        break;
      default:
        for (std::size_t i = 0; i < count; ++i) bytes.push_back(static_cast<std::byte>(random.below(256)));
    }
  }

  void change_text(ByteVector& bytes, Random& random) const {
    if (texts_.empty()) return change_byte(bytes, random);
    const std::size_t at = texts_[random.below(texts_.size())] + random.below(3);
    constexpr std::array<std::uint8_t, 12> kValues = {0x80, 0xc0, 0xc3, 0xed, 0xf0, 0xf8, 0xff, 0, '/', '.', ' ', 'x'};
    put(bytes, at, random.one_of(kValues));
  }

  void change_row(ByteVector& bytes, Random& random) const {
    if (rows_.count == 0) return change_word(bytes, random);
    const std::size_t row = rows_.first + rows_.stride * random.below(rows_.count);
    const std::size_t other = rows_.first + rows_.stride * random.below(rows_.count);
    if (!range_fits(std::max(row, other), rows_.stride, bytes.size())) return;
    switch (random.below(6)) {
      case 0: {  // swap two ids
        const auto a = get<std::uint32_t>(bytes, row), b = get<std::uint32_t>(bytes, other);
        put(bytes, row, b);
        return put(bytes, other, a);
      }
      case 1:  // an id twice, or another kind of chunk
        return put(bytes, row, get<std::uint32_t>(bytes, other));
      case 2:  // a chunk that no reader knows
        return put(bytes, row, std::uint32_t{0x5a5a5a5a});
      case 3: {  // swap two rows: another order in the table
        for (std::size_t i = 0; i < rows_.stride; ++i) std::swap(bytes[row + i], bytes[other + i]);
        return;
      }
      case 4:
        if (rows_.has_offsets && random.one_in(4)) {  // flags
          return put(bytes, row + 4, static_cast<std::uint32_t>(random.below(10)));
        }
        [[fallthrough]];
      default: {
        const std::size_t at = row + (rows_.has_offsets ? random.one_of(std::array<std::size_t, 2>{8, 16}) : 4);
        constexpr std::array<int, 10> kSteps = {16, -16, 4, -4, 1, -1, 8, -8, 24, -28};
        return put(bytes, at, get<std::uint32_t>(bytes, at) + static_cast<std::uint32_t>(random.one_of(kSteps)));
      }
    }
  }

  void change(ByteVector& bytes, Random& random) const {
    const std::size_t dice = random.below(100);
    if (dice < 14) return change_byte(bytes, random);
    if (dice < 38) return change_word(bytes, random);
    if (dice < 52) return change_float(bytes, random);
    if (dice < 58) return change_short(bytes, random);
    if (dice < 62) return change_long(bytes, random);
    if (dice < 70) return swap_words(bytes, random);
    if (dice < 76) return swap_blocks(bytes, random);
    if (dice < 82) return copy_block(bytes, random);
    if (dice < 86) return change_size(bytes, random);
    if (dice < 91) return change_text(bytes, random);
    return change_row(bytes, random);
  }

  ByteSpan file_;
  std::uint64_t seed_;
  Rows rows_;
  std::vector<std::size_t> texts_;
};

}  // namespace assetc::formats_test
