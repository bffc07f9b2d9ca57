#include "codec/encode/etc1s/basis_lz_write.hpp"

#include <algorithm>

#include "codec/encode/etc1s/basis_lz_codes.hpp"

namespace assetc::codec {
namespace {

constexpr std::uint32_t kPredictionRun = 256;  // the symbol
constexpr std::uint32_t kLeastRun = 3;         // of predictions and of levels
constexpr std::uint32_t kLongRun = 63;         // the symbol of runs of levels that have their length behind it

EndpointSource source_of(const BlockSlice& slice, std::span<const BasisLzBlock> of_slice, std::uint32_t x,
                         std::uint32_t y) {
  const BasisLzBlock* at = &of_slice[std::size_t{y} * slice.width + x];
  const std::uint16_t endpoint = at->endpoint;
  if (x > 0 && at[-1].endpoint == endpoint) return EndpointSource::kLeft;
  if (y > 0 && (at - slice.width)->endpoint == endpoint) return EndpointSource::kAbove;
  if (x > 0 && y > 0 && (at - slice.width - 1)->endpoint == endpoint) return EndpointSource::kAboveLeft;
  return EndpointSource::kDelta;
}

// The symbols of the predictions of all 2x2 blocks, in order. Blocks beyond the edges may have any prediction.
std::vector<std::uint8_t> prediction_symbols(const BlockSlice& slice, std::span<const BasisLzBlock> of_slice) {
  std::vector<std::uint8_t> symbols;
  symbols.reserve(std::size_t{(slice.width + 1) / 2} * ((slice.height + 1) / 2));
  std::uint8_t last = 0;
  for (std::uint32_t y = 0; y < slice.height; y += 2) {
    for (std::uint32_t x = 0; x < slice.width; x += 2) {
      std::uint8_t symbol = 0, known = 0;
      for (unsigned i = 0; i < 4; ++i) {
        const std::uint32_t bx = x + (i & 1), by = y + (i >> 1);
        if (bx >= slice.width || by >= slice.height) continue;
        known |= static_cast<std::uint8_t>(3u << (2 * i));
        symbol |= static_cast<std::uint8_t>(static_cast<unsigned>(source_of(slice, of_slice, bx, by)) << (2 * i));
      }
      if ((last & known) == symbol) symbol = last;
      symbols.push_back(symbol);
      last = symbol;
    }
  }
  return symbols;
}

// Calls the sink for each symbol of a slice, in the order of the stream.
template <class Sink>
void walk(const BlockSlice& slice, std::span<const BasisLzBlock> blocks, const Etc1sCodebooks& codebooks, Sink& sink) {
  const std::size_t count = std::size_t{slice.width} * slice.height;
  const std::span<const BasisLzBlock> of_slice = blocks.subspan(slice.first, count);
  const std::vector<std::uint8_t> predictions = prediction_symbols(slice, of_slice);
  const auto endpoint_count = static_cast<std::uint32_t>(codebooks.endpoints.size());
  const auto level_count = static_cast<std::uint32_t>(codebooks.levels.size());
  LevelHistory history;
  std::uint8_t last_prediction = 0;
  std::size_t group = 0, same_predictions = 0, same_levels = 0;
  std::uint32_t last_endpoint = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto x = static_cast<std::uint32_t>(i % slice.width), y = static_cast<std::uint32_t>(i / slice.width);
    if (x % 2 == 0 && y % 2 == 0) {
      if (same_predictions > 0) {
        --same_predictions;
      } else {
        std::size_t run = 0;
        while (group + run < predictions.size() && predictions[group + run] == last_prediction) ++run;
        if (run >= kLeastRun) {
          sink.prediction(kPredictionRun);
          sink.chunks(static_cast<std::uint32_t>(run - kLeastRun), 4);
          same_predictions = run - 1;
        } else {
          last_prediction = predictions[group];
          sink.prediction(last_prediction);
        }
      }
      ++group;
    }
    const BasisLzBlock block = of_slice[i];
    const EndpointSource source = source_of(slice, of_slice, x, y);
    sink.source(source);
    if (source == EndpointSource::kDelta) {
      const std::uint32_t from = last_endpoint;
      sink.delta(block.endpoint >= from ? block.endpoint - from : block.endpoint + endpoint_count - from);
    }
    last_endpoint = block.endpoint;

    if (same_levels > 0) {
      --same_levels;
      continue;
    }
    const std::uint32_t place = history.find(block.selector);
    if (place == kLevelHistory) {
      sink.levels(block.selector);
      history.add(block.selector);
      continue;
    }
    std::size_t run = 1;
    while (place == 0 && i + run < count && of_slice[i + run].selector == block.selector) ++run;
    if (run >= kLeastRun) {
      sink.levels(level_count + kLevelHistory);
      const auto more = static_cast<std::uint32_t>(run - kLeastRun);
      sink.run(std::min(more, kLongRun));
      if (more >= kLongRun) sink.chunks(more, 7);
      same_levels = run - 1;
    } else {
      sink.levels(level_count + place);
      history.use(place);
    }
  }
}

struct Counter {
  SymbolCounts& to;
  void prediction(std::uint32_t symbol) { ++to.prediction[symbol]; }
  void source(EndpointSource source) { ++to.sources[static_cast<std::size_t>(source)]; }
  void delta(std::uint32_t symbol) { ++to.delta[symbol]; }
  void levels(std::uint32_t symbol) { ++to.levels[symbol]; }
  void run(std::uint32_t symbol) { ++to.runs[symbol]; }
  void chunks(std::uint32_t, unsigned) {}
};

struct SliceCodes {
  HuffmanCode prediction, delta, levels, runs;
};
struct StreamSink {
  const SliceCodes& codes;
  StreamWriter bits{};
  void prediction(std::uint32_t symbol) { codes.prediction.put(bits, symbol); }
  void source(EndpointSource) {}
  void delta(std::uint32_t symbol) { codes.delta.put(bits, symbol); }
  void levels(std::uint32_t symbol) { codes.levels.put(bits, symbol); }
  void run(std::uint32_t symbol) { codes.runs.put(bits, symbol); }
  void chunks(std::uint32_t value, unsigned bits_each) { bits.put_chunks(value, bits_each); }
};

ByteVector write_endpoints(std::span<const Etc1sEndpoint> endpoints) {
  const bool is_gray = std::ranges::all_of(
      endpoints, [](const Etc1sEndpoint& e) { return e.color[0] == e.color[1] && e.color[0] == e.color[2]; });
  const unsigned channels = is_gray ? 1 : 3;
  const auto each = [&](auto&& table, auto&& color) {
    Etc1sEndpoint last{{16, 16, 16}, 0};
    for (const Etc1sEndpoint& e : endpoints) {
      table(static_cast<std::uint32_t>((e.table - last.table) & 7));
      for (unsigned c = 0; c < channels; ++c)
        color(last.color[c] < 10   ? 0u
              : last.color[c] < 22 ? 1u
                                   : 2u,
              static_cast<std::uint32_t>((e.color[c] - last.color[c]) & 31));
      last = e;
    }
  };
  std::array<std::vector<std::uint32_t>, 3> color_counts;
  color_counts.fill(std::vector<std::uint32_t>(32));
  std::vector<std::uint32_t> table_counts(8);
  each([&](std::uint32_t d) { ++table_counts[d]; }, [&](unsigned model, std::uint32_t d) { ++color_counts[model][d]; });
  const std::array<HuffmanCode, 3> colors = {HuffmanCode(color_counts[0]), HuffmanCode(color_counts[1]),
                                             HuffmanCode(color_counts[2])};
  const HuffmanCode tables(table_counts);
  StreamWriter bits;
  for (const HuffmanCode& code : colors) code.put_table(bits);
  tables.put_table(bits);
  bits.put(is_gray ? 1 : 0, 1);
  each([&](std::uint32_t d) { tables.put(bits, d); },
       [&](unsigned model, std::uint32_t d) { colors[model].put(bits, d); });
  return bits.finish();
}

ByteVector write_levels(std::span<const Etc1sLevels> levels) {
  std::vector<std::uint32_t> counts(256);
  const auto each_change = [&](auto&& change) {
    for (std::size_t i = 1; i < levels.size(); ++i)
      for (unsigned row = 0; row < 4; ++row) change((levels[i] ^ levels[i - 1]) >> (8 * row) & 255);
  };
  each_change([&](std::uint32_t change) { ++counts[change]; });
  const HuffmanCode code(counts);
  StreamWriter coded;
  coded.put(0, 3);  // neither of the two codebooks that the specification reserves, and not raw
  code.put_table(coded);
  if (!levels.empty()) coded.put(levels[0], 32);
  each_change([&](std::uint32_t change) { code.put(coded, change); });
  StreamWriter raw;
  raw.put(4, 3);
  for (const Etc1sLevels entry : levels) raw.put(entry, 32);
  ByteVector a = coded.finish(), b = raw.finish();
  return a.size() <= b.size() ? std::move(a) : std::move(b);
}

}  // namespace

