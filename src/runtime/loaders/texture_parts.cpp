// Textures in parts: the levels of the first read, then one level after another.
#include <algorithm>

#include "assetc/runtime/assets.hpp"
#include "base/plural.hpp"
#include "formats/message.hpp"
#include "runtime/loaders/heads.hpp"
#include "runtime/loaders/texture_source.hpp"

namespace assetc::runtime {

// A file without its levels.
struct TextureHead {
  Bytes bytes;  // `source` points into it
  TextureSource source;
  TextureData shape;
};

namespace {

using Head = std::shared_ptr<const TextureHead>;

ContentRange range_of(const TextureSource& source, std::size_t level) {
  return {source.offset_bytes(level), source.size_bytes(level)};
}

// A head, or the ranges that are needed to read it.
struct HeadOrRanges {
  Head head;
  std::vector<ContentRange> lacking;
};

Result<HeadOrRanges> take_head(const PartInput& in, const TextureChoice& choice, const PartOptions& parts) {
  if (in.content_bytes == 0) return fail(ErrorCode::kTruncated, "found no bytes, expected a header");
  const auto needs = [](const ContentRange& range) { return HeadOrRanges{nullptr, {range}}; };
  const Bytes first = in.content.prefix();
  const auto with = [&](Bytes bytes, TextureSource source) -> Result<HeadOrRanges> {
    ASSETC_TRY(TextureData shape, source.describe(choice));
    shape.level_count = static_cast<std::uint32_t>(source.level_count());
    return HeadOrRanges{std::make_shared<const TextureHead>(std::move(bytes), std::move(source), std::move(shape)), {}};
  };
  if (first.size() >= sizeof(aas1::BlobHeader) && load<std::uint32_t>(first) == aas1::kMagic) {
    ASSETC_TRY(const Aas1Head layout, aas1_head(first, in.content_bytes));
    const std::optional<Bytes> head = in.content.find({0, layout.data_offset_bytes});
    if (!head) return needs({0, layout.data_offset_bytes});
    // The smallest levels are last, followed by extensions.
    const std::uint64_t tail = std::min<std::uint64_t>(layout.data_size_bytes, parts.first_read_bytes);
    const std::uint64_t data_end = layout.data_offset_bytes + layout.data_size_bytes;
    const ContentRange end{data_end - tail, tail + (in.content_bytes - data_end)};
    const std::optional<Bytes> last = in.content.find(end);
    if (!last) return needs(end);
    ASSETC_TRY(ByteVector blob, aas1::without_data(*head, last->span().subspan(static_cast<std::size_t>(tail))));
    Bytes bytes(std::move(blob));
    ASSETC_TRY(aas1::TextureView view, aas1::TextureView::open_head(bytes, layout.data_size_bytes));
    return with(std::move(bytes), TextureSource::of(std::move(view)));
  }
  const std::uint64_t size = first.size() < ktx2::kHeaderBytes
                                 ? std::min<std::uint64_t>(ktx2::kHeaderBytes, in.content_bytes)
                                 : ktx2::head_size_bytes(first);
  if (size > kMaxHeadBytes && size <= in.content_bytes) return head_is_too_large(size);
  const std::optional<Bytes> head = in.content.find({0, std::min(size, in.content_bytes)});
  if (!head) return needs({0, std::min(size, in.content_bytes)});
  ASSETC_TRY(ktx2::View view, ktx2::View::open_head(*head, in.content_bytes));
  return with(*head, TextureSource::of(std::move(view)));
}

// Returns the level in the current value, if it has it.
const TextureData::Level* found_in(const TextureData* last, std::size_t level) {
  if (last == nullptr || level < last->first_level || level - last->first_level >= last->levels.size()) return nullptr;
  const TextureData::Level& found = last->levels[level - last->first_level];
  return found.bytes.empty() ? nullptr : &found;
}

class TextureParts {
 public:
  TextureParts(const TextureOptions& options, const PartOptions& parts) : options_(options), parts_(parts) {}

