#include "assetc/codec/basis_lz.hpp"

#include <string>
#include <vector>

#include "assetc/codec/transcode.hpp"
#include "base/plural.hpp"
#include "codec/block/etc_bits.hpp"
#include "codec/transcode/basis_lz_bits.hpp"

namespace assetc {
namespace {

using codec::HuffmanTable;
using codec::StreamBits;

constexpr const char* kHint = "the file is damaged; export it again";
constexpr std::uint32_t kMaxCount = 65535;
constexpr std::uint32_t kMaxSideBlocks = 1u << 14;

// Symbols in the tables of slices.
constexpr std::uint32_t kRepeatPrediction = 256;
constexpr std::uint32_t kMinPredictionRepeats = 3;
constexpr std::uint32_t kMinSelectorRepeats = 3;
constexpr std::uint32_t kLongSelectorRepeats = 63;

std::unexpected<Error> damaged(std::string place, std::string what) {
  return fail_at(ErrorCode::kInvalidData, std::move(place), std::move(what), kHint);
}
std::unexpected<Error> cut_short(std::string place, std::size_t size_bytes) {
  return fail_at(ErrorCode::kTruncated, std::move(place),
                 "found " + counted(size_bytes, "byte") + ", expected more: the stream ends before its last value",
                 kHint);
}

// Reads the code lengths of a table, which are coded themselves. False if they are no code.
bool read_table(StreamBits& bits, HuffmanTable& table) {
  constexpr std::array<std::uint8_t, 21> kOrder = {17, 18, 19, 20, 0,  8, 7,  9, 6,  10, 5,
                                                   11, 4,  12, 3,  13, 2, 14, 1, 15, 16};
  const std::uint32_t symbol_count = bits.take(14);
  if (symbol_count == 0) return true;  // a table that no value uses
  const std::uint32_t length_count = bits.take(5);
  if (length_count == 0 || length_count > kOrder.size()) return false;
  std::array<std::uint8_t, kOrder.size()> length_lengths{};
  for (std::uint32_t i = 0; i < length_count; ++i) length_lengths[kOrder[i]] = static_cast<std::uint8_t>(bits.take(3));
  HuffmanTable length_table;
  if (!length_table.build(length_lengths)) return false;

  std::vector<std::uint8_t> lengths;
  lengths.reserve(symbol_count);
  while (lengths.size() < symbol_count) {
    const std::uint32_t symbol = length_table.read(bits);
    if (bits.is_past_end() || symbol == HuffmanTable::kNone) return false;
    if (symbol <= HuffmanTable::kMaxBits) {
      lengths.push_back(static_cast<std::uint8_t>(symbol));
      continue;
    }
    std::uint32_t repeats = 0;
    std::uint8_t length = 0;
    if (symbol == 17) repeats = bits.take(3) + 3;
    if (symbol == 18) repeats = bits.take(7) + 11;
    if (symbol == 19) repeats = bits.take(2) + 3;
    if (symbol == 20) repeats = bits.take(7) + 7;
    if (symbol >= 19) {
      if (lengths.empty() || lengths.back() == 0) return false;
      length = lengths.back();
    }
    if (repeats > symbol_count - lengths.size()) return false;
    lengths.insert(lengths.end(), repeats, length);
  }
  return table.build(lengths);
}

// The upper half of an ETC1 block of one color and one table.
std::uint32_t upper_half(std::uint32_t r, std::uint32_t g, std::uint32_t b, std::uint32_t table) {
  constexpr std::uint32_t kDifferences = 2;  // 5 bits per channel, and a second color equal to the first
  return r << 27 | g << 19 | b << 11 | table << 5 | table << 2 | kDifferences;
}
// The lower half, from four rows of four 2-bit levels, darkest 0.
std::uint32_t lower_half(const std::array<std::uint8_t, 4>& rows) {
  constexpr std::array<std::uint8_t, 4> kCodes = {3, 2, 0, 1};
  std::uint32_t half = 0;
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    const std::uint32_t code = kCodes[rows[t / 4] >> (2 * (t % 4)) & 3];
    const unsigned at = codec::etc_position(t);
    half |= (code >> 1) << (16 + at) | (code & 1) << at;
  }
  return half;
}

// The selectors that were used recently. Those that are used again move toward the front.
class SelectorHistory {
 public:
  explicit SelectorHistory(std::uint32_t size) : values_(size), next_(size / 2) {}
  std::uint32_t size() const { return static_cast<std::uint32_t>(values_.size()); }
  void add(std::uint16_t value) {
    if (values_.empty()) return;
    values_[next_] = value;
    if (++next_ == values_.size()) next_ = size() / 2;
  }
  // Requires index < size().
  std::uint16_t use(std::uint32_t index) {
    const std::uint16_t value = values_[index];
    std::swap(values_[index / 2], values_[index]);
    return value;
  }

