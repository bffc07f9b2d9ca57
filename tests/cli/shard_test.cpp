#include "cli/arguments/shard.hpp"

#include <gmock/gmock.h>

#include <map>

namespace assetc::cli {
namespace {

using Variables = std::map<std::string, std::string>;

// Returns "2/8", or the error message.
std::string shard(std::string_view text, const Variables& variables = {}) {
  const auto found = parse_shard(text, [&](const char* name) -> std::optional<std::string> {
    const auto at = variables.find(name);
    return at == variables.end() ? std::nullopt : std::optional(at->second);
  });
  if (!found) return found.error().to_string();
  return std::to_string(found->number) + "/" + std::to_string(found->count);
}

Variables slurm(const char* id, const char* min, const char* count) {
  return {{"SLURM_ARRAY_TASK_ID", id}, {"SLURM_ARRAY_TASK_MIN", min}, {"SLURM_ARRAY_TASK_COUNT", count}};
}

TEST(Shard, is_written_from_one_to_the_count) {
  EXPECT_EQ(shard("1/1"), "1/1");
  EXPECT_EQ(shard("8/8"), "8/8");
  EXPECT_EQ(shard("4096/4096"), "4096/4096");
  for (const char* text : {"0/4", "5/4", "1/0", "1/4097", "1/18446744073709551615"}) {
    EXPECT_EQ(shard(text), "--shard: found \"" + std::string(text) +
                               "\", expected one from 1/N to N/N, N at most 4096; use --shard K/N");
  }
  for (const char* text : {"", "4", "/", "1/", "/4", "-1/4", "1/4x", " 1/4", "1/4/8", "AUTO", "1/99999999999999999999"})
    EXPECT_EQ(shard(text), "--shard: found \"" + std::string(text) + "\", expected K/N, as in 1/4, or auto");
}

TEST(Shard, is_what_the_scheduler_says) {
  EXPECT_EQ(shard("auto", slurm("3", "1", "8")), "3/8");
  EXPECT_EQ(shard("auto", slurm("3", "0", "8")), "4/8");
  EXPECT_EQ(shard("auto", {{"SLURM_PROCID", "2"}, {"SLURM_STEP_NUM_TASKS", "4"}}), "3/4");
  EXPECT_EQ(shard("auto", {{"JOB_COMPLETION_INDEX", "0"}, {"ASSETC_SHARDS", "4"}}), "1/4");
  EXPECT_EQ(shard("auto", {{"AWS_BATCH_JOB_ARRAY_INDEX", "9"}, {"AWS_BATCH_JOB_ARRAY_SIZE", "10"}}), "10/10");
  EXPECT_EQ(shard("auto", {{"CI_NODE_INDEX", "4"}, {"CI_NODE_TOTAL", "4"}}), "4/4");
}

TEST(Shard, of_an_array_with_gaps_is_refused) {
  Variables array = slurm("3", "1", "5");
  array["SLURM_ARRAY_TASK_MAX"] = "9";  // --array=1-9:2
  EXPECT_EQ(
      shard("auto", array),
      "--shard: auto: a Slurm array from 1 to 9 has 5 processes, expected no gaps; number it without a step, or use "
      "--shard K/N");
  array["SLURM_ARRAY_TASK_MAX"] = "5";
  EXPECT_EQ(shard("auto", array), "3/5");
}

// Variables as set by Slurm 22.05.
TEST(Shard, of_an_array_whose_script_uses_srun_is_that_of_the_array) {
  Variables batch = slurm("2", "1", "3");
  batch["SLURM_PROCID"] = "0";
  batch["SLURM_NTASKS"] = "2";
  EXPECT_EQ(shard("auto", batch), "2/3");
  batch["SLURM_STEP_NUM_TASKS"] = "1";
  EXPECT_EQ(shard("auto", batch), "2/3");
  batch["SLURM_STEP_NUM_TASKS"] = "2";
  EXPECT_EQ(shard("auto", batch), "--shard: auto: a Slurm array says 2/3, and srun says 1/2; use --shard K/N");
  EXPECT_EQ(shard("auto", {{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "2"}, {"SLURM_JOB_ID", "7"}}), shard("auto"));
}

TEST(Shard, is_refused_where_no_scheduler_says_one) {
  EXPECT_EQ(shard("auto"),
            "--shard: auto: found no scheduler: neither SLURM_ARRAY_TASK_ID, SLURM_STEP_NUM_TASKS, "
            "JOB_COMPLETION_INDEX, AWS_BATCH_JOB_ARRAY_INDEX nor CI_NODE_INDEX is set; use --shard K/N");
  EXPECT_EQ(shard("auto", {{"JOB_COMPLETION_INDEX", "0"}}),
            "--shard: auto: ASSETC_SHARDS is not set; set it to the completions of the Job");
  EXPECT_EQ(shard("auto", {{"CI_NODE_INDEX", "one"}, {"CI_NODE_TOTAL", "4"}}),
            "--shard: auto: CI_NODE_INDEX is \"one\", expected a number; use --shard K/N");
}

TEST(Shard, is_refused_where_its_number_is_out_of_range) {
  EXPECT_EQ(shard("auto", slurm("5", "1", "3")),
            "--shard: auto: found SLURM_ARRAY_TASK_ID=5 of SLURM_ARRAY_TASK_COUNT=3, expected 1 to 3; number the "
            "processes from 1 without gaps, or use --shard K/N");
  EXPECT_EQ(shard("auto", {{"JOB_COMPLETION_INDEX", "4"}, {"ASSETC_SHARDS", "4"}}),
            "--shard: auto: found JOB_COMPLETION_INDEX=4 of ASSETC_SHARDS=4, expected 0 to 3; number the processes "
            "from 0 without gaps, or use --shard K/N");
  EXPECT_EQ(shard("auto", {{"CI_NODE_INDEX", "0"}, {"CI_NODE_TOTAL", "4"}}),
            "--shard: auto: found CI_NODE_INDEX=0 of CI_NODE_TOTAL=4, expected 1 to 4; number the processes from 1 "
            "without gaps, or use --shard K/N");
  EXPECT_EQ(shard("auto", slurm("3", "3", "1")),
            "--shard: auto: a Slurm array that starts at 3 may be part of a larger one; number it from 0 or 1 without "
            "gaps, or use --shard K/N");
  EXPECT_EQ(shard("auto", {{"JOB_COMPLETION_INDEX", "0"}, {"ASSETC_SHARDS", "0"}}),
            "--shard: auto: found ASSETC_SHARDS=0, expected 1 to 4096; use --shard K/N");
}

TEST(Shard, of_two_schedulers_is_refused_unless_they_agree) {
  Variables both{{"JOB_COMPLETION_INDEX", "1"}, {"ASSETC_SHARDS", "4"}, {"CI_NODE_INDEX", "2"}, {"CI_NODE_TOTAL", "4"}};
  EXPECT_EQ(shard("auto", both), "2/4");
  both["CI_NODE_INDEX"] = "3";
  EXPECT_EQ(shard("auto", both), "--shard: auto: a Kubernetes Job says 2/4, and GitLab says 3/4; use --shard K/N");
}

}  // namespace
}  // namespace assetc::cli
