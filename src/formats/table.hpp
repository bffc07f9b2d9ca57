// Formats as data: what the records of a file hold, and which values a reader refuses.
//
// A format is described once, as constexpr Records, Parts and Chunks (formats/hscene/table.hpp,
// formats/hmesh/table.hpp, ...). From this data come the check in C++ (check_records, open_part, open_chunks), the
// readers in JavaScript (tables.js of web/three and web/page are printed from it) and the tables in docs/formats. Rules
// that a row cannot say, such as the order of a tree, are functions beside the table.
//
// A table says what a reader refuses. Bytes that the manual lets a reader ignore have Rule::kAny, whatever a writer
// writes there.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/chunks.hpp"
#include "base/plural.hpp"
#include "formats/reader.hpp"

namespace assetc::formats {

// A number of a record, little-endian. kI16 are 16 bits with a sign.
enum class Type : std::uint8_t { kU8, kU16, kI16, kU32, kI32, kU64, kF32 };
constexpr std::size_t size_bytes_of(Type type) {
  constexpr std::size_t kSizes[] = {1, 2, 2, 4, 4, 8, 4};
  return kSizes[static_cast<std::size_t>(type)];
}

// What a reader requires of a field. A and B are Field::a and Field::b. A count is a number of Counts.
enum class Rule : std::uint8_t {
  kAny,          // nothing
  kZero,         // every byte is 0
  kVersion,      // A; another value is an error of code kVersion
  kEqual,        // A
  kRange,        // A to B
  kSet,          // one of the numbers below 32 whose bits A has
  kBits,         // no bits but those of A
  kMultiple,     // a multiple of A, and at least B
  kCount,        // any number: it gives count A
  kCountOf,      // count A
  kNoneOrCount,  // 0, or count A
  kIndex,        // below count A
  kIndexOrNone,  // below count A, or all bits set
  kUpTo,         // at most count A
  kSlice,        // this field and the next are the first element and the number of elements of a range of an array of
                 // count A. The number is a multiple of B; B 0 means 1
  kRun,          // as kSlice; each range begins where that of the record before ends, and the last one ends at count A
  kTextEnd,      // not below that of the record before and not above the size of the texts; the last one is that size.
                 // The bytes between are UTF-8
  kParent,       // below count A, or -1
  kEarlier,      // below the number of the record itself, or -1
  kFinite,       // finite
  kFromZero,     // finite and at least 0
  kNotNegative,  // at least 0; infinity is allowed
  kUpToOne,      // 0 to 1
  kWeights,      // at least 0, with the sum 1 (kWeightSumTolerance)
  kStep,         // at least 0, and its product with 32767 is finite
  kInOrder,      // two floats: finite, the first is not above the second
  kBox,     // a minimum of three floats and a maximum: finite, and in order if a bit of B is set in the u32 at byte A
            // of the record (B 0: if one of the 16 bytes there is not 0)
  kBounds,  // a box in order, the center of a sphere and its radius, which is at least 0: all finite
  kBoundsInside,  // the same, and the box is inside Context::box
  kInside,        // a position inside Context::box
  kRef,           // 16 bytes; the last eight are 0 unless count A is 1
};

struct Field {
  std::string_view name;
  Type type = Type::kU32;
  std::uint8_t count = 1;  // of numbers
  Rule rule = Rule::kAny;
  std::uint32_t a = 0, b = 0;
  std::string_view what = {};  // for messages; empty: the name

  constexpr std::size_t size_bytes() const { return size_bytes_of(type) * count; }
};

// A struct of a file, without gaps: its fields in order.
struct Record {
  std::string_view name;
  std::span<const Field> fields;
  bool is_single;           // a file or part has one of them, so that messages need no number
  bool looks_back = false;  // a rule of it compares a record with the one before, and the last one with the end
  std::uint32_t size_bytes = 0;

