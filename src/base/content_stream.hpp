// The content_hash() of bytes that arrive in parts.
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
  // Returns the content_hash() of all parts, concatenated.
  ContentHash finish() const;

 private:
  void* state_;
};

}  // namespace assetc
