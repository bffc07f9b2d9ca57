// For tests of decoders: KTX 2 files of random ETC1S under BasisLZ, and their texels according to the specification.
// The writer uses every encoding of a block that the streams have, at random if there are several.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <random>
#include <span>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/codec/texel.hpp"

namespace assetc::etc1s {

class BitSink {
 public:
  void put(std::uint32_t value, unsigned count) {
    for (unsigned i = 0; i < count; ++i, ++at_) {
      if (at_ % 8 == 0) bytes.push_back(std::byte{0});
      bytes.back() |= static_cast<std::byte>((value >> i & 1) << at_ % 8);
    }
  }
  // The most significant bit of a Huffman code is written first.
  void put_code(std::uint32_t code, unsigned length) {
    for (unsigned i = length; i-- > 0;) put(code >> i & 1, 1);
  }
  void put_chunks(std::uint32_t value, unsigned bits) {
    for (;; value >>= bits) {
      const bool more = value >> bits != 0;
      put((value & ((1u << bits) - 1)) | static_cast<std::uint32_t>(more) << bits, bits + 1);
      if (!more) return;
    }
  }
  ByteVector bytes;

 private:
  std::size_t at_ = 0;
};

// A canonical code of the used symbols: the first few get short codes, each one bit longer than the one before.
class Code {
 public:
  Code() = default;
  Code(std::size_t symbol_count, const std::map<std::uint32_t, std::size_t>& uses, unsigned short_codes) {
    lengths_.resize(symbol_count);
    std::vector<std::uint32_t> used;
    used.reserve(uses.size());
    for (const auto& [symbol, count] : uses) used.push_back(symbol);
    std::stable_sort(used.begin(), used.end(), [&](auto a, auto b) { return uses.at(a) > uses.at(b); });
    if (used.size() == 1) lengths_[used[0]] = 1;
    unsigned long_bits = 1;
    while (std::size_t{1} << long_bits < used.size()) ++long_bits;
    const std::size_t few = used.size() > 2 ? std::min<std::size_t>({short_codes, used.size() - 2, 16 - long_bits}) : 0;
    for (std::size_t i = 0; i < few; ++i) lengths_[used[i]] = static_cast<std::uint8_t>(i + 1);
    const std::size_t rest = used.size() - few;
    if (used.size() > 1) {
      unsigned bits = 0;
      while (std::size_t{2} << bits <= rest) ++bits;
      const std::size_t shorter = (std::size_t{2} << bits) - rest;
      for (std::size_t i = 0; i < rest; ++i)
        lengths_[used[few + i]] = static_cast<std::uint8_t>(few + bits + (i >= shorter));
    }
    std::uint32_t code = 0;
    codes_.resize(symbol_count);
    for (unsigned length = 1; length <= 16; ++length, code <<= 1) {
      for (std::size_t s = 0; s < symbol_count; ++s)
        if (lengths_[s] == length) codes_[s] = code++;
    }
  }
  void put(BitSink& out, std::uint32_t symbol) const { out.put_code(codes_[symbol], lengths_[symbol]); }
  void put_table(BitSink& out) const {
    struct Item {
      std::uint32_t symbol, extra = 0;
      unsigned bits = 0;
    };
    std::vector<Item> items;
    for (std::size_t i = 0; i < lengths_.size();) {
      std::size_t run = 1;
      while (i + run < lengths_.size() && lengths_[i + run] == lengths_[i]) ++run;
      if (lengths_[i] == 0 && run >= 11) {
        run = std::min<std::size_t>(run, 138);
        items.push_back({18, static_cast<std::uint32_t>(run - 11), 7});
      } else if (lengths_[i] == 0 && run >= 3) {
        items.push_back({17, static_cast<std::uint32_t>(run - 3), 3});
      } else if (lengths_[i] != 0 && run >= 4) {
        items.push_back({lengths_[i]});
        const std::size_t more = std::min<std::size_t>(run - 1, 134);
        if (more >= 7) {
          items.push_back({20, static_cast<std::uint32_t>(more - 7), 7});
        } else {
          items.push_back({19, static_cast<std::uint32_t>(more - 3), 2});
        }
        run = more + 1;
      } else {
        run = 1;
        items.push_back({lengths_[i]});
      }
      i += run;
    }
    out.put(static_cast<std::uint32_t>(lengths_.size()), 14);
    if (lengths_.empty()) return;
    std::map<std::uint32_t, std::size_t> uses;
    for (const Item& item : items) ++uses[item.symbol];
    const Code code(21, uses, 0);
    constexpr std::array<std::uint8_t, 21> kOrder = {17, 18, 19, 20, 0,  8, 7,  9, 6,  10, 5,
                                                     11, 4,  12, 3,  13, 2, 14, 1, 15, 16};
    out.put(21, 5);
    for (const std::uint8_t symbol : kOrder) out.put(code.lengths_[symbol], 3);
    for (const Item& item : items) {
      code.put(out, item.symbol);
      out.put(item.extra, item.bits);
    }
  }

