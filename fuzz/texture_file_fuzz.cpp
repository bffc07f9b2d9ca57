// Any bytes as DDS and as KTX 1: refused with a reason, or converted to a KTX 2 file that our reader accepts.
#include "assetc/formats/ktx2.hpp"
#include "fuzz.hpp"
#include "import/texture/file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assetc;
  const ByteSpan file = fuzz::bytes(data, size);
  for (const auto& made : {importer::ktx2_of_dds(file, ktx2::Transfer::kSrgb),
                           importer::ktx2_of_dds(file, ktx2::Transfer::kLinear), importer::ktx2_of_ktx1(file)}) {
    if (!made) {
      fuzz::require(!made.error().what.empty());
    } else {
      fuzz::require(ktx2::View::open(*made).has_value());
    }
  }
  return 0;
}
