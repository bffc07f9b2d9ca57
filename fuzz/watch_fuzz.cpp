// Any bytes from the socket of a watch, in pieces of any size: they are refused, or a manager applies them.
#include "assetc/runtime/manager.hpp"
#include "assetc/runtime/source.hpp"
#include "fuzz.hpp"
#include "runtime/watch/watch_protocol.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assetc;
  using namespace assetc::runtime;
  if (size == 0) return 0;
  const std::size_t step = data[0] + std::size_t{1};
  const ByteSpan input = fuzz::bytes(data, size).subspan(1);
  const std::shared_ptr<Source> files = make_source(
      [](const ReadRequest& request, const std::atomic<bool>&) -> Result<ReadAnswer> {
        if (request.path != "a.bin") return std::unexpected(Error{ErrorCode::kNotFound, {}, {}, {}, {}});
        return read_range(request, Bytes(ByteVector(9)));
      },
      0);
  Catalog catalog;
  fuzz::require(catalog.mount(files, Layout::kTree, "", {.files = {"a.bin", "b.bin"}}).has_value());
  Manager manager(catalog, {.io_thread = false});
  manager.add<Bytes>(AssetType::kRaw, {.decode = [](LoadInput& in) -> Result<Bytes> { return in.bytes; }});
  const auto a = manager.load_async<Bytes>(catalog.find_by_path("a.bin").value());
  WatchReader reader;
  for (std::size_t at = 0; at < input.size(); at += step) {
    const auto said = reader.read(input.subspan(at, std::min(step, input.size() - at)));
    if (!said) break;
    for (const Changes& changes : *said) manager.changed(changes);
    manager.pump();
  }
  manager.pump();
  if (const Failure* failure = a.reload_failure()) (void)failure->to_string();
  return 0;
}