 private:
  std::vector<std::uint8_t> lengths_;
  std::vector<std::uint32_t> codes_;
};

struct Shape {
  std::uint32_t width = 8, height = 8, levels = 1, layers = 0, faces = 1;
  bool alpha = false, gray = false, srgb = true, raw_selectors = false, p_frames = false, red_green = false;
  std::uint32_t endpoints = 20, selectors = 30, history = 16;
};

class Writer {
 public:
  Writer(const Shape& shape, std::uint32_t seed) : shape_(shape), random_(seed) { fill(); }

  struct GlobalParts {
    ByteVector endpoints, selectors, tables;
  };
  const GlobalParts& parts() const { return parts_; }
  const Shape& shape() const { return shape_; }
  // [image][0 color, 1 alpha]; images by level, layer, face.
  const std::vector<std::array<ByteVector, 2>>& slices() const { return slices_; }
  bool is_p_frame(std::size_t image) const { return p_frame_[image]; }
  // The texels of an image, row by row.
  const std::vector<Rgba8>& texels(std::size_t image) const { return texels_[image]; }

  ByteVector file() const {
    ByteVector out;
    const auto put32 = [&](std::uint64_t v) { append(out, static_cast<std::uint32_t>(v)); };
    const auto put64 = [&](std::uint64_t v) { append(out, v); };
    constexpr std::uint8_t kIdentifier[] = {0xab, 'K', 'T', 'X', ' ', '2', '0', 0xbb, '\r', '\n', 0x1a, '\n'};
    for (const std::uint8_t b : kIdentifier) out.push_back(static_cast<std::byte>(b));
    ByteVector global;
    std::vector<ByteVector> levels(shape_.levels);
    append(global, static_cast<std::uint16_t>(shape_.endpoints));
    append(global, static_cast<std::uint16_t>(shape_.selectors));
    for (const ByteVector* part : {&parts_.endpoints, &parts_.selectors, &parts_.tables})
      append(global, static_cast<std::uint32_t>(part->size()));
    append(global, std::uint32_t{0});
    const std::size_t per_level = slices_.size() / shape_.levels;
    for (std::size_t i = 0; i < slices_.size(); ++i) {
      ByteVector& level = levels[i / per_level];
      append(global, std::uint32_t{p_frame_[i] ? 2u : 0u});
      for (const ByteVector& slice : slices_[i]) {
        append(global, static_cast<std::uint32_t>(slice.empty() ? 0 : level.size()));
        append(global, static_cast<std::uint32_t>(slice.size()));
        level.insert(level.end(), slice.begin(), slice.end());
      }
    }
    for (const ByteVector* part : {&parts_.endpoints, &parts_.selectors, &parts_.tables})
      global.insert(global.end(), part->begin(), part->end());
    const std::uint32_t samples = shape_.alpha ? 2 : 1, descriptor = 4 + 24 + 16 * samples;
    const std::uint64_t descriptor_at = 80 + 24ull * shape_.levels;
    // Only an animation may have P frames: writes the key, then duration, time scale and loops.
    ByteVector animation;
    if (shape_.p_frames) {
      append(animation, std::uint32_t{24});
      for (const char c : std::string_view("KTXanimData\0", 12)) animation.push_back(static_cast<std::byte>(c));
      for (const std::uint32_t v : {1u, 24u, 0u}) append(animation, v);
    }
    const std::uint64_t global_at = (descriptor_at + descriptor + animation.size() + 7) / 8 * 8;
    for (const std::uint32_t v :
         {0u, 1u, shape_.width, shape_.height, 0u, shape_.layers, shape_.faces, shape_.levels, 1u})
      put32(v);
    put32(descriptor_at);
    put32(descriptor);
    put32(animation.empty() ? 0 : descriptor_at + descriptor);
    put32(animation.size());
    put64(global_at);
    put64(global.size());
    std::uint64_t at = global_at + global.size();
    std::vector<std::uint64_t> offsets(levels.size());
    for (std::size_t l = levels.size(); l-- > 0; at += levels[l].size()) offsets[l] = at;
    for (std::size_t l = 0; l < levels.size(); ++l) {
      for (const std::uint64_t v : {offsets[l], std::uint64_t{levels[l].size()}, std::uint64_t{0}}) put64(v);
    }
    put32(descriptor);
    put32(0);
    put32(2 | (24 + 16 * samples) << 16);
    put32(163 | (shape_.srgb ? 1 << 8 : 0) | (shape_.srgb ? 2u : 1u) << 16);
    put32(3 | 3 << 8);
    put32(0);
    put32(0);
    const std::array<std::uint32_t, 2> channels = shape_.red_green ? std::array{3u, 4u} : std::array{0u, 15u};
    for (std::uint32_t s = 0; s < samples; ++s) {
      put32(64 * s | 63u << 16 | channels[s] << 24);
      put32(0);
      put32(0);
      put32(~0u);
    }
    out.insert(out.end(), animation.begin(), animation.end());
    out.resize(global_at);
    out.insert(out.end(), global.begin(), global.end());
    for (std::size_t l = levels.size(); l-- > 0;) out.insert(out.end(), levels[l].begin(), levels[l].end());
    return out;
  }

