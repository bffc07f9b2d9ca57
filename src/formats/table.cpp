#include "formats/table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "assetc/formats/hmesh_view.hpp"
#include "formats/hmesh/rules.hpp"
#include "formats/text.hpp"

namespace assetc::formats {
namespace {

constexpr std::uint64_t kNone = 0xFFFFFFFF;

// The numbers of one field in consecutive records.
class Column {
 public:
  // rows: `size` records, each stride bytes after the one before.
  Column(const Field& field, std::uint32_t offset, const std::byte* rows, std::size_t stride, std::size_t size)
      : field_(field), at_(rows + offset), stride_(stride), size_(size) {}

  std::size_t size() const { return size_; }
  const std::byte* at(std::size_t row) const { return at_ + row * stride_; }

  template <class T>
  T load(std::size_t row, std::size_t number = 0) const {
    T value;
    std::memcpy(&value, at(row) + number * sizeof(T), sizeof value);
    return value;
  }
  float f32(std::size_t row, std::size_t number) const { return load<float>(row, number); }
  // An integer. Negative numbers have all upper bits set.
  std::uint64_t integer(std::size_t row, std::size_t number = 0) const {
    return field_.type == Type::kU32 ? load<std::uint32_t>(row, number) : other_integer(row, number);
  }

  // Returns the first row of which not all numbers pass, or size().
  template <class T, class Pass>
  std::size_t first_not(Pass pass) const {
    // No branch for each row: most files have no bad row.
    const auto all = [&](std::size_t count) {
      bool passes = true;
      for (std::size_t row = 0; row < size_; ++row)
        for (std::size_t n = 0; n < count; ++n) passes &= pass(load<T>(row, n));
      return passes;
    };
    const std::size_t count = field_.count;
    if (count == 1 ? all(1) : all(count)) return size_;
    return first_not_row([&](std::size_t row) {
      bool passes = true;
      for (std::size_t n = 0; n < count; ++n) passes &= pass(load<T>(row, n));
      return passes;
    });
  }
  template <class Pass>
  std::size_t first_not_integer(Pass pass) const {
    const auto as = [&]<class T>(T) {
      return first_not<T>([&](T value) { return pass(static_cast<std::uint64_t>(value)); });
    };
    switch (field_.type) {
      case Type::kU8:
        return as(std::uint8_t{});
      case Type::kU16:
        return as(std::uint16_t{});
      case Type::kI16:
        return as(std::int16_t{});
      case Type::kI32:
        return as(std::int32_t{});
      case Type::kU64:
        return as(std::uint64_t{});
      default:
        return as(std::uint32_t{});
    }
  }
  template <class Pass>
  std::size_t first_not_row(Pass pass) const {
    for (std::size_t row = 0; row < size_; ++row) {
      if (!pass(row)) return row;
    }
    return size_;
  }

 private:
  std::uint64_t other_integer(std::size_t row, std::size_t number) const {
    switch (field_.type) {
      case Type::kU8:
        return load<std::uint8_t>(row, number);
      case Type::kU16:
        return load<std::uint16_t>(row, number);
      case Type::kI16:
        return static_cast<std::uint64_t>(load<std::int16_t>(row, number));
      case Type::kI32:
        return static_cast<std::uint64_t>(load<std::int32_t>(row, number));
      case Type::kU64:
        return load<std::uint64_t>(row, number);
      default:
        return load<std::uint32_t>(row, number);
    }
  }

