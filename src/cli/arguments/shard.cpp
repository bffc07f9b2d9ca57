#include "cli/arguments/shard.hpp"

#include <array>
#include <charconv>

namespace assetc::cli {
namespace {

constexpr const char* kByHand = "use --shard K/N";

// The environment variables by which a scheduler numbers the processes that it starts.
struct Scheduler {
  std::string_view name;
  const char* index;
  std::uint64_t first;   // the index of the first process
  const char* first_in;  // the variable with the first index, used instead; null: none
  const char* last_in;   // the variable with the last index; null: none
  const char* count;
  const char* count_hint = kByHand;  // the hint if count is not set
  bool is_sure = true;               // false: the index alone does not mean that there are shards
};

// Slurm also sets SLURM_PROCID and SLURM_NTASKS in a batch script of several tasks, which is one process. Therefore the
// count is SLURM_STEP_NUM_TASKS, which srun sets. GitLab sets an index only in parallel jobs.
constexpr std::array kSchedulers{
    Scheduler{"a Slurm array", "SLURM_ARRAY_TASK_ID", 0, "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX",
              "SLURM_ARRAY_TASK_COUNT"},
    Scheduler{"srun", "SLURM_PROCID", 0, nullptr, nullptr, "SLURM_STEP_NUM_TASKS", kByHand, false},
    Scheduler{"a Kubernetes Job", "JOB_COMPLETION_INDEX", 0, nullptr, nullptr, "ASSETC_SHARDS",
              "set it to the completions of the Job"},
    Scheduler{"an AWS Batch array", "AWS_BATCH_JOB_ARRAY_INDEX", 0, nullptr, nullptr, "AWS_BATCH_JOB_ARRAY_SIZE"},
    Scheduler{"GitLab", "CI_NODE_INDEX", 1, nullptr, nullptr, "CI_NODE_TOTAL"},
};

std::unexpected<Error> refuse(std::string what, std::string_view hint = kByHand) {
  return fail(ErrorCode::kUsage, "--shard: " + std::move(what), hint);
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Result<std::uint64_t> read(const char* variable, const engine::Environment& environment,
                           std::string_view hint = kByHand) {
  const auto text = environment(variable);
  if (!text) return refuse("auto: " + std::string(variable) + " is not set", hint);
  const auto value = number(*text);
  if (!value) return refuse("auto: " + std::string(variable) + " is \"" + *text + "\", expected a number");
  return *value;
}

Result<engine::Shard> shard_of(const Scheduler& scheduler, const engine::Environment& environment) {
  ASSETC_TRY(const std::uint64_t index, read(scheduler.index, environment));
  ASSETC_TRY(const std::uint64_t count, read(scheduler.count, environment, scheduler.count_hint));
  if (count < 1 || count > engine::kMaxShards) {
    return refuse("auto: found " + std::string(scheduler.count) + "=" + std::to_string(count) + ", expected 1 to " +
                  std::to_string(engine::kMaxShards));
  }
  std::uint64_t first = scheduler.first;
  if (scheduler.first_in != nullptr) {
    ASSETC_TRY(first, read(scheduler.first_in, environment));
    // If a part of an array is submitted again, Slurm counts only the tasks of this part.
    if (first > 1) {
      return refuse("auto: " + std::string(scheduler.name) + " that starts at " + std::to_string(first) +
                        " may be part of a larger one",
                    "number it from 0 or 1 without gaps, or " + std::string(kByHand));
    }
  }
  if (scheduler.last_in != nullptr && environment(scheduler.last_in)) {
    ASSETC_TRY(const std::uint64_t last, read(scheduler.last_in, environment));
    if (last < first || last - first + 1 != count) {
      return refuse("auto: " + std::string(scheduler.name) + " from " + std::to_string(first) + " to " +
                        std::to_string(last) + " has " + std::to_string(count) + " processes, expected no gaps",
                    "number it without a step, or " + std::string(kByHand));
    }
  }
  if (index < first || index - first >= count) {
    return refuse("auto: found " + std::string(scheduler.index) + "=" + std::to_string(index) + " of " +
                      scheduler.count + "=" + std::to_string(count) + ", expected " + std::to_string(first) + " to " +
                      std::to_string(first + count - 1),
                  "number the processes from " + std::to_string(first) + " without gaps, or " + kByHand);
  }
  return engine::Shard{static_cast<std::uint32_t>(index - first + 1), static_cast<std::uint32_t>(count)};
}

Result<engine::Shard> from_environment(const engine::Environment& environment) {
  std::optional<engine::Shard> found;
  std::string_view by;
  for (const Scheduler& scheduler : kSchedulers) {
    if (!environment(scheduler.index)) continue;
    if (!scheduler.is_sure && !environment(scheduler.count)) continue;
    ASSETC_TRY(const engine::Shard shard, shard_of(scheduler, environment));
    if (shard.count == 1 && found) continue;
    if (found && found->count != 1 && *found != shard) {
      const auto text = [](const engine::Shard& s) { return std::to_string(s.number) + "/" + std::to_string(s.count); };
      return refuse("auto: " + std::string(by) + " says " + text(*found) + ", and " + std::string(scheduler.name) +
                    " says " + text(shard));
    }
    found = shard;
    by = scheduler.name;
  }
  if (!found) {
    return refuse(
        "auto: found no scheduler: neither SLURM_ARRAY_TASK_ID, SLURM_STEP_NUM_TASKS, "
        "JOB_COMPLETION_INDEX, AWS_BATCH_JOB_ARRAY_INDEX nor CI_NODE_INDEX is set");
  }
  return *found;
}

}  // namespace

Result<engine::Shard> parse_shard(std::string_view text, const engine::Environment& environment) {
  if (text == "auto") return from_environment(environment);
  const std::size_t slash = text.find('/');
  const auto k = number(text.substr(0, slash));
  const auto n = number(slash == text.npos ? std::string_view() : text.substr(slash + 1));
  const std::string found = "\"" + std::string(text) + "\"";
  if (!k || !n) return refuse("found " + found + ", expected K/N, as in 1/4, or auto", "");
  if (*n < 1 || *n > engine::kMaxShards || *k < 1 || *k > *n) {
    return refuse("found " + found + ", expected one from 1/N to N/N, N at most " + std::to_string(engine::kMaxShards));
  }
  return engine::Shard{static_cast<std::uint32_t>(*k), static_cast<std::uint32_t>(*n)};
}

}  // namespace assetc::cli
