// The first promise: after any sequence of edits, an incremental build makes the same tree as a build from nothing.
#include <random>

#include "engine/engine_fixture.hpp"
#include "engine/sequences.hpp"

namespace assetc::engine {
namespace {

const int kSequences = sequences();
constexpr int kEditsASequence = 12;

// With and without a store.
class Property : public Engine, public testing::WithParamInterface<bool> {
 protected:
  Property() { shares = GetParam(); }
  std::mt19937 random;

  std::size_t pick(std::size_t n) { return random() % n; }
  template <class T>
  const T& one_of(const std::vector<T>& list) {
    return list[pick(list.size())];
  }

  std::string word() { return one_of<std::string>({"red", "green", "blue", "odd", "sky", "wood"}); }

  std::string model_text() {
    std::string text;
    for (std::size_t i = pick(5); i > 0; --i) {
      switch (pick(11)) {
        case 0:
          text += "include " + one_of<std::string>({"x.bin", "y.bin"}) + "\n";
          break;
        case 1:
          text += "try " + one_of<std::string>({"x.bin", "hidden", "sub/z.bin"}) + "\n";
          break;
        case 2:
          text += "inside p" + std::to_string(i) + " " + word() + "\n";
          break;
        case 3:
          text += "normal n" + std::to_string(i) + " " + word() + "\n";
          break;
        case 4:
          text += "clip\n";
          break;
        case 5:
          text += "warn " + word() + "\n";
          break;
        case 6:
          text += word() + "\n";
          break;
        case 7:
          text += "picture t" + std::to_string(pick(2)) + ".pic\n";
          break;
        case 8:
          text += "relief t" + std::to_string(pick(2)) + ".pic\n";
          break;
        case 9:
          text += "link t" + std::to_string(pick(2)) + ".pic\n";
          break;
        case 10:
          text += "seek T-" + std::to_string(pick(2)) + ".pic\n";
          break;
      }
    }
    // Two orders for the same clip or picture would be a conflict made by the recipe.
    std::set<std::string> seen;
    std::string once;
    for (std::size_t start = 0; start < text.size();) {
      const std::size_t end = text.find('\n', start) + 1;
      const std::string line = text.substr(start, end - start);
      if (seen.insert(line).second) once += line;
      start = end;
    }
    return once;
  }

  std::string some_path() {
    static const std::vector<std::string> kFolders{"", "a/", "a/b/", "ui/"};
    static const std::vector<std::string> kNames{"m.model",   "k.model",      "t0.pic",  "t1.pic",
                                                 "n.n.pic",   "x.bin",        "y.bin",   "s.set/one",
                                                 "s.set/two", "s.set/t0.pic", "note.txt"};
    return "assets/" + one_of(kFolders) + one_of(kNames);
  }
  std::string text_for(const std::string& path) {
    if (path.ends_with(".model")) return model_text();
    return pick(12) == 0 ? "broken " + word() : word();
  }