 private:
  std::vector<std::uint16_t> values_;
  std::uint32_t next_;
};

}  // namespace

struct BasisLzDecoder::Tables {
  std::vector<std::uint32_t> endpoints;  // upper halves of blocks
  std::vector<std::uint32_t> selectors;  // lower halves
  HuffmanTable prediction, endpoint_delta, selector, selector_repeats;
  std::uint32_t history_size = 0;

  Result<void> open_endpoints(const GlobalData& data);
  Result<void> open_selectors(const GlobalData& data);
  Result<void> open_tables(const GlobalData& data);
};

Result<void> BasisLzDecoder::Tables::open_endpoints(const GlobalData& data) {
  const std::string place = "the endpoints";
  StreamBits bits(data.endpoints);
  std::array<HuffmanTable, 3> color;
  HuffmanTable intensity;
  for (HuffmanTable* table : {&color[0], &color[1], &color[2], &intensity}) {
    if (!read_table(bits, *table)) return damaged(place, "found a Huffman table that is damaged");
  }
  const bool is_gray = bits.take(1) != 0;
  std::array<std::uint32_t, 3> last = {16, 16, 16};
  std::uint32_t last_table = 0;
  endpoints.reserve(data.endpoint_count);
  for (std::uint32_t i = 0; i < data.endpoint_count; ++i) {
    const std::uint32_t table_delta = intensity.read(bits);
    bool ok = table_delta != HuffmanTable::kNone;
    last_table = (last_table + table_delta) & 7;
    for (unsigned c = 0; c < (is_gray ? 1 : 3); ++c) {
      const std::uint32_t delta = color[last[c] < 10 ? 0 : last[c] < 22 ? 1 : 2].read(bits);
      ok = ok && delta != HuffmanTable::kNone;
      last[c] = (last[c] + delta) & 31;
    }
    if (is_gray) last[1] = last[2] = last[0];
    if (bits.is_past_end()) return cut_short(place, data.endpoints.size());
    if (!ok)
      return damaged(place, "found bits that are not a code of their Huffman table in entry " + std::to_string(i));
    endpoints.push_back(upper_half(last[0], last[1], last[2], last_table));
  }
  return {};
}

Result<void> BasisLzDecoder::Tables::open_selectors(const GlobalData& data) {
  const std::string place = "the selectors";
  StreamBits bits(data.selectors);
  if (bits.take(2) != 0) return damaged(place, "found reserved bits that are set, expected 0");
  const bool is_raw = bits.take(1) != 0;
  HuffmanTable delta_table;
  if (!is_raw && !read_table(bits, delta_table)) return damaged(place, "found a Huffman table that is damaged");
  std::array<std::uint8_t, 4> rows{};
  selectors.reserve(data.selector_count);
  for (std::uint32_t i = 0; i < data.selector_count; ++i) {
    for (std::uint8_t& row : rows) {
      const bool is_delta = !is_raw && i != 0;
      const std::uint32_t value = is_delta ? delta_table.read(bits) : bits.take(8);
      if (value > 255)
        return damaged(place, "found bits that are not a code of their Huffman table in entry " + std::to_string(i));
      row = static_cast<std::uint8_t>(is_delta ? row ^ value : value);
    }
    if (bits.is_past_end()) return cut_short(place, data.selectors.size());
    selectors.push_back(lower_half(rows));
  }
  return {};
}