 private:
  struct Endpoint {
    std::array<std::uint32_t, 3> color;
    std::uint32_t table;
  };
  struct Block {
    std::uint32_t endpoint = 0, selector = 0;
  };
  enum Table { kPrediction, kDelta, kSelector, kRuns };
  struct Token {
    Table table;
    std::uint32_t symbol;
    unsigned chunk_bits = 0;
    std::uint32_t chunks = 0;
  };

  template <class T>
  static void append(ByteVector& out, T value) {
    const auto at = out.size();
    out.resize(at + sizeof value);
    std::memcpy(out.data() + at, &value, sizeof value);
  }
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }

  void fill() {
    write_endpoints();
    write_selectors();
    std::vector<std::array<std::vector<Token>, 2>> tokens;
    const std::uint32_t layers = std::max(shape_.layers, 1u);
    for (std::uint32_t level = 0; level < shape_.levels; ++level) {
      std::vector<std::array<std::vector<Block>, 2>> before(shape_.faces);
      for (std::uint32_t layer = 0; layer < layers; ++layer) {
        for (std::uint32_t face = 0; face < shape_.faces; ++face) {
          const bool p = shape_.p_frames && layer % 3 != 0;
          const std::uint32_t w = std::max(shape_.width >> level, 1u), h = std::max(shape_.height >> level, 1u);
          auto& both = tokens.emplace_back();
          p_frame_.push_back(p);
          std::array<std::vector<Block>, 2> blocks;
          for (unsigned s = 0; s < (shape_.alpha ? 2u : 1u); ++s) {
            blocks[s] = random_blocks((w + 3) / 4, (h + 3) / 4, p ? &before[face][s] : nullptr);
            both[s] = tokens_of(blocks[s], (w + 3) / 4, p ? &before[face][s] : nullptr);
          }
          texels_.push_back(texels_of(blocks, w, h));
          before[face] = blocks;
        }
      }
    }
    write_slices(tokens);
  }