  void edit() {
    const auto sources = disk.paths_below("assets");
    const auto outputs = disk.paths_below("runtime");
    const auto source = [&] { return "assets/" + one_of(sources); };
    const auto output = [&] {
      std::vector<std::string> ours;
      for (const auto& path : outputs) {
        if (path.find(".assetc-cache") == std::string::npos) ours.push_back("runtime/" + path);
      }
      return ours.empty() ? std::string() : one_of(ours);
    };
    switch (pick(13)) {
      case 0:
      case 1:
      case 2: {
        const std::string path = some_path();
        disk.put(path, text_for(path));
        break;
      }
      case 3:
        if (const std::string path = source(); !path.ends_with(".keep")) disk.erase(path);
        break;
      case 4: {  // rename
        const std::string from = source();
        const std::string to = some_path();
        const auto extension = [](const std::string& p) { return p.substr(p.rfind('.') + 1); };
        if (extension(from) == extension(to) && from != to) disk.move(from, to);
        break;
      }
      case 5: {  // swap contents
        const std::string a = source();
        const std::string b = source();
        if (a.substr(a.rfind('.')) != b.substr(b.rfind('.'))) break;
        const std::string text = disk.text(a);
        disk.overwrite(a, disk.text(b));
        disk.overwrite(b, text);
        break;
      }
      case 6:
        disk.touch(source());
        break;
      case 7:
        yaml = one_of<std::string>({"", "default: {texture: {quality: fast}}", "default: {mesh: {lods: 4}}",
                                    "default: {rules: [{match: \"ui/*\", texture: {compress: false}}]}",
                                    "default: {rules: [{match: \"*t0.pic\", texture: {standalone: true}}]}",
                                    "default: {rules: [{match: \"*t1.pic\", texture: {quality: fast}}]}",
                                    "ignore: [\"a/b/*\"]", "ignore: [\"*.txt\", \"ui/t0*\"]"});
        break;
      case 8:
        if (const std::string path = output(); !path.empty()) disk.erase(path);
        break;
      case 9:
        // Later than the clock tick of the write: the engine does not promise to see changes within that tick.
        disk.sleep(1'000'000'000);
        if (const std::string path = output(); !path.empty()) disk.overwrite(path, "corrupt " + word());
        break;
      case 10:
        if (const std::string path = output(); !path.empty()) disk.touch(path);
        break;
      case 11:
        request.no_cache = pick(4) == 0;
        break;
      case 12:
        request.jobs = 1 + static_cast<int>(pick(3));
        break;
    }
  }

  void damage_cache() {
    std::string bytes = disk.text("runtime/.assetc-cache");
    for (int i = 0; i < 3; ++i) bytes[pick(bytes.size())] ^= static_cast<char>(1 + pick(255));
    disk.put("runtime/.assetc-cache", bytes);
  }

  // Compares both trees, or both errors: the incremental build fails exactly when the clean one does.
  void compare() {
    auto report = try_build();
    FakeDisk other;
    other.copy_files(disk, "assets");
    BuildRequest clean = request;
    clean.jobs = 1;
    auto expected = engine::build(clean, {.disk = other}, profile());
    ASSERT_EQ(report.has_value(), expected.has_value()) << (report ? expected : report).error().to_string();
    if (!report) {
      EXPECT_EQ(report.error().to_string(), expected.error().to_string());
      return;
    }
    std::erase_if(report->diagnostics, [](const auto& d) { return d.what.file.ends_with(".assetc-cache"); });
    EXPECT_EQ(report->ok, expected->ok);
    // If a step fails, warnings may be missing, and so may steps that only its product refers to.
    const auto is_warning = [](const auto& d) { return d.severity != recipes::Severity::kError; };
    if (!report->ok && session != nullptr && session->went_on()) {
      std::erase_if(report->diagnostics, is_warning);
      std::erase_if(expected->diagnostics, is_warning);
    }
    EXPECT_EQ(messages(*report), messages(*expected));
    if (report->ok) {
      EXPECT_EQ(disk.tree("runtime"), other.tree("runtime"));
      EXPECT_EQ(report->totals.steps, expected->totals.steps);
      EXPECT_EQ(report->totals.outputs, expected->totals.outputs);
      EXPECT_EQ(report->totals.unclaimed, expected->totals.unclaimed);
      EXPECT_EQ(report->totals.taken, expected->totals.taken);
    }
    toy::cooked().take();
    if (pick(4) != 0 || !report->ok) return;
    const bool no_cache = std::exchange(request.no_cache, false);
    Session* const of = std::exchange(session, nullptr);
    const auto again = try_build();  // and no step runs needlessly
    ASSERT_TRUE(again);
    EXPECT_THAT(why(*again), testing::IsEmpty());
    EXPECT_EQ(again->totals.files_written, 0u);
    request.no_cache = no_cache;
    session = of;
  }
};

TEST_P(Property, incremental_equals_clean_after_random_edits) {
  for (int seed = 0; seed < kSequences; ++seed) {
    random.seed(static_cast<unsigned>(seed));
    disk.remove_all("assets");
    disk.remove_all("runtime");
    disk.put("assets/.keep", "");
    yaml.clear();
    request.no_cache = false;
    for (int i = 0; i < 6; ++i) {
      const std::string path = some_path();
      disk.put(path, text_for(path));
    }
    for (int round = 0; round < kEditsASequence; ++round) {
      SCOPED_TRACE("seed " + std::to_string(seed) + " round " + std::to_string(round));
      disk.stand_still = pick(5) == 0;  // edits within one clock tick
      for (std::size_t n = pick(4); n > 0; --n) edit();
      compare();
      if (HasFailure()) return;
      if (pick(10) == 0 && disk.has("runtime/.assetc-cache")) {
        damage_cache();
        compare();
        if (HasFailure()) return;
      }
    }
  }
}

// The changes that the operating system would report to a watch: files and folders that were added or removed or have
// another signature.
std::vector<std::string> differences(const Tree& before, const Tree& now) {
  const auto entries = [](const Tree& tree) {
    std::map<std::string, FileSignature> all;
    for (std::size_t i = 0; i < tree.size(); ++i) all.emplace(tree.path(i), tree[i].signature);
    return all;
  };
  const std::map<std::string, FileSignature> a = entries(before), b = entries(now);
  std::vector<std::string> changed;
  for (const auto& [path, signature] : a) {
    const auto found = b.find(path);
    if (found == b.end() || found->second != signature) changed.push_back(path);
  }
  for (const auto& [path, signature] : b) {
    if (!a.contains(path)) changed.push_back(path);
  }
  return changed;
}

TEST_P(Property, builds_that_look_only_at_what_changed_equal_clean_ones) {
  int used = 0;
  for (int seed = 0; seed < kSequences; ++seed) {
    random.seed(static_cast<unsigned>(2'000'000 + seed));
    disk.remove_all("assets");
    disk.remove_all("runtime");
    disk.put("assets/.keep", "");
    yaml.clear();
    request.no_cache = false;
    auto builds = std::make_unique<Session>();
    for (int i = 0; i < 6; ++i) {
      const std::string path = some_path();
      disk.put(path, text_for(path));
    }
    std::map<std::string, std::string> outputs;
    Tree input;
    for (int round = 0; round < 2 * kEditsASequence; ++round) {
      SCOPED_TRACE("seed " + std::to_string(seed) + " round " + std::to_string(round));
      for (std::size_t n = pick(6) == 0 ? 3 : 1; n > 0; --n) edit();
      Tree now = disk.walk("assets", {}, 1).value();
      // Changes of outputs are not reported, and events may be lost. Then everything is looked at, as also happens a
      // while after the last save.
      const bool is_lost = disk.tree("runtime") != outputs || pick(12) == 0;
      changes = is_lost ? std::nullopt : std::optional(differences(input, now));
      input = std::move(now);
      if (pick(12) == 0 && changes) {
        for (const char* path : {"a/note.txt", "not/there", "x.bin"}) changes->emplace_back(path);
      }
      session = builds.get();
      if (pick(10) == 0) {  // killed and restarted
        disk.crash_after(static_cast<std::int64_t>(pick(20)));
        (void)try_build();
        disk.reboot(pick(3) == 0);
        builds = std::make_unique<Session>();
        session = builds.get();
      }
      compare();
      session = nullptr;
      if (HasFailure()) return;
      used += builds->went_on();
      if (pick(8) == 0) {  // another process builds
        ASSERT_TRUE(try_build());
        toy::cooked().take();
      }
      outputs = disk.tree("runtime");
      if (pick(8) != 0) builds->prepare(request, disk);
    }
  }
  EXPECT_GT(used, kSequences);
}

TEST_P(Property, incremental_equals_clean_when_builds_are_killed_between_edits) {
  for (int seed = 0; seed < kSequences; ++seed) {
    random.seed(static_cast<unsigned>(1'000'000 + seed));
    disk.remove_all("assets");
    disk.remove_all("runtime");
    disk.put("assets/.keep", "");
    yaml.clear();
    request.no_cache = false;
    for (int round = 0; round < kEditsASequence; ++round) {
      SCOPED_TRACE("seed " + std::to_string(seed) + " round " + std::to_string(round));
      for (std::size_t n = 1 + pick(4); n > 0; --n) edit();
      if (pick(2) == 0) {
        disk.crash_after(static_cast<std::int64_t>(pick(60)));
        (void)try_build();
        disk.reboot(pick(3) == 0);
        continue;
      }
      compare();
      if (HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Stores, Property, testing::Bool());

}  // namespace
}  // namespace assetc::engine
