// Any bytes: decode() refuses them, or writes a file that View::open() refuses or reads.
#include "assetc/formats/hmesh_encoded.hpp"
#include "assetc/formats/hmesh_view.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assetc;
  const ByteSpan file = fuzz::bytes(data, size);
  (void)hmesh::is_encoded(file);
  const auto decoded_bytes = hmesh::decoded_size(file);
  if (!decoded_bytes || *decoded_bytes > (64u << 20)) return 0;
  ByteVector plain(*decoded_bytes);
  if (!hmesh::decode(file, plain)) return 0;
  (void)hmesh::grid_precision(file);
  fuzz::require(!hmesh::is_encoded(plain));
  const auto view = hmesh::View::open(plain);
  if (!view) return 0;
  // A plain file decodes to itself.
  ByteVector again(*hmesh::decoded_size(plain));
  fuzz::require(hmesh::decode(plain, again).has_value());
  return 0;
}
