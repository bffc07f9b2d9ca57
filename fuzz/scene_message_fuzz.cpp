// Any bytes as the message that carries a scene: refused, or a scene that survives being written and read again.
#include "fuzz.hpp"
#include "import/model/scene_message.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assetc;
  process::MessageReader reader(fuzz::bytes(data, size));
  const auto imported = importer::read_imported(reader);
  if (!imported) return 0;
  world_matrices(imported->scene);
  process::MessageWriter writer;
  write_imported(writer, *imported);
  process::MessageReader again(writer.bytes());
  fuzz::require(importer::read_imported(again).has_value());
  return 0;
}