  void write_endpoints() {
    std::vector<std::array<std::uint32_t, 4>> deltas;  // table, colors
    std::array<std::uint32_t, 3> last = {16, 16, 16};
    std::uint32_t last_table = 0;
    std::array<std::map<std::uint32_t, std::size_t>, 4> uses;  // by range of the previous color; by table
    for (std::uint32_t i = 0; i < shape_.endpoints; ++i) {
      Endpoint e{{below(32), below(32), below(32)}, below(8)};
      if (shape_.gray) e.color[1] = e.color[2] = e.color[0];
      std::array<std::uint32_t, 4> d = {(e.table - last_table) & 7};
      ++uses[3][d[0]];
      for (unsigned c = 0; c < (shape_.gray ? 1u : 3u); ++c) {
        d[c + 1] = (e.color[c] - last[c]) & 31;
        ++uses[range(last[c])][d[c + 1]];
      }
      last = e.color;
      last_table = e.table;
      deltas.push_back(d);
      endpoints_.push_back(e);
    }
    BitSink out;
    std::array<Code, 4> codes;
    for (unsigned t = 0; t < 4; ++t) {
      if (uses[t].empty()) uses[t][0] = 1;  // other readers refuse tables without symbols
      codes[t] = Code(t == 3 ? 8 : 32, uses[t], t);
      codes[t].put_table(out);
    }
    out.put(shape_.gray, 1);
    last = {16, 16, 16};
    for (std::size_t i = 0; i < deltas.size(); ++i) {
      codes[3].put(out, deltas[i][0]);
      for (unsigned c = 0; c < (shape_.gray ? 1u : 3u); ++c) codes[range(last[c])].put(out, deltas[i][c + 1]);
      last = endpoints_[i].color;
    }
    parts_.endpoints = std::move(out.bytes);
  }
  static unsigned range(std::uint32_t v) { return v < 10 ? 0 : v < 22 ? 1 : 2; }

  void write_selectors() {
    for (std::uint32_t i = 0; i < shape_.selectors; ++i) {
      std::array<std::uint8_t, 4> rows;
      // Some selectors have one level, some have few.
      const std::uint32_t mask = std::array{0xffu, 0x55u, 0xffu, 0x00u}[below(4)];
      for (std::uint8_t& row : rows) row = static_cast<std::uint8_t>(below(256) & mask);
      selectors_.push_back(rows);
    }
    BitSink out;
    out.put(0, 2);
    out.put(shape_.raw_selectors, 1);
    std::map<std::uint32_t, std::size_t> uses;
    for (std::size_t i = 1; i < selectors_.size(); ++i)
      for (unsigned j = 0; j < 4; ++j) ++uses[selectors_[i][j] ^ selectors_[i - 1][j]];
    const Code code = uses.empty() ? Code() : Code(256, uses, 6);
    if (!shape_.raw_selectors) code.put_table(out);
    for (std::size_t i = 0; i < selectors_.size(); ++i) {
      for (unsigned j = 0; j < 4; ++j) {
        if (shape_.raw_selectors || i == 0) {
          out.put(selectors_[i][j], 8);
        } else {
          code.put(out, selectors_[i][j] ^ selectors_[i - 1][j]);
        }
      }
    }
    parts_.selectors = std::move(out.bytes);
  }