Result<void> BasisLzDecoder::Tables::open_tables(const GlobalData& data) {
  const std::string place = "the tables";
  StreamBits bits(data.tables);
  for (HuffmanTable* table : {&prediction, &endpoint_delta, &selector, &selector_repeats}) {
    if (!read_table(bits, *table)) return damaged(place, "found a Huffman table that is damaged");
  }
  history_size = bits.take(13);
  if (bits.is_past_end()) return cut_short(place, data.tables.size());
  return {};
}

BasisLzDecoder::BasisLzDecoder(std::unique_ptr<const Tables> tables) : tables_(std::move(tables)) {}
BasisLzDecoder::BasisLzDecoder(BasisLzDecoder&&) noexcept = default;
BasisLzDecoder& BasisLzDecoder::operator=(BasisLzDecoder&&) noexcept = default;
BasisLzDecoder::~BasisLzDecoder() = default;

Result<BasisLzDecoder> BasisLzDecoder::open(const GlobalData& data) {
  if (data.endpoint_count > kMaxCount || data.selector_count > kMaxCount)
    return fail(ErrorCode::kUsage, "found more than 65535 entries of a codebook");
  auto tables = std::make_unique<Tables>();
  ASSETC_CHECK(tables->open_endpoints(data));
  ASSETC_CHECK(tables->open_selectors(data));
  ASSETC_CHECK(tables->open_tables(data));
  return BasisLzDecoder(std::move(tables));
}

namespace {

// Where the endpoints of a block come from.
enum class Prediction : std::uint8_t { kLeft = 0, kAbove = 1, kAboveLeftOrPrevious = 2, kDelta = 3 };

// The state of one slice while its blocks are decoded in order.
struct SliceState {
  StreamBits bits;
  SelectorHistory history;
  std::uint32_t last_prediction = 0, prediction_repeats = 0, selector_repeats = 0, last_endpoint = 0;
};

}  // namespace

