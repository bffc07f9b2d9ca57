// Values one after another, as caches of one machine hold them: no version, no byte order, no trust.
#pragma once

#include <string>
#include <string_view>

#include "assetc/base/bytes.hpp"

namespace assetc {

inline void append_text(ByteVector& out, std::string_view text) {
  append(out, std::uint64_t{text.size()});
  append_bytes(out, as_bytes(text));
}

// Reads what was appended. Past the end, or past a length that cannot be, everything is zero and ok() false.
class PackedReader {
 public:
  explicit PackedReader(ByteSpan bytes) : bytes_(bytes) {}
  template <class T>
  T raw() {
    if (!range_fits(at_, sizeof(T), bytes_.size())) {
      ok_ = false;
      at_ = bytes_.size();
      return T{};
    }
    at_ += sizeof(T);
    return load<T>(bytes_, at_ - sizeof(T));
  }
  std::string text() {
    const auto size = count();
    std::string result(as_text(bytes_.subspan(at_, size)));
    at_ += size;
    return result;
  }
  // Of things that take a byte each, or more.
  std::size_t count() {
    const auto n = raw<std::uint64_t>();
    if (n <= bytes_.size() - at_) return static_cast<std::size_t>(n);
    ok_ = false;
    at_ = bytes_.size();
    return 0;
  }
  bool whole() const { return ok_ && at_ == bytes_.size(); }
  bool ok() const { return ok_; }

 private:
  ByteSpan bytes_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace assetc