  const Field& field_;
  const std::byte* at_;
  std::size_t stride_, size_;
};

bool is_finite(const Column& column, std::size_t row, std::size_t first, std::size_t count) {
  bool all = true;
  for (std::size_t n = first; n < first + count; ++n) all &= std::isfinite(column.f32(row, n));
  return all;
}

bool is_box(const Column& column, std::size_t row) {
  bool all = is_finite(column, row, 0, 6);
  for (std::size_t axis = 0; axis < 3; ++axis) all &= column.f32(row, axis) <= column.f32(row, axis + 3);
  return all;
}

bool is_bounds(const Column& column, std::size_t row) {
  return is_box(column, row) && is_finite(column, row, 6, 4) && column.f32(row, 9) >= 0;
}

bool is_inside(const Column& column, std::size_t row, const float* box) {
  bool all = true;
  for (std::size_t axis = 0; axis < 3; ++axis)
    all &= column.f32(row, axis) >= box[axis] && column.f32(row, axis + 3) <= box[axis + 3];
  return all;
}

// Whether the box of a record must be in order.
bool has_box(const Field& field, std::uint32_t offset, const Column& column, std::size_t row) {
  const std::byte* const at = column.at(row) - offset + field.a;
  if (field.b == 0) return !all_zero(ByteSpan(at, 16));
  return (assetc::load<std::uint32_t>(ByteSpan(at, 4)) & field.b) != 0;
}

// What the records before said, for rules that look back: where the last range or text ended.
using Ends = std::array<std::uint64_t, kMaxFields>;

struct Check {
  const Field& field;
  std::uint32_t offset;  // of the field in the record
  const Context& context;
  std::size_t first_row;  // number of the first record of the column
  bool is_alone = false;  // the field is the whole record, so that a message can name its number

  std::uint64_t count() const { return context.counts[field.a]; }

  // Returns the first row that breaks the rule, or the size of the column.
  std::size_t first_bad(const Column& c, std::uint64_t& end) const {
    const std::uint64_t a = field.a, b = field.b;
    switch (field.rule) {
      case Rule::kAny:
        return c.size();
      case Rule::kCount:
        return b < 2 ? c.size() : c.first_not_integer([b](std::uint64_t v) { return v % b == 0; });
      case Rule::kZero:
        return c.first_not_row([&](std::size_t row) {
          const std::byte* at = c.at(row);
          return std::all_of(at, at + field.size_bytes(), [](std::byte one) { return one == std::byte{0}; });
        });
      case Rule::kVersion:
      case Rule::kEqual:
        return c.first_not_integer([a](std::uint64_t v) { return v == a; });
      case Rule::kRange:
        return c.first_not_integer([a, b](std::uint64_t v) { return v >= a && v <= b; });
      case Rule::kSet:
        return c.first_not_integer([a](std::uint64_t v) { return v < 32 && (a >> v & 1) != 0; });
      case Rule::kBits:
        return c.first_not_integer([a](std::uint64_t v) { return (v & ~a) == 0; });
      case Rule::kMultiple:
        // A division for each row would take longer than all other rules together.
        if (std::has_single_bit(a)) {
          return c.first_not_integer([mask = a - 1, b](std::uint64_t v) { return (v & mask) == 0 && v >= b; });
        }
        return c.first_not_integer([a, b](std::uint64_t v) { return v % a == 0 && v >= b; });
      case Rule::kCountOf:
        return c.first_not_integer([n = count()](std::uint64_t v) { return v == n; });
      case Rule::kNoneOrCount:
        return c.first_not_integer([n = count()](std::uint64_t v) { return v == 0 || v == n; });
      case Rule::kIndex:
        return c.first_not_integer([n = count()](std::uint64_t v) { return v < n; });
      case Rule::kIndexOrNone:
        return c.first_not_integer([n = count()](std::uint64_t v) { return v < n || v == kNone; });
      case Rule::kUpTo:
        return c.first_not_integer([n = count()](std::uint64_t v) { return v <= n; });
      case Rule::kParent:
        return c.first_not<std::int32_t>(
            [n = count()](std::int32_t v) { return v == -1 || (v >= 0 && static_cast<std::uint64_t>(v) < n); });
      case Rule::kEarlier:
        return c.first_not_row([&](std::size_t row) {
          const auto v = c.load<std::int32_t>(row);
          return v >= -1 && v < static_cast<std::int64_t>(first_row + row);
        });
      case Rule::kSlice:
        return c.first_not_row([&](std::size_t row) {
          const std::uint64_t size = c.integer(row, 1);
          return c.integer(row) + size <= count() && (b < 2 || size % b == 0);
        });
      case Rule::kRun:
        return c.first_not_row([&](std::size_t row) {
          const std::uint64_t size = c.integer(row, 1);
          if (c.integer(row) != end || size > count() - end || (b > 1 && size % b != 0)) return false;
          end += size;
          return true;
        });
      case Rule::kTextEnd:
        return c.first_not_row([&](std::size_t row) {
          const std::uint64_t at = c.integer(row);
          if (at < end || at > context.texts.size()) return false;
          if (!is_utf8(context.texts.substr(end, at - end))) return false;
          end = at;
          return true;
        });
      case Rule::kFinite:
        return c.first_not<float>([](float v) { return std::isfinite(v); });
      case Rule::kFromZero:
        return c.first_not<float>([](float v) { return std::isfinite(v) && v >= 0; });
      case Rule::kNotNegative:
        return c.first_not<float>([](float v) { return v >= 0; });
      case Rule::kUpToOne:
        return c.first_not<float>([](float v) { return v >= 0 && v <= 1; });
      case Rule::kStep:
        return c.first_not<float>([](float v) { return v >= 0 && std::isfinite(v * 32767.0f); });
      case Rule::kWeights:
        return c.first_not_row([&](std::size_t row) {
          float w[4];
          std::memcpy(w, c.at(row), sizeof w);
          const bool in_range = w[0] >= 0 && w[1] >= 0 && w[2] >= 0 && w[3] >= 0;
          return in_range && std::fabs(w[0] + w[1] + w[2] + w[3] - 1.0f) <= hmesh::kWeightSumTolerance;
        });
      case Rule::kInOrder:
        return c.first_not_row(
            [&](std::size_t row) { return is_finite(c, row, 0, 2) && c.f32(row, 0) <= c.f32(row, 1); });
      case Rule::kBox:
        return c.first_not_row([&](std::size_t row) {
          return is_finite(c, row, 0, 6) && (!has_box(field, offset, c, row) || is_box(c, row));
        });
      case Rule::kBounds:
        return c.first_not_row([&](std::size_t row) { return is_bounds(c, row); });
      case Rule::kBoundsInside:
        return c.first_not_row([&](std::size_t row) { return is_bounds(c, row) && is_inside(c, row, context.box); });
      case Rule::kInside:
        return c.size() == 0 ? 0
                             : first_position_outside(c.at(0), static_cast<std::size_t>(c.at(1) - c.at(0)), c.size(),
                                                      context.box, context.box + 3);
      case Rule::kRef:
        return count() == 1 ? c.size()
                            : c.first_not_row([&](std::size_t row) { return c.load<std::uint64_t>(row, 1) == 0; });
    }
    return c.size();
  }

