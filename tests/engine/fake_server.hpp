// An HTTP cache in memory with the faults of real ones: it loses entries, damages them, refuses requests, or does not
// answer.
#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "engine/remote/transfers.hpp"

namespace assetc::engine {

class FakeServer {
 public:
  // The answer to all requests of a kind from now on; without a fault: the stored data.
  struct Fault {
    int status = 0;  // 0: no usable answer
    std::string trouble;
  };

  // Transfers to this server, one object for each machine. The server outlives them.
  std::unique_ptr<Transfers> connect() { return std::make_unique<FakeTransfers>(*this); }

  void fail_reads(std::optional<Fault> fault) { set(reads_, std::move(fault)); }
  void fail_writes(std::optional<Fault> fault) { set(writes_, std::move(fault)); }
  // Bodies beyond this many bytes are too large.
  void take_at_most(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    max_body_bytes_ = bytes;
  }
  // Requests wait until release(), or until they are canceled.
  void hold() {
    const std::lock_guard lock(mutex_);
    holds_ = true;
  }
  void release() {
    std::deque<Held> held;
    {
      const std::lock_guard lock(mutex_);
      holds_ = false;
      held = std::exchange(held_, {});
    }
    for (const Held& one : held) one.from->answer(one.request);
  }

  // The time since their first request that all transfers report.
  void be_silent_for(double seconds) {
    const std::lock_guard lock(mutex_);
    unanswered_seconds_ = seconds;
  }
  // The number of waiting requests.
  std::size_t held() const {
    const std::lock_guard lock(mutex_);
    return held_.size();
  }

  std::map<std::string, std::string> files() const {
    const std::lock_guard lock(mutex_);
    return files_;
  }
  std::vector<std::string> paths(std::string_view folder) const {
    std::vector<std::string> found;
    for (const auto& [path, bytes] : files()) {
      if (path.starts_with(folder)) found.push_back(path);
    }
    return found;
  }
  void put(const std::string& path, std::string bytes) {
    const std::lock_guard lock(mutex_);
    files_.insert_or_assign(path, std::move(bytes));
  }
  void erase(const std::string& path) {
    const std::lock_guard lock(mutex_);
    files_.erase(path);
  }
  // The requests since the last call, in order: "GET ac/...".
  std::vector<std::string> take_requests() {
    const std::lock_guard lock(mutex_);
    return std::exchange(requests_, {});
  }

 private:
  class FakeTransfers;
  struct Held {
    FakeTransfers* from;
    Request request;
  };

  class FakeTransfers final : public Transfers {
   public:
    explicit FakeTransfers(FakeServer& server) : server_(server) {}
    ~FakeTransfers() override {
      const std::lock_guard lock(server_.mutex_);
      std::erase_if(server_.held_, [this](const Held& held) { return held.from == this; });
    }
    void send(Request request) override {
      {
        const std::lock_guard lock(server_.mutex_);
        if (server_.holds_) return server_.held_.push_back({this, std::move(request)});
      }
      answer(request);
    }
    void drop_queued(bool for_upload) override {
      std::vector<Request> dropped;
      {
        const std::lock_guard lock(server_.mutex_);
        std::erase_if(server_.held_, [&](Held& held) {
          if (held.from != this || held.request.for_upload != for_upload) return false;
          dropped.push_back(std::move(held.request));
          return true;
        });
      }
      for (Request& request : dropped) request.done(dropped_answer());
    }
    Totals totals() const override {
      const std::lock_guard lock(server_.mutex_);
      Totals totals = totals_;
      totals.unanswered_seconds = server_.unanswered_seconds_;
      return totals;
    }
    std::vector<TransferRecord> records() const override { return {}; }

    void answer(const Request& request) {
      Answer answer = request.unwanted && request.unwanted() ? dropped_answer() : answer_to(request);
      request.done(std::move(answer));
    }

   private:
    static Answer dropped_answer() {
      Answer answer;
      answer.dropped = true;
      return answer;
    }
    Answer answer_to(const Request& request) {
      static constexpr const char* kWords[] = {"GET ", "HEAD ", "PUT ", "DELETE "};
      const std::lock_guard lock(server_.mutex_);
      server_.requests_.push_back(kWords[static_cast<std::size_t>(request.method)] + request.path);
      ++totals_.requests;
      const auto& fault = request.method == Method::kPut ? server_.writes_ : server_.reads_;
      Answer answer;
      if (fault) {
        answer.status = fault->status;
        answer.trouble = fault->trouble;
        return answer;
      }
      if (request.method == Method::kPut && request.body.size() > server_.max_body_bytes_) {
        answer.status = 413;
        answer.trouble = "answered 413";
        return answer;
      }
      if (request.method == Method::kPut) {
        server_.files_.insert_or_assign(request.path, std::string(as_text(request.body)));
        answer.status = 201;
        return answer;
      }
      const auto file = server_.files_.find(request.path);
      answer.status = file == server_.files_.end() ? 404 : 200;
      if (answer.status == 404) answer.trouble = "answered 404";
      if (answer.status != 200 || request.method != Method::kGet) return answer;
      if (file->second.size() > request.max_bytes) {
        answer.status = 0;
        answer.trouble = "sent more than " + std::to_string(request.max_bytes) + " bytes";
        return answer;
      }
      const ByteSpan bytes = as_bytes(file->second);
      answer.body = Bytes(ByteVector(bytes.begin(), bytes.end()));
      return answer;
    }

    FakeServer& server_;
    Totals totals_;
  };

  void set(std::optional<Fault>& which, std::optional<Fault> fault) {
    const std::lock_guard lock(mutex_);
    which = std::move(fault);
  }

  mutable std::mutex mutex_;
  std::map<std::string, std::string> files_;
  std::size_t max_body_bytes_ = ~std::size_t{0};
  std::optional<Fault> reads_, writes_;
  bool holds_ = false;
  double unanswered_seconds_ = 0;
  std::deque<Held> held_;
  std::vector<std::string> requests_;
};

}  // namespace assetc::engine
