// Encodes blocks as BC1, with the bytes of encode_bc1 and encode_bc1_levels. Included once for each instruction set, in
// its namespace, after rows_avx2-inl.hpp or rows_avx512-inl.hpp. See uastc_batch_texels.cpp.
//
// Each 32-bit lane has one block. Sums and projections of texels are integers. The equations for the endpoints are in
// floats and in the order of encode_bc1; their operands are integers below 2^24, so they are exact.
// A second refinement of levels that the first one did not change gives the same endpoints, so it needs no branch.

[[gnu::always_inline]] inline Floats floats_of(Ints v) { return __builtin_convertvector(v, Floats); }
[[gnu::always_inline]] inline Ints whole_of(Floats v) { return __builtin_convertvector(v, Ints); }
[[gnu::always_inline]] inline Floats splat_float(float v) { return v + Floats{}; }
[[gnu::always_inline]] inline Halves halves_of(Ints v) { return reinterpret_cast<Halves>(v); }
// Sums of the two halves of each lane.
[[gnu::always_inline]] inline Ints halves_added(Halves v) { return products_added(v, Halves{} + std::uint16_t{1}); }
// A number of 16 bits in each half of a lane.
[[gnu::always_inline]] inline Halves paired(Ints low, Ints high) { return halves_of((low & 0xffff) | high << 16); }

// A number in the low half of each lane and one in the high half.
[[gnu::always_inline]] inline Halves halves_of(std::uint16_t low, std::uint16_t high) {
  return halves_of(Ints{} + static_cast<std::int32_t>(low | std::uint32_t{high} << 16));
}

// What is known of a row of blocks.
struct Bc1Row {
  Ints total[3];                          // sums of R, G, B
  Ints levels, squares, weighted[3];      // sums of level, level * level, and level times R, G, B
  Halves red_green, blue_low, blue_high;  // the direction of the line, as operands of products_added
  Ints edge[3];                           // the largest projections of levels 0, 1 and 2 on the line
  Ints first, second;                     // 5:6:5
  Ints one_color;                         // all ones: the block becomes its mean
};

// The equations of several rows overlap, because their latency is long.
struct Bc1Work {
  TexelPairs channel[kBc1Group / kLaneBlocks][3];
  std::array<Lanes, kBlockTexels> red_green[kBc1Group / kLaneBlocks];  // red in the low byte
  Bc1Row row[kBc1Group / kRowBlocks];

  // The 16 blocks that a row is in.
  static constexpr unsigned part(unsigned r) { return r * kRowBlocks / kLaneBlocks; }
};

// Moves the texels of the blocks to lanes.
[[gnu::always_inline]] inline void load_blocks(const WaitingBlocks& blocks, Bc1Work& work) {
  for (unsigned i = 0; i * kLaneBlocks < blocks.count; ++i) {
    auto& [red, green, blue] = work.channel[i];
    for (unsigned c = 0; c < 3; ++c) avx2::transpose_blocks(blocks, i * kLaneBlocks, c, work.channel[i][c]);
    for (unsigned k = 0; k < 8; ++k) {
      work.red_green[i][2 * k] = (red[k] & 255) | green[k] << 8;
      work.red_green[i][2 * k + 1] = red[k] >> 8 | (green[k] & 0xff00);
    }
  }
}
inline unsigned rows_of(unsigned count) { return (count + kRowBlocks - 1) / kRowBlocks; }

// Projects the texels of a row on their lines, the last texels first. take(k, first, second, blue): the projections of
// texels 2k and 2k + 1, and the blue of both.
template <class Take>
[[gnu::always_inline]] inline void project_texels(const Bc1Work& work, unsigned r, const Take& take) {
  const Halves red_green = work.row[r].red_green, blue_low = work.row[r].blue_low, blue_high = work.row[r].blue_high;
  const unsigned part = Bc1Work::part(r);
#pragma GCC unroll 2
  for (unsigned i = 0; i < 8; ++i) {
    const unsigned k = 7 - i;
    const Halves blue = row_of(work.channel[part][2][k], r);
    const Ints first = products_added(row_of(work.red_green[part][2 * k], r), red_green);
    const Ints second = products_added(row_of(work.red_green[part][2 * k + 1], r), red_green);
    take(k, first + products_added(blue, blue_low), second + products_added(blue, blue_high), blue);
  }
}