  std::string_view what() const { return field.what.empty() ? field.name : field.what; }

  // Whether the message of error() names the number of the record.
  bool names_row() const {
    if (!is_alone) return false;
    if (field.rule == Rule::kFinite || field.rule == Rule::kTextEnd) return true;
    return field.count == 1 && is_of_single_numbers();
  }

  // The error of a row. place: of the first number of the field.
  std::unexpected<Error> error(const Column& c, std::size_t row, std::uint64_t place, std::uint64_t end) const {
    const auto number = [&](std::size_t n) {
      if (field.type == Type::kF32) return message(c.f32(row, n));
      return field.type == Type::kI16 || field.type == Type::kI32
                 ? message(static_cast<std::int64_t>(c.integer(row, n)))
                 : message(c.integer(row, n));
    };
    // The first of several numbers that breaks a rule of single numbers.
    std::size_t bad = 0;
    if (field.count > 1) {
      for (; bad + 1 < field.count; ++bad) {
        const Field one{field.name, field.type, 1, field.rule, field.a, field.b, field.what};
        const Check alone{one, offset, context, first_row + row};
        const std::size_t size = size_bytes_of(field.type);
        const Column single(one, 0, c.at(row) + bad * size, size, 1);
        std::uint64_t unused = 0;
        if (is_of_single_numbers() && alone.first_bad(single, unused) == 0) break;
        if (!is_of_single_numbers()) break;
      }
    }
    const std::uint64_t number_place = place + bad * size_bytes_of(field.type);
    const auto refuse = [&](const auto&... expected) {
      const std::string found = is_alone && field.count == 1
                                    ? message(what(), " ", first_row + row, " is ", number(bad))
                                    : message("found ", what(), " ", number(bad));
      return invalid(number_place, message(found, ", expected ", expected...));
    };
    switch (field.rule) {
      case Rule::kZero:
        return invalid(place, "found a byte that is not 0 in a reserved place, expected 0");
      case Rule::kVersion:
        return fail_at(ErrorCode::kVersion, byte_place(place),
                       message("found ", what(), " ", number(0), ", expected ", field.a), "compile its source again");
      case Rule::kEqual:
        if (field.name == "magic") {
          return invalid(place, message("found magic ", fourcc_text(static_cast<std::uint32_t>(c.integer(row))),
                                        ", expected ", fourcc_text(field.a)));
        }
        return refuse(field.a);
      case Rule::kRange:
        if (field.b == kNone) return refuse("at least ", field.a);
        return refuse(field.a, " to ", field.b);
      case Rule::kSet: {
        std::string list;
        for (std::uint32_t v = 0; v < 32; ++v) {
          if ((field.a >> v & 1) != 0) list += message(list.empty() ? "" : ", ", v);
        }
        return refuse("one of ", list);
      }
      case Rule::kBits:
        return refuse("only bits of ", field.a);
      case Rule::kMultiple:
        return field.b == 0 ? refuse("a multiple of ", field.a)
                            : refuse("a multiple of ", field.a, " of at least ", field.b);
      case Rule::kCount:
        return refuse("a multiple of ", field.b);
      case Rule::kCountOf:
        return refuse(count());
      case Rule::kNoneOrCount:
        return refuse("0 or ", count());
      case Rule::kIndex:
        return refuse("less than ", count());
      case Rule::kIndexOrNone:
        return refuse("less than ", count(), " or none");
      case Rule::kUpTo:
        return refuse("at most ", count());
      case Rule::kParent:
        return refuse("-1 or less than ", count());
      case Rule::kEarlier:
        return refuse("-1 or one before it");
      case Rule::kSlice:
      case Rule::kRun: {
        const std::uint64_t first = c.integer(row), size = c.integer(row, 1);
        if (field.rule == Rule::kRun && first != end)
          return invalid(place, message("found ", what(), " from ", first, ", expected from ", end,
                                        ", where the one before ends"));
        if (first + size > count())
          return invalid(place,
                         message("found ", what(), " ", first, " to ", first + size, ", expected at most ", count()));
        return invalid(place + size_bytes_of(field.type),
                       message("found ", size, " ", what(), ", expected a multiple of ", field.b));
      }
      case Rule::kTextEnd: {
        const std::uint64_t at = c.integer(row);
        const std::string which = is_alone ? message(what(), " ", first_row + row) : message("its ", what());
        if (at < end || at > context.texts.size()) {
          return invalid(
              place, message("found the end of ", which, " at ", at, ", expected ", end, " to ", context.texts.size()));
        }
        return invalid(place, message(which, " is not UTF-8"));
      }
      case Rule::kFinite:
        return invalid(place, is_alone ? message(what(), " ", first_row + row, " holds a number that is not finite")
                                       : message("the ", what(), " holds a number that is not finite"));
      case Rule::kFromZero:
        return refuse("a finite number of at least 0");
      case Rule::kNotNegative:
        return refuse("at least 0");
      case Rule::kUpToOne:
        return refuse("0 to 1");
      case Rule::kStep:
        return refuse("a small number of at least 0");
      case Rule::kWeights:
        return invalid(place,
                       message("the weights sum to ", c.f32(row, 0) + c.f32(row, 1) + c.f32(row, 2) + c.f32(row, 3),
                               ", expected four of at least 0 that sum to 1"));
      case Rule::kInOrder:
        return invalid(place, message("found ", what(), " from ", c.f32(row, 0), " to ", c.f32(row, 1),
                                      ", expected finite numbers in order"));
      case Rule::kBox:
      case Rule::kBounds:
      case Rule::kBoundsInside:
        return box_error(c, row, place);
      case Rule::kInside:
        return invalid(place, message("(", c.f32(row, 0), ", ", c.f32(row, 1), ", ", c.f32(row, 2),
                                      ") lies outside the box of the mesh"));
      case Rule::kRef:
        return invalid(place, "found a ref of 16 bytes, expected a hash of 8 bytes and zeros");
      default:
        return refuse("another value");
    }
  }

