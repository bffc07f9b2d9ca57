#include "engine/run/one_step.hpp"

#include <gmock/gmock.h>

#include "engine/fake_disk.hpp"
#include "engine/store/local_store.hpp"
#include "engine/toy_recipes.hpp"

namespace assetc::engine {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::string>& joined() {
  static std::vector<std::string> log;
  return log;
}

// Reads the files that its input names, one per line, beside it or by absolute path, and joins their bytes.
Result<recipes::Product> join(const recipes::Step& step, recipes::Inputs& inputs) {
  joined().push_back(step.input_path);
  ASSETC_TRY(const Bytes input, inputs.read(step.input_path));
  recipes::Product product;
  std::string out = step.params.at("mode") + (step.settings.texture.quality == codec::Effort::kFast ? " fast" : "");
  std::string_view rest = as_text(input);
  while (!rest.empty()) {
    const std::string line(rest.substr(0, rest.find('\n')));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line == "fail") return fail(ErrorCode::kInvalidData, "found \"fail\"");
    const std::string path = line.starts_with('/') ? line : toy::directory_of(step.input_path) + line;
    const auto file = inputs.read(path);
    if (file) {
      out += " " + std::string(as_text(*file));
    } else {
      product.diagnostics.push_back(
          {WarningKind::kMissingPicture, Error{ErrorCode::kNotFound, path, {}, "is not there", {}}});
      if (line == "named") product.diagnostics.back().what.hint = "look at " + path;
    }
  }
  product.outputs.push_back({".out", toy::bytes_of(out), {}});
  product.outputs.push_back({".large.out", toy::bytes_of(out + std::string(2 * kInlineBytes, 'x')), {}});
  return product;
}
std::string join_library() { return "join=1\n"; }
constinit const recipes::Recipe kJoin{.name = "join",
                                      .version = 1,
                                      .claims = {},
                                      .setting_groups = {},
                                      .stem_matters = false,
                                      .cook = join,
                                      .estimate_peak_bytes = toy::small_estimate,
                                      .libraries = join_library};

class OneStepAlone : public testing::Test {
 protected:
  OneStepAlone() { store = std::move(*LocalStore::open(disk, {.path = "/cache"})); }
  OneProduct run(const std::string& input) {
    joined().clear();
    auto product = run_one({kJoin, input, settings, {{"mode", mode}}}, disk, store.get());
    EXPECT_TRUE(product) << product.error().to_string();
    return product ? std::move(*product) : OneProduct();
  }
  std::string text(const std::string& input) {
    const OneProduct product = run(input);
    return product.outputs.empty() ? "" : std::string(as_text(product.outputs[0].bytes));
  }
  bool was_cooked() const { return !joined().empty(); }

  FakeDisk disk;
  std::unique_ptr<LocalStore> store;
  recipes::Settings settings;
  std::string mode = "plain";
};

TEST_F(OneStepAlone, is_cooked_once) {
  disk.put("/one/a.list", "b.txt\n");
  disk.put("/one/b.txt", "b");
  EXPECT_EQ(text("/one/a.list"), "plain b");
  EXPECT_TRUE(was_cooked());
  const OneProduct again = run("/one/a.list");
  EXPECT_FALSE(was_cooked());
  ASSERT_THAT(again.outputs, SizeIs(2));
  EXPECT_EQ(as_text(again.outputs[0].bytes), "plain b");
  EXPECT_EQ(again.outputs[1].suffix, ".large.out");
  EXPECT_EQ(again.outputs[1].bytes.size(), 2 * kInlineBytes + 7);
}

TEST_F(OneStepAlone, is_held_to_what_it_read) {
  disk.put("/one/a.list", "b.txt\n/two/c.txt\n");
  disk.put("/one/b.txt", "b");
  disk.put("/two/c.txt", "c");
  text("/one/a.list");
  for (const char* path : {"/one/b.txt", "/two/c.txt"}) {
    disk.put(path, "other");
    run("/one/a.list");
    EXPECT_TRUE(was_cooked()) << path;
    run("/one/a.list");
    EXPECT_FALSE(was_cooked()) << path;
  }
}

TEST_F(OneStepAlone, is_held_to_what_was_not_there) {
  disk.put("/one/a.list", "b.txt\n");
  EXPECT_THAT(run("/one/a.list").diagnostics, SizeIs(1));
  EXPECT_THAT(run("/one/a.list").diagnostics, SizeIs(1));
  EXPECT_FALSE(was_cooked());
  disk.put("/one/b.txt", "b");
  EXPECT_EQ(text("/one/a.list"), "plain b");
}

TEST_F(OneStepAlone, is_known_in_another_folder_and_under_another_name) {
  for (const char* folder : {"/one", "/two"}) {
    disk.put(std::string(folder) + "/a.list", "b.txt\nc.txt\n");
    disk.put(std::string(folder) + "/b.txt", "b");
  }
  run("/one/a.list");
  const OneProduct product = run("/two/a.list");
  EXPECT_FALSE(was_cooked());
  ASSERT_THAT(product.diagnostics, SizeIs(1));
  EXPECT_EQ(product.diagnostics[0].what.file, "/two/c.txt") << "messages name the files of this folder";
}

TEST_F(OneStepAlone, whose_messages_name_its_folder_is_known_there_alone) {
  for (const char* folder : {"/one", "/two"}) disk.put(std::string(folder) + "/a.list", "named\n");
  EXPECT_EQ(run("/one/a.list").diagnostics.at(0).what.hint, "look at /one/named");
  EXPECT_EQ(run("/two/a.list").diagnostics.at(0).what.hint, "look at /two/named");
  EXPECT_TRUE(was_cooked());
  EXPECT_EQ(run("/one/a.list").diagnostics.at(0).what.hint, "look at /one/named");
  EXPECT_FALSE(was_cooked());
}

TEST_F(OneStepAlone, is_another_under_other_settings_and_parameters) {
  disk.put("/a.list", "");
  run("/a.list");
  mode = "other";
  EXPECT_EQ(text("/a.list"), "other");
  EXPECT_TRUE(was_cooked());
  settings.texture.quality = codec::Effort::kFast;
  EXPECT_EQ(text("/a.list"), "other fast");
  EXPECT_TRUE(was_cooked());
}

TEST_F(OneStepAlone, gives_the_errors_of_its_recipe_and_keeps_nothing) {
  disk.put("/a.list", "fail\n");
  for (int i = 0; i < 2; ++i) {
    const auto failed = run_one({kJoin, "/a.list", settings, {{"mode", mode}}}, disk, store.get());
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().what, "found \"fail\"");
  }
  const auto missing = run_one({kJoin, "/none.list", settings, {{"mode", mode}}}, disk, store.get());
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(missing.error().file, "/none.list");
  EXPECT_THAT(disk.paths_below("/cache"), IsEmpty());
}

TEST_F(OneStepAlone, that_could_not_read_a_file_is_not_kept) {
  disk.put("/a.list", "b.txt\n");
  disk.put("/b.txt", "b");
  disk.unreadable = {"/b.txt"};
  run("/a.list");
  disk.unreadable.clear();
  EXPECT_EQ(text("/a.list"), "plain b");
}

TEST_F(OneStepAlone, runs_without_a_store) {
  disk.put("/a.list", "");
  store.reset();
  EXPECT_EQ(text("/a.list"), "plain");
  run("/a.list");
  EXPECT_TRUE(was_cooked());
}

}  // namespace
}  // namespace assetc::engine
