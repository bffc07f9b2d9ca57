#include "assetc/formats/hmesh_encoded.hpp"
#include "assetc/runtime/inflate.hpp"
#include "compression/decode.hpp"
#include "runtime/mount/buffer.hpp"

namespace assetc::runtime {

Result<void> inflate_frame(ByteSpan frame, std::span<std::byte> out) {
  const auto done = compression::inflate_into(frame, out);
  if (!done) return std::unexpected(done.error().to_error(out.size()));
  return {};
}

Result<Bytes> plain_mesh(const Bytes& file, const Memory& memory) {
  if (!hmesh::is_encoded(file)) return file;
  ASSETC_TRY(const std::uint64_t size_bytes, hmesh::decoded_size(file));
  ASSETC_TRY(const Buffer decoded, Buffer::allocate(size_bytes, memory));
  ASSETC_CHECK(hmesh::decode(file, decoded.span(), inflate_frame));
  return decoded.bytes();
}

}  // namespace assetc::runtime