 private:
  bool is_of_single_numbers() const {
    switch (field.rule) {
      case Rule::kSlice:
      case Rule::kRun:
      case Rule::kWeights:
      case Rule::kInOrder:
      case Rule::kBox:
      case Rule::kBounds:
      case Rule::kBoundsInside:
      case Rule::kInside:
      case Rule::kRef:
      case Rule::kZero:
      case Rule::kFinite:
        return false;
      default:
        return true;
    }
  }

  std::unexpected<Error> box_error(const Column& c, std::size_t row, std::uint64_t place) const {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const float low = c.f32(row, axis), high = c.f32(row, axis + 3);
      if (!std::isfinite(low) || !std::isfinite(high) || low > high) {
        return invalid(place + 4 * axis, message("the ", what(), " runs from ", low, " to ", high, " on axis ", axis,
                                                 ", expected finite numbers in order"));
      }
    }
    if (field.rule == Rule::kBounds || is_finite(c, row, 6, 4) == false || c.f32(row, 9) < 0) {
      return invalid(place + 24, message("found a sphere of radius ", c.f32(row, 9),
                                         ", expected a finite center and a radius of at least 0"));
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const float low = c.f32(row, axis), high = c.f32(row, axis + 3);
      if (low >= context.box[axis] && high <= context.box[axis + 3]) continue;
      return invalid(place + 4 * axis, message("the ", what(), " runs from ", low, " to ", high, " on axis ", axis,
                                               ", expected it inside ", context.box_name, ", ", context.box[axis],
                                               " to ", context.box[axis + 3]));
    }
    return invalid(place, message("the ", what(), " is invalid"));
  }
};

// A rule over whole arrays that compilers vectorize. Returns whether it was enough to see that all rows are valid.
bool all_below(const Record& record, ByteSpan rows, const Context& context) {
  const Field& field = record.fields.front();
  if (record.fields.size() != 1 || field.count != 1 || field.rule != Rule::kIndex) return false;
  const std::uint64_t limit = context.counts[field.a];
  const auto check = [&]<class T>(T) {
    const std::span all(reinterpret_cast<const T*>(rows.data()), rows.size() / sizeof(T));
    return first_not_below(all, limit) == all.size();
  };
  if (reinterpret_cast<std::uintptr_t>(rows.data()) % record.size_bytes != 0) return false;
  if (field.type == Type::kU16) return check(std::uint16_t{});
  return field.type == Type::kU32 && check(std::uint32_t{});
}

}  // namespace

