// Converts DDS and KTX 1 files to KTX 2. Only the container changes; blocks and texels stay as stored.
//
// The limits are those of ktx2::View. A mip level that is cut short, and a missing face of a cubemap, are errors. Bytes
// after the last level are an error of KTX 1, and are left out of DDS.
#pragma once

#include <string>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/ktx2.hpp"

namespace assetc::importer {

bool is_dds(ByteSpan file);
bool is_ktx1(ByteSpan file);
bool is_ktx2(ByteSpan file);
inline bool is_texture_file(ByteSpan file) { return is_ktx2(file) || is_dds(file) || is_ktx1(file); }

// Converts any of the three to KTX 2; a KTX 2 file is returned unchanged. Errors: those of the functions below.
// left_out: as below.
Result<Bytes> as_ktx2(const Bytes& file, ktx2::Transfer unsaid, std::string* left_out = nullptr);

// Converts a DDS file with a header of Direct3D 9 or 10. BC1 to BC7, half and single floats and 16-bit channels stay as
// stored. Other uncompressed texels become 8 bits per channel, or 16 if a channel has more than 8; RGB9E5 and
// R11G11B10F become half floats, and signed texels (V8U8) 0 to 1. Padding of rows is removed.
// - unsaid: the transfer function for a Direct3D 9 header, which does not store one. Formats without an sRGB form are
//   always linear.
// - left_out: if not null, receives a text for a warning: bytes after the last level, or levels of at most 4x4 texels
//   that the header counts and the file lacks.
// Errors: kTruncated, kInvalidData, kLimit; kUnsupported for any other format, which is named. Thread-safe.
// Source: Microsoft, Programming Guide for DDS.
Result<ByteVector> ktx2_of_dds(ByteSpan file, ktx2::Transfer unsaid, std::string* left_out = nullptr);

// Converts a KTX 1 file of either byte order. Row padding is removed. ETC1 becomes ETC2, which decodes it to the same
// texels. Errors: as ktx2_of_dds. Thread-safe.
// Source: Khronos, KTX File Format Specification 1.0.
Result<ByteVector> ktx2_of_ktx1(ByteSpan file);

}  // namespace assetc::importer
