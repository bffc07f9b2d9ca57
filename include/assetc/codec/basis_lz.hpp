// Decodes BasisLZ, the supercompression of ETC1S textures in KTX 2 files, to ETC1S blocks.
//
// All images of a texture share two codebooks and four Huffman tables. open() decodes these once. Each image has one
// slice of color. If the texture has alpha, each image has a second slice for it:
//
//   const auto decoder = BasisLzDecoder::open({.endpoint_count = ..., .endpoints = ..., ...});
//   if (!decoder) return decoder.error();
//   std::vector<std::byte> blocks(block_count(width, height) * block_bytes(BlockFormat::kEtc1s));
//   if (auto ok = decoder->decode_slice({.bytes = slice, .width_blocks = w, .height_blocks = h}, blocks); !ok) ...
//
// transcode_etc1s() and decode_blocks() read the resulting blocks. runtime/inflate.hpp does all of these steps for a
// level of a KTX 2 file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"

namespace assetc {

// The codebook entries that a block uses.
struct BasisLzBlock {
  std::uint16_t endpoint = 0;
  std::uint16_t selector = 0;
};

class BasisLzDecoder {
 public:
  // The parts of a file's supercompression global data. Each count is at most 65535.
  struct GlobalData {
    std::uint32_t endpoint_count = 0;
    std::uint32_t selector_count = 0;
    ByteSpan endpoints = {};
    ByteSpan selectors = {};
    ByteSpan tables = {};
  };

  struct Slice {
    ByteSpan bytes = {};
    std::uint32_t width_blocks = 0;  // 1 to 2^14, also height_blocks
    std::uint32_t height_blocks = 0;
    // The blocks of this slice in the previous image. decode_slice() replaces them with the blocks of this image.
    // Size: width_blocks * height_blocks. May be empty if no image refers to the previous one.
    std::span<BasisLzBlock> previous = {};
    // Whether blocks may repeat those of the previous image. Requires previous.
    bool is_p_frame = false;
  };

  // Decodes the codebooks and tables.
  // Errors: kInvalidData and kTruncated. The place is "the endpoints", "the selectors" or "the tables".
  // - The spans need not stay valid after the call.
  // - The decoder uses at most 1 MiB of memory.
  static Result<BasisLzDecoder> open(const GlobalData& data);

  // Writes one ETC1S block, an ETC1 block of 8 bytes, every stride_bytes into `blocks`, row by row. If `blocks` is
  // empty, checks the slice and writes nothing.
  // Errors: kInvalidData and kTruncated at "block N"; kUsage for sizes that do not match.
  // - blocks.size() == width_blocks * height_blocks * stride_bytes, or 0. The bytes after the last block may be
  //   missing.
  // - stride_bytes >= 8
  // Thread safety: any number of threads.
  // Source: KTX File Format Specification 2.0, BasisLZ/ETC1S Bitstream Specification.
  Result<void> decode_slice(const Slice& slice, std::span<std::byte> blocks, std::size_t stride_bytes = 8) const;

  BasisLzDecoder(BasisLzDecoder&&) noexcept;
  BasisLzDecoder& operator=(BasisLzDecoder&&) noexcept;
  ~BasisLzDecoder();

 private:
  struct Tables;
  explicit BasisLzDecoder(std::unique_ptr<const Tables> tables);
  std::unique_ptr<const Tables> tables_;
};

}  // namespace assetc
