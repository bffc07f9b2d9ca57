// Builds and runs the code of docs/guide/http.md. tests/runtime/engine_guide_test.cpp compares the texts.
#include <gtest/gtest.h>

#include "assetc/http/source.hpp"
#include "assetc/http/watch_events.hpp"
#include "assetc/runtime/assets.hpp"
#include "assetc/runtime/manager.hpp"

namespace assetc {
namespace {

std::vector<std::string> messages;
void log(const std::string& text) { messages.push_back(text); }

void mount_a_pack() {
  const Result<std::shared_ptr<http::Source>> server = http::Source::open({.url = "https://assets.example/game"});
  if (!server) return log(server.error().to_string());
  runtime::Catalog catalog;
  if (auto mounted = catalog.mount(*server, runtime::Layout::kPack, "forest.hpack"); !mounted)
    log(mounted.error().to_string());
}

void reload(runtime::Manager& manager, const std::string& token) {
  const http::SourceOptions desk{.url = "http://192.168.1.20:8090", .bearer = token};
  const Result<std::shared_ptr<http::Source>> outputs = http::Source::open(desk);
  if (!outputs) return log(outputs.error().to_string());
  if (auto mounted = manager.mount(*outputs, runtime::Layout::kTree, ""); !mounted) log(mounted.error().to_string());
  const auto events = http::WatchEvents::open(desk, [&](const runtime::Changes& changes) {
    (*outputs)->changed(changes);  // ask the server for these files again
    manager.changed(changes);
  });
}

TEST(HttpGuide, is_built) {
  // Its servers do not exist, and a test must not ask the network for them.
  EXPECT_NE(&mount_a_pack, nullptr);
  EXPECT_NE(&reload, nullptr);
}

}  // namespace
}  // namespace assetc