Result<void> check_records(const Record& record, ByteSpan rows, std::uint64_t place, const Context& context,
                           std::size_t first_number, std::size_t stride_bytes) {
  const std::size_t stride = stride_bytes == 0 ? record.size_bytes : stride_bytes;
  const std::size_t count = rows.size() < record.size_bytes ? 0 : (rows.size() - record.size_bytes) / stride + 1;
  if (count == 0 && !record.looks_back) return {};
  if (count == 0 || stride_bytes != 0 || !all_below(record, rows, context)) {
    // Columns of a block of records, which stays in the cache of the processor.
    const std::size_t block = std::max<std::size_t>(1, (std::size_t{16} << 10) / stride);
    Ends ends, before;
    std::fill_n(ends.begin(), record.fields.size(), 0);
    for (std::size_t first = 0; first < count; first += block) {
      const std::byte* const part = rows.data() + first * stride;
      const std::size_t size = std::min(block, count - first);
      std::copy_n(ends.begin(), record.fields.size(), before.begin());
      std::size_t worst = size, worst_field = 0;
      std::uint32_t offset = 0;
      for (std::size_t f = 0; f < record.fields.size(); ++f) {
        const Field& field = record.fields[f];
        if (field.rule == Rule::kAny) {
          offset += static_cast<std::uint32_t>(field.size_bytes());
          continue;
        }
        const Column column(field, offset, part, stride, size);
        const std::size_t bad = Check{field, offset, context, first_number + first}.first_bad(column, ends[f]);
        if (bad < worst) worst = bad, worst_field = f;
        offset += static_cast<std::uint32_t>(field.size_bytes());
      }
      if (worst == size) continue;
      const Field& field = record.fields[worst_field];
      offset = 0;
      for (std::size_t f = 0; f < worst_field; ++f) offset += static_cast<std::uint32_t>(record.fields[f].size_bytes());
      const Check check{field, offset, context, first_number + first, record.fields.size() == 1 && !record.is_single};
      std::uint64_t end = before[worst_field];
      const Column column(field, offset, part, stride, size);
      check.first_bad(column, end);  // stops before the row, so `end` is what the row had to follow
      Error error = check.error(column, worst, place + (first + worst) * stride + offset, end).error();
      if (!record.is_single && !check.names_row())
        error.what = message(record.name, " ", first_number + first + worst, ": ", error.what);
      return std::unexpected(std::move(error));
    }
    if (!record.looks_back) return {};
    for (std::size_t f = 0; f < record.fields.size(); ++f) {
      const Field& field = record.fields[f];
      const std::string_view what = field.what.empty() ? field.name : field.what;
      if (field.rule == Rule::kRun && ends[f] != context.counts[field.a]) {
        return invalid(place, message("found ", ends[f], " ", what, " in all, expected ", context.counts[field.a]));
      }
      if (field.rule == Rule::kTextEnd && ends[f] != context.texts.size()) {
        return invalid(place + count * stride + ends[f],
                       message("found ", counted(context.texts.size() - ends[f], "extra byte"),
                               " of text, expected the end of the last ", what));
      }
    }
  }
  return {};
}

