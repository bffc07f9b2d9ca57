// Any text as a file that Unity or Godot keeps beside a source.
#include "fuzz.hpp"
#include "import/engines/beside.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assetc;
  const std::string_view text = as_text(fuzz::bytes(data, size));
  for (const auto engine : {importer::OtherEngine::kUnity, importer::OtherEngine::kGodot}) {
    (void)importer::is_beside(engine, text);
    const auto said = importer::read_beside(engine, "a.png", text);
    if (!said) {
      fuzz::require(!said.error().what.empty());
      continue;
    }
    fuzz::require(!said->guid || !said->guid->is_nil());
    for (const importer::BesideSetting& setting : said->settings)
      fuzz::require(!setting.key.empty() && !setting.value.empty() && setting.line > 0);
  }
  return 0;
}