Result<void> BasisLzDecoder::decode_slice(const Slice& slice, std::span<std::byte> blocks,
                                          std::size_t stride_bytes) const {
  const std::uint32_t width = slice.width_blocks, height = slice.height_blocks;
  if (width == 0 || height == 0 || width > kMaxSideBlocks || height > kMaxSideBlocks)
    return fail(ErrorCode::kUsage, "found a slice of " + std::to_string(width) + "x" + std::to_string(height) +
                                       ", expected 1 to " + counted(kMaxSideBlocks, "block") + " each");
  const std::size_t count = std::size_t{width} * height;
  if (!blocks.empty() && (stride_bytes < 8 || (blocks.size() - 8) / stride_bytes != count - 1 || blocks.size() < 8))
    return fail(ErrorCode::kUsage,
                "found room for " + counted(blocks.size(), "byte") + ", expected room for " + counted(count, "block"));
  if ((!slice.previous.empty() && slice.previous.size() != count) || (slice.is_p_frame && slice.previous.empty()))
    return fail(ErrorCode::kUsage, "found " + counted(slice.previous.size(), "block") +
                                       " of the previous image, expected " + std::to_string(count));

  const Tables& t = *tables_;
  const auto endpoint_count = static_cast<std::uint32_t>(t.endpoints.size());
  const auto selector_count = static_cast<std::uint32_t>(t.selectors.size());
  SliceState s{StreamBits(slice.bytes), SelectorHistory(t.history_size)};
  std::vector<std::uint16_t> above(width), row(width);
  std::vector<std::uint8_t> odd_predictions((width + 1) / 2);  // of the row below, for two blocks each
  std::size_t index = 0;
  const auto refuse = [&](const char* what) { return damaged("block " + std::to_string(index), what); };
  constexpr const char* kNoCode = "found bits that are not a code of their Huffman table";

  for (std::uint32_t y = 0; y < height; ++y, std::swap(above, row)) {
    std::uint32_t predictions = 0;
    for (std::uint32_t x = 0; x < width; ++x, ++index) {
      // One symbol has the predictions of 2x2 blocks.
      if (x % 2 == 0 && y % 2 == 1) predictions = odd_predictions[x / 2];
      if (x % 2 == 0 && y % 2 == 0) {
        if (s.prediction_repeats != 0) {
          --s.prediction_repeats;
        } else {
          const std::uint32_t symbol = t.prediction.read(s.bits);
          if (symbol > kRepeatPrediction) return refuse(kNoCode);
          if (symbol == kRepeatPrediction) {
            if (!s.bits.take_chunks(4, s.prediction_repeats) || s.prediction_repeats > ~0u - kMinPredictionRepeats)
              return refuse("found a run that is too long");
            s.prediction_repeats += kMinPredictionRepeats - 1;
          } else {
            s.last_prediction = symbol;
          }
        }
        predictions = s.last_prediction;
        odd_predictions[x / 2] = static_cast<std::uint8_t>(predictions >> 4);
      }
      const auto prediction = static_cast<Prediction>(predictions & 3);
      predictions >>= 2;

      BasisLzBlock block;
      const bool is_previous = slice.is_p_frame && prediction == Prediction::kAboveLeftOrPrevious;
      if (is_previous) {
        block = slice.previous[index];
      } else if (prediction == Prediction::kDelta) {
        const std::uint32_t delta = t.endpoint_delta.read(s.bits);
        if (delta == HuffmanTable::kNone) return refuse(kNoCode);
        std::uint32_t endpoint = delta + s.last_endpoint;
        if (endpoint >= endpoint_count) endpoint -= endpoint_count;
        if (endpoint >= endpoint_count) return refuse("found an endpoint past the last entry of its codebook");
        block.endpoint = static_cast<std::uint16_t>(endpoint);
      } else if (prediction == Prediction::kLeft) {
        if (x == 0) return refuse("found a reference to the block on the left, where there is no block");
        block.endpoint = static_cast<std::uint16_t>(s.last_endpoint);
      } else {
        const bool is_left = prediction == Prediction::kAboveLeftOrPrevious;
        if (y == 0 || (is_left && x == 0)) return refuse("found a reference to a block above, where there is no block");
        block.endpoint = above[is_left ? x - 1 : x];
      }
      row[x] = block.endpoint;
      s.last_endpoint = block.endpoint;

      if (!is_previous) {
        std::uint32_t symbol = selector_count;  // the front of the history
        if (s.selector_repeats != 0) {
          --s.selector_repeats;
        } else {
          symbol = t.selector.read(s.bits);
          if (symbol > selector_count + t.history_size) return refuse(kNoCode);
          if (symbol == selector_count + t.history_size) {
            std::uint32_t run = t.selector_repeats.read(s.bits);
            if (run > kLongSelectorRepeats) return refuse(kNoCode);
            if (run == kLongSelectorRepeats && (!s.bits.take_chunks(7, run) || run > ~0u - kMinSelectorRepeats))
              return refuse("found a run that is too long");
            s.selector_repeats = run + kMinSelectorRepeats - 1;
            symbol = selector_count;
          }
        }
        if (symbol >= selector_count) {
          if (symbol - selector_count >= s.history.size()) return refuse("found a selector of an empty history");
          block.selector = s.history.use(symbol - selector_count);
        } else {
          block.selector = static_cast<std::uint16_t>(symbol);
          s.history.add(block.selector);
        }
      }
      if (block.endpoint >= endpoint_count || block.selector >= selector_count)
        return refuse("found an entry past the end of its codebook");
      if (!slice.previous.empty()) slice.previous[index] = block;
      if (blocks.empty()) continue;
      const std::uint64_t bits = std::uint64_t{t.endpoints[block.endpoint]} << 32 | t.selectors[block.selector];
      codec::store_big_endian(bits, reinterpret_cast<std::uint8_t*>(blocks.data() + index * stride_bytes));
    }
    if (s.bits.is_past_end()) return cut_short("block " + std::to_string(index - 1), slice.bytes.size());
  }
  return {};
}

}  // namespace assetc
