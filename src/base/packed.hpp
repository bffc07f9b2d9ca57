// Values one after another, for the caches of one machine: no version, no byte order, no protection against forgery.
#pragma once

#include <string>
#include <string_view>

#include "assetc/base/bytes.hpp"

namespace assetc {

inline void append_text(ByteVector& out, std::string_view text) {
  append(out, std::uint64_t{text.size()});
  append_bytes(out, as_bytes(text));
}

// Reads appended values. After the end, or after an invalid length, all values are zero and ok() is false.
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
  // The count of elements that take at least one byte each.
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
