// Schedules the decodes of a manager: which records jobs take, and whether there is memory for them.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/loader/record.hpp"
#include "runtime/loader/residency.hpp"

namespace assetc::runtime {

// Not thread-safe, except for functions marked as thread-safe.
class Decodes {
 public:
  // A record that a job decodes, and the result.
  struct Job {
    Record* record = nullptr;
    Result<void*> value = nullptr;
    std::uint64_t wanted_bytes = 0;  // size of the value, as far as it is known from the bytes
    // For an asset in parts:
    Record* beside = nullptr;             // the record that owns `last`; holds a ref
    const void* last = nullptr;           // the current value
    std::vector<ContentRange> lacking{};  // must be read first
    PartLevels levels{};
    std::vector<AssetHandle> hard{}, soft{};
  };

  // memory: of decoded data. nodes: of the queue.
  Decodes(Residency& residency, std::uint64_t max_asset_bytes, const Tracer& trace,
          const Memory& memory = kDefaultMemory, std::pmr::memory_resource& nodes = *std::pmr::new_delete_resource())
      : residency_(residency), max_asset_bytes_(max_asset_bytes), trace_(trace), memory_(memory), queue_(nodes) {}

  // Adds a record whose transfer is complete, or whose loader plans it.
  void enter(Record& record);
  bool is_empty() const { return queue_.is_empty(); }
  // Returns the number of records that jobs have.
  unsigned running_count() const { return running_; }

  // ---- the steps of a job: take, assemble, admit, decode, finished ----
  // Takes the most urgent record that was read. Takes several if they are small and enough remain for other jobs.
  void take(std::vector<Job>& batch);
  // Joins the answers of a source. Thread-safe.
  void assemble(Job& job) const;
  // Returns false if memory in flight has no room. The record then waits in the queue until retry().
  bool admit(Job& job, bool is_only);
  // Thread-safe.
  void decode(Job& job) const;
  // Ends a job without a decode, because more must be read.
  void left() {
    if (--running_ == 0) is_stalled_ = false;
  }
  // Records the time that each admitted record took.
  void finished(std::size_t count, double seconds_each);
  // Call it when memory was freed, or when the last record that could free some is gone.
  void retry() { is_stalled_ = false; }
  bool is_stalled() const { return is_stalled_; }
  const Queue& queue() const { return queue_; }

  // ---- jobs of a job system ----
  bool wants_jobs() const { return !queue_.is_empty() && !is_stalled_ && jobs_ < job_limit_; }
  void set_job_limit(unsigned limit) { job_limit_ = limit; }
  // Returns how many jobs to submit. They count as running from now on.
  unsigned claim_jobs();
  void job_ended() { --jobs_; }
  unsigned job_count() const { return jobs_; }

 private:
  Result<void> join(const Record& record, Transfer& transfer) const;
  PartInput input_of(const Record& record, Transfer& transfer) const;
  void plan(Job& job, const AnyParts& parts) const;

  Residency& residency_;
  const std::uint64_t max_asset_bytes_;
  const Tracer& trace_;
  const Memory memory_;
  Queue queue_;
  unsigned running_ = 0, jobs_ = 0;
  unsigned job_limit_ = 1;     // as last reported by the job system
  double decode_seconds_ = 0;  // of recent decodes; 0: none yet
  bool is_stalled_ = false;    // no memory available
};

}  // namespace assetc::runtime
