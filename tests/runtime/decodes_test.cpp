#include "runtime/loader/decodes.hpp"

#include <gmock/gmock.h>

#include "runtime/records.hpp"

namespace assetc::runtime {
namespace {

class DecodesOf : public Records {
 protected:
  std::vector<Decodes::Job> take() {
    std::vector<Decodes::Job> batch;
    decodes->take(batch);
    return batch;
  }
  void begin(const Residency::Limits& limits = {kMiB, kMiB, kMiB}) {
    for (std::uint32_t i = 1; i <= 20; ++i) add(i, "note " + std::to_string(i));
    start(limits);
    decodes.emplace(*residency, kMiB, trace);
  }
  // Makes a record whose reads have finished.
  Record& enter(std::uint32_t number, int priority = 0) {
    Record& record = make(number, priority);
    const Bytes content(raw_blob("note " + std::to_string(number)));
    record.loading->transfer.files = {{}};
    record.loading->transfer.answers = {content};
    record.loading->transfer.content_bytes = content.size();
    decodes->enter(record);
    return record;
  }
  // The text of a job's value, or its error; destroys the value.
  static std::string text_of(Decodes::Job& job) {
    if (!job.value) return job.value.error().to_string();
    const std::unique_ptr<Note> note(static_cast<Note*>(*job.value));
    return note->text;
  }
  std::string decode_one() {
    std::vector<Decodes::Job> jobs = take();
    if (jobs.size() != 1) return "no job";
    decodes->assemble(jobs[0]);
    if (!decodes->admit(jobs[0], false)) return "no room";
    decodes->decode(jobs[0]);
    decodes->finished(1, 1e-6);
    return text_of(jobs[0]);
  }
  const Tracer trace;
  std::optional<Decodes> decodes;
};

TEST_F(DecodesOf, the_most_urgent_is_decoded_first) {
  begin();
  enter(1);
  enter(2, 5);
  EXPECT_EQ(decode_one(), "note 2");
  EXPECT_EQ(decode_one(), "note 1");
  EXPECT_EQ(decode_one(), "no job");
  EXPECT_EQ(decodes->running_count(), 0u);
}

TEST_F(DecodesOf, a_record_without_room_waits_until_some_comes_free) {
  begin({100, kMiB, kMiB});
  residency->reserve(make(20), 90);
  enter(1);
  decodes->set_job_limit(2);
  EXPECT_TRUE(decodes->wants_jobs());
  EXPECT_EQ(decode_one(), "no room");
  EXPECT_FALSE(decodes->wants_jobs());
  EXPECT_EQ(decodes->claim_jobs(), 0u);
  EXPECT_FALSE(decodes->is_empty());
  EXPECT_TRUE(residency->reserve(make(20), 0));
  decodes->retry();
  EXPECT_TRUE(decodes->wants_jobs());
  EXPECT_EQ(decode_one(), "note 1");
}

TEST_F(DecodesOf, jobs_take_several_while_they_are_quick) {
  begin();
  for (std::uint32_t i = 1; i <= 20; ++i) enter(i);
  decodes->set_job_limit(2);
  EXPECT_EQ(decodes->claim_jobs(), 2u);
  EXPECT_EQ(take().size(), 1u) << "one at first, because its duration is unknown";
  decodes->finished(1, 90e-6);
  EXPECT_EQ(take().size(), 3u) << "300 microseconds";
  decodes->finished(3, 1e-3);
  EXPECT_EQ(take().size(), 1u);
  decodes->job_ended();
  EXPECT_EQ(decodes->job_count(), 1u);
}

TEST_F(DecodesOf, a_canceled_record_is_not_decoded) {
  begin();
  Record& one = enter(1);
  std::vector<Decodes::Job> jobs = take();
  one.canceled = true;
  decodes->assemble(jobs[0]);
  ASSERT_TRUE(decodes->admit(jobs[0], false));
  decodes->decode(jobs[0]);
  EXPECT_EQ(*jobs[0].value, nullptr);
  EXPECT_TRUE(log.lines().empty());
}

}  // namespace
}  // namespace assetc::runtime