// Sets the lines between colors of 8 bits. first, second: red in the low half, green in the high half. blue: of the
// first color in the low half, of the second color in the high half.
[[gnu::always_inline]] inline void set_line(Bc1Row& row, Halves first, Halves second, Halves blue) {
  row.red_green = second - first;
  row.blue_high = blue - halves_of(reinterpret_cast<Ints>(blue) << 16);
  row.blue_high = halves_of(reinterpret_cast<Ints>(row.blue_high) & static_cast<std::int32_t>(0xffff0000));
  row.blue_low = reinterpret_cast<Halves>(reinterpret_cast<Words>(row.blue_high) >> 16);
  const Floats start = floats_of(products_added(first, row.red_green) + products_added(blue, row.blue_low));
  const Floats length =
      floats_of(products_added(row.red_green, row.red_green) + products_added(row.blue_low, row.blue_low));
  // The boundary between levels n and n + 1 is at (2n + 1) / 6 of the length. Six times a boundary is an integer, so a
  // twelfth more is further from the next integer than it is rounded.
  const auto largest_below = [](Floats sixfold) { return whole_of(rounded_down(sixfold * (1.0f / 6.0f))); };
  const Floats sixfold = 6.0f * start + length + 0.5f;
  row.edge[0] = largest_below(sixfold);
  row.edge[1] = largest_below(sixfold + 2.0f * length);
  row.edge[2] = largest_below(sixfold + 4.0f * length);
}

// The levels of the texels of a row for their lines, and the sums that least squares need.
[[gnu::always_inline]] inline void sum_projected(Bc1Work& work, unsigned r) {
  Bc1Row& row = work.row[r];
  const Ints edge[3] = {row.edge[0], row.edge[1], row.edge[2]};
  Halves red_green{}, levels{};
  Ints squares{}, blue_sum{};
  project_texels(work, r, [&](unsigned k, Ints first, Ints second, Halves blue) {
    const Halves first_level = level_twice(first, edge), second_level = level_twice(second, edge);
    const Halves both = halves_of(first_level, second_level);
    levels += both;
    squares += products_added(both, both);
    blue_sum += products_added(both, blue);
    red_green += first_level * row_of(work.red_green[Bc1Work::part(r)][2 * k], r) +
                 second_level * row_of(work.red_green[Bc1Work::part(r)][2 * k + 1], r);
  });
  // The sums of R and of G are at most 16 * 3 * 255, so they have stayed within 16 bits.
  const Ints both = reinterpret_cast<Ints>(red_green);
  row.levels = kLevelSign * halves_added(levels);
  row.squares = squares;
  row.weighted[0] = kLevelSign * (both << 16 >> 16);
  row.weighted[1] = kLevelSign * (both >> 16);
  row.weighted[2] = kLevelSign * blue_sum;
}

// The endpoints with the least squared error for the levels of a row, and the lines between them.
[[gnu::always_inline]] inline void solve_levels(Bc1Row& row) {
  const Floats b1 = floats_of(row.levels), bb = floats_of(row.squares);
  const Floats aa = 144.0f - 6.0f * b1 + bb, ab = 3.0f * b1 - bb;
  Floats det = aa * bb - ab * ab;
  const Ints one_color = det == 0.0f;
  det = one_color ? splat_float(1) : det;
  const Floats scale = 3.0f / (255.0f * det);
  constexpr float most[3] = {31, 63, 31};
  Ints ends[2][3];  // 5:6:5
  for (unsigned c = 0; c < 3; ++c) {
    const Floats sum_bt = floats_of(row.weighted[c]), sum_at = 3.0f * floats_of(row.total[c]) - sum_bt,
                 k = scale * most[c];
    ends[0][c] = whole_of(clamped((bb * sum_at - ab * sum_bt) * k + 0.5f, most[c]));
    ends[1][c] = whole_of(clamped((aa * sum_bt - ab * sum_at) * k + 0.5f, most[c]));
  }
  // Red in the low half, green in the high half. Repeats their top bits below them.
  Halves wide[2];
  for (unsigned e = 0; e < 2; ++e) {
    const Halves narrow = halves_of(ends[e][0] | ends[e][1] << 16);
    (e == 0 ? row.first : row.second) =
        products_added(narrow, halves_of(std::uint16_t{1 << 11}, std::uint16_t{1 << 5})) | ends[e][2];
    wide[e] = products_high(narrow * halves_of(std::uint16_t{33}, std::uint16_t{65}),
                            halves_of(std::uint16_t{1 << 14}, std::uint16_t{1 << 12}));
  }
  // Blue of the first color in the low half, of the second color in the high half.
  const Halves blue = halves_of(ends[0][2] | ends[1][2] << 16) * std::uint16_t{33} >> 2;
  row.one_color |= one_color | (row.first == row.second);
  set_line(row, wide[0], wide[1], blue);
}

