// Failures around a build: bad assets, a full disk, a killed process, two builds at once, damaged caches.
#include <gmock/gmock.h>
#include <sys/file.h>

#include <functional>
#include <random>

#include "e2e/project.hpp"

namespace assetc::e2e {
namespace {

using testing::HasSubstr;

class Robust : public Project {
 protected:
  // The tree of a clean build of the current sources.
  std::map<std::string, std::string> clean_tree() {
    build("--no-cache -q -o clean");
    auto files = tree("clean");
    remove("clean");
    return files;
  }
};

TEST_F(Robust, one_bad_asset_the_others_finish_and_the_old_outputs_stay) {
  write("assets/a.png", png(8, 8, 1));
  write("assets/b.png", png(8, 8, 2));
  build();
  const auto good = tree();
  write("assets/a.png", png(8, 8, 3));
  write("assets/b.png", "this is no picture");
  const Finished done = run();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("error: b.png: "));
  EXPECT_THAT(done.out, HasSubstr("2 sources: 1 built, 0 up to date, 1 failed"));
  EXPECT_THAT(done.err,
              HasSubstr("the manifest and the outputs of failed steps are still those of the last successful build\n"));
  EXPECT_THAT(run("-o first").err,
              HasSubstr("there is no manifest yet: a build without failures writes it, or one with --keep-going\n"));
  remove("first");
  auto now = tree();
  EXPECT_NE(now["a.ktx2"], good.at("a.ktx2"));
  EXPECT_EQ(now["b.ktx2"], good.at("b.ktx2"));
  EXPECT_EQ(now["assets.hman"], good.at("assets.hman"));
  // It is retried, and its message repeated, in every build until it is fixed.
  EXPECT_EQ(run().exit_code, 1);
  write("assets/b.png", png(8, 8, 4));
  build();
  EXPECT_EQ(tree(), clean_tree());
}

TEST_F(Robust, a_shader_that_crashes_its_compiler_fails_alone) {
  write("assets/bad.shader/compute.hlsl", "[numthreads(SIZE,8,1)] void main() { }\n");
  write("assets/good.shader/compute.hlsl", "[numthreads(8,8,1)] void main() { }\n");
  const Finished done = run("--jobs 1");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("error: bad.shader/compute.hlsl: the compiler crashed on this source"));
  EXPECT_THAT(done.out, HasSubstr("2 sources: 1 built, 0 up to date, 1 failed"));
  EXPECT_TRUE(exists("runtime/good.shader/compute.spv"));
}

// A sparse file claims a size that exceeds any memory.
TEST_F(Robust, a_file_larger_than_memory_is_an_error_of_that_file) {
  write("assets/good.png", png(8, 8, 1));
  write("assets/huge.png", "");
  constexpr std::uintmax_t kSize = std::uintmax_t{1} << 42;
  std::error_code refused;
  fs::resize_file(root_ / "assets/huge.png", kSize, refused);
  if (refused) GTEST_SKIP() << "no files of this size here";
  const std::string told = ": the file has 4398046511104 bytes, more than fits in memory";
  const Finished done = run("", "ulimit -t 20;");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("huge.png" + told));
  EXPECT_THAT(done.err, testing::Not(HasSubstr("good.png")));
  for (const std::string command : {"convert", "diff"}) {
    const Finished one = run(command + " assets/huge.png assets/good.png");
    EXPECT_EQ(one.exit_code, 1) << command << ": " << one.err;
  }
  write("assetc.yml", "");
  fs::resize_file(root_ / "assetc.yml", kSize);
  const Finished configured = run();
  EXPECT_EQ(configured.exit_code, 1);
  EXPECT_THAT(configured.err, HasSubstr("assetc.yml: found 4398046511104 bytes, expected a configuration of at most"));
}

TEST_F(Robust, two_sources_of_one_output_are_named_both) {
  write("assets/wall.png", png(8, 8, 1));
  write("assets/wall.jpg", "x");
  const Finished done = run();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, testing::AllOf(HasSubstr("wall.png"), HasSubstr("wall.jpg")));
}

