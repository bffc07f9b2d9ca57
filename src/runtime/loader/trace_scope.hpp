#pragma once

#include "assetc/runtime/trace.hpp"

namespace assetc::runtime {

class TraceScope {
 public:
  TraceScope(const Tracer& tracer, const char* name, std::string_view detail = {}) : tracer_(tracer), name_(name) {
    tracer_({.kind = TraceEvent::Kind::kBegin, .name = name_, .detail = detail});
  }
  ~TraceScope() { tracer_({.kind = TraceEvent::Kind::kEnd, .name = name_}); }
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;

 private:
  const Tracer& tracer_;
  const char* name_;
};

}  // namespace assetc::runtime