SymbolCounts::SymbolCounts(std::size_t endpoint_count, std::size_t level_count)
    : prediction(kPredictionRun + 1),
      delta(endpoint_count),
      levels(level_count + kLevelHistory + 1),
      runs(kLongRun + 1) {}

SymbolCounts count_symbols(std::span<const BlockSlice> slices, std::span<const BasisLzBlock> blocks,
                           const Etc1sCodebooks& codebooks) {
  SymbolCounts counts(codebooks.endpoints.size(), codebooks.levels.size());
  Counter counter{counts};
  for (const BlockSlice& slice : slices) walk(slice, blocks, codebooks, counter);
  return counts;
}

std::size_t BasisLzStreams::size_bytes() const {
  std::size_t size = endpoints.size() + selectors.size() + tables.size();
  for (const ByteVector& slice : slices) size += slice.size();
  return size;
}

BasisLzStreams write_basis_lz(std::span<const BlockSlice> slices, std::span<const BasisLzBlock> blocks,
                              const Etc1sCodebooks& codebooks) {
  SymbolCounts counts = count_symbols(slices, blocks, codebooks);
  const SliceCodes codes{HuffmanCode(std::move(counts.prediction)), HuffmanCode(std::move(counts.delta)),
                         HuffmanCode(std::move(counts.levels)), HuffmanCode(std::move(counts.runs))};
  BasisLzStreams out;
  out.endpoints = write_endpoints(codebooks.endpoints);
  out.selectors = write_levels(codebooks.levels);
  StreamWriter tables;
  for (const HuffmanCode* code : {&codes.prediction, &codes.delta, &codes.levels, &codes.runs}) code->put_table(tables);
  tables.put(kLevelHistory, 13);
  out.tables = tables.finish();
  for (const BlockSlice& slice : slices) {
    StreamSink sink{codes};
    walk(slice, blocks, codebooks, sink);
    out.slices.push_back(sink.bits.finish());
  }
  return out;
}

}  // namespace assetc::codec
