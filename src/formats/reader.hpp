// A cursor over bytes that may be truncated anywhere.
#pragma once

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "base/plural.hpp"
#include "formats/message.hpp"

namespace assetc::formats {

inline constexpr const char* kDamagedHint = "the file is damaged or was cut short; write it again";

class Reader {
 public:
  explicit Reader(ByteSpan bytes) : bytes_(bytes) {}

  std::uint64_t position() const { return position_; }
  std::uint64_t remaining() const { return bytes_.size() - position_; }
  bool at_end() const { return remaining() == 0; }

  // Returns the next size bytes, or an error with the place of the end and the expected content.
  Result<ByteSpan> take(std::uint64_t size, std::string_view what) {
    if (size > remaining()) {
      return fail_at(ErrorCode::kTruncated, byte_place(position_),
                     message("found ", counted(remaining(), "byte"), ", expected ", size, " for ", what), kDamagedHint);
    }
    const ByteSpan part = bytes_.subspan(position_, size);
    position_ += size;
    return part;
  }
  template <class T>
  Result<T> read(std::string_view what) {
    ASSETC_TRY(const ByteSpan part, take(sizeof(T), what));
    return load<T>(part);
  }

 private:
  ByteSpan bytes_;
  std::uint64_t position_ = 0;
};

// Returns an error at this byte of the file.
std::unexpected<Error> invalid(std::uint64_t offset, std::string what, std::string_view hint = kDamagedHint);

// Returns an error unless the file ends there.
Result<void> expect_end(std::uint64_t end, std::uint64_t size);

// Checks magic and version, the first eight bytes of every assetc format except Galileo.
Result<void> check_magic(ByteSpan file, std::uint32_t magic, std::uint32_t version, std::string_view format_name);

// Views return spans of structs, so the address of the bytes must be aligned for these structs.
Result<void> check_alignment(ByteSpan file, std::size_t alignment);

}  // namespace assetc::formats
