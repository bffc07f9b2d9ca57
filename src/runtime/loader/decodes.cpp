#include "runtime/loader/decodes.hpp"

#include <algorithm>

#include "base/plural.hpp"
#include "runtime/loader/trace_scope.hpp"

namespace assetc::runtime {
namespace {

// Limits of a batch that one job takes.
constexpr std::size_t kDecodeBatchAssets = 64;
constexpr std::uint64_t kDecodeBatchBytes = 256u << 10;
// A batch also takes no longer than this, estimated from recent decodes, because more urgent records wait for it.
constexpr double kDecodeBatchSeconds = 300e-6;

void measure(Record& record, const AnyLoader& loader, const void* value) {
  if (loader.size_bytes) record.cpu_bytes = loader.size_bytes(value);
  const bool has_object = loader.finalize || loader.finalize_async;
  if (loader.gpu_bytes && has_object) record.loading->expected_gpu_bytes = loader.gpu_bytes(value);
}

}  // namespace

void Decodes::enter(Record& record) {
  record.become(stage::Read{});
  queue_.enter(record);
}

unsigned Decodes::claim_jobs() {
  unsigned count = 0;
  while (!is_stalled_ && jobs_ < job_limit_ && queue_.size() > count) {
    ++jobs_;
    ++count;
  }
  return count;
}

void Decodes::take(std::vector<Job>& batch) {
  batch.clear();
  std::size_t most = 1;
  if (jobs_ > 0 && decode_seconds_ > 0) {  // the pump has a time budget, and takes one record
    const double fair = static_cast<double>(queue_.size()) / (2 * jobs_);
    const double in_time = kDecodeBatchSeconds / decode_seconds_;
    most = static_cast<std::size_t>(std::clamp(std::min(fair, in_time), 1.0, 1.0 * kDecodeBatchAssets));
  }
  std::uint64_t bytes = 0;
  batch.reserve(std::min(most, queue_.size()));
  while (!queue_.is_empty() && batch.size() < most) {
    Record& record = queue_.first();
    auto& read = record.as<stage::Read>();
    bytes += record.loading->transfer.content_bytes;
    if (!batch.empty() && bytes > kDecodeBatchBytes) break;
    Queue::leave(record);
    record.become(stage::Decoding{std::move(read.content)});
    batch.emplace_back().record = &record;
  }
  running_ += static_cast<unsigned>(batch.size());
}

// For ranges.
Result<void> Decodes::join(const Record& record, Transfer& transfer) const {
  std::span<const Bytes> answers = transfer.answers;
  for (const RangeRead& piece : std::exchange(transfer.make_ranged().pieces, {})) {
    const auto [offset, size] = piece.range;
    if (!range_fits(offset, size, transfer.content_bytes))
      return fail(ErrorCode::kTruncated, "found " + counted(transfer.content_bytes, "byte") + ", expected " +
                                             std::to_string(offset) + " and more");
    if (size == 0) continue;
    ASSETC_TRY(Bytes bytes, record.loading->place.mount->assemble_range(record.loading->place.entry, offset, size,
                                                                        answers.first(piece.stored_count), memory_));
    answers = answers.subspan(piece.stored_count);
    transfer.ranged->content.add(piece.range, std::move(bytes));
  }
  return {};
}

PartInput Decodes::input_of(const Record& record, Transfer& transfer) const {
  RangedTransfer& ranged = transfer.make_ranged();
  return {.desc = record.loading->desc,
          .catalog = *record.loading->catalog,
          .canceled = record.canceled,
          .content_bytes = transfer.content_bytes,
          .content = ranged.content,
          .level = record.target_level,
          .most_first_bytes = residency_.most_unplanned_bytes(),
          .progress = ranged.progress,
          .memory = memory_};
}

void Decodes::plan(Job& job, const AnyParts& parts) const {
  Record& record = *job.record;
  Transfer& transfer = record.loading->transfer;
  if (auto joined = join(record, transfer); !joined) {
    job.value = std::unexpected(std::move(joined).error());
    return;
  }
  if (record.canceled) return;
  PartInput in = input_of(record, transfer);
  auto planned = parts.plan(in, job.last);
  if (!planned) {
    job.value = std::unexpected(std::move(planned).error());
    return;
  }
  job.lacking = std::move(planned->ranges);
  job.wanted_bytes = transfer.ranged->decoded_bytes = planned->decoded_bytes;
}

void Decodes::assemble(Job& job) const {
  Record& record = *job.record;
  auto& decoding = record.as<stage::Decoding>();
  if (record.is_in_parts()) return plan(job, *record.type.load()->loader.parts);
  if (!decoding.content && record.range) {
    const auto read_range = [&]() -> Result<Bytes> {
      ASSETC_CHECK(join(record, record.loading->transfer));
      return aligned(record.loading->transfer.ranged->content.find(*record.range).value_or(Bytes()), memory_);
    };
    Result<Bytes> content = read_range();
    if (content) {
      decoding.content = std::move(*content);
    } else {
      job.value = std::unexpected(std::move(content).error());
    }
  } else if (!decoding.content) {
    const std::span<Bytes> answers = record.loading->transfer.answers;
    Result<Bytes> content = answers.empty()
                                ? Result<Bytes>(Bytes())
                                : record.loading->place.mount->assemble(record.loading->place.entry, answers, memory_);
    if (content) content = aligned(std::move(*content), memory_);
    if (content) {
      decoding.content = std::move(*content);
    } else {
      job.value = std::unexpected(std::move(content).error());
    }
  }
#if defined(__GNUC__)
  // It arrives while the rest of the batch is assembled.
  if (decoding.content) __builtin_prefetch(decoding.content->data());
#endif
  const AnyLoader& loader = record.type.load()->loader;
  if (job.value)
    job.wanted_bytes = loader.decoded_bytes ? loader.decoded_bytes(*decoding.content) : decoding.content->size();
}

bool Decodes::admit(Job& job, bool is_only) {
  Record& record = *job.record;
  auto& decoding = record.as<stage::Decoding>();
  record.loading->transfer.answers.clear();
  const std::uint64_t total =
      (decoding.content ? decoding.content->size() : record.loading->transfer.earlier_bytes()) + job.wanted_bytes;
  if (job.value && !record.canceled && !is_only && !residency_.has_room_to_decode(record, total)) {
    --running_;
    record.become(stage::Read{std::move(decoding.content)});
    queue_.enter(record);
    is_stalled_ = true;
    return false;
  }
  residency_.reserve(record, total);
  record.cpu_bytes = job.wanted_bytes;
  residency_.learn_decoded(job.wanted_bytes);
  if (job.value && job.wanted_bytes > max_asset_bytes_) {
    job.value = fail(
        ErrorCode::kLimit,
        "decodes to " + counted(job.wanted_bytes, "byte") + ", expected at most " + std::to_string(max_asset_bytes_),
        "raise max_asset_bytes");
  }
  return true;
}

void Decodes::decode(Job& job) const {
  Record& record = *job.record;
  if (!job.value || record.canceled) return;
  const AnyLoader& loader = record.type.load()->loader;
  if (record.is_in_parts()) {
    PartInput input = input_of(record, record.loading->transfer);
    {
      const TraceScope scope(trace_, "decode", record.loading->desc.virtual_path);
      job.value = loader.parts->decode(input, job.last);
    }
    job.hard = std::move(input.hard);
    job.soft = std::move(input.soft);
    if (!job.value) return;
    job.levels = loader.parts->levels(*job.value);
    measure(record, loader, *job.value);
    return;
  }
  LoadInput input{.desc = record.loading->desc,
                  .bytes = *std::exchange(record.as<stage::Decoding>().content, std::nullopt),
                  .catalog = *record.loading->catalog,
                  .canceled = record.canceled,
                  .memory = memory_};
  {
    const TraceScope scope(trace_, "decode", record.loading->desc.virtual_path);
    job.value = loader.decode(input);
  }
  job.hard = std::move(input.hard);
  job.soft = std::move(input.soft);
  if (job.value) measure(record, loader, *job.value);
}

void Decodes::finished(std::size_t count, double seconds_each) {
  // Adapts fast when decoding becomes slower, and slowly when it becomes faster.
  decode_seconds_ = std::max(seconds_each, decode_seconds_ * 0.9 + seconds_each * 0.1);
  running_ -= static_cast<unsigned>(count);
  is_stalled_ = false;
}

}  // namespace assetc::runtime