Result<ByteSpan> take_record(Reader& reader, const Record& record, const Context& context, std::size_t number) {
  const std::uint64_t place = reader.position();
  // Words cost time, so they are joined for an error alone.
  if (reader.remaining() < record.size_bytes) return reader.take(record.size_bytes, message("the ", record.name));
  ASSETC_TRY(const ByteSpan row, reader.take(record.size_bytes, record.name));
  ASSETC_CHECK(check_records(record, row, place, context, number));
  return row;
}

void give_counts(const Record& record, ByteSpan row, Counts& counts) {
  std::uint32_t offset = 0;
  for (const Field& field : record.fields) {
    if (field.rule == Rule::kCount)
      counts[field.a] = Column(field, offset, row.data(), record.size_bytes, 1).integer(0);
    offset += static_cast<std::uint32_t>(field.size_bytes());
  }
}

Result<OpenPart> open_part(const Part& part, ByteSpan payload, std::uint64_t place, Context& context) {
  OpenPart out;
  if (payload.size() < part.header->size_bytes) {
    return fail_at(ErrorCode::kTruncated, byte_place(place),
                   message("found ", counted(payload.size(), "byte"), ", expected ", part.header->size_bytes,
                           " for the header of ", part.name),
                   kDamagedHint);
  }
  out.header = payload.first(part.header->size_bytes);
  ASSETC_CHECK(check_records(*part.header, out.header, place, context));
  give_counts(*part.header, out.header, context.counts);
  const auto field = [&](std::size_t number) {
    std::uint32_t offset = 0;
    for (std::size_t f = 0; f < number; ++f) offset += static_cast<std::uint32_t>(part.header->fields[f].size_bytes());
    return Column(part.header->fields[number], offset, out.header.data(), part.header->size_bytes, 1).integer(0);
  };
  std::uint64_t at = part.header->size_bytes;
  const auto take = [&](std::uint64_t size, auto what) -> Result<ByteSpan> {
    if (size > payload.size() - at) {
      return fail_at(ErrorCode::kTruncated, byte_place(place + at),
                     message("found ", counted(payload.size() - at, "byte"), ", expected ", size, " for ", what(),
                             " of ", part.name),
                     kDamagedHint);
    }
    const ByteSpan bytes = payload.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(size));
    at += size;
    return bytes;
  };
  for (std::size_t s = 0; s < part.sections.size(); ++s) {
    const Section& section = part.sections[s];
    std::uint64_t count = 0;  // a sum of four numbers of 32 bits, or a product of two
    for (std::size_t f = 0; f < section.field_count; ++f) count += field(section.first_field + f);
    if (section.times_field != 0xFF) count *= field(section.times_field);
    if (section.count != kNoCount) context.counts[section.count] = count;
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t stride = section.record->size_bytes;
    const std::uint64_t size = count > kMost / stride ? kMost : count * stride;
    ASSETC_TRY(out.sections[s], take(size, [&] { return counted(count, section.record->name); }));
  }
  if (part.texts != Texts::kNone) {
    const std::uint64_t size = part.texts == Texts::kRest ? payload.size() - at : field(part.text_field);
    ASSETC_TRY(const ByteSpan texts, take(size, [] { return "the texts"; }));
    out.texts = as_text(texts);
  }
  if (part.has_more) {
    out.more = payload.subspan(static_cast<std::size_t>(at));
  } else if (at != payload.size()) {
    return invalid(place + at,
                   message("found ", counted(payload.size() - at, "extra byte"), ", expected the end of ", part.name));
  }
  context.texts = out.texts;
  for (std::size_t s = 0; s < part.sections.size(); ++s) {
    const auto section_place = place + static_cast<std::uint64_t>(out.sections[s].data() - payload.data());
    ASSETC_CHECK(check_records(*part.sections[s].record, out.sections[s], section_place, context));
  }
  return out;
}

