// `check` on outputs of the recipes that ship: every damage of an output or a pack is found.
#include "engine/look/check.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "engine/engine_fixture.hpp"
#include "engine/target/pack.hpp"
#include "import/tiny_gltf.hpp"
#include "os/process.hpp"
#include "places.hpp"

namespace assetc::engine {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class Check : public Engine {
 protected:
  Check() {
    request.recipes = recipes::all_recipes();
    const std::filesystem::path corpus = std::string(places::kSource) + "/tests/data/corpus";
    for (const char* file : {"images/leaf.png", "images/rock.n.png", "models/worm.glb", "models/box.glb",
                             "models/pot/pot.gltf", "models/pot/pot.bin", "models/pot/pot.jpg", "models/pot/leaf.png",
                             "models/pot/pot.n.png", "models/pot/pot.orm.png", "models/pot/glow.ktx2"}) {
      std::ifstream in(corpus / file, std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(in), {}};
      EXPECT_FALSE(bytes.empty()) << file;
      disk.put("assets/" + std::string(file), bytes);
    }
    disk.put("assets/tint.cube", "LUT_3D_SIZE 2\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 0 1\n1 0 1\n0 1 1\n1 1 1\n");
    disk.put("assets/flat.mat", "base_color: [1, 0, 0]\n");
    yaml = "pack: true\ndefault:\n  texture: {max_size: 32, zstd: 3}\n";
  }

  std::string problems(const std::string& path = {}) {
    const auto report = path.empty() ? check("runtime", disk) : check_pack(path, disk);
    if (!report) return report.error().to_string();
    std::string text;
    for (const Error& problem : report->problems) text += problem.to_string() + "\n";
    return text;
  }
};

// Applies one damage: changed bytes, a cut end, extra bytes, or a range of zeros.
std::string damaged_output(const std::string& whole, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % std::max<std::size_t>(n, 1)); };
  std::string bytes = whole;
  while (bytes == whole) {
    switch (random() % 4) {
      case 0:
        bytes[below(bytes.size())] ^= static_cast<char>(1 << below(8));
        break;
      case 1:
        bytes.resize(below(bytes.size()));
        break;
      case 2:
        bytes.append(1 + below(40), static_cast<char>(random()));
        break;
      default: {
        const std::size_t at = below(bytes.size());
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), std::min(bytes.size() - at, 1 + below(200)), '\0');
      }
    }
  }
  return bytes;
}

TEST_F(Check, finds_every_damage_of_every_output) {
  constexpr int kDamagesAFile = os::kLimitsMemory ? 25 : 10;  // fewer under a sanitizer
  build();
  EXPECT_EQ(problems(), "");
  std::set<std::string> kinds;
  std::mt19937 random(1);
  for (const auto& [path, whole] : disk.tree("runtime")) {
    if (path.ends_with('/')) continue;
    kinds.insert(path.substr(path.rfind('.')));
    for (int i = 0; i < kDamagesAFile; ++i) {
      disk.put("runtime/" + path, damaged_output(whole, random));
      EXPECT_THAT(problems(), HasSubstr(path)) << "damage " << i;
    }
    disk.put("runtime/" + path, whole);
  }
  EXPECT_THAT(kinds, testing::IsSupersetOf({".ktx2", ".hmesh", ".hmat", ".hanim", ".hman"}));
  EXPECT_EQ(problems(), "");
}

TEST_F(Check, finds_every_damage_of_a_pack) {
  build();
  EXPECT_EQ(problems("runtime.hpack"), "");
  const std::string whole = disk.text("runtime.hpack");
  std::mt19937 random(2);
  for (int i = 0; i < 500; ++i) {
    disk.put("runtime.hpack", damaged_output(whole, random));
    EXPECT_NE(problems("runtime.hpack"), "") << "damage " << i;
  }
}

TEST_F(Check, of_a_cook_says_what_checks_it) {
  disk.put("build/Cooked/Linux/Registry/AssetRegistry.json", "{}");
  const auto report = check("build/Cooked/Linux", disk);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().to_string(), "build/Cooked/Linux: is the output of a cook; run `assetc validate`");
}

TEST_F(Check, names_the_pack_and_what_is_damaged_in_it_once) {
  build();
  std::string pack = disk.text("runtime.hpack");
  const std::size_t at = pack.find(disk.text("runtime/images/leaf.ktx2"));
  ASSERT_NE(at, std::string::npos);
  pack[at] = static_cast<char>(pack[at] ^ 1);
  disk.put("runtime.hpack", pack);
  const auto report = check_pack("runtime.hpack", disk);
  ASSERT_TRUE(report);
  ASSERT_EQ(report->problems.size(), 1u);
  EXPECT_EQ(report->problems[0].file, "runtime.hpack");
  EXPECT_THAT(report->problems[0].place, testing::StartsWith("byte "));
  EXPECT_EQ(report->problems[0].what, "\"images/leaf.ktx2\" does not hold the bytes that were packed");
}