// Writes the blocks of a row.
[[gnu::always_inline]] inline void store_row(const WaitingBlocks& blocks, const Bc1Work& work, unsigned r) {
  const Bc1Row& row = work.row[r];
  const Ints edge[3] = {row.edge[0], row.edge[1], row.edge[2]};
  Ints packed{};  // texel 0 lowest
  project_texels(work, r, [&](unsigned, Ints first, Ints second, Halves) {
    packed = (packed << 4) + kLevelSign * ((level_of(second, edge) << 2) + level_of(first, edge));
  });
  // As store_bc1_levels, for two different colors.
  const Ints swapped = row.first < row.second;
  packed ^= swapped;
  const Ints exchange = (row.first ^ row.second) & swapped;
  const Ints high = packed >> 1 & 0x55555555, low = packed & 0x55555555;
  const Ints colors = (row.first ^ exchange) | (row.second ^ exchange) << 16, selectors = (high ^ low) << 1 | high;
  std::int32_t words[2][kRowBlocks];
  std::memcpy(words[0], &colors, sizeof colors);
  std::memcpy(words[1], &selectors, sizeof selectors);
  std::uint8_t* const* out = &blocks.out[r * kRowBlocks];
  const unsigned count = std::min(kRowBlocks, blocks.count - r * kRowBlocks);
  for (unsigned i = 0; i < count; ++i) {
    std::memcpy(out[i], &words[0][i], 4);
    std::memcpy(out[i] + 4, &words[1][i], 4);
  }

  for (unsigned rest = lanes_set(row.one_color) & ((1u << count) - 1); rest != 0; rest &= rest - 1) {
    const auto i = static_cast<unsigned>(std::countr_zero(rest));
    const auto mean = [&](unsigned c) { return static_cast<std::uint8_t>((row.total[c][i] + 8) >> 4); };
    encode_bc1_solid({mean(0), mean(1), mean(2), 255}, out[i]);
  }
}

// Endpoints for the levels, levels for the endpoints, twice. Then writes the blocks. Not inlined, for less stack.
[[gnu::noinline]] inline void refine_blocks(WaitingBlocks& blocks, Bc1Work& work) {
  const unsigned rows = rows_of(blocks.count);
  for (unsigned r = 0; r < rows; ++r) solve_levels(work.row[r]);
  for (unsigned r = 0; r < rows; ++r) sum_projected(work, r);
  for (unsigned r = 0; r < rows; ++r) solve_levels(work.row[r]);
  for (unsigned r = 0; r < rows; ++r) store_row(blocks, work, r);
  blocks.count = 0;
}

// Encodes blocks with the levels that their hints select.
void encode_bc1_levels(WaitingBlocks& blocks) {
  Bc1Work work;
  load_blocks(blocks, work);
  TexelPairs given[kBc1Group / kLaneBlocks];  // the levels that hints select
  for (unsigned i = 0; i * kLaneBlocks < blocks.count; ++i)
    avx2::transpose_blocks(blocks, i * kLaneBlocks, 3, given[i]);
  for (unsigned r = 0; r < rows_of(blocks.count); ++r) {
    Bc1Row& row = work.row[r];
    Halves levels{}, sum[3] = {};
    Ints squares{}, weighted[3] = {};
    for (unsigned k = 0; k < 8; ++k) {
      const Halves level = row_of(given[Bc1Work::part(r)][k], r);
      levels += level;
      squares += products_added(level, level);
      for (unsigned c = 0; c < 3; ++c) {
        const Halves v = row_of(work.channel[Bc1Work::part(r)][c][k], r);
        sum[c] += v;
        weighted[c] += products_added(level, v);
      }
    }
    row.levels = halves_added(levels);
    row.squares = squares;
    for (unsigned c = 0; c < 3; ++c) row.total[c] = halves_added(sum[c]), row.weighted[c] = weighted[c];
    row.one_color = Ints{};
  }
  refine_blocks(blocks, work);
}