Result<OpenChunks> open_chunks(std::span<const ChunkRow> rows, ByteSpan file, std::span<const chunks::ChunkEntry> table,
                               Counts& counts) {
  OpenChunks out;
  out.file = file;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const ChunkRow& row = rows[r];
    ASSETC_TRY(const chunks::ChunkEntry* entry, chunks::find_chunk(file, table, row.id));
    out.is_present[r] = entry != nullptr;
    if (entry == nullptr) {
      if (!row.is_required) continue;
      return invalid(sizeof(chunks::FileHeader),
                     message("found no chunk ", fourcc_text(row.id), ", which every file has"));
    }
    if (!range_fits(entry->offset_bytes, entry->size_bytes, file.size())) {
      return fail_at(ErrorCode::kTruncated, byte_place(entry->offset_bytes),
                     message("found ", counted(file.size(), "byte"), ", expected ", fourcc_text(row.id), " in them"),
                     {});
    }
    out.payloads[r] =
        file.subspan(static_cast<std::size_t>(entry->offset_bytes), static_cast<std::size_t>(entry->size_bytes));
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const ChunkRow& row = rows[r];
    if (row.size == Size::kPart) continue;
    const std::uint64_t size = out.payloads[r].size(), stride = row.record->size_bytes;
    if (size % stride != 0) {
      return invalid(out.place(r), message("found ", counted(size, "byte"), " of ", fourcc_text(row.id),
                                           ", expected a multiple of ", stride));
    }
    const std::uint64_t count = size / stride;
    if (row.size == Size::kOne && count != 1) {
      return invalid(out.place(r),
                     message("found ", counted(count, "element"), " of ", fourcc_text(row.id), ", expected one"));
    }
    if (row.size == Size::kFixed && count != counts[row.count]) {
      return invalid(out.place(r), message("found ", counted(size, "byte"), " of ", fourcc_text(row.id), ", expected ",
                                           counted(counts[row.count], "element"), " of ", stride));
    }
    if (row.size == Size::kFree) {
      if (count >= std::numeric_limits<std::uint32_t>::max() && stride > 1) {
        return fail_at(ErrorCode::kLimit, byte_place(out.place(r)),
                       message("found ", counted(count, "element"), " of ", fourcc_text(row.id), ", expected fewer"));
      }
      if (row.count != kNoCount) counts[row.count] = count;
    }
    if (row.size == Size::kOne) give_counts(*row.record, out.payloads[r], counts);
  }
  return out;
}

Result<void> check_chunks(std::span<const ChunkRow> rows, const OpenChunks& chunks, const Context& context) {
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (rows[r].record == nullptr || rows[r].size == Size::kPart) continue;
    ASSETC_CHECK(check_records(*rows[r].record, chunks.payloads[r], chunks.place(r), context));
  }
  return {};
}

}  // namespace assetc::formats
