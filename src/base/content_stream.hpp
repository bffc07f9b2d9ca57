// content_hash() of bytes that come in parts.
#pragma once

#include "assetc/base/hash.hpp"

namespace assetc {

class ContentStream {
 public:
  ContentStream();
  ~ContentStream();
  ContentStream(const ContentStream&) = delete;
  ContentStream& operator=(const ContentStream&) = delete;
  void add(ByteSpan part);
  // The content_hash() of all parts as one.
  ContentHash finish() const;

 private:
  void* state_;
};

}  // namespace assetc
