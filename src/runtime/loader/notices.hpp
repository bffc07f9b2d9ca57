// The notifications that a pump delivers to an engine, in the order of the events.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/loader/record.hpp"

namespace assetc::runtime {

// Calls no callback itself. Not thread-safe.
class Notices {
 public:
  // A callback to call.
  struct Call {
    Record* record;  // the record of the ref
    AnyRef ref;
    std::shared_ptr<Callback> then;
    bool is_wanted = false;  // the asset has other refs or dependents
  };
  // A callback that will not be called. It must be destroyed without the lock, since it may own refs.
  struct Unwanted {
    std::shared_ptr<Callback> then;
  };
  struct Reloaded {
    AnyRef asset, cause;
  };
  struct Detailed {
    AnyRef asset;
  };
  using Notice = std::variant<Unwanted, Call, Reloaded, Detailed, Failure>;

  void add(Notice notice) { queue_.push_back(std::move(notice)); }
  void add(std::vector<Failure> failures) {
    for (Failure& failure : failures) queue_.emplace_back(std::move(failure));
  }
  // ref: a ref to the record.
  void add_call(Record& record, AnyRef ref, std::shared_ptr<Callback> then) {
    ++record.queued_calls;
    queue_.emplace_back(Call{&record, std::move(ref), std::move(then)});
  }
  bool is_empty() const { return queue_.empty(); }
  std::size_t size() const { return queue_.size(); }
  // Takes the oldest notice. Requires !is_empty().
  Notice take() {
    Notice oldest = std::move(queue_.front());
    queue_.pop_front();
    if (Call* const call = std::get_if<Call>(&oldest)) {
      // Refs of queued calls do not keep an asset in use: an earlier callback may have released the last other ref.
      Record& record = *call->record;
      call->is_wanted = record.refs.load(std::memory_order_acquire) > record.queued_calls || record.user_count > 0;
      --record.queued_calls;
    }
    return oldest;
  }

 private:
  std::deque<Notice> queue_;
};

}  // namespace assetc::runtime
