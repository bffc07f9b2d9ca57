#include "codec/encode/etc1s/basis_lz_codes.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace assetc::codec {
namespace {

// Shortens the codes that are longer than max_bits, and lengthens others until the code is complete.
// of_length[l]: how many symbols have codes of l bits.
void limit_lengths(std::vector<std::uint32_t>& of_length, unsigned max_bits) {
  for (unsigned l = max_bits + 1; l < of_length.size(); ++l) of_length[max_bits] += of_length[l];
  of_length.resize(max_bits + 1);
  std::uint64_t sum = 0;  // of 2^-length, in units of 2^-max_bits
  for (unsigned l = 1; l <= max_bits; ++l) sum += std::uint64_t{of_length[l]} << (max_bits - l);
  // Moves one of the longest codes below a shorter one, which becomes one bit longer.
  for (; sum > std::uint64_t{1} << max_bits; --sum) {
    --of_length[max_bits];
    for (unsigned l = max_bits - 1; l > 0; --l) {
      if (of_length[l] == 0) continue;
      --of_length[l];
      of_length[l + 1] += 2;
      break;
    }
  }
}

// The code lengths of symbols with the given counts, in ascending order; two symbols or more.
std::vector<std::uint32_t> lengths_of_sorted(std::span<const std::uint32_t> counts, unsigned max_bits) {
  const std::size_t n = counts.size();
  // Leaves are 0 to n - 1, inner nodes n to 2n - 2, in the order in which they are made, which is that of their counts.
  std::vector<std::uint64_t> weight(counts.begin(), counts.end());
  std::vector<std::uint32_t> parent(2 * n - 1);
  std::size_t leaf = 0, inner = n;
  const auto take = [&] {
    return leaf < n && (inner >= weight.size() || weight[leaf] <= weight[inner]) ? leaf++ : inner++;
  };
  for (std::size_t made = n; made < 2 * n - 1; ++made) {
    const std::size_t a = take(), b = take();
    weight.push_back(weight[a] + weight[b]);
    parent[a] = parent[b] = static_cast<std::uint32_t>(made);
  }
  std::vector<std::uint32_t> depth(2 * n - 1), of_length(max_bits + 1);
  for (std::size_t i = 2 * n - 2; i-- > 0;) {
    depth[i] = depth[parent[i]] + 1;
    if (i >= n) continue;
    if (depth[i] >= of_length.size()) of_length.resize(depth[i] + 1);
    ++of_length[depth[i]];
  }
  limit_lengths(of_length, max_bits);
  std::vector<std::uint32_t> lengths;
  for (unsigned l = max_bits; l > 0; --l) lengths.insert(lengths.end(), of_length[l], l);
  return lengths;
}

}  // namespace

HuffmanCode::HuffmanCode(std::vector<std::uint32_t> counts, unsigned max_bits)
    : lengths_(counts.size()), codes_(counts.size()) {
  std::vector<std::uint32_t> used;
  for (std::uint32_t s = 0; s < counts.size(); ++s)
    if (counts[s] != 0) used.push_back(s);
  if (used.size() < 2) {
    lengths_[used.empty() ? 0 : used[0]] = 1;
    return;
  }
  std::stable_sort(used.begin(), used.end(), [&](std::uint32_t a, std::uint32_t b) { return counts[a] < counts[b]; });
  std::vector<std::uint32_t> sorted(used.size());
  std::ranges::transform(used, sorted.begin(), [&](std::uint32_t s) { return counts[s]; });
  const std::vector<std::uint32_t> lengths = lengths_of_sorted(sorted, max_bits);
  std::array<std::uint32_t, kMaxBits + 2> of_length{}, next{};
  for (std::size_t i = 0; i < used.size(); ++i) {
    lengths_[used[i]] = static_cast<std::uint8_t>(lengths[i]);
    ++of_length[lengths[i]];
  }
  for (unsigned l = 1; l <= max_bits; ++l) next[l + 1] = (next[l] + of_length[l]) << 1;
  for (std::size_t s = 0; s < lengths_.size(); ++s) {
    const unsigned length = lengths_[s];
    if (length == 0) continue;
    const std::uint32_t code = next[length]++;
    std::uint32_t reversed = 0;
    for (unsigned b = 0; b < length; ++b) reversed |= (code >> b & 1) << (length - 1 - b);
    codes_[s] = static_cast<std::uint16_t>(reversed);
  }
}

void HuffmanCode::put_table(StreamWriter& bits) const {
  // Symbols beyond the lengths 0 to 16: short and long runs of 0, short and long runs of the last length.
  struct Token {
    std::uint8_t symbol;
    std::uint8_t more;  // the bits after the symbol
  };
  constexpr std::uint32_t kShortZeros = 17, kLongZeros = 18, kShortRepeats = 19, kLongRepeats = 20;
  std::size_t size = lengths_.size();
  while (size > 1 && lengths_[size - 1] == 0) --size;
  std::vector<Token> tokens;
  for (std::size_t i = 0; i < size;) {
    const std::uint8_t length = lengths_[i];
    std::size_t run = 1;
    while (i + run < size && lengths_[i + run] == length) ++run;
    i += run;
    if (length != 0) {
      tokens.push_back({length, 0});
      --run;
    }
    const std::size_t least = 3, least_long = length == 0 ? 11 : 7, most = length == 0 ? 138 : 134;
    while (run >= least) {
      const std::size_t part = std::min(run, most);
      const bool is_long = part >= least_long;
      const std::uint32_t symbol =
          length == 0 ? (is_long ? kLongZeros : kShortZeros) : (is_long ? kLongRepeats : kShortRepeats);
      tokens.push_back(
          {static_cast<std::uint8_t>(symbol), static_cast<std::uint8_t>(part - (is_long ? least_long : least))});
      run -= part;
    }
    for (; run > 0; --run) tokens.push_back({length, 0});
  }
  constexpr std::array<std::uint8_t, 21> kOrder = {17, 18, 19, 20, 0,  8, 7,  9, 6,  10, 5,
                                                   11, 4,  12, 3,  13, 2, 14, 1, 15, 16};
  std::vector<std::uint32_t> counts(kOrder.size());
  for (const Token& token : tokens) ++counts[token.symbol];
  const HuffmanCode code(std::move(counts), 7);
  std::size_t written = kOrder.size();
  while (written > 1 && code.length(kOrder[written - 1]) == 0) --written;
  bits.put(static_cast<std::uint32_t>(size), 14);
  bits.put(static_cast<std::uint32_t>(written), 5);
  for (std::size_t i = 0; i < written; ++i) bits.put(code.length(kOrder[i]), 3);
  for (const Token& token : tokens) {
    code.put(bits, token.symbol);
    if (token.symbol == kShortZeros) bits.put(token.more, 3);
    if (token.symbol == kShortRepeats) bits.put(token.more, 2);
    if (token.symbol == kLongZeros || token.symbol == kLongRepeats) bits.put(token.more, 7);
  }
}

}  // namespace assetc::codec