  Result<PartPlan> plan(PartInput& in, const TextureData* last) const {
    if (in.progress == nullptr && last != nullptr) in.progress = std::const_pointer_cast<TextureHead>(last->head);
    if (in.progress == nullptr) {
      ASSETC_TRY(HeadOrRanges found, take_head(in, choice_of(in), parts_));
      if (found.head == nullptr) return PartPlan{in.content.lacking(std::move(found.lacking)), in.most_first_bytes};
      in.progress = std::const_pointer_cast<TextureHead>(found.head);
    }
    const TextureSource& source = static_cast<const TextureHead*>(in.progress.get())->source;
    PartPlan plan;
    for (std::size_t i = first_of(in, source); i < source.level_count(); ++i) {
      if (found_in(last, i) != nullptr) continue;
      plan.decoded_bytes += source.decoded_bytes(i, choice_of(in));
      if (!in.content.find(range_of(source, i))) plan.ranges.push_back(range_of(source, i));
    }
    plan.ranges = in.content.lacking(std::move(plan.ranges));
    return plan;
  }

  Result<TextureData> decode(PartInput& in, const TextureData* last) const {
    const auto head = std::static_pointer_cast<const TextureHead>(std::shared_ptr<const void>(in.progress));
    const TextureSource& source = head->source;
    TextureData out = head->shape;
    out.head = head;
    const std::size_t first = first_of(in, source);
    out.first_level = static_cast<std::uint32_t>(first);
    for (std::size_t i = first; i < source.level_count(); ++i) {
      if (in.canceled) return fail(ErrorCode::kCanceled, "canceled");
      if (const TextureData::Level* there = found_in(last, i)) {
        out.levels.push_back(*there);
      } else {
        const std::optional<Bytes> stored = in.content.find(range_of(source, i));
        if (!stored) return fail(ErrorCode::kTruncated, "found no level " + std::to_string(i));
        ASSETC_TRY(TextureData::Level level, source.decode(i, *stored, choice_of(in), head->shape, in.desc));
        out.levels.push_back(std::move(level));
      }
    }
    return out;
  }

  PartLevels levels(const TextureData& texture) const {
    const TextureSource& source = texture.head->source;
    PartLevels out{.first = texture.first_level, .finest = 0, .count = texture.level_count};
    out.value_bytes.resize(texture.level_count);
    std::uint64_t total = 0;
    for (std::size_t i = texture.level_count; i-- > 0;) {
      if (source.is_left_out(i, options_)) {
        out.finest = std::max(out.finest, static_cast<std::uint32_t>(i + 1));
      } else {
        total += std::max(source.decoded_bytes(i, {options_, texture.format}), source.size_bytes(i));
      }
      out.value_bytes[i] = total;
    }
    return out;
  }

 private:
  TextureChoice choice_of(const PartInput& in) const { return {options_, in.desc.settings.format, in.memory}; }
  // Returns the finest level to make. Depends only on the data that was read, so that plan and decode agree.
  std::size_t first_of(const PartInput& in, const TextureSource& source) const {
    const std::size_t last = source.level_count() - 1;
    if (in.level != kFirstLevel) {
      std::size_t first = std::min<std::size_t>(in.level, last);
      while (source.is_left_out(first, options_)) ++first;
      return first;
    }
    std::size_t first = last;
    std::uint64_t decoded = source.decoded_bytes(last, choice_of(in));
    while (first > 0 && !source.is_left_out(first - 1, options_) && in.content.find(range_of(source, first - 1))) {
      decoded += source.decoded_bytes(first - 1, choice_of(in));
      if (decoded > in.most_first_bytes) break;
      --first;
    }
    return first;
  }

  TextureOptions options_;
  PartOptions parts_;
};

}  // namespace

Loader<TextureData> texture_loader(const TextureOptions& options, const PartOptions& parts) {
  Loader<TextureData> loader = texture_loader(options);
  const TextureParts in_parts(options, parts);
  loader.parts = Parts<TextureData>{
      .first_read_bytes = parts.first_read_bytes,
      .plan = [in_parts](PartInput& in, const TextureData* last) { return in_parts.plan(in, last); },
      .decode = [in_parts](PartInput& in, const TextureData* last) { return in_parts.decode(in, last); },
      .levels = [in_parts](const TextureData& texture) { return in_parts.levels(texture); }};
  return loader;
}

}  // namespace assetc::runtime