TEST_F(Robust, what_stands_in_the_way_of_one_source_stops_no_other) {
  const std::string long_name(251, 'n');  // a name of 255 bytes as .png, of 256 as .ktx2
  struct Obstacle {
    std::function<void()> put, mend;
    std::string failed, says;
  };
  const Obstacle obstacles[] = {
      {[&] { write("assets/" + long_name + ".png", png(8, 8, 7)); }, [&] { remove("assets/" + long_name + ".png"); },
       ", 1 failed", "File name too long; shorten the name that it is made from"},
      {[&] {
         remove("runtime/t7.ktx2");
         write("runtime/t7.ktx2/mine", "");
       },
       [&] { remove("runtime/t7.ktx2"); }, ", 1 failed", "a folder is in its place: move or remove it"},
      {[&] { write("assets/t7.jpg", "x"); }, [&] { remove("assets/t7.jpg"); }, ", 2 failed",
       "t7.jpg: would write the same outputs (t7.*) as t7.png"},
      {[&] {
         remove("runtime/assets.hman");
         write("runtime/assets.hman/mine", "");
       },
       [&] { remove("runtime/assets.hman"); }, " up to date;", "runtime/assets.hman: cannot rename into place"},
  };
  for (const bool later : {false, true}) {
    for (const Obstacle& obstacle : obstacles) {
      SCOPED_TRACE(obstacle.says + (later ? ", later build" : ", first build"));
      remove("runtime");
      remove("runtime.hpack");
      for (std::uint32_t i = 0; i < 20; ++i) write("assets/t" + std::to_string(i) + ".png", png(8, 8, i));
      if (later) build("--pack");
      for (std::uint32_t i = 0; i < 20; ++i) write("assets/t" + std::to_string(i) + ".png", png(8, 8, i + 100));
      obstacle.put();
      const Finished done = run("--pack");
      EXPECT_EQ(done.exit_code, 1);
      EXPECT_THAT(done.err, HasSubstr(obstacle.says));
      EXPECT_THAT(done.err, HasSubstr("runtime.hpack was not written\n"));
      EXPECT_THAT(done.out, HasSubstr(obstacle.failed));
      obstacle.mend();
      const Finished next = run("--pack");
      EXPECT_EQ(next.exit_code, 0) << next.err;
      EXPECT_THAT(next.out, testing::AnyOf(HasSubstr(": 0 built"), HasSubstr(": 1 built")));
      EXPECT_EQ(tree(), clean_tree());
    }
  }
}

TEST_F(Robust, killed_at_any_moment_the_next_build_is_right) {
  for (int i = 0; i < 24; ++i)
    write("assets/t" + std::to_string(i) + ".png", png(64, 64, static_cast<std::uint32_t>(i)));
  const auto expected = clean_tree();
  for (int delay_us : {0, 2000, 8000, 20000, 50000, 90000}) {
    remove("runtime");
    const pid_t child = start("-q");
    usleep(static_cast<useconds_t>(delay_us));
    // Repeat until the whole group has ended: a newly forked process may have missed the signal.
    for (int tries = 0; kill(-child, SIGKILL) == 0 && tries < 5000; ++tries) {
      waitpid(child, nullptr, WNOHANG);
      usleep(1000);
    }
    const auto partial = tree();
    // Each file is complete or missing, and the manifest is written last.
    for (const auto& [path, bytes] : partial) EXPECT_EQ(bytes, expected.at(path)) << path;
    if (partial.contains("assets.hman")) {
      EXPECT_EQ(partial.size(), expected.size());
    }
    build("-q");
    EXPECT_EQ(tree(), expected);
  }
}

TEST_F(Robust, a_full_disk_is_a_clear_error_and_the_next_build_is_right) {
  write("assets/a.png", png(64, 64, 1));
  write("assets/b.png", png(64, 64, 2));
  // A limit on file sizes stands for a full disk: writes fail in the same place, with EFBIG.
  const Finished done = run("", "trap '' XFSZ; ulimit -f 4;");
  EXPECT_EQ(done.exit_code, 1) << done.out << done.err;
  EXPECT_THAT(done.err, HasSubstr("File too large"));
  build();
  EXPECT_EQ(tree(), clean_tree());
}

TEST_F(Robust, an_output_that_cannot_be_written_is_a_clear_error) {
  write("assets/a.png", png(8, 8, 1));
  write("runtime", "a file where the folder should be");
  const Finished done = run();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("runtime"));
  remove("runtime");
  if (geteuid() != 0) {
    fs::create_directories(root_ / "runtime");
    fs::permissions(root_ / "runtime", fs::perms::owner_read | fs::perms::owner_exec);
    const Finished read_only = run();
    EXPECT_EQ(read_only.exit_code, 1);
    EXPECT_THAT(read_only.err, HasSubstr("Permission denied"));
    fs::permissions(root_ / "runtime", fs::perms::owner_all);
  }
  build();
  EXPECT_EQ(tree(), clean_tree());
}

