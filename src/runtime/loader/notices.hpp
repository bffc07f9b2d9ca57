// What a pump has to tell an engine, in the order in which it happened.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/loader/record.hpp"

namespace assetc::runtime {

// It calls nothing itself. Not thread-safe.
class Notices {
 public:
  // A callback of somebody who waited.
  struct Call {
    Record* record;  // of the ref
    AnyRef ref;
    std::shared_ptr<Callback> then;
    bool is_wanted = false;  // somebody holds the asset
  };
  // A callback that is not called. It goes where nothing is locked, since it may hold refs.
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
  // ref: counted, of the record.
  void add_call(Record& record, AnyRef ref, std::shared_ptr<Callback> then) {
    ++record.queued_calls;
    queue_.emplace_back(Call{&record, std::move(ref), std::move(then)});
  }
  bool is_empty() const { return queue_.empty(); }
  std::size_t size() const { return queue_.size(); }
  // The oldest. Requires one.
  Notice take() {
    Notice oldest = std::move(queue_.front());
    queue_.pop_front();
    if (Call* const call = std::get_if<Call>(&oldest)) {
      // Refs of calls hold nothing: an earlier call may have let go of the asset of this one.
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
