// A second build takes the first build's outputs from the cache.
#include <gmock/gmock.h>

#include "e2e/project.hpp"
#include "places.hpp"

namespace assetc::e2e {
namespace {

using testing::HasSubstr;

class SharedCache : public Project {
 protected:
  void SetUp() override {
    Project::SetUp();
    ::setenv("ASSETC_CACHE", (root_ / "store").c_str(), 1);
    for (const char* checkout : {"one", "two"}) {
      fs::create_directories(root_ / checkout);
      fs::copy(fs::path(places::kSource) / "examples/demo/assets", root_ / checkout / "assets",
               fs::copy_options::recursive);
    }
  }
  Finished in(const std::string& checkout, const std::string& arguments = {}) const {
    Finished done = run(arguments, {}, checkout);
    EXPECT_EQ(done.exit_code, 0) << "assetc " << arguments << "\n" << done.out << done.err;
    return done;
  }
  // The size of the store in bytes.
  std::uintmax_t written() const {
    std::uintmax_t bytes = 0;
    for (const char* folder : {"store/products-2", "store/blobs-1"}) {
      if (!exists(folder)) continue;
      for (const auto& entry : fs::recursive_directory_iterator(root_ / folder))
        bytes += entry.is_regular_file() ? entry.file_size() : 0;
    }
    return bytes;
  }
};

TEST_F(SharedCache, a_second_checkout_compiles_nothing) {
  EXPECT_THAT(in("one").out, testing::Not(HasSubstr("from the cache")));
  const std::string second = in("two", "-o elsewhere").out;
  EXPECT_THAT(second, HasSubstr(": 0 built, "));
  EXPECT_THAT(second, HasSubstr(" from the cache, 0 up to date"));
  EXPECT_EQ(tree("one/runtime"), tree("two/elsewhere"));
  EXPECT_THAT(in("two", "-o elsewhere").out, testing::Not(HasSubstr("from the cache")));
}

TEST_F(SharedCache, a_conversion_is_done_once) {
  write("one/chair.obj", "mtllib chair.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  fs::copy_file(root_ / "one/chair.obj", root_ / "two/chair.obj");
  const auto converted = [&](const std::string& where, const std::string& more = {}) {
    const auto products = [&] {
      const std::string stats = in(where, "--json cache stats").out;
      return stats.substr(0, stats.find("\"oldest"));
    };
    const std::string before = products();
    const Finished done = in(where, "--json convert chair.obj chair.hmesh" + more);
    return std::pair(done.out, products() != before);
  };
  const auto [first, first_is_new] = converted("one");
  EXPECT_TRUE(first_is_new);
  const auto [second, second_is_new] = converted("two");
  EXPECT_FALSE(second_is_new) << "from the cache";
  EXPECT_EQ(second, first) << "with the warning about a missing library";
  EXPECT_THAT(first, HasSubstr("chair.mtl"));
  EXPECT_EQ(read("two/chair.hmesh"), read("one/chair.hmesh"));
  EXPECT_TRUE(converted("two", " --mesh.lods 2").second) << "other options";
  write("two/chair.mtl", "newmtl red\n");
  EXPECT_TRUE(converted("two").second) << "a file that did not exist before";
}

TEST_F(SharedCache, has_a_conversion_under_whatever_name) {
  write("a.png", png(64, 64, 1));
  fs::create_directories(root_ / "other");
  const auto converted = [&](const std::string& words) {
    const std::uintmax_t before = written();
    build("convert " + words);
    return written() > before;
  };
  EXPECT_TRUE(converted("a.png x.ktx2"));
  EXPECT_FALSE(converted("a.png other/y.ktx2"));
  EXPECT_EQ(read("other/y.ktx2"), read("x.ktx2"));
  EXPECT_FALSE(converted("a.png a.KTX2")) << "written beside the input";
  EXPECT_EQ(read("a.KTX2"), read("x.ktx2"));
  EXPECT_TRUE(converted("a.png x.png")) << "another format";
  EXPECT_FALSE(converted("a.png other/z.png"));
  EXPECT_EQ(read("other/z.png"), read("x.png"));
  // A conversion that writes more files than the requested one.
  fs::copy_file(fs::path(places::kSource) / "tests/data/corpus/images/sky.hdr", root_ / "dusk.env.hdr");
  const std::string small = " --environment.specular_size 16";
  EXPECT_TRUE(converted("dusk.env.hdr dusk.ktx2" + small));
  EXPECT_FALSE(converted("dusk.env.hdr other/night.ktx2" + small));
  for (const std::string part : {".ktx2", ".specular.ktx2", ".irradiance.ktx2"})
    EXPECT_EQ(read("other/night" + part), read("dusk" + part)) << part;
}

// Messages name the file that was read in this run.
TEST_F(SharedCache, has_a_conversion_with_the_warnings_of_its_own_folder) {
  for (const char* folder : {"one", "two"})
    fs::copy(fs::path(places::kSource) / "tests/data/corpus/models/fbx", root_ / folder, fs::copy_options::recursive);
  EXPECT_THAT(run("convert one/flag.fbx a.glb").err, HasSubstr("one/textures/planks.png"));
  const std::string second = run("convert two/flag.fbx a.glb").err;
  EXPECT_THAT(second, HasSubstr("two/textures/planks.png"));
  EXPECT_THAT(second, testing::Not(HasSubstr("one/")));
  EXPECT_EQ(run("convert two/flag.fbx a.glb").err, second);
}

// A mesh refers to its materials and textures by its own path.
TEST_F(SharedCache, has_a_mesh_that_refers_to_others_by_its_own_name_alone) {
  write("chair.obj", "mtllib chair.mtl\nusemtl red\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf 1/1 2/1 3/1\n");
  write("chair.mtl", "newmtl red\nmap_Kd red.png\n");
  write("red.png", png(4, 4, 1));
  const std::vector<std::string> outputs{"a/chair.hmesh", "a/chair.hmat", "b/table.hmesh", "b/table.hmat", "c.gali"};
  const auto convert = [&] {
    for (const char* folder : {"a", "b"}) fs::create_directories(root_ / folder);
    for (const char* output : {"a/chair.hmesh", "b/table.hmesh", "c.gali"})
      build("convert chair.obj " + std::string(output));
    std::vector<std::string> bytes;
    bytes.reserve(outputs.size());
    for (const std::string& output : outputs) bytes.push_back(read(output));
    return bytes;
  };
  const auto shared = convert();
  EXPECT_EQ(convert(), shared);
  ::setenv("ASSETC_CACHE", "off", 1);
  EXPECT_EQ(convert(), shared);
  EXPECT_NE(shared[1], shared[3]) << "refs";
}

TEST_F(SharedCache, is_looked_after) {
  in("one");
  EXPECT_THAT(in("one", "cache stats").out, HasSubstr("of 10.0 GiB; "));
  EXPECT_EQ(in("one", "cache verify").out, "no damaged files\n");
  for (const auto& entry : fs::recursive_directory_iterator(root_ / "store/blobs-1")) {
    if (entry.is_regular_file()) fs::resize_file(entry.path(), entry.file_size() / 2);
  }
  const Finished verified = run("cache verify", {}, "one");
  EXPECT_THAT(verified.out, HasSubstr("damaged files removed; later builds write them again"));
  EXPECT_EQ(verified.exit_code, 1);
  EXPECT_EQ(in("one", "cache verify").out, "no damaged files\n");
  EXPECT_EQ(in("one", "cache trim --age 1h").out, "0 files removed\n");
  EXPECT_THAT(run("cache trim --age 30", {}, "one").err, HasSubstr("found \"30\", expected a time like 12h or 30d"));
  EXPECT_THAT(run("cache trim --remote --age 1d", {}, "one").err, HasSubstr("--remote: there is no shared cache"));
  EXPECT_THAT(run("cache trim --dry-run", {}, "one").err, HasSubstr("--dry-run: is only for --remote"));
  for (const auto& entry : fs::recursive_directory_iterator(root_ / "store/products-2")) {
    if (entry.is_regular_file()) fs::last_write_time(entry, entry.last_write_time() - std::chrono::hours(50));
  }
  EXPECT_EQ(in("one", "--json cache trim --age 3d").out, "{\"event\":\"cache_trimmed\",\"removed\":0}\n");
  EXPECT_THAT(in("one", "cache trim --age 2d").out, HasSubstr(" removed"));
  EXPECT_THAT(in("one", "--json cache stats").out, HasSubstr("\"products\":0"));
  EXPECT_THAT(in("one", "cache trim --size 1").out, HasSubstr(" removed"));
  EXPECT_THAT(in("one", "--json cache stats").out, HasSubstr("\"bytes\":0"));
  EXPECT_THAT(in("two").out, testing::Not(HasSubstr("from the cache")));
  write("store/costs-1", "what builds with a shared cache leave");
  EXPECT_THAT(in("two", "cache clear").out, HasSubstr(" removed"));
  EXPECT_FALSE(exists("store/costs-1"));
}

TEST_F(SharedCache, a_build_that_takes_nothing_from_it_mends_it) {
  in("one");
  std::size_t damaged = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root_ / "store/blobs-1")) {
    if (!entry.is_regular_file()) continue;
    std::string bytes = read_file(entry.path());
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
    std::ofstream(entry.path(), std::ios::binary) << bytes;
    ++damaged;
  }
  EXPECT_GT(damaged, 0u);
  in("one", "--no-cache");
  EXPECT_EQ(in("one", "cache verify").out, "no damaged files\n");
  EXPECT_THAT(in("two").out, HasSubstr(": 0 built, "));
}

TEST_F(SharedCache, of_a_server_that_only_a_project_names_is_apart_and_looked_after_too) {
  const auto key_of = [&](const std::string& where) {
    fs::create_directories(root_ / where / "keys");
    in(where, "keygen keys/team");
    write(where + "/assetc.yml", "cache: {remote: {url: 'http://127.0.0.1:9/game'}, trust: keys/team.pub}\n");
  };
  const auto stores = [&] {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(root_ / "store"))
      count += entry.path().filename().string().starts_with("of-");
    return count;
  };
  key_of("one");
  in("one");
  EXPECT_EQ(stores(), 1u);
  EXPECT_FALSE(exists("store/products-2"));
  key_of("two");
  EXPECT_THAT(in("two").out, testing::Not(HasSubstr("from the cache"))) << "another key in a file of the same name";
  EXPECT_EQ(stores(), 2u);
  in("two", "-o elsewhere");
  EXPECT_EQ(stores(), 2u);
  fs::create_directories(root_ / "three");
  EXPECT_THAT(in("three", "--json cache stats").out, testing::Not(HasSubstr("\"bytes\":0")));
  in("three", "cache clear");
  EXPECT_THAT(in("three", "--json cache stats").out, HasSubstr("\"bytes\":0"));
}