TEST_F(Robust, a_changed_byte_of_one_file_is_found_where_the_build_recorded_it) {
  write("assets/deep/red.mat", "base_color: [1, 0, 0, 1]\n");
  build("-q");
  EXPECT_EQ(run("check runtime/deep/red.hmat").exit_code, 0);
  replace("runtime/deep/red.hmat", std::string("\0\0\x80\x3f", 4), std::string("\0\0\x00\x3f", 4));
  const Finished beside = run("check runtime/deep/red.hmat");
  EXPECT_EQ(beside.exit_code, 1);
  EXPECT_EQ(beside.err, "error: runtime/deep/red.hmat: does not hold the bytes that the build wrote; build again\n");
  write("alone.hmat", read("runtime/deep/red.hmat"));
  const Finished alone = run("check alone.hmat");
  EXPECT_EQ(alone.exit_code, 0);
  EXPECT_THAT(alone.err, HasSubstr("wrong bytes that are still valid are not detected"));
}

TEST_F(Robust, a_second_build_in_the_same_output_says_so) {
  write("assets/a.png", png(8, 8, 1));
  build();
  // Holds the lock as another build would do.
  const int lock = open((root_ / "runtime/.assetc-cache.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  ASSERT_GE(lock, 0);
  ASSERT_EQ(flock(lock, LOCK_EX | LOCK_NB), 0);
  const Finished done = run();
  EXPECT_EQ(done.exit_code, 1) << done.out << done.err;
  EXPECT_THAT(done.err, HasSubstr("another"));
  close(lock);
  build();
}

TEST_F(Robust, builds_racing_for_one_output_leave_it_right) {
  for (int i = 0; i < 12; ++i)
    write("assets/t" + std::to_string(i) + ".png", png(64, 64, static_cast<std::uint32_t>(i)));
  const pid_t first = start("-q");
  const pid_t second = start("-q");
  const Finished a = finish(first);
  const Finished b = finish(second);
  EXPECT_TRUE(a.exit_code == 0 || b.exit_code == 0);
  build();
  EXPECT_EQ(tree(), clean_tree());
}

TEST_F(Robust, a_damaged_cache_heals_with_one_warning) {
  for (int i = 0; i < 4; ++i)
    write("assets/t" + std::to_string(i) + ".png", png(16, 16, static_cast<std::uint32_t>(i)));
  build();
  const std::string good = read("runtime/.assetc-cache");
  ASSERT_GT(good.size(), 100u);
  std::vector<std::string> damaged{good.substr(0, good.size() / 2), good.substr(0, 10), std::string(good.size(), 'x')};
  for (std::size_t at : {std::size_t{0}, std::size_t{20}, good.size() / 3, good.size() - 40}) {
    std::string flipped = good;
    for (std::size_t i = at; i < at + 16 && i < flipped.size(); ++i) flipped[i] = static_cast<char>(~flipped[i]);
    damaged.push_back(flipped);
  }
  const auto expected = clean_tree();
  for (const std::string& cache : damaged) {
    write("assets/t0.png", png(16, 16, 77));  // has work to do, so the cache is read completely
    write("runtime/.assetc-cache", cache);
    const Finished done = build();
    EXPECT_LE(lines_after(done.err, "warning: ").size(), 1u) << done.err;
    write("assets/t0.png", png(16, 16, 0));
    EXPECT_EQ(build().err, "");
    EXPECT_EQ(tree(), expected);
  }
}

TEST_F(Robust, verify_reads_what_was_written) {
  write("assets/a.png", png(8, 8, 1));
  EXPECT_EQ(build("--verify").err, "");
}

// Random triangles, many of them without area, in every container.
TEST_F(Robust, whatever_verify_passes_check_passes) {
  std::mt19937 random(7);
  const auto below = [&](std::uint32_t n) { return random() % n; };
  for (int model = 0; model < 12; ++model) {
    std::string obj;
    const std::uint32_t vertices = 4 + below(60), triangles = 1 + below(120);
    for (std::uint32_t v = 0; v < vertices; ++v)
      obj += "v " + std::to_string(below(5)) + " " + std::to_string(below(3)) + "." + std::to_string(below(10)) + " " +
             (below(8) == 0 ? "1e6" : std::to_string(below(4))) + "\n";
    for (std::uint32_t t = 0; t < triangles; ++t) {
      const std::uint32_t a = 1 + below(vertices), b = 1 + below(vertices);
      const std::uint32_t c = below(3) == 0 ? a : 1 + below(vertices);
      obj += "f " + std::to_string(a) + " " + std::to_string(b) + " " + std::to_string(c) + "\n";
    }
    write("assets/model_" + std::to_string(model) + ".obj", obj);
  }
  for (const char* container : {"hmesh", "hmesh-v1", "galileo"}) {
    write("assetc.yml", std::string("default: {mesh: {container: ") + container + "}}\n");
    build("--verify -q");
    EXPECT_EQ(run("check").exit_code, 0) << container << ": " << run("check").err;
  }
}

TEST_F(Robust, what_is_printed_arrives_or_the_command_fails) {
  write("assets/a.png", png(8, 8, 1));
  build();
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  close(pipe_ends[0]);  // the reading end is closed
  const std::string gone = ">&" + std::to_string(pipe_ends[1]);
  for (const std::string& to : {std::string(">/dev/full"), std::string(">&-"), gone}) {
    for (const char* command : {"--version", "--help", "manual", "completion bash", "info", "info --json", "check"}) {
      SCOPED_TRACE(std::string(command) + " " + to);
      const Finished done = run(std::string(command) + " " + to + " 2>err.txt; exit $?; :");
      EXPECT_EQ(done.exit_code, 1);
      EXPECT_THAT(read("err.txt"), HasSubstr("assetc: cannot write to standard output"));
    }
    // The build still works, and its printed text enters none of its files.
    write("assets/a.png", png(8, 8, 2));
    const Finished done = run(to + " 2>err.txt; exit $?; :");
    EXPECT_EQ(done.exit_code, 1);
    build("-q");
    EXPECT_EQ(tree(), clean_tree());
    write("assets/a.png", png(8, 8, 1));
  }
  close(pipe_ends[1]);
}

TEST_F(Robust, links_out_of_the_input_are_followed_where_the_configuration_says_so) {
  write("assets/a.png", png(8, 8, 1));
  write("shared/b.png", png(8, 8, 2));
  write("assets/inside/c.png", png(8, 8, 3));
  fs::create_symlink("../shared", root_ / "assets/art");
  fs::create_symlink("../shared/b.png", root_ / "assets/b.png");
  fs::create_symlink("inside", root_ / "assets/again");
  Finished done = build();
  EXPECT_THAT(done.err,
              HasSubstr("warning: art: is a link to a path outside the input; it is ignored; so is b.png; `links: "
                        "follow` in assetc.yml follows it; or list it under ignore:"));
  EXPECT_TRUE(exists("runtime/again/c.ktx2"));
  EXPECT_FALSE(exists("runtime/b.ktx2"));
  EXPECT_FALSE(exists("runtime/art"));
  EXPECT_THAT(build().out, HasSubstr("3 up to date"));
  write("assetc.yml", "links: follow\n");
  done = build();
  EXPECT_EQ(done.err, "");
  EXPECT_TRUE(exists("runtime/b.ktx2"));
  EXPECT_TRUE(exists("runtime/art/b.ktx2"));
  write("assetc.yml", "links: inside\n");
  build();
  EXPECT_FALSE(exists("runtime/b.ktx2"));
  EXPECT_EQ(tree(), clean_tree());
}

TEST_F(Robust, a_model_reads_nothing_through_a_link_out_of_the_input) {
  write("secret/.bin", std::string(36, '\0'));
  fs::create_directories(root_ / "assets");
  fs::create_symlink("../secret", root_ / "assets/.hidden");
  fs::create_symlink("../secret/.bin", root_ / "assets/plain.bin");
  for (const char* uri : {".hidden/.bin", "plain.bin"}) {
    write("assets/m.gltf", std::string(R"({"asset":{"version":"2.0"},"buffers":[{"byteLength":36,"uri":")") + uri +
                               R"("}],"bufferViews":[{"buffer":0,"byteLength":36}],"accessors":[{"bufferView":0,)"
                               R"("componentType":5126,"count":3,"type":"VEC3"}],"meshes":[{"primitives":[{)"
                               R"("attributes":{"POSITION":0}}]}],"nodes":[{"mesh":0}]})");
    const Finished done = run();
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_THAT(done.err, HasSubstr(std::string("the file \"") + uri + "\" is not there")) << uri;
  }
}

TEST_F(Robust, nothing_is_written_or_removed_through_folder_links_in_the_output) {
  write("assets/ui/a.png", png(8, 8, 1));
  write("assets/b.png", png(8, 8, 2));
  build();
  // The folder is moved away and replaced by a link.
  fs::rename(root_ / "runtime/ui", root_ / "elsewhere");
  fs::create_symlink("../elsewhere", root_ / "runtime/ui");
  write("elsewhere/mine.txt", "mine");
  const std::string before = read("elsewhere/a.ktx2");
  write("assets/ui/a.png", png(8, 8, 3));
  const Finished done = run();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err,
              HasSubstr("runtime/ui/a.ktx2: a parent folder of this output is a link, and outputs are not written "
                        "through links; remove the link, or make the output folder itself a link"));
  EXPECT_EQ(read("elsewhere/a.ktx2"), before);
  remove("assets/ui");
  build();
  EXPECT_EQ(read("elsewhere/a.ktx2"), before);
  EXPECT_EQ(read("elsewhere/mine.txt"), "mine");
  EXPECT_TRUE(fs::is_symlink(root_ / "runtime/ui"));
  remove("runtime/ui");
  EXPECT_EQ(tree(), clean_tree());
}

