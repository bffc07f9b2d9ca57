// Any bytes, as a bundle and as a patch over a bundle: they are refused, or each content is read within them or
// refused.
#include "assetc/formats/pak.hpp"
#include "bundle/patch.hpp"
#include "bundle/reader.hpp"
#include "fuzz.hpp"

namespace {

using namespace assetc;

void read_all(const bundle::Reader& reader) {
  for (std::size_t i = 0; i < reader.view().blocks().size(); ++i) fuzz::touch(reader.stored(i));
  for (const pak::Entry& entry : reader.entries()) {
    fuzz::require(reader.view().find(entry.uuid) == &entry);
    if (const auto content = reader.read(entry, std::uint64_t{64} << 20))
      fuzz::require(content->size() == entry.size_bytes);
  }
  (void)reader.verify();
}

// A bundle of three assets to apply patches to.
const bundle::Reader& old_bundle() {
  static const bundle::Reader reader = [] {
    std::vector<bundle::Input> inputs;
    for (std::uint8_t i = 0; i < 3; ++i) inputs.push_back({Uuid{{i, 1}}, 1000});
    ByteVector out;
    const bundle::ReadInput read = [](std::size_t i) -> Result<Bytes> {
      return Bytes(ByteVector(1000, static_cast<std::byte>(i)));
    };
    const bundle::Sink sink = [&](ByteSpan bytes) -> Result<void> {
      append_bytes(out, bytes);
      return {};
    };
    fuzz::require(bundle::write_bundle({.platform = "Win64", .name = "base"}, inputs, read, sink).has_value());
    return *bundle::Reader::open(Bytes(std::move(out)));
  }();
  return reader;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteSpan input = fuzz::bytes(data, size);
  const Bytes file(ByteVector(input.begin(), input.end()));
  if (const auto reader = bundle::Reader::open(file)) {
    read_all(*reader);
    if (const auto mounted = reader->mount(file)) read_all(*mounted);
  }
  if (const auto mounted = old_bundle().mount(file)) read_all(*mounted);
  return 0;
}
