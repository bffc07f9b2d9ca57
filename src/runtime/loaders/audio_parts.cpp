// Sounds in two parts: the file without its chunks, and the whole file.
#include <algorithm>
#include <cstring>

#include "assetc/runtime/assets.hpp"
#include "runtime/loaders/heads.hpp"
#include "runtime/mount/mount_point.hpp"

namespace assetc::runtime {
namespace {

// The head of a file, and the chunk table that its view points into.
struct Held {
  Bytes blob;
  std::vector<aas1::AudioChunk> table;
};

struct Ranges {
  ContentRange head, table, behind;
  std::uint32_t data_size_bytes = 0;
};

Result<Ranges> ranges_of(const PartInput& in) {
  const Bytes first = in.content.prefix();
  Ranges out{.head = {0, sizeof(aas1::BlobHeader)}, .table = {}, .behind = {}};
  if (first.size() < sizeof(aas1::BlobHeader) && in.content_bytes >= sizeof(aas1::BlobHeader)) return out;
  if (first.size() < sizeof(aas1::BlobHeader))
    return fail(ErrorCode::kTruncated, "found " + counted(first.size(), "byte") + ", expected a header");
  const auto no_head = [] {
    return fail(ErrorCode::kInvalidData, "found no head of an AAS1 sound", "cook its source again");
  };
  if (load<std::uint32_t>(first) != aas1::kMagic) return no_head();
  ASSETC_TRY(const Aas1Head layout, aas1_head(first, in.content_bytes));
  out.head = {0, layout.data_offset_bytes};
  out.data_size_bytes = layout.data_size_bytes;
  const std::uint64_t data_end = layout.data_offset_bytes + layout.data_size_bytes;
  out.behind = {data_end, in.content_bytes - data_end};
  const std::optional<Bytes> head = in.content.find(out.head);
  if (!head) return out;
  if (head->size() < sizeof(aas1::BlobHeader) + sizeof(aas1::AudioDesc)) return no_head();
  const auto desc = load<aas1::AudioDesc>(*head, sizeof(aas1::BlobHeader));
  const std::uint64_t table_bytes = std::uint64_t{desc.chunk_count} * sizeof(aas1::AudioChunk);
  if (!range_fits(desc.chunk_table_offset_bytes, table_bytes, layout.data_size_bytes))
    return fail(ErrorCode::kTruncated, "found a table of chunks that does not fit in the data");
  if (table_bytes > kMaxHeadBytes) return head_is_too_large(table_bytes);
  out.table = {layout.data_offset_bytes + desc.chunk_table_offset_bytes, table_bytes};
  return out;
}

Result<PartPlan> plan(PartInput& in, const AudioData*) {
  if (in.level == 0)
    return PartPlan{in.content.lacking({{0, in.content_bytes}}), in.content.pieces().empty() ? 0 : in.content_bytes};
  ASSETC_TRY(const Ranges ranges, ranges_of(in));
  std::vector<ContentRange> lacking = in.content.lacking({ranges.head});
  if (lacking.empty()) lacking = in.content.lacking({ranges.table, ranges.behind});
  return PartPlan{std::move(lacking), ranges.table.size_bytes + ranges.head.size_bytes + ranges.behind.size_bytes};
}

Result<AudioData> decode(PartInput& in, const AudioData*) {
  if (in.level == 0) {
    const std::optional<Bytes> file = in.content.find({0, in.content_bytes});
    if (!file) return fail(ErrorCode::kTruncated, "found fewer bytes than the file has");
    Bytes bytes = aligned(*file);
    ASSETC_TRY(aas1::AudioView view, aas1::AudioView::open(bytes));
    return AudioData{std::move(bytes), std::move(view)};
  }
  ASSETC_TRY(const Ranges ranges, ranges_of(in));
  const auto head = in.content.find(ranges.head), table = in.content.find(ranges.table),
             behind = in.content.find(ranges.behind);
  if (!head || !table || !behind) return fail(ErrorCode::kTruncated, "found an incomplete head");
  ASSETC_TRY(ByteVector blob, aas1::without_data(*head, *behind));
  auto held = std::make_shared<Held>();
  held->blob = Bytes(std::move(blob));
  held->table.resize(table->size() / sizeof(aas1::AudioChunk));
  if (!table->empty()) std::memcpy(held->table.data(), table->data(), table->size());
  ASSETC_TRY(aas1::AudioView view, aas1::AudioView::open_head(held->blob, ranges.data_size_bytes, held->table));
  const ByteSpan bytes = held->blob;
  return AudioData{Bytes(std::move(held), bytes), std::move(view)};
}

PartLevels levels(const AudioData& sound) {
  std::uint64_t data = 0;
  for (const aas1::AudioChunk& chunk : sound.view.chunks())
    data = std::max(data, std::uint64_t{chunk.offset_bytes} + chunk.size_bytes);
  const bool is_head = sound.bytes.size() < data;
  const std::uint64_t size = sound.bytes.size();
  return {.first = is_head ? 1u : 0u,
          .finest = 0,
          .count = 2,
          .value_bytes = {is_head ? size + data : size, is_head ? size : size - data}};
}

}  // namespace

Loader<AudioData> audio_loader(const PartOptions& parts) {
  Loader<AudioData> loader = audio_loader();
  loader.parts =
      Parts<AudioData>{.first_read_bytes = parts.first_read_bytes, .plan = plan, .decode = decode, .levels = levels};
  return loader;
}

}  // namespace assetc::runtime