  std::vector<Block> random_blocks(std::uint32_t width, std::uint32_t height, const std::vector<Block>* before) {
    std::vector<Block> blocks(std::size_t{width} * height);
    std::uint32_t calm = 0;  // the length of a run of equal blocks
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (calm == 0 && below(8) == 0) calm = below(200);
      if (calm != 0 && i != 0) {
        --calm;
        blocks[i] = blocks[i - 1];
        continue;
      }
      if (before != nullptr && below(2) == 0) {
        blocks[i] = (*before)[i];
        continue;
      }
      blocks[i].endpoint = below(3) == 0 || i == 0      ? below(shape_.endpoints)
                           : below(2) == 0 && i > width ? blocks[i - width - below(2)].endpoint
                                                        : blocks[i - 1].endpoint;
      blocks[i].selector = below(3) == 0 ? 0 : below(shape_.selectors);
    }
    return blocks;
  }

  std::vector<Token> tokens_of(const std::vector<Block>& blocks, std::uint32_t width,
                               const std::vector<Block>* before) {
    const auto height = static_cast<std::uint32_t>(blocks.size() / width);
    std::vector<std::uint32_t> prediction(blocks.size());
    for (std::uint32_t y = 0; y < height; ++y) {
      for (std::uint32_t x = 0; x < width; ++x) {
        const std::size_t i = std::size_t{y} * width + x;
        const std::uint32_t e = blocks[i].endpoint;
        std::vector<std::uint32_t> ways{3};
        if (x > 0 && blocks[i - 1].endpoint == e) ways.insert(ways.end(), 20, 0);
        if (y > 0 && blocks[i - width].endpoint == e) ways.insert(ways.end(), 4, 1);
        // I frames of an animation do not use "same as the block at the upper left": some readers treat it as "same as
        // in the previous image".
        if (!shape_.p_frames && x > 0 && y > 0 && blocks[i - width - 1].endpoint == e) ways.push_back(2);
        if (before != nullptr && (*before)[i].endpoint == e && (*before)[i].selector == blocks[i].selector)
          ways.insert(ways.end(), 40, 2);
        prediction[i] = ways[below(static_cast<std::uint32_t>(ways.size()))];
      }
    }
    std::vector<std::uint32_t> squares;
    for (std::uint32_t y = 0; y < height; y += 2) {
      for (std::uint32_t x = 0; x < width; x += 2) {
        std::uint32_t symbol = 0;
        for (std::uint32_t b = 0; b < 4; ++b) {
          const std::uint32_t bx = x + b % 2, by = y + b / 2;
          if (bx < width && by < height) symbol |= prediction[std::size_t{by} * width + bx] << (2 * b);
        }
        squares.push_back(symbol);
      }
    }
    // The symbol that encodes the selector of each block.
    std::vector<std::uint32_t> said(blocks.size(), kUnsaid);
    std::vector<std::uint32_t> history(shape_.history);
    std::uint32_t next = shape_.history / 2;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (before != nullptr && prediction[i] == 2) continue;
      const auto found = std::find(history.begin(), history.end(), blocks[i].selector);
      if (found != history.end() && below(10) != 0) {
        const auto index = static_cast<std::size_t>(found - history.begin());
        said[i] = shape_.selectors + static_cast<std::uint32_t>(index);
        std::swap(history[index], history[index / 2]);
      } else {
        said[i] = blocks[i].selector;
        if (history.empty()) continue;
        history[next] = blocks[i].selector;
        if (++next == history.size()) next = shape_.history / 2;
      }
    }
    std::vector<Token> tokens;
    std::uint32_t last_square = 0, square_run = 0, selector_run = 0, last_endpoint = 0;
    std::size_t square = 0;
    for (std::uint32_t y = 0; y < height; ++y) {
      for (std::uint32_t x = 0; x < width; ++x) {
        const std::size_t i = std::size_t{y} * width + x;
        if (x % 2 == 0 && y % 2 == 0) {
          if (square_run != 0) {
            --square_run;
          } else {
            std::uint32_t run = 0;
            while (square + run < squares.size() && squares[square + run] == last_square) ++run;
            if (run >= 3) {
              tokens.push_back({kPrediction, 256, 4, run - 3});
              square_run = run - 1;
            } else {
              last_square = squares[square];
              tokens.push_back({kPrediction, last_square});
            }
          }
          ++square;
        }
        if (prediction[i] == 3) {
          const std::uint32_t n = shape_.endpoints;
          tokens.push_back({kDelta, (blocks[i].endpoint + n - last_endpoint) % n});
        }
        last_endpoint = blocks[i].endpoint;
        if (said[i] == kUnsaid) continue;
        if (selector_run != 0) {
          --selector_run;
          continue;
        }
        std::uint32_t run = 0;
        for (std::size_t j = i; j < said.size() && (said[j] == shape_.selectors || said[j] == kUnsaid); ++j)
          run += said[j] != kUnsaid;
        if (said[i] == shape_.selectors && run >= 3) {
          tokens.push_back({kSelector, shape_.selectors + shape_.history});
          const std::uint32_t more = run - 3;
          tokens.push_back(more < 63 ? Token{kRuns, more} : Token{kRuns, 63, 7, more});
          selector_run = run - 1;
        } else {
          tokens.push_back({kSelector, said[i]});
        }
      }
    }
    return tokens;
  }

  void write_slices(const std::vector<std::array<std::vector<Token>, 2>>& tokens) {
    std::array<std::map<std::uint32_t, std::size_t>, 4> uses;
    for (const auto& both : tokens)
      for (const auto& slice : both)
        for (const Token& token : slice) ++uses[token.table][token.symbol];
    const std::array<std::size_t, 4> sizes = {257, shape_.endpoints, shape_.selectors + shape_.history + 1, 64};
    std::array<Code, 4> codes;
    BitSink tables;
    for (unsigned t = 0; t < 4; ++t) {
      if (uses[t].empty()) uses[t][0] = 1;
      codes[t] = Code(sizes[t], uses[t], 7);
      codes[t].put_table(tables);
    }
    tables.put(shape_.history, 13);
    parts_.tables = std::move(tables.bytes);
    for (const auto& both : tokens) {
      auto& out = slices_.emplace_back();
      for (unsigned s = 0; s < (shape_.alpha ? 2u : 1u); ++s) {
        BitSink bits;
        for (const Token& token : both[s]) {
          codes[token.table].put(bits, token.symbol);
          if (token.chunk_bits != 0) bits.put_chunks(token.chunks, token.chunk_bits);
        }
        out[s] = std::move(bits.bytes);
      }
    }
  }

  // Computed from the specification of ETC1, independently of the decoder.
  std::uint8_t channel(const Block& block, unsigned c, unsigned x, unsigned y) const {
    constexpr std::array<std::array<int, 4>, 8> kModifiers = {{{-8, -2, 2, 8},
                                                               {-17, -5, 5, 17},
                                                               {-29, -9, 9, 29},
                                                               {-42, -13, 13, 42},
                                                               {-60, -18, 18, 60},
                                                               {-80, -24, 24, 80},
                                                               {-106, -33, 33, 106},
                                                               {-183, -47, 47, 183}}};
    const Endpoint& e = endpoints_[block.endpoint];
    const int base = static_cast<int>(e.color[c] << 3 | e.color[c] >> 2);
    const unsigned level = selectors_[block.selector][y] >> (2 * x) & 3u;
    return static_cast<std::uint8_t>(std::clamp(base + kModifiers[e.table][level], 0, 255));
  }
  std::vector<Rgba8> texels_of(const std::array<std::vector<Block>, 2>& blocks, std::uint32_t w,
                               std::uint32_t h) const {
    std::vector<Rgba8> texels;
    for (std::uint32_t y = 0; y < h; ++y) {
      for (std::uint32_t x = 0; x < w; ++x) {
        const std::size_t i = std::size_t{y / 4} * ((w + 3) / 4) + x / 4;
        const auto of = [&](unsigned s, unsigned c) { return channel(blocks[s][i], c, x % 4, y % 4); };
        texels.push_back({of(0, 0), of(0, 1), of(0, 2), shape_.alpha ? of(1, 1) : std::uint8_t{255}});
      }
    }
    return texels;
  }

  static constexpr std::uint32_t kUnsaid = ~0u;
  Shape shape_;
  std::mt19937 random_;
  std::vector<Endpoint> endpoints_;
  std::vector<std::array<std::uint8_t, 4>> selectors_;
  GlobalParts parts_;
  std::vector<std::array<ByteVector, 2>> slices_;
  std::vector<bool> p_frame_;
  std::vector<std::vector<Rgba8>> texels_;
};

// Shapes that together use every feature of the streams.
inline std::vector<std::pair<const char*, Shape>> shapes() {
  return {{"color", {.width = 64, .height = 40, .levels = 7}},
          {"odd", {.width = 37, .height = 21, .levels = 6, .alpha = true}},
          {"gray", {.width = 32, .height = 32, .gray = true, .srgb = false, .raw_selectors = true}},
          {"cube", {.width = 24, .height = 24, .levels = 3, .faces = 6}},
          {"array", {.width = 16, .height = 28, .levels = 2, .layers = 5, .alpha = true}},
          {"video", {.width = 48, .height = 36, .layers = 7, .p_frames = true}},
          {"video_alpha", {.width = 20, .height = 52, .layers = 5, .alpha = true, .p_frames = true}},
          {"large", {.width = 512, .height = 384, .endpoints = 3000, .selectors = 5000, .history = 64}},
          {"no_history", {.width = 64, .height = 64, .history = 0}},
          {"one_entry", {.width = 64, .height = 64, .endpoints = 1, .selectors = 1, .history = 1}},
          {"red_green", {.width = 32, .height = 32, .alpha = true, .gray = true, .srgb = false, .red_green = true}}};
}

}  // namespace assetc::etc1s
