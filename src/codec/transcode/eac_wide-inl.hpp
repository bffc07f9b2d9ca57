// Encodes blocks as EAC, one in each 16-bit lane, with the bytes of encode_eac and encode_eac_hinted. Included once for
// each instruction set, in its namespace, after wide-inl.hpp.

[[gnu::always_inline]] inline Wide divided(Wide n, Wide factor) { return products_high(n, factor) >> 4; }

// The fields of EacBlock.
struct EacFields {
  Wide base, multiplier, table;
};
// The smallest and the largest of the values.
struct EacRange {
  Wide low, high;
};

[[gnu::always_inline]] inline EacRange range_of(const WidePairs& values) {
  Wide low = values[0], high = low;
  for (unsigned k = 1; k < 8; ++k) low = least_bytes(low, values[k]), high = most_bytes(high, values[k]);
  return {lesser(low & 255, low >> 8), greater(high & 255, high >> 8)};
}

// The eight steps, ascending. Values are to be scaled as the base.
[[gnu::always_inline]] inline void eac_steps(const EacFields& f, EacKind kind, Wide (&steps)[8]) {
  Wide base = f.base, unit = f.multiplier;
  if (kind == EacKind::kR11) {
    base = base * 8 + 4;
    unit = unit == 0 ? splat_wide(1) : unit * 8;
  }
  const Wide most = splat_wide(kind == EacKind::kR11 ? 2047 : 255);
  for (unsigned rank = 0; rank < 8; ++rank) {
    const Wide modifier = looked_up(kEacRanks[rank], f.table) - 15;
    steps[rank] = lesser(greater(base + modifier * unit, Wide{}), most);
  }
}
// v > edge is the same as 2 * v > the sum of the two steps.
[[gnu::always_inline]] inline SignedWide eac_edge(const Wide (&steps)[8], unsigned i) {
  return reinterpret_cast<SignedWide>((steps[i] + steps[i + 1]) >> 1);
}
[[gnu::always_inline]] inline Wide eac_value(const WidePairs& values, EacKind kind, unsigned texel) {
  const Wide v = texel_of(values, texel);
  return kind == EacKind::kR11 ? v * 8 + 4 : v;
}

// Writes the blocks with these fields and the nearest steps.
[[gnu::always_inline]] inline void store_eac(const WaitingBlocks& blocks, unsigned offset, const WidePairs& values,
                                             const EacRange& range, EacFields fields, EacKind kind) {
  // As encode_eac_solid: modifier 0 of the fine table.
  const auto equal = range.low == range.high;
  fields.base = equal ? range.low : fields.base;
  fields.multiplier = equal ? splat_wide(kind == EacKind::kAlpha) : fields.multiplier;
  fields.table = equal ? splat_wide(kEacFineTable) : fields.table;
  Wide steps[8];
  eac_steps(fields, kind, steps);
  Wide column[4];
  for (unsigned x = 0; x < 4; ++x) {
    column[x] = Wide{};
    for (unsigned y = 0; y < 4; ++y) {
      const auto v = reinterpret_cast<SignedWide>(eac_value(values, kind, 4 * y + x));
      Wide rank{};
      for (unsigned i = 0; i < 7; ++i) rank -= reinterpret_cast<Wide>(v > eac_edge(steps, i));
      // The codes of ranks 0, 1, 2, 3 are 3, 2, 1, 0.
      const Wide code = rank < 4 ? rank ^ 3 : rank;
      column[x] = column[x] << 3 | (equal ? splat_wide(4) : code);
    }
  }
  store_words(blocks, offset, fields.base | (fields.multiplier << 4 | fields.table) << 8,
              swapped_bytes(column[0] << 4 | column[1] >> 8), swapped_bytes(column[1] << 8 | column[2] >> 4),
              swapped_bytes(column[2] << 12 | column[3]));
}

// The base, rounded, with which the ends of the table lie on low and high. below: minus its smallest modifier.
[[gnu::always_inline]] inline Wide eac_center(const EacRange& range, Wide below, Wide span, Wide factor) {
  return range.low + divided((range.high - range.low) * below * 2 + span, factor);
}

// Encodes a channel of the blocks that wait, at `offset` in their output. Their hints are the table and the multiplier.
void encode_eac_hinted(const WaitingBlocks& blocks, unsigned channel, EacKind kind, unsigned offset) {
  WidePairs values;
  load_wide(blocks, channel, values);
  Wide hints;
  std::memcpy(&hints, blocks.hints.data(), sizeof hints);
  const Wide table = hints & 15, below = 15 - looked_up(kEacRanks[0], table);
  const Wide span = below + looked_up(kEacRanks[7], table) - 15;
  const Wide factor = looked_up(kEacFactors[0], table) | looked_up(kEacFactors[1], table) << 8;
  const EacRange range = range_of(values);
  store_eac(blocks, offset, values, range, {eac_center(range, below, span, factor), hints >> 4 & 15, table}, kind);
}

// The same as R11, without hints: four tables are tried.
void encode_r11(const WaitingBlocks& blocks, unsigned channel, unsigned offset) {
  WidePairs values;
  load_wide(blocks, channel, values);
  const EacRange range = range_of(values);
  const Wide width = range.high - range.low;
  EacFields best{};
  Ints least[2] = {Ints{} + INT32_MAX, Ints{} + INT32_MAX};
  for (const unsigned table : kEacTried) {
    const Wide span = splat_wide(eac_span(table)), factor = splat_wide(eac_factor(table));
    const Wide multiplier = lesser(greater(divided(width * 2 + span, factor), splat_wide(1)), splat_wide(15));
    const Wide below = splat_wide(static_cast<unsigned>(-kEacModifiers[table][3]));
    const EacFields fields = {eac_center(range, below, span, factor), multiplier, splat_wide(table)};
    Wide steps[8];
    eac_steps(fields, EacKind::kR11, steps);
    Ints error[2] = {};
    for (unsigned k = 0; k < 8; ++k) {
      Wide off[2];
      for (unsigned i = 0; i < 2; ++i) {
        const Wide v = eac_value(values, EacKind::kR11, 2 * k + i);
        Wide nearest = steps[0];
        for (unsigned s = 0; s < 7; ++s)
          nearest = reinterpret_cast<SignedWide>(v) > eac_edge(steps, s) ? steps[s + 1] : nearest;
        off[i] = v - nearest;
      }
      const Wide first = lower_lanes(off[0], off[1]), second = upper_lanes(off[0], off[1]);
      error[0] += products_added(first, first);
      error[1] += products_added(second, second);
    }
    const Ints less[2] = {error[0] < least[0], error[1] < least[1]};
    for (unsigned i = 0; i < 2; ++i) least[i] = less[i] ? error[i] : least[i];
    const auto better = reinterpret_cast<SignedWide>(joined_masks(less[0], less[1])) < 0;
    best.base = better ? fields.base : best.base;
    best.multiplier = better ? multiplier : best.multiplier;
    best.table = better ? fields.table : best.table;
  }
  // The modifiers -3 .. 2 of the fine table around a base.
  const auto narrow = reinterpret_cast<SignedWide>(width) <= 5;
  best.base = narrow ? lesser(greater(range.high - 2, splat_wide(3)), splat_wide(253)) : best.base;
  best.multiplier = narrow ? splat_wide(1) : best.multiplier;
  best.table = narrow ? splat_wide(kEacFineTable) : best.table;
  store_eac(blocks, offset, values, range, best, EacKind::kR11);
}