TEST_F(SharedCache, of_another_path_of_the_users_server_is_not_the_users) {
  ::setenv("XDG_CONFIG_HOME", (root_ / "config").c_str(), 1);
  write("config/assetc/config.yml", "cache: {remote: {url: 'http://127.0.0.1:9/team/'}}\n");
  fs::create_directories(root_ / "small/assets");
  write("small/assets/a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const auto fills_the_users = [&](const std::string& url) {
    fs::remove_all(root_ / "store");
    fs::remove_all(root_ / "small/runtime");
    write("small/assetc.yml", "cache: {remote: {url: 'http://127.0.0.1:9/" + url + "'}}\n");
    in("small");
    return exists("store/products-2");
  };
  EXPECT_TRUE(fills_the_users("team"));
  EXPECT_TRUE(fills_the_users("team/game"));
  for (const char* url : {"teams", "other", "team/../other", "team/%2e%2e/other", "team/a/.."})
    EXPECT_FALSE(fills_the_users(url)) << url;
  ::unsetenv("XDG_CONFIG_HOME");
}

TEST_F(SharedCache, is_where_the_configuration_says_unless_the_environment_does) {
  ::unsetenv("ASSETC_CACHE");
  write("one/assetc.yml", "cache: {path: ../shared, size: 1G}\n");
  in("one");
  EXPECT_TRUE(exists("shared/products-2"));
  EXPECT_THAT(in("one", "cache stats").out, HasSubstr("of 1.0 GiB"));
  write("one/assetc.yml", "cache: {path: off}\n");
  EXPECT_EQ(run("cache stats", {}, "one").exit_code, 2);
  ::setenv("ASSETC_CACHE", (root_ / "store").c_str(), 1);
  remove("one/runtime");
  in("one");
  EXPECT_TRUE(exists("store/products-2"));
}

TEST_F(SharedCache, one_that_cannot_be_used_is_a_warning) {
  write("file", "");
  ::setenv("ASSETC_CACHE", (root_ / "file/below").c_str(), 1);
  const Finished built = run({}, {}, "one");
  EXPECT_EQ(built.exit_code, 0);
  EXPECT_THAT(built.err, HasSubstr("this build does not share outputs with other builds"));
}

TEST_F(SharedCache, of_other_machines_without_one_of_this_machine_is_a_warning) {
  const Finished built = run({}, "ASSETC_CACHE=off ASSETC_CACHE_REMOTE=http://127.0.0.1:9/game", "one");
  EXPECT_EQ(built.exit_code, 0);
  EXPECT_THAT(built.err, HasSubstr("warning: http://127.0.0.1:9/game: needs the cache of this machine, which is off; "
                                   "this build does not use the shared cache; set cache.path or ASSETC_CACHE to a "
                                   "folder"));
}

}  // namespace
}  // namespace assetc::e2e