// A project that someone else made may contain an output folder with any links.
TEST_F(Robust, nothing_is_written_through_links_in_the_place_of_the_files_of_the_engine) {
  write("assets/a.png", png(8, 8, 1));
  write("models/a.gltf", R"({"asset":{"version":"2.0"},"nodes":[{"name":"a"}]})");
  build("import");
  const std::string precious(4000, 'p');
  const struct {
    std::string command, output;
  } kCommands[] = {
      {"", "runtime"}, {"optimize models small", "small"}, {"cook --platform Win64", "build/Cooked/Win64"}};
  for (const auto& [command, output] : kCommands) {
    for (const std::string name : {"", "-wal", "-shm", "-outputs", "-build", ".lock", "-journal"}) {
      for (const std::string target : {"precious", "new"}) {
        SCOPED_TRACE(command + " with .assetc-cache" + name);
        remove(output);
        write("precious", precious);
        fs::create_directories(root_ / output);
        fs::create_symlink(root_ / target, root_ / (output + "/.assetc-cache" + name));
        const Finished done = run(command);
        EXPECT_EQ(read("precious"), precious);
        EXPECT_FALSE(fs::exists(root_ / "new"));
        const bool is_refused = name == ".lock" || name == "-outputs";
        EXPECT_EQ(done.exit_code, is_refused ? 1 : 0) << done.err;
        if (is_refused) {
          EXPECT_THAT(done.err, HasSubstr("error: " + output + "/.assetc-cache" + name +
                                          ": is a link, expected a file: assetc does not write its own files through "
                                          "links; remove the link\n"));
          EXPECT_TRUE(fs::is_symlink(root_ / (output + "/.assetc-cache" + name)));
        } else {
          EXPECT_THAT(done.out, HasSubstr("1 built")) << done.err;
        }
      }
    }
  }
}

TEST_F(Robust, what_killed_builds_and_packs_left_half_written_is_swept) {
  write("assets/ui/a.png", png(8, 8, 1));
  build("--pack");
  const std::vector<std::string> left{".assetc-tmp.1.0", "runtime/.assetc-tmp.1.1", "runtime/ui/.assetc-tmp.77.2",
                                      "runtime/gone/.assetc-tmp.1.3"};
  for (const std::string& path : left) write(path, "half");
  // The temporary file of a live process, which holds a lock.
  write("runtime/.assetc-tmp.2.2", "half");
  const int alive = open((root_ / "runtime/.assetc-tmp.2.2").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(flock(alive, LOCK_EX | LOCK_NB), 0);
  write("mine.assetc-tmp.1.1", "mine");
  build();
  for (const std::string& path : left) EXPECT_FALSE(exists(path)) << path;
  EXPECT_FALSE(exists("runtime/gone"));
  EXPECT_TRUE(exists("runtime/.assetc-tmp.2.2"));
  EXPECT_TRUE(exists("mine.assetc-tmp.1.1"));
  close(alive);
  build();
  EXPECT_FALSE(exists("runtime/.assetc-tmp.2.2"));
}

}  // namespace
}  // namespace assetc::e2e
