// A pack may be larger than memory, so opening it checks only the table. verify() compares the checksums.
#include "assetc/formats/hpack.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "formats/hpack_table.hpp"
#include "formats/text.hpp"

namespace assetc::hpack {

using namespace formats;

namespace {

struct FileHeader {
  std::uint32_t magic;
  std::uint32_t version;
  std::uint32_t count;
  std::uint32_t flags;
  std::uint64_t toc_size_bytes;
};
static_assert(sizeof(FileHeader) == kHeaderBytes);

constexpr std::uint64_t kEntryFixedBytes = table::kEntry.size_bytes;
constexpr std::size_t kOffsetAt = table::kEntry.offset_of("offset_bytes");
constexpr std::size_t kSizeAt = table::kEntry.offset_of("size_bytes");
constexpr std::size_t kKindAt = table::kEntry.offset_of("kind");
constexpr std::size_t kPathSizeAt = table::kEntry.offset_of("path_size_bytes");

constexpr std::pair<std::string_view, PackKind> kExtensions[] = {
    {".hmesh", PackKind::kMesh},      {".hmat", PackKind::kMaterial}, {".hman", PackKind::kManifest},
    {".hanim", PackKind::kAnimation}, {".ktx2", PackKind::kTexture},  {".spv", PackKind::kShader},
    {".hfont", PackKind::kFont},      {".hscene", PackKind::kScene},  {".hcluster", PackKind::kMesh},
};

std::optional<std::uint64_t> align_up(std::uint64_t value) {
  const auto sum = checked_add(value, kPayloadAlignment - 1);
  if (!sum) return std::nullopt;
  return *sum / kPayloadAlignment * kPayloadAlignment;
}

// Follows the padding of the table.
struct Mark {
  std::uint32_t magic;
  std::uint32_t version;
  std::uint64_t checksums_offset_bytes;
};
static_assert(sizeof(Mark) == kMarkBytes);

// The checksums of the head, of each entry, and of the checksums before it.
std::uint64_t checksums_size(std::uint64_t entry_count) { return (entry_count + 2) * sizeof(ContentHash); }

Result<FileHeader> open_header(ByteSpan head) {
  ASSETC_CHECK(check_magic(head, kMagic, kVersion, "hpack"));
  Reader reader(head);
  return reader.read<FileHeader>("the header");
}

// Requires a table that is inside the file.
std::uint64_t mark_offset(std::uint64_t table_end) {
  return (table_end + kPayloadAlignment - 1) / kPayloadAlignment * kPayloadAlignment;
}

// Checks that payloads do not overlap, unless they are the same range.
Result<void> check_apart(std::span<const EntryView> entries) {
  std::vector<const EntryView*> by_offset;
  for (const EntryView& entry : entries) {
    if (entry.size_bytes != 0) by_offset.push_back(&entry);
  }
  std::sort(by_offset.begin(), by_offset.end(), [](const EntryView* a, const EntryView* b) {
    return std::tie(a->offset_bytes, a->size_bytes, a->path) < std::tie(b->offset_bytes, b->size_bytes, b->path);
  });
  for (std::size_t i = 1; i < by_offset.size(); ++i) {
    const EntryView& a = *by_offset[i - 1];
    const EntryView& b = *by_offset[i];
    const bool same = a.offset_bytes == b.offset_bytes && a.size_bytes == b.size_bytes;
    if (!same && b.offset_bytes < a.offset_bytes + a.size_bytes) {
      return invalid(b.offset_bytes, message("the payloads of ", quote(a.path), " and ", quote(b.path), " overlap"));
    }
  }
  return {};
}

}  // namespace

PackKind kind_of(std::string_view path) {
  for (const auto& [extension, kind] : kExtensions) {
    if (path.ends_with(extension)) return kind;
  }
  return PackKind::kOther;
}

std::string_view to_string(PackKind kind) {
  switch (kind) {
    case PackKind::kOther:
      return "other";
    case PackKind::kMesh:
      return "mesh";
    case PackKind::kMaterial:
      return "material";
    case PackKind::kManifest:
      return "manifest";
    case PackKind::kAnimation:
      return "animation";
    case PackKind::kTexture:
      return "texture";
    case PackKind::kShader:
      return "shader";
    case PackKind::kFont:
      return "font";
    case PackKind::kScene:
      return "scene";
  }
  return "other";
}

Result<std::uint64_t> Toc::size_of(ByteSpan head) {
  ASSETC_TRY(const FileHeader header, open_header(head));
  const auto size = checked_add(sizeof(FileHeader), header.toc_size_bytes);
  if (!size) return invalid(16, message("found a table of ", counted(header.toc_size_bytes, "byte")));
  return *size;
}

Result<Toc> Toc::open(ByteSpan head, std::uint64_t file_size_bytes) {
  ASSETC_TRY(const std::uint64_t toc_end, size_of(head));
  const auto header = load<FileHeader>(head);
  if (toc_end > file_size_bytes || toc_end > head.size()) {
    return fail_at(ErrorCode::kTruncated, byte_place(16),
                   message("found ", counted(std::min<std::uint64_t>(file_size_bytes, head.size()), "byte"),
                           ", expected a table up to ", toc_end),
                   kDamagedHint);
  }
  Toc toc;
  toc.size_bytes_ = toc_end;
  toc.entries_.reserve(std::min<std::uint64_t>(header.count, header.toc_size_bytes / kEntryFixedBytes));
  Reader reader(head.first(toc_end));
  (void)reader.take(sizeof(FileHeader), "the header");
  std::uint64_t payload_end = toc_end;
  for (std::uint32_t i = 0; i < header.count; ++i) {
    const std::uint64_t place = reader.position();
    EntryView entry;
    ASSETC_TRY(const ByteSpan row, reader.take(kEntryFixedBytes, "an entry"));
    entry.offset_bytes = load<std::uint64_t>(row, kOffsetAt);
    entry.size_bytes = load<std::uint64_t>(row, kSizeAt);
    const auto kind = load<std::uint8_t>(row, kKindAt);
    const auto path_size = load<std::uint16_t>(row, kPathSizeAt);
    ASSETC_TRY(const ByteSpan path, reader.take(path_size, "a path"));
    entry.path = as_text(path);
    entry.kind = static_cast<PackKind>(kind);
    if (const auto fault = path_fault(entry.path); !fault.empty()) {
      return invalid(place + kEntryFixedBytes,
                     message("path ", quote(entry.path), " is not below the root of the pack: ", fault));
    }
    if (!toc.entries_.empty() && entry.path <= toc.entries_.back().path) {
      return invalid(place + kEntryFixedBytes, message("found path ", quote(entry.path), " after ",
                                                       quote(toc.entries_.back().path), ", expected them to ascend"));
    }
    if (!range_fits(entry.offset_bytes, entry.size_bytes, file_size_bytes)) {
      return fail_at(ErrorCode::kTruncated, byte_place(place),
                     message(quote(entry.path), " of ", counted(entry.size_bytes, "byte"), " at ", entry.offset_bytes,
                             " does not fit in the pack of ", counted(file_size_bytes, "byte")),
                     kDamagedHint);
    }
    if (entry.offset_bytes % kPayloadAlignment != 0 || entry.offset_bytes < toc_end) {
      // An empty file may have an unaligned offset at the end. It has no bytes to misplace.
      if (entry.size_bytes != 0) {
        return invalid(place, message(quote(entry.path), " lies at ", entry.offset_bytes, ", expected a multiple of ",
                                      kPayloadAlignment, " after the table"));
      }
    }
    // Writers that do not know the kind yet store 0.
    const PackKind expected = kind_of(entry.path);
    if (entry.kind != expected && entry.kind != PackKind::kOther && expected != PackKind::kOther) {
      return invalid(place + 16, message("found kind ", int{kind}, " of ", quote(entry.path), ", expected ",
                                         static_cast<int>(expected), " ", to_string(expected)));
    }
    payload_end = std::max(payload_end, entry.offset_bytes + entry.size_bytes);
    toc.entries_.push_back(entry);
  }
  if (reader.position() != toc_end) {
    return invalid(reader.position(), message("found ", counted(toc_end - reader.position(), "extra byte"),
                                              ", expected the end of the table"));
  }
  ASSETC_CHECK(check_apart(toc.entries_));
  const std::uint64_t aligned_end = align_up(payload_end).value_or(payload_end);
  if (file_size_bytes <= aligned_end) return toc;
  const std::uint64_t checksums = std::max(aligned_end, mark_offset(toc_end) + kMarkBytes);
  // the entries fit into the file: no overflow
  const std::uint64_t checksums_end = checksums + checksums_size(header.count);
  if (file_size_bytes != checksums_end) {
    const std::uint64_t end = file_size_bytes > checksums_end ? checksums_end : payload_end;
    return invalid(end,
                   message("found ", counted(file_size_bytes - end, "extra byte"), ", expected the end of the pack"));
  }
  toc.checksums_offset_bytes_ = checksums;
  return toc;
}

const EntryView* Toc::find(std::string_view path) const {
  const auto it = std::lower_bound(entries_.begin(), entries_.end(), path,
                                   [](const EntryView& e, std::string_view p) { return e.path < p; });
  return it != entries_.end() && it->path == path ? &*it : nullptr;
}

Result<View> View::open(ByteSpan file) {
  View view;
  ASSETC_TRY(view.toc_, Toc::open(file, file.size()));
  view.file_ = file;
  ASSETC_CHECK(view.check_mark());
  return view;
}

// Checks that the mark and the size of the file agree about checksums. A pack that lost its checksums is not accepted
// as one without checksums.
Result<void> View::check_mark() const {
  const std::uint64_t at = mark_offset(toc_.size_bytes());
  std::uint64_t room_end = file_.size();
  for (const EntryView& entry : entries()) {
    if (entry.size_bytes != 0) room_end = std::min(room_end, entry.offset_bytes);
  }
  const bool marked = range_fits(at, kMarkBytes, room_end) && load<std::uint32_t>(file_, at) == kChecksumsMagic;
  if (!marked) {
    if (!has_checksums()) return {};
    return invalid(at, message("found no mark for the ", counted(file_.size() - toc_.checksums_offset_bytes(), "byte"),
                               " of checksums at the end"));
  }
  const auto mark = load<Mark>(file_, at);
  if (mark.version != kChecksumsVersion) {
    return fail_at(ErrorCode::kVersion, byte_place(at + 4),
                   message("found checksums of version ", mark.version, ", expected ", kChecksumsVersion),
                   "read the pack with the assetc that wrote it");
  }
  if (!has_checksums()) {
    return fail_at(ErrorCode::kTruncated, byte_place(file_.size()),
                   message("found the end of the pack, expected checksums at ", mark.checksums_offset_bytes),
                   kDamagedHint);
  }
  if (mark.checksums_offset_bytes != toc_.checksums_offset_bytes()) {
    return invalid(at + 8, message("found checksums at ", mark.checksums_offset_bytes, ", expected them at ",
                                   toc_.checksums_offset_bytes()));
  }
  return {};
}

Result<void> View::verify_layout() const {
  if (!has_checksums()) return {};
  const std::uint64_t at = toc_.checksums_offset_bytes();
  const std::uint64_t last = file_.size() - sizeof(ContentHash);
  if (content_hash(file_.subspan(at, last - at)) != load<ContentHash>(file_, last))
    return invalid(at, "the checksums are damaged");
  const std::uint64_t head_size = mark_offset(toc_.size_bytes()) + kMarkBytes;
  if (content_hash(file_.first(head_size)) != load<ContentHash>(file_, at))
    return invalid(0, "the header or the table is not the one that was written");
  std::vector<const EntryView*> by_offset;
  for (const EntryView& entry : entries()) {
    if (entry.size_bytes != 0) by_offset.push_back(&entry);
  }
  std::ranges::sort(by_offset, {}, &EntryView::offset_bytes);
  std::uint64_t end = head_size;
  const auto padded_until = [&](std::uint64_t next) -> Result<void> {
    for (; end < next; ++end) {
      if (file_[end] != std::byte{0}) return invalid(end, "the padding between payloads is not zero");
    }
    return {};
  };
  for (const EntryView* entry : by_offset) {
    ASSETC_CHECK(padded_until(entry->offset_bytes));
    end = entry->offset_bytes + entry->size_bytes;
  }
  return padded_until(at);
}

Result<void> View::verify(const EntryView& entry) const {
  Hashes known;
  return verify(entry, known);
}

Result<void> View::verify(const EntryView& entry, Hashes& known) const {
  if (!has_checksums()) return {};
  const auto index = static_cast<std::size_t>(&entry - entries().data());
  const std::uint64_t at = toc_.checksums_offset_bytes() + (index + 1) * sizeof(ContentHash);
  // An empty payload may lie where another begins.
  const auto kept = entry.size_bytes == 0 ? known.end() : known.find(entry.offset_bytes);
  const ContentHash hash = kept == known.end() ? content_hash(payload(entry)) : kept->second;
  if (entry.size_bytes != 0) known.try_emplace(entry.offset_bytes, hash);
  if (hash == load<ContentHash>(file_, at)) return {};
  return invalid(entry.offset_bytes, message(quote(entry.path), " does not hold the bytes that were packed"));
}

Result<void> View::verify() const {
  ASSETC_CHECK(verify_layout());
  Hashes known;
  for (const EntryView& entry : entries()) ASSETC_CHECK(verify(entry, known));
  return {};
}

std::optional<ByteSpan> View::read(std::string_view path) const {
  const EntryView* entry = find(path);
  if (entry == nullptr) return std::nullopt;
  return payload(*entry);
}

Result<Plan> plan(std::span<const PlanInput> inputs) {
  std::vector<std::size_t> order(inputs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return inputs[a].path < inputs[b].path; });
  if (inputs.size() > std::numeric_limits<std::uint32_t>::max()) {
    return fail(ErrorCode::kLimit, message("found ", counted(inputs.size(), "file"), " for one pack"),
                "make several packs");
  }
  std::uint64_t toc_size = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::string& path = inputs[order[i]].path;
    if (const auto fault = path_fault(path); !fault.empty()) {
      return fail(ErrorCode::kUsage, message("path ", quote(path), " is not below the root of the pack: ", fault),
                  "rename the file");
    }
    if (path.size() > std::numeric_limits<std::uint16_t>::max()) {
      return fail(ErrorCode::kLimit,
                  message("path ", quote(path), " takes ", counted(path.size(), "byte"), ", expected at most 65535"),
                  "rename the file");
    }
    if (i > 0 && inputs[order[i - 1]].path == path)
      return fail(ErrorCode::kConflict, message(quote(path), " is listed twice"));
    toc_size += kEntryFixedBytes + path.size();  // total below 2^32 * 2^17
  }

  Plan out;
  const std::uint64_t mark_at = *align_up(sizeof(FileHeader) + toc_size);
  out.head.reserve(mark_at + sizeof(Mark));
  append(out.head, FileHeader{kMagic, kVersion, static_cast<std::uint32_t>(inputs.size()), 0, toc_size});
  std::uint64_t end = mark_at + sizeof(Mark);
  std::map<std::pair<ContentHash, std::uint64_t>, std::uint64_t> offsets;  // of contents that have their place
  for (const std::size_t i : order) {
    const PlanInput& input = inputs[i];
    std::uint64_t offset = end;
    bool placed = false;
    if (input.content && input.size_bytes != 0) {
      const auto [it, is_new] = offsets.try_emplace({*input.content, input.size_bytes}, end);
      offset = it->second;
      placed = !is_new;
    }
    if (!placed) {
      const auto payload_end = checked_add(offset, input.size_bytes);
      const auto next = payload_end ? align_up(*payload_end) : std::nullopt;
      if (!next) return fail(ErrorCode::kLimit, "the pack would take more than 2^64 bytes", "make several packs");
      out.payloads.push_back({i, offset, input.size_bytes});
      end = *next;
    }
    append(out.head, offset);
    append(out.head, input.size_bytes);
    append(out.head, kind_of(input.path));
    append(out.head, static_cast<std::uint16_t>(input.path.size()));
    append_bytes(out.head, as_bytes(input.path));
  }
  const auto file_size = checked_add(end, checksums_size(inputs.size()));
  if (!file_size) return fail(ErrorCode::kLimit, "the pack would take more than 2^64 bytes", "make several packs");
  out.head.resize(mark_at);
  append(out.head, Mark{kChecksumsMagic, kChecksumsVersion, end});
  out.table = std::move(order);
  out.checksums_offset_bytes = end;
  out.file_size_bytes = *file_size;
  return out;
}

ByteVector checksums(const Plan& plan, std::span<const ContentHash> contents) {
  ByteVector out;
  out.reserve(checksums_size(plan.table.size()));
  append(out, content_hash(plan.head));
  for (const std::size_t input : plan.table) append(out, contents[input]);
  append(out, content_hash(out));
  return out;
}

Result<ByteVector> write(std::span<const File> files) {
  std::vector<PlanInput> inputs;
  std::vector<ContentHash> contents;
  inputs.reserve(files.size());
  for (const File& file : files) {
    contents.push_back(content_hash(file.bytes));
    inputs.push_back({file.path, file.bytes.size(), contents.back()});
  }
  ASSETC_TRY(Plan plan_of_files, plan(inputs));
  ByteVector out = plan_of_files.head;
  out.reserve(plan_of_files.file_size_bytes);
  for (const Plan::Payload& payload : plan_of_files.payloads) {
    out.resize(payload.offset_bytes);
    append_bytes(out, files[payload.input].bytes);
  }
  out.resize(plan_of_files.checksums_offset_bytes);
  append_bytes(out, checksums(plan_of_files, contents));
  return out;
}

}  // namespace assetc::hpack