// The sums of a row and its principal axes.
[[gnu::noinline]] inline void find_axes(Bc1Work& work, unsigned r) {
  Bc1Row& row = work.row[r];
  const auto& channel = work.channel[Bc1Work::part(r)];
  Halves sum[3] = {};
  Ints products[6] = {};
  for (unsigned k = 0; k < 8; ++k) {
    const Halves red = row_of(channel[0][k], r), green = row_of(channel[1][k], r), blue = row_of(channel[2][k], r);
    sum[0] += red, sum[1] += green, sum[2] += blue;
    products[0] += products_added(red, red);
    products[1] += products_added(red, green);
    products[2] += products_added(red, blue);
    products[3] += products_added(green, green);
    products[4] += products_added(green, blue);
    products[5] += products_added(blue, blue);
  }
  for (unsigned i = 0; i < 3; ++i) row.total[i] = halves_added(sum[i]);
  // Sixteen times the covariance. Sums are below 2^15.
  const auto center = [&](unsigned product, unsigned a, unsigned b) {
    return floats_of((products[product] << 4) - products_added(halves_of(row.total[a]), halves_of(row.total[b])));
  };
  const Floats c[6] = {center(0, 0, 0), center(1, 0, 1), center(2, 0, 2),
                       center(3, 1, 1), center(4, 1, 2), center(5, 2, 2)};
  Floats trace = c[0] + c[3] + c[5];
  trace = trace == 0.0f ? splat_float(1) : trace;  // all texels are equal: the axis stays 0
  const Ints of_green = (c[3] > c[0]) & (c[3] >= c[5]), of_blue = ~of_green & (c[5] > c[0]);
  Floats x = of_green ? c[1] : of_blue ? c[2] : c[0];
  Floats y = of_green ? c[3] : of_blue ? c[4] : c[1];
  Floats z = of_green ? c[4] : of_blue ? c[5] : c[2];
  const Floats scale = 1.0f / trace;
  for (unsigned round = 0; round < 4; ++round) {
    const Floats nx = (x * c[0] + y * c[1] + z * c[2]) * scale;
    const Floats ny = (x * c[1] + y * c[3] + z * c[4]) * scale;
    const Floats nz = (x * c[2] + y * c[4] + z * c[5]) * scale;
    x = nx, y = ny, z = nz;
  }
  const auto magnitude = [](Floats v) { return v < 0.0f ? -v : v; };
  const Floats mx = magnitude(x), my = magnitude(y), mz = magnitude(z);
  Floats longest = mx > my ? mx : my;
  longest = longest > mz ? longest : mz;
  row.one_color = ~(longest > 0.0f);
  const Floats to_int = 1023.0f / (row.one_color ? splat_float(1) : longest);
  // Times 16: the low bits of a projection are for the number of the texel.
  const auto axis = [&](Floats v) { return whole_of(v * to_int) << 4; };
  row.red_green = paired(axis(x), axis(y));
  row.blue_low = paired(axis(z), Ints{});
  row.blue_high = paired(Ints{}, axis(z));
}

// The two texels at the ends of the axes of a row. Sets the lines between them.
[[gnu::noinline]] inline void find_ends(const WaitingBlocks& blocks, Bc1Work& work, unsigned r) {
  Ints least = Ints{} + INT32_MAX, most = Ints{} + INT32_MIN;
  project_texels(work, r, [&](unsigned k, Ints first, Ints second, Halves) {
    first += static_cast<int>(2 * k);
    second += static_cast<int>(2 * k) + 1;
    least = lesser(least, lesser(first, second));
    most = greater(most, greater(first, second));
  });
  alignas(64) std::int32_t number[2][kRowBlocks], color[2][3][kRowBlocks];
  const Ints low = least & 15, high = most & 15;
  std::memcpy(number[0], &low, sizeof low);
  std::memcpy(number[1], &high, sizeof high);
  for (unsigned i = 0; i < kRowBlocks; ++i)
    for (unsigned e = 0; e < 2; ++e)
      for (unsigned c = 0; c < 3; ++c)
        color[e][c][i] = blocks.planes[r * kRowBlocks + i][16 * c + static_cast<unsigned>(number[e][i])];
  Ints ends[2][3];
  std::memcpy(ends, color, sizeof ends);
  set_line(work.row[r], halves_of(ends[0][0] | ends[0][1] << 16), halves_of(ends[1][0] | ends[1][1] << 16),
           halves_of(ends[0][2] | ends[1][2] << 16));
}

// Encodes blocks from their texels.
void encode_bc1(WaitingBlocks& blocks) {
  Bc1Work work;
  load_blocks(blocks, work);
  const unsigned rows = rows_of(blocks.count);
  for (unsigned r = 0; r < rows; ++r) find_axes(work, r);
  for (unsigned r = 0; r < rows; ++r) find_ends(blocks, work, r);
  for (unsigned r = 0; r < rows; ++r) sum_projected(work, r);
  refine_blocks(blocks, work);
}