  constexpr Record(std::string_view its_name, std::span<const Field> its_fields, bool single = false)
      : name(its_name), fields(its_fields), is_single(single) {
    for (const Field& field : fields) {
      size_bytes += static_cast<std::uint32_t>(field.size_bytes());
      looks_back |= field.rule == Rule::kRun || field.rule == Rule::kTextEnd;
    }
  }
  // Returns the offset of a field in bytes. Requires that the record has it.
  constexpr std::uint32_t offset_of(std::string_view field_name) const {
    std::uint32_t offset = 0;
    for (const Field& field : fields) {
      if (field.name == field_name) return offset;
      offset += static_cast<std::uint32_t>(field.size_bytes());
    }
    return ~0u;
  }
};

// The most fields of a record, sections of a part, and counts of a format.
inline constexpr std::size_t kMaxFields = 32, kMaxSections = 5, kMaxCounts = 32;

// How many elements the arrays of a file have, by the numbers that the table of its format gives them.
using Counts = std::array<std::uint64_t, kMaxCounts>;

struct Context {
  Counts counts{};
  std::string_view texts = {};     // kTextEnd
  const float* box = nullptr;      // kInside, kBoundsInside: a minimum of three floats, then a maximum
  std::string_view box_name = {};  // "the mesh's"
};

// An array inside a part. It has as many elements as the sum of field_count fields of the header from first_field,
// times the value of the field times_field if that is not 0xFF. If count is not kNoCount, that count becomes this
// number.
inline constexpr std::uint8_t kNoCount = 0xFF;
struct Section {
  const Record* record;
  std::uint8_t first_field = 0, field_count = 1, times_field = 0xFF, count = kNoCount;
};
enum class Texts : std::uint8_t {
  kNone,   // the part ends with its last section
  kRest,   // texts follow up to the end of the part
  kSized,  // the field Part::text_field of the header says how many bytes of text follow
};
// A file, chunk or extension that begins with a header: the header, arrays, texts.
struct Part {
  std::string_view name;
  const Record* header;
  std::span<const Section> sections = {};
  Texts texts = Texts::kNone;
  std::uint8_t text_field = 0;
  bool has_more = false;  // bytes follow that the table does not describe
};

struct OpenPart {
  ByteSpan header;
  std::array<ByteSpan, kMaxSections> sections;
  std::string_view texts;
  ByteSpan more;  // Part::has_more

  template <class T>
  std::span<const T> rows(std::size_t section) const {
    return {reinterpret_cast<const T*>(sections[section].data()), sections[section].size() / sizeof(T)};
  }
  template <class T>
  T head() const {
    return load<T>(header);
  }
};

// How many elements the array of a chunk has.
enum class Size : std::uint8_t {
  kFree,   // any number, which becomes count A
  kFixed,  // count A; a chunk that is absent has none
  kOne,    // one
  kPart,   // a part of its own, or something else that the table does not describe
};
struct ChunkRow {
  std::uint32_t id;
  const Record* record;  // null for Size::kPart
  Size size = Size::kFree;
  std::uint8_t count = kNoCount;
  bool is_required = false;
  const Part* part = nullptr;
  std::uint16_t encodings = 0;  // the flags that it may have: a bit for each hmesh::Encoding
};

// Checks the records in `rows`, which begin at this place of the file.
// Errors: kInvalidData with the place of the value, kVersion (Rule::kVersion). The first record that breaks a rule is
// reported, and the first of its fields.
// Constraints: rows has whole records. Any alignment.
// first_number: the number of the first record, for messages and Rule::kEarlier. stride_bytes: from one record to the
// next; 0: the size of one.
Result<void> check_records(const Record& record, ByteSpan rows, std::uint64_t place, const Context& context,
                           std::size_t first_number = 0, std::size_t stride_bytes = 0);

// Takes the next record of a file whose records follow one another with other bytes between, and checks it. number: of
// the record.
// Errors: those of Reader::take and check_records.
// Constraints: the reader began at the start of the file. Rules about ranges and texts see no record before.
Result<ByteSpan> take_record(Reader& reader, const Record& record, const Context& context, std::size_t number = 0);

// Sets the counts that the fields of a record give (Rule::kCount).
void give_counts(const Record& record, ByteSpan row, Counts& counts);

// Checks a part, and returns its arrays.
// Errors: those of check_records, kTruncated.
// Constraints: payload is aligned for its records. `context` gets the counts and texts of the part.
Result<OpenPart> open_part(const Part& part, ByteSpan payload, std::uint64_t place, Context& context);

// The chunks of a file, in the order of the table.
inline constexpr std::size_t kMaxChunkRows = 24;
struct OpenChunks {
  ByteSpan file;
  std::array<ByteSpan, kMaxChunkRows> payloads{};
  std::array<bool, kMaxChunkRows> is_present{};

  std::uint64_t place(std::size_t row) const {
    return payloads[row].empty() ? sizeof(chunks::FileHeader)
                                 : static_cast<std::uint64_t>(payloads[row].data() - file.data());
  }
  template <class T>
  std::span<const T> rows(std::size_t row) const {
    return {reinterpret_cast<const T*>(payloads[row].data()), payloads[row].size() / sizeof(T)};
  }
};

// Finds the chunks, checks that required ones exist, and checks the size of each but those of Size::kPart. Counts that
// the record of the first row gives hold for the rows after it.
// Errors: those of chunks::find_chunk, kInvalidData, kLimit (2^32 elements).
Result<OpenChunks> open_chunks(std::span<const ChunkRow> rows, ByteSpan file, std::span<const chunks::ChunkEntry> table,
                               Counts& counts);

// Checks the records of all chunks that have some.
Result<void> check_chunks(std::span<const ChunkRow> rows, const OpenChunks& chunks, const Context& context);

}  // namespace assetc::formats
