// Any bytes as an .fbx, binary or text: an error, or a scene that survives the message between the processes.
#include "fuzz.hpp"
#include "import/fbx/fbx.hpp"
#include "import/model/scene_message.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assetc;
  const auto imported = importer::read_fbx_here(fuzz::bytes(data, size));
  if (!imported) {
    fuzz::require(!imported.error().what.empty());
    return 0;
  }
  process::MessageWriter writer;
  importer::write_imported(writer, *imported);
  process::MessageReader reader(writer.bytes());
  fuzz::require(importer::read_imported(reader).has_value());
  return 0;
}
