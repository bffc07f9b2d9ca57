#include "engine/store/costs.hpp"

#include <cmath>

#include "assetc/base/hash.hpp"

namespace assetc::engine {
namespace {

constexpr std::string_view kCostsMagic = "assetc costs 1\n";
// Fixed cost of a step, as bytes of input.
constexpr double kStepBytes = 16 << 10;
// Assumed for kinds that were never measured.
constexpr double kGuessedSecondsPerByte = 100e-9;
// A larger sum is halved, so that new measurements weigh more than old ones.
constexpr double kMaxSeconds = 1000;
constexpr std::size_t kMaxKinds = 10'000;
constexpr std::size_t kRecordBytes = 32;

}  // namespace

Costs::Costs(Disk& disk, std::string path) : disk_(disk), path_(std::move(path)) {
  const auto file = disk_.read(path_);
  if (!file || !as_text(*file).starts_with(kCostsMagic)) return;
  const std::size_t size = file->size() - kCostsMagic.size();
  if (size < sizeof(std::uint64_t) || (size - sizeof(std::uint64_t)) % kRecordBytes != 0) return;
  const std::size_t end = file->size() - sizeof(std::uint64_t);
  if (load<std::uint64_t>(*file, end) != xxh3_64(file->span().first(end))) return;
  for (std::size_t at = kCostsMagic.size(); at < end; at += kRecordBytes) {
    const ContentHash kind{load<std::uint64_t>(*file, at), load<std::uint64_t>(*file, at + 8)};
    const Sum sum{load<double>(*file, at + 16), load<double>(*file, at + 24)};
    if (std::isfinite(sum.seconds) && sum.seconds >= 0 && std::isfinite(sum.bytes) && sum.bytes > 0) kinds_[kind] = sum;
  }
}

double Costs::guess(std::uint64_t input_bytes) {
  return (kStepBytes + static_cast<double>(input_bytes)) * kGuessedSecondsPerByte;
}

double Costs::estimate(const ContentHash& kind, std::uint64_t input_bytes) const {
  const std::lock_guard lock(mutex_);
  const auto at = kinds_.find(kind);
  if (at == kinds_.end()) return guess(input_bytes);
  return (kStepBytes + static_cast<double>(input_bytes)) * (at->second.seconds / at->second.bytes);
}

void Costs::add(const ContentHash& kind, std::uint64_t input_bytes, double seconds) {
  const std::lock_guard lock(mutex_);
  if (kinds_.size() >= kMaxKinds) kinds_.clear();
  Sum& sum = kinds_[kind];
  sum.seconds += seconds;
  sum.bytes += kStepBytes + static_cast<double>(input_bytes);
  if (sum.seconds > kMaxSeconds) sum = {sum.seconds / 2, sum.bytes / 2};
  changed_ = true;
}

Result<void> Costs::save() {
  const std::lock_guard lock(mutex_);
  if (!changed_) return {};
  ByteVector file;
  append_bytes(file, as_bytes(kCostsMagic));
  for (const auto& [kind, sum] : kinds_) {
    append(file, kind.low);
    append(file, kind.high);
    append(file, sum.seconds);
    append(file, sum.bytes);
  }
  append(file, xxh3_64(file));
  ASSETC_TRY([[maybe_unused]] const FileSignature written, disk_.publish(path_, file));
  changed_ = false;
  return {};
}

}  // namespace assetc::engine