TEST_F(Check, finds_outputs_that_are_gone) {
  build();
  disk.erase("runtime/images/leaf.ktx2");
  EXPECT_THAT(problems(), HasSubstr("images/leaf.ktx2: the build wrote this file, but it is not in the output folder; "
                                    "build again\n"));
}

// A triangle that a clip moves: a scene with a mesh and a file of clips.
std::string moving(const std::string& nodes) {
  importer::testing::TinyGltf g;
  const std::string p = std::to_string(g.vec3({0, 0, 0, 1, 0, 0, 0, 1, 0}));
  const std::string times = std::to_string(g.scalar({0, 1})), moves = std::to_string(g.vec3({0, 0, 0, 1, 0, 0}));
  return g.json(R"("nodes":[)" + nodes +
                R"({"name":"arm","mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":)" + p +
                R"(}}]}],"animations":[{"channels":[{"sampler":0,"target":{"node":0,"path":"translation"}},
      {"sampler":0,"target":{"node":)" +
                std::to_string(nodes.empty() ? 0 : 1) + R"(,"path":"translation"}}],"samplers":[{"input":)" + times +
                R"(,"output":)" + moves + "}]}]");
}

TEST_F(Check, follows_the_references_of_a_scene) {
  disk.put("assets/levels/yard.gltf", moving(""));
  disk.put("assets/levels/long.gltf", moving(R"({"name":"base"},)"));
  build();
  EXPECT_EQ(problems(), "");
  disk.put("runtime/levels/yard/clips.hanim", disk.text("runtime/levels/long/clips.hanim"));
  EXPECT_THAT(problems(), HasSubstr("levels/yard.hscene: clips: levels/yard/clips.hanim: "));
  disk.erase("runtime/levels/yard.hmesh");
  EXPECT_THAT(problems(), HasSubstr("levels/yard.hscene: mesh 0: its file, "));
}

TEST_F(Check, the_stages_of_a_shader_have_one_descriptor_at_each_place) {
  disk.put("assets/a.shader/vertex.glsl",
           "#version 450\nlayout(binding=0) uniform C { vec4 at; };\nvoid main() { gl_Position = at; }\n");
  disk.put("assets/b.shader/fragment.glsl",
           "#version 450\nlayout(binding=0) uniform sampler2D t;\nlayout(location=0) out vec4 c;\n"
           "void main() { c = texture(t, vec2(0)); }\n");
  build();
  EXPECT_EQ(problems(), "");
  disk.put("runtime/a.shader/fragment.spv", disk.text("runtime/b.shader/fragment.spv"));
  EXPECT_THAT(problems(), HasSubstr("a.shader: set 0, binding 0: found a combined image sampler in the fragment stage "
                                    "and a uniform buffer in the vertex stage, expected one descriptor; "));
}

TEST_F(Check, of_a_folder_without_a_cache_says_that_nothing_was_compared) {
  build();
  EXPECT_GT(check("runtime", disk)->compared, 5u);
  disk.erase("runtime/.assetc-cache");
  EXPECT_EQ(check("runtime", disk)->compared, std::nullopt);
  EXPECT_EQ(problems(), "");
}

TEST_F(Check, a_file_of_somebody_else_is_no_broken_output) {
  build();
  disk.put("runtime/models/save.bin", "a saved game");
  EXPECT_EQ(problems(), "");
  EXPECT_THAT(check("runtime", disk)->unrecorded, testing::Contains("models/save.bin"));
}

TEST_F(Check, says_that_a_build_was_stopped) {
  build();
  disk.put("assets/images/leaf.png", disk.text("assets/images/rock.n.png"));
  disk.crash_after(6);
  (void)try_build();
  disk.reboot();
  EXPECT_THAT(problems(), HasSubstr("a build is running here, or was stopped before it ended; build again\n"));
  build();
  EXPECT_EQ(problems(), "");
}

TEST_F(Check, a_verifying_build_mends_bytes_that_rotted) {
  build();
  disk.zero("runtime/images/leaf.ktx2");  // size and stamps stay as they were
  EXPECT_THAT(why(build()), IsEmpty());
  EXPECT_THAT(problems(), HasSubstr("images/leaf.ktx2"));
  request.verify = true;
  EXPECT_EQ(build().totals.ran, 1u);
  EXPECT_EQ(problems(), "");
  expect_tree_as_clean();
}

}  // namespace
}  // namespace assetc::engine
