// Internal to the AAS1 formats: arrays that a Desc refers to.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>

#include "assetc/formats/aas1.hpp"
#include "base/plural.hpp"
#include "formats/reader.hpp"

namespace assetc::aas1 {

// Returns the array of count Ts at an offset from the end of the Desc, in place. field_place: the place of the offset
// in the file.
template <class T>
Result<std::span<const T>> array_at(const Blob& blob, std::uint32_t offset_bytes, std::uint64_t count,
                                    std::uint64_t field_place, std::string_view what) {
  const std::uint64_t size = count * sizeof(T);  // count has 32 bits and T is smaller than 4 GiB: no overflow
  if (!range_fits(offset_bytes, size, blob.data().size())) {
    return fail_at(ErrorCode::kTruncated, byte_place(field_place),
                   formats::message(count, " ", what, " of ", counted(sizeof(T), "byte"), " at ", offset_bytes,
                                    " do not fit in the data of ", counted(blob.data().size(), "byte")),
                   formats::kDamagedHint);
  }
  if (offset_bytes % alignof(T) != 0 || blob.desc().size() % alignof(T) != 0) {
    return formats::invalid(field_place,
                            formats::message(what, " lie at ", offset_bytes, ", expected a multiple of ", alignof(T)));
  }
  return std::span(reinterpret_cast<const T*>(blob.data().data() + offset_bytes), count);
}

inline Result<ByteSpan> bytes_at(const Blob& blob, std::uint32_t offset_bytes, std::uint32_t size_bytes,
                                 std::uint64_t field_place, std::string_view what) {
  return array_at<std::byte>(blob, offset_bytes, size_bytes, field_place, what);
}

// Returns the place of a field of the Desc in the file.
constexpr std::uint64_t desc_place(std::size_t offset) { return sizeof(BlobHeader) + offset; }

}  // namespace assetc::aas1
