// Texture files of other kinds, as KTX 2: DDS and KTX 1. Texels stay as they are stored; only the container is another.
//
// Limits: those of ktx2::View. A mip chain that a file cuts short, faces that a cubemap lacks and bytes behind the last
// level are errors, never guesses.
#pragma once

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/ktx2.hpp"

namespace assetc::importer {

bool is_dds(ByteSpan file);
bool is_ktx1(ByteSpan file);
bool is_ktx2(ByteSpan file);
inline bool is_texture_file(ByteSpan file) { return is_ktx2(file) || is_dds(file) || is_ktx1(file); }

// A file of any of the three as KTX 2, a file that is one already as it is. Errors: of the functions below.
Result<Bytes> as_ktx2(const Bytes& file, ktx2::Transfer unsaid);

// A DirectDraw surface of Direct3D 9 or 10 as a KTX 2 file: BC1 to BC7, half and single floats, 16-bit channels as they
// are; other uncompressed texels as 8 bits a channel, or as 16 where a channel has more than 8. unsaid: the transfer
// function of a Direct3D 9 header, which has no field for it; data formats are linear whatever it is.
// Errors: kTruncated, kInvalidData; kUnsupported for a format that is none of these (named); kLimit. Thread-safe.
// Source: Microsoft, Programming Guide for DDS.
Result<ByteVector> ktx2_of_dds(ByteSpan file, ktx2::Transfer unsaid);

// A KTX 1 file of either byte order as a KTX 2 file; rows lose the padding to 4 bytes. ETC1 becomes ETC2, which decodes
// it to the same texels. Errors: as ktx2_of_dds. Thread-safe.
// Source: Khronos, KTX File Format Specification 1.0.
Result<ByteVector> ktx2_of_ktx1(ByteSpan file);

}  // namespace assetc::importer
