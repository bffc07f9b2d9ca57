// The decodes of a manager: which records jobs take, and whether there is memory for them.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/loader/record.hpp"
#include "runtime/loader/residency.hpp"

namespace assetc::runtime {

// Not thread-safe, except for the functions that say so.
class Decodes {
 public:
  // A record that a job has, and what comes of it.
  struct Job {
    Record* record = nullptr;
    Result<void*> value = nullptr;
    std::uint64_t wanted_bytes = 0;  // of the value, as far as the bytes tell
    // Of an asset in parts:
    Record* beside = nullptr;             // counted: whose value `last` is
    const void* last = nullptr;           // the value that is there
    std::vector<ContentRange> lacking{};  // is to be read first
    PartLevels levels{};
    std::vector<AssetHandle> hard{}, soft{};
  };

  Decodes(Residency& residency, std::uint64_t max_asset_bytes, const Tracer& trace)
      : residency_(residency), max_asset_bytes_(max_asset_bytes), trace_(trace) {}

  // A record whose reads are over.
  void enter(Record& record, Transfer transfer);
  bool is_empty() const { return queue_.is_empty(); }
  // Records that jobs have.
  unsigned running_count() const { return running_; }

  // ---- one job: take, assemble, admit, decode, finished ----
  // The most urgent of what has been read; several where they are small and others have enough left.
  std::vector<Job> take();
  // Puts the answers of a source together. Thread-safe.
  void assemble(Job& job) const;
  // False where memory in flight has no room: then the record waits in the queue until retry().
  bool admit(Job& job, bool is_only);
  // Thread-safe.
  void decode(Job& job) const;
  // A job that ends without a decode: more is to be read.
  void left() { --running_; }
  // What admitted ones took each.
  void finished(std::size_t count, double seconds_each);
  // Memory came free, or the last record that could free some is gone.
  void retry() { is_stalled_ = false; }
  bool is_stalled() const { return is_stalled_; }

  // ---- jobs of a job system ----
  bool wants_jobs() const { return !queue_.is_empty() && !is_stalled_ && jobs_ < job_limit_; }
  void set_job_limit(unsigned limit) { job_limit_ = limit; }
  // How many to submit. They count as running from now on.
  unsigned claim_jobs();
  void job_ended() { --jobs_; }
  unsigned job_count() const { return jobs_; }

 private:
  static Result<void> join(const Record& record, Transfer& transfer);
  PartInput input_of(const Record& record, Transfer& transfer) const;
  void plan(Job& job, const AnyParts& parts) const;

  Residency& residency_;
  const std::uint64_t max_asset_bytes_;
  const Tracer& trace_;
  Queue queue_;
  unsigned running_ = 0, jobs_ = 0;
  unsigned job_limit_ = 1;     // as the job system said last
  double decode_seconds_ = 0;  // of the last ones; 0: none
  bool is_stalled_ = false;    // for want of memory
};

}  // namespace assetc::runtime
