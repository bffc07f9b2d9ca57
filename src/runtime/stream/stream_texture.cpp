#include <algorithm>

#include "base/plural.hpp"
#include "formats/message.hpp"
#include "runtime/stream/stream_parts.hpp"

namespace assetc::runtime {
namespace {

std::unexpected<Error> too_large(std::uint64_t bytes) {
  return fail(
      ErrorCode::kLimit,
      "found " + counted(bytes, "byte") + " beside the levels, expected at most " + std::to_string(kMaxHeadBytes),
      "load it whole");
}

}  // namespace

std::size_t TextureSteps::first_wanted() const {
  std::size_t first = std::min<std::size_t>(wanted_, source_->level_count() - 1);
  while (source_->is_left_out(first, options_->textures)) ++first;
  return first;
}

std::uint64_t TextureSteps::most_unplanned_bytes() const {
  constexpr std::uint64_t kMost = 1u << 20;
  return std::min(kMost, options_->in_flight_bytes / 4);
}

std::optional<std::vector<ContentRange>> TextureSteps::next(std::uint64_t content_bytes) {
  content_bytes_ = content_bytes;
  decoded_bytes_ = 0;
  if (!source_) {
    decoded_bytes_ = most_unplanned_bytes();
    if (!parts_.empty()) return std::vector{missing_};
    return std::vector{ContentRange{0, std::min(options_->first_read_bytes, content_bytes)}};
  }
  const std::size_t wanted = first_wanted();
  if (first_ <= wanted) return std::nullopt;
  std::size_t first = first_ - 1;
  std::uint64_t bytes = source_->size_bytes(first);
  const auto add = [&](std::size_t level) { decoded_bytes_ += source_->decoded_bytes(level, options_->textures); };
  add(first);
  // Twice what there is, so that reads grow.
  while (first > wanted && bytes + source_->size_bytes(first - 1) <= 2 * read_bytes_) {
    bytes += source_->size_bytes(--first);
    add(first);
  }
  // Levels lie one after another, from either end.
  const std::uint64_t one = source_->offset_bytes(first), other = source_->offset_bytes(first_ - 1);
  const std::uint64_t end = std::max(one + source_->size_bytes(first), other + source_->size_bytes(first_ - 1));
  return std::vector{ContentRange{std::min(one, other), end - std::min(one, other)}};
}

Bytes TextureSteps::find(const ContentRange& range) const {
  for (const ContentPart& part : parts_) {
    if (range.offset_bytes < part.range.offset_bytes || range.end() > part.range.end()) continue;
    return part.bytes.slice(static_cast<std::size_t>(range.offset_bytes - part.range.offset_bytes),
                            static_cast<std::size_t>(range.size_bytes));
  }
  return {};
}

// Whether all of the head is there; else missing_ says what is not.
Result<bool> TextureSteps::take_head() {
  // What is missing of the start is read from the start again.
  const Bytes& first = parts_[0].range.offset_bytes == 0 && parts_.back().range.offset_bytes == 0 ? parts_.back().bytes
                                                                                                  : parts_[0].bytes;
  const auto needs = [&](const ContentRange& range) {
    missing_ = range;
    return false;
  };
  if (first.size() >= sizeof(aas1::BlobHeader) && load<std::uint32_t>(first) == aas1::kMagic) {
    const auto header = load<aas1::BlobHeader>(first);
    const std::uint64_t desc_end = sizeof header + std::uint64_t{header.desc_size_bytes};
    const std::uint64_t data_end = desc_end + header.data_size_bytes;
    if (data_end > content_bytes_)
      return fail(ErrorCode::kTruncated,
                  "found " + counted(content_bytes_, "byte") + ", expected " + std::to_string(data_end) + " or more");
    const std::uint64_t behind = content_bytes_ - data_end;
    if (std::max(desc_end, behind) > kMaxHeadBytes) return too_large(std::max(desc_end, behind));
    if (desc_end > first.size()) return needs({0, desc_end});
    // The smallest levels lie last, and extensions behind them.
    const std::uint64_t tail = std::min<std::uint64_t>(header.data_size_bytes, options_->first_read_bytes);
    const ContentRange end{data_end - tail, tail + behind};
    const Bytes last = find(end);
    if (last.size() != end.size_bytes) return needs(end);
    ASSETC_TRY(ByteVector blob, aas1::without_data(first.span().first(static_cast<std::size_t>(desc_end)),
                                                   last.span().subspan(static_cast<std::size_t>(tail))));
    head_ = Bytes(std::move(blob));
    ASSETC_TRY(aas1::TextureView view, aas1::TextureView::open_head(head_, header.data_size_bytes));
    source_ = TextureSource::of(std::move(view));
    return true;
  }
  const std::uint64_t size = first.size() < ktx2::kHeaderBytes
                                 ? std::min<std::uint64_t>(ktx2::kHeaderBytes, content_bytes_)
                                 : ktx2::head_size_bytes(first);
  if (size > kMaxHeadBytes && size <= content_bytes_) return too_large(size);
  if (size > first.size() && size <= content_bytes_) return needs({0, size});
  head_ = first.slice(0, std::min(first.size(), static_cast<std::size_t>(std::min<std::uint64_t>(size, first.size()))));
  ASSETC_TRY(ktx2::View view, ktx2::View::open_head(head_, content_bytes_));
  source_ = TextureSource::of(std::move(view));
  return true;
}

Result<bool> TextureSteps::take(std::vector<ContentPart> parts, const std::atomic<bool>& canceled) {
  for (ContentPart& part : parts) parts_.push_back(std::move(part));
  const bool had_head = source_.has_value();
  if (!had_head) {
    ASSETC_TRY(const bool is_there, take_head());
    if (!is_there) return false;
    ASSETC_TRY(shape_, source_->describe(options_->textures));
    first_ = source_->level_count();
    levels_.resize(first_);
  }
  const std::size_t before = first_;
  std::uint64_t decoded = 0;
  for (std::size_t end = first_wanted(); first_ > end;) {
    if (canceled) return fail(ErrorCode::kCanceled, "canceled");
    const std::size_t i = first_ - 1;
    const ContentRange range{source_->offset_bytes(i), source_->size_bytes(i)};
    const Bytes stored = find(range);
    if (stored.size() != range.size_bytes) break;
    const std::uint64_t becomes = source_->decoded_bytes(i, options_->textures);
    if (becomes > options_->max_asset_bytes) {
      return fail(ErrorCode::kLimit,
                  "level " + std::to_string(i) + " becomes " + counted(becomes, "byte") + ", expected at most " +
                      std::to_string(options_->max_asset_bytes),
                  "raise max_asset_bytes");
    }
    decoded += becomes;
    if (!had_head && decoded > most_unplanned_bytes()) break;  // and is read again, when there is room for it
    levels_[i] = source_->extent(i);
    ASSETC_TRY(levels_[i].bytes, source_->decode(i, stored, options_->textures));
    read_bytes_ += range.size_bytes;
    first_ = i;
  }
  if (!had_head) tail_ = std::min(first_, source_->level_count() - 1);
  parts_.clear();
  return first_ < before;
}

bool TextureSteps::want(std::uint32_t level) {
  wanted_ = level;
  if (!source_) return false;
  const std::size_t keep = std::min(first_wanted(), tail_);
  if (first_ >= keep) return false;
  for (; first_ < keep; ++first_) levels_[first_].bytes = {};
  return true;
}

TextureParts TextureSteps::told() const {
  TextureParts out{shape_, static_cast<std::uint32_t>(first_), static_cast<std::uint32_t>(levels_.size())};
  out.texture.levels.assign(levels_.begin() + static_cast<std::ptrdiff_t>(first_), levels_.end());
  return out;
}

}  // namespace assetc::runtime
