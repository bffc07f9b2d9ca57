// The rule for progress over HTTP: whatever the limits are, every asset of a pack on a server becomes ready.
#include "runtime/progress.hpp"

#include "assetc/formats/hpack.hpp"
#include "assetc/http/source.hpp"
#include "http/web_server.hpp"
#include "runtime/parts.hpp"

namespace assetc::http {
namespace {

TEST(HttpProgress, with_every_limit_assets_of_a_pack_become_ready) {
  std::vector<hpack::File> packed;
  const auto add = [&](const std::string& path, ByteVector bytes) {
    packed.push_back({path, Bytes(std::move(bytes))});
  };
  for (const std::uint32_t side : {8u, 64u})
    add("mesh" + std::to_string(side) + ".hmesh", hmesh::write(runtime::grid(side)).value());
  add("a.ktx2", runtime::ktx2_of(false));
  add("b.ktx2", runtime::ktx2_of(true));
  WebFiles files;
  const ByteVector pack = hpack::write(packed).value();
  files.put("/game.hpack", std::string(as_text(pack)));
  WebServer server([&](const WebRequest& request) { return files(request); });
  auto source = Source::open({.url = server.url() + "/"});
  ASSERT_TRUE(source) << source.error().to_string();
  runtime::Catalog catalog;
  ASSERT_TRUE(catalog.mount(*source, runtime::Layout::kPack, "game.hpack"));
  runtime::ThreadPool pool(2);
  for (const std::uint64_t limit : runtime::limits_of_progress(32)) {
    for (const bool in_parts : {false, true})
      EXPECT_EQ(runtime::expect_progress(catalog, {limit, in_parts, pool.jobs(), true}), packed.size()) << limit;
  }
}

}  // namespace
}  // namespace assetc::http
