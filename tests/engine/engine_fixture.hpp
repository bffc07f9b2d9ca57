// A project on a fake disk, compiled with toy recipes.
#pragma once

#include <gmock/gmock.h>

#include "assetc/formats/hman.hpp"
#include "engine/fake_disk.hpp"
#include "engine/run/session.hpp"
#include "engine/store/local_store.hpp"
#include "engine/toy_recipes.hpp"

namespace assetc::engine {

class EventLog final : public EventSink {
 public:
  void on(const Event& event) override { events.push_back(event); }
  template <class T>
  std::vector<T> of() const {
    std::vector<T> result;
    for (const Event& e : events) {
      if (const T* match = std::get_if<T>(&e)) result.push_back(*match);
    }
    return result;
  }
  std::vector<Event> events;
};

class Engine : public testing::Test {
 protected:
  Engine() {
    request.recipes = toy::all();
    request.jobs = 2;
    disk.put("assets/.keep", "");
  }

  Profile profile() const {
    auto config = parse_config(yaml, "assetc.yml");
    EXPECT_TRUE(config) << config.error().to_string();
    auto resolved = resolve(*config, {{}, preset, false});
    EXPECT_TRUE(resolved) << resolved.error().to_string();
    return *resolved;
  }
  Result<Report> try_build() {
    toy::cooked().take();
    events.events.clear();
    // Opened anew for each build, as each command does.
    auto opened = shares ? LocalStore::open(disk, {.path = "cache"}) : Result<std::unique_ptr<LocalStore>>();
    Store* const used = opened && *opened ? opened->get() : local_store;
    const BuildServices services{.disk = disk, .listener = &events, .store = used};
    auto report = session != nullptr ? session->apply(request, services, profile(), changes)
                                     : engine::build(request, services, profile());
    if (opened && *opened) (void)(*opened)->finish();
    return report;
  }
  // Builds; expects no failure.
  Report build() {
    auto report = try_build();
    EXPECT_TRUE(report) << report.error().to_string();
    if (!report) return {};
    EXPECT_TRUE(report->ok) << messages(*report);
    return std::move(*report);
  }
  static std::string messages(const Report& report) {
    std::string text;
    for (const auto& d : report.diagnostics) text += d.what.to_string() + "\n";
    for (const Error& trouble : report.troubles) text += trouble.to_string() + "\n";
    return text;
  }
  static std::string origin_text(Origin origin) {
    return origin == Origin::kCopied ? " (copied)" : origin == Origin::kRestored ? " (restored)" : "";
  }
  // "source: reason" of each step that ran.
  static std::vector<std::string> why(const Report& report) {
    std::vector<std::string> lines;
    lines.reserve(report.steps.size());
    for (const auto& s : report.steps)
      lines.push_back(s.step.source + ": " + s.reason.to_string() + origin_text(s.origin));
    return lines;
  }
  std::vector<std::string> manifest() const {
    const std::string bytes = disk.text(profile().output + "/assets.hman");
    const auto view = hman::View::open(as_bytes(bytes));
    if (!view) return {view.error().to_string()};
    std::vector<std::string> lines;
    for (const auto& e : view->entries())
      lines.push_back(std::string(e.path) + (e.colorspace == hman::Colorspace::kSrgb ? " srgb" : " linear"));
    std::ranges::sort(lines);
    return lines;
  }
  // The tree of a build of the same sources into an empty directory.
  std::map<std::string, std::string> clean_tree() {
    FakeDisk other;
    other.copy_files(disk, "assets");
    BuildRequest clean = request;
    clean.no_cache = false;
    auto report = engine::build(clean, {.disk = other}, profile());
    EXPECT_TRUE(report) << report.error().to_string();
    return other.tree(profile().output);
  }
  void expect_tree_as_clean() { EXPECT_EQ(disk.tree(profile().output), clean_tree()); }

  FakeDisk disk;
  BuildRequest request;
  EventLog events;
  bool shares = false;           // whether builds use a store in "cache"
  Store* local_store = nullptr;  // or this one
  // For builds that continue from one another: the session, and the changes before the next build. Null: each build is
  // independent.
  Session* session = nullptr;
  Changes changes;
  std::string yaml;
  std::optional<std::string> preset;
};

}  // namespace assetc::engine
