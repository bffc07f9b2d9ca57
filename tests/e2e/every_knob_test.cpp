// Every flag and every setting has an effect or is refused. The lists come from the program itself, so a new flag or
// setting without a test fails here.
#include <gmock/gmock.h>

#include <cmath>
#include <functional>

#include "e2e/model.hpp"
#include "e2e/project.hpp"
#include "import/plain_exr.hpp"
#include "import/tiny_gltf.hpp"
#include "places.hpp"

namespace assetc::e2e {
namespace {

using testing::HasSubstr;

class EveryKnob : public Project {
 protected:
  // A node without a skin that a spline moves in a curve, at many times.
  static std::string moving() {
    importer::testing::TinyGltf g;
    const std::string p = std::to_string(g.vec3({0, 0, 0, 1, 0, 0, 0, 1, 0}));
    std::vector<float> times, values;
    for (int key = 0; key < 300; ++key) {
      times.push_back(static_cast<float>(key) / 30);
      const float x = std::sin(static_cast<float>(key) * 0.05f),
                  slope = std::cos(static_cast<float>(key) * 0.05f) * 1.5f;
      values.insert(values.end(), {slope, 0, 0, x, 0, 0, slope, 0, 0});
    }
    const std::string input = std::to_string(g.scalar(times)), output = std::to_string(g.vec3(values));
    return g.json(R"("nodes":[{"name":"arm","mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":)" + p +
                  R"(}}]}],"animations":[{"channels":[{"sampler":0,"target":{"node":0,"path":"translation"}}],
      "samplers":[{"interpolation":"CUBICSPLINE","input":)" +
                  input + R"(,"output":)" + output + "}]}]");
  }

  // A triangle whose vertices follow two joints. Its normals lean.
  static std::string bent() {
    importer::testing::TinyGltf g;
    const auto number = [](int accessor) { return std::to_string(accessor); };
    const std::string p = number(g.vec3({0, 0, 0, 1, 0, 0, 0, 1, 0}));
    const std::string n = number(g.vec3({0.1f, 0.2f, 0.97f, 0.3f, 0.1f, 0.95f, 0.2f, 0.4f, 0.89f}));
    const std::string joints = number(g.accessor<std::uint8_t>(5121, "VEC4", {0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0}, 3));
    const std::string weights = number(g.vec4({0.7f, 0.3f, 0, 0, 0.6f, 0.4f, 0, 0, 0.9f, 0.1f, 0, 0}));
    return g.json(R"("nodes":[{"mesh":0,"skin":0},{"name":"a"},{"name":"b"}],"skins":[{"joints":[1,2]}],
      "meshes":[{"primitives":[{"attributes":{"POSITION":)" +
                  p + R"(,"NORMAL":)" + n + R"(,"JOINTS_0":)" + joints + R"(,"WEIGHTS_0":)" + weights + "}}]}]");
  }

  void sources() {
    write("assets/wall.png", png(70, 45, 5));
    write("assets/sky.env.png", png(128, 64, 7));
    const Model model = grid_model("grid", "grid.png");
    write("assets/grid.gltf", model.gltf);
    write("assets/grid.bin", model.bin);
    write("assets/grid.png", png(32, 32, 6));
    write("assets/fx.shader/fragment.glsl",
          "#version 450\nlayout(location=0) in vec2 uv;\nlayout(location=0) out vec4 c;\nvoid main() { vec4 unused = "
          "vec4(uv, 0, 1); c = vec4(uv, 1, 1); }\n");
    write("assets/fx.shader/compute.hlsl",
          "RWBuffer<float> to : register(u1);\n[numthreads(1, 1, 1)] void main() { to[0] = 1; }\n");
  }
};

TEST_F(EveryKnob, every_setting_changes_some_output) {
  sources();
  Model model = grid_model("grid", "grid.png");
  const std::size_t set = model.gltf.find("\"TEXCOORD_0\":");
  const std::string values = model.gltf.substr(set + 13, model.gltf.find_first_of(",}", set) - set - 13);
  model.gltf.insert(set, "\"TEXCOORD_1\":" + values + ",\"COLOR_0\":0,");
  write("assets/grid.gltf", model.gltf);
  write("assets/arm.gltf", moving());
  write("assets/bent.gltf", bent());
  write("assets/sought.obj", "mtllib sought.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl m\nf 1 2 3\n");
  write("assets/sought.mtl", "newmtl m\nmap_Kd elsewhere/planks.png\n");
  write("assets/art/planks.png", png(8, 8, 9));
  write("assets/art/planks_normal.png", png(8, 8, 3));
  write("assets/ui.ttf", read_file(std::string(places::kSource) + "/tests/data/corpus/fonts/blocks.ttf"));
  write("assets/ui/strings.txt", "\xD0\xAF");
  write("assets/layers.exr", importer::testing::plain_exr({{"Y", 0.5f}, {"depth.Z", 7}}));
  const std::map<std::string, std::string> other{
      {"texture.usage", "linear"},
      {"texture.compress", "false"},
      {"texture.format", "bc7"},
      {"texture.channels", "bgr"},
      {"texture.quality", "fast"},
      {"texture.metric", "perceptual"},
      {"texture.mips", "false"},
      {"texture.mip_filter", "box"},
      {"environment.size", "16"},
      {"environment.specular_size", "0"},
      {"environment.irradiance_size", "8"},
      {"environment.samples", "64"},
      {"texture.wrap", "clamp"},
      {"texture.max_size", "16"},
      {"texture.zstd", "5"},
      {"mesh.merge", "false"},
      {"mesh.scale", "2"},
      {"texture.rdo", "10"},
      // A rule, because cubemaps cannot be ETC1S. test_ktx shows that the quality alone changes a file.
      {"texture.etc1s_quality", "20\n  rules:\n    - {match: \"art/*.png\", texture: {format: etc1s}}"},
      {"texture.share", "content"},
      {"texture.standalone", "true"},
      {"mesh.names", "false"},
      {"mesh.tangents", "false"},
      {"mesh.lod", "cluster"},
      {"mesh.cluster_triangles", "1\n    lod: auto"},  // auto alone changes nothing
      {"texture.layer", "depth"},
      {"texture.normal_y", "directx"},
      {"mesh.keep_area", "false\n    lod: cluster"},  // SingleFiles has leaves, which it changes alone
      {"mesh.lods", "1"},
      {"mesh.lod_ratio", "0.3"},
      {"mesh.compress", "meshopt"},
      {"mesh.quantize", "true"},
      {"mesh.position_bits", "6"},
      {"mesh.texcoord_bits", "4"},
      {"mesh.normal_bits", "4"},
      {"mesh.color_bits", "4"},
      {"mesh.weight_bits", "4"},
      {"mesh.attributes", "[TEXCOORD_1]"},
      {"mesh.search", "[ui]"},
      {"mesh.container", "galileo"},
      {"mesh.scene", "false"},
      {"animation.container", "hanim-v1"},
      {"animation.error", "0.1"},
      {"animation.radius", "2"},
      {"animation.splines", "exact"},
      {"shader.optimize", "false"},
      {"shader.debug", "true"},
      {"shader.target", "vulkan1.0"},
      {"shader.registers", "b0 s100 t200 u300"},
      {"font.size", "32"},
      {"font.range", "6"},
      {"font.characters", "U+41"},
      {"font.strings", "ui/strings.txt"},
      {"font.padding", "3"},
      {"font.max_size", "128"},
  };
  build("-q");
  const auto base = tree();
  run("init");
  replace("assetc.yml", "    compress: auto ", "    # compress: auto ");
  replace("assetc.yml", "    share: content ", "    # share: content ");
  std::string group;
  std::size_t seen = 0;
  // "  texture:" starts a group, "    # quality: normal  # ..." is a setting of it.
  for (const std::string& line : lines_after(read("assetc.yml"), "  ")) {
    if (line.starts_with("# rules") || line.empty()) break;
    if (line.back() == ':') group = line.substr(0, line.size() - 1);
    if (!line.starts_with("  # ")) continue;
    const std::string name = line.substr(4, line.find(':') - 4);
    // Only cooks have sounds and AAS1: tests/recipes/sound_test.cpp and cooked_test.cpp.
    if (group == "audio" || group == "aas1") continue;
    const std::string key = group + "." + name;
    if (key == "shader.hlsl") continue;  // changes nothing without dxc: tests/e2e/toolchain_test.cpp
    const auto found = other.find(key);
    if (found == other.end()) {
      ADD_FAILURE() << key << " has no test: give it a value here that changes an output";
      continue;
    }
    ++seen;
    write("assetc.yml", "default:\n  " + group + ":\n    " + name + ": " + found->second + "\n");
    build("-q");
    EXPECT_NE(tree(), base) << key << " = " << found->second << " changes nothing";
  }
  EXPECT_EQ(seen, other.size());
}

TEST_F(EveryKnob, every_setting_refuses_nonsense) {
  write("assets/wall.png", png(4, 4, 5));
  run("init");
  replace("assetc.yml", "    compress: auto ", "    # compress: auto ");
  replace("assetc.yml", "    share: content ", "    # share: content ");
  std::string group;
  for (const std::string& line : lines_after(read("assetc.yml"), "  ")) {
    if (line.starts_with("# rules") || line.empty()) break;
    if (line.back() == ':') group = line.substr(0, line.size() - 1);
    if (!line.starts_with("  # ")) continue;
    const std::string name = line.substr(4, line.find(':') - 4);
    if (name == "search") continue;  // any word names a folder
    write("assetc.yml", "default:\n  " + group + ":\n    " + name + ": nonsense\n");
    const bool is_any_name = name == "layer";  // without control characters
    write("assetc.yml",
          "default:\n  " + group + ":\n    " + name + ": " + (is_any_name ? "\"non\\tsense\"" : "nonsense") + "\n");
    const Finished done = run();
    EXPECT_EQ(done.exit_code, 2) << name;
    EXPECT_THAT(done.err, HasSubstr("line 3")) << name;
    EXPECT_THAT(done.err, HasSubstr(group + "." + name + ": found \"non")) << name;
    EXPECT_THAT(done.err, HasSubstr("sense\", expected ")) << name;
  }
}

TEST_F(EveryKnob, every_flag_of_the_build_does_something) {
  using Check = std::function<void()>;
  const std::map<std::string, Check> checks{
      {"help", [&] { EXPECT_THAT(build("build --help").out, HasSubstr("--output")); }},
      {"version", [&] { EXPECT_THAT(build("--version").out, HasSubstr("assetc ")); }},
      {"output",
       [&] {
         build("--output other");
         EXPECT_TRUE(exists("other/wall.ktx2"));
       }},
      {"jobs",
       [&] {
         EXPECT_EQ(run("--jobs 0").exit_code, 2);
         build("--jobs 3");
       }},
      // A budget below one step still lets one step run at a time.
      {"memory",
       [&] {
         EXPECT_EQ(run("--memory 0").exit_code, 2);
         build("--memory 1K --no-cache");
       }},
      {"preset",
       [&] {
         build("--preset raw");
         EXPECT_TRUE(exists("raw/wall.ktx2"));
       }},
      {"list-presets", [&] { EXPECT_EQ(build("--list-presets").out, "raw\n"); }},
      {"keep-going",
       [&] {
         write("assets/bad.png", "no picture");
         EXPECT_EQ(run("-o partial").exit_code, 1);
         EXPECT_FALSE(exists("partial/assets.hman"));
         EXPECT_EQ(run("-o partial --keep-going").exit_code, 1);
         EXPECT_TRUE(exists("partial/assets.hman"));
         fs::remove(root_ / "assets/bad.png");
       }},
      {"verify", [&] { build("--verify --no-cache"); }},
      {"no-cache",
       [&] {
         build();
         EXPECT_THAT(build("--no-cache").out, HasSubstr(" 0 up to date"));
       }},
      {"pack",
       [&] {
         build("--pack");
         EXPECT_TRUE(exists("runtime.hpack"));
       }},
      {"dry-run",
       [&] {
         build("--dry-run -o never");
         EXPECT_FALSE(exists("never"));
       }},
      {"explain",
       [&] { EXPECT_THAT(build("--explain --no-cache").out, HasSubstr("built wall.png (texture): --no-cache")); }},
      {"verbose", [&] { EXPECT_THAT(build("--verbose --no-cache").err, HasSubstr("built wall.png (texture)")); }},
      {"warnings",
       [&] {
         write("assets/.hidden.png", "");
         build();
         std::this_thread::sleep_for(std::chrono::milliseconds(30));  // younger files are read again
         build();
         EXPECT_EQ(build().err, "1 warning already reported; --warnings lists all\n");
         EXPECT_THAT(build("--warnings").err, HasSubstr(".hidden.png"));
         remove("assets/.hidden.png");
       }},
      {"sarif",
       [&] {
         build("--sarif build.sarif");
         EXPECT_TRUE(exists("build.sarif"));
       }},
      {"strict",
       [&] {
         write("assets/.hidden.png", "");
         EXPECT_EQ(run("--strict").exit_code, 1);
         remove("assets/.hidden.png");
         build("--strict");
       }},
      {"trace",
       [&] {
         build("--trace trace.json");
         EXPECT_THAT(read("trace.json"), HasSubstr("\"traceEvents\""));
       }},
      {"report",
       [&] {
         build("--report report.json");
         EXPECT_THAT(read("report.json"), HasSubstr("\"up_to_date_share\":1"));
       }},
      {"shard",
       [&] {
         EXPECT_THAT(build("--shard 1/2 --dry-run").out, HasSubstr("shard 1/2: "));
         EXPECT_EQ(run("--shard 3/2").exit_code, 2);
       }},
      {"costs",
       [&] {
         write("costs.json", "{\"costs\": {\"wall.png\": 1000}}");
         EXPECT_THAT(build("--costs costs.json --report report.json").out, HasSubstr("up to date"));
         EXPECT_THAT(read("report.json"), HasSubstr("\"wall.png\":1000"));
       }},
      {"quiet", [&] { EXPECT_EQ(build("--quiet").out, ""); }},
      {"json", [&] { EXPECT_THAT(build("--json").out, HasSubstr("{\"event\":\"summary\"")); }},
      {"color",
       [&] {
         write("assets/bad.png", "bad");
         EXPECT_THAT(run("--color always").err, HasSubstr("\x1b["));
         remove("assets/bad.png");
       }},
  };
  sources();
  write("assetc.yml",
        "accept: [{kind: flattened, reason: r}]\npresets:\n  raw:\n    output: raw\n    texture: {compress: false}\n");
  std::size_t seen = 0;
  for (const std::string& line :
       lines_after(run("completion fish").out, "complete -c assetc -n '__fish_use_subcommand' ")) {
    const std::size_t at = line.find("-l ");
    if (at == std::string::npos) continue;
    const std::string flag = line.substr(at + 3, line.find(' ', at + 3) - at - 3);
    const auto check = checks.find(flag);
    if (check == checks.end()) {
      ADD_FAILURE() << "--" << flag << " has no test of its effect";
      continue;
    }
    ++seen;
    SCOPED_TRACE("--" + flag);
    check->second();
  }
  EXPECT_EQ(seen, checks.size());
}

// 24 textures of 1 MiB decoded each: a budget of a few textures keeps the peak well below the sum of all.
TEST_F(EveryKnob, memory_bounds_what_is_in_flight) {
  for (int i = 0; i < 24; ++i)
    write("assets/t" + std::to_string(i) + ".png", png(512, 512, static_cast<std::uint32_t>(i)));
  write("assetc.yml", "default:\n  texture: {quality: fast}\n");
  const auto peak_kib = [&](const std::string& memory) {
    const pid_t child = start("-q --no-cache -j 8 --memory " + memory);
    int status = 0;
    rusage usage{};
    wait4(child, &status, 0, &usage);
    EXPECT_EQ(WEXITSTATUS(status), 0);
    return usage.ru_maxrss;
  };
  EXPECT_LT(peak_kib("8M"), peak_kib("4G"));
}

}  // namespace
}  // namespace assetc::e2e
