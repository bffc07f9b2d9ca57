// assetc render and assetc convert: every flag has an effect, and every kind of file converts to every other.
#include <gmock/gmock.h>

#include <functional>
#include <set>

#include "e2e/model.hpp"
#include "e2e/project.hpp"
#include "import/tiny_gltf.hpp"
#include "places.hpp"

namespace assetc::e2e {
namespace {

using testing::HasSubstr;

class SingleFiles : public Project {
 protected:
  // The flags in the command's help, without those that every command has.
  std::set<std::string> flags_of(const std::string& command) const {
    std::set<std::string> flags;
    const std::string prefix = "complete -c assetc -n '__fish_seen_subcommand_from " + command + "' ";
    for (const std::string& line : lines_after(run("completion fish").out, prefix)) {
      const std::size_t at = line.find("-l ");
      if (at != std::string::npos) flags.insert(line.substr(at + 3, line.find(' ', at + 3) - at - 3));
    }
    for (const char* everywhere : {"help", "json", "color"}) EXPECT_EQ(flags.erase(everywhere), 1u) << everywhere;
    return flags;
  }
  void copy_demo(const std::string& path, const std::string& to) {
    fs::copy_file(fs::path(places::kSource) / "examples/demo/assets" / path, root_ / to);
  }
  void expect_all_checked(const std::string& command, const std::map<std::string, std::function<void()>>& checks) {
    const std::set<std::string> flags = flags_of(command);
    for (const std::string& flag : flags)
      EXPECT_TRUE(checks.contains(flag)) << "--" << flag << " of " << command << " has no test";
    for (const auto& [flag, check] : checks) {
      SCOPED_TRACE("--" + flag);
      EXPECT_TRUE(flags.contains(flag));
      check();
    }
  }
};

// A triangle with a morph target of the default weight 0.5, and a camera.
std::string face() {
  importer::testing::TinyGltf g;
  const std::string p = std::to_string(g.vec3({0, 0, 0, 1, 0, 0, 0, 1, 0}));
  const std::string t = std::to_string(g.vec3({0, 0, 0, 0, 0, 0, 3, 1, 0}));
  return g.json(R"("nodes":[{"mesh":0},{"name":"eye","camera":0,"translation":[0,0,9]}],
      "cameras":[{"type":"perspective","perspective":{"yfov":0.9,"znear":0.1}}],
      "meshes":[{"weights":[0.5],"primitives":[{"attributes":{"POSITION":)" +
                p + R"(},"targets":[{"POSITION":)" + t + "}]}]}]");
}

TEST_F(SingleFiles, every_flag_of_render_changes_the_picture) {
  const Model model = grid_model("chair", "wood.png", 24);
  write("chair.gltf", model.gltf);
  write("chair.bin", model.bin);
  write("wood.png", png(16, 16, 1));
  copy_demo("models/tentacle.glb", "tentacle.glb");
  write("assets/ui.ttf", read_file(std::string(places::kSource) + "/tests/data/corpus/fonts/blocks.ttf"));
  build("-q");
  write("face.gltf", face());
  build("convert chair.gltf chair.hmesh");
  build("convert chair.gltf chair.hcluster");
  const auto drawn = [&](const std::string& arguments) {
    build("render " + arguments + " out.png --size 64x64");
    return read("out.png");
  };
  const std::string plain = drawn("chair.gltf"), wired = drawn("chair.hmesh --wire"),
                    posed = drawn("tentacle.glb --clip 0");
  EXPECT_EQ(drawn("chair.gltf --textured"), plain) << "the default";
  const auto differs = [&](const char* style) {
    return [&, style] { EXPECT_NE(drawn(std::string("chair.gltf --") + style), plain); };
  };
  expect_all_checked(
      "render",
      {{"error",
        [&] {
          EXPECT_NE(drawn("chair.hcluster --wire --error 100"), drawn("chair.hcluster --wire"));
          EXPECT_EQ(drawn("chair.hcluster --wire --error 0"), drawn("chair.hcluster --wire"));
          EXPECT_EQ(drawn("chair.hcluster --wire --error 0px"), drawn("chair.hcluster --wire"));
          EXPECT_NE(drawn("chair.hcluster --wire --error 1000px"), drawn("chair.hcluster --wire"));
          EXPECT_EQ(run("render chair.gltf out.png --error 0").err,
                    "error: chair.gltf: --error does not apply to this model; it applies to a "
                    ".hcluster; --lod chooses a level of other models\n");
          for (const char* wrong : {"nan", "-1", "1e40", "1x", "px", "-1px"}) {
            EXPECT_THAT(run("render chair.hcluster out.png --error " + std::string(wrong)).err,
                        HasSubstr("--error: found \"" + std::string(wrong) + "\", expected a length of at least 0"));
          }
        }},
       {"root",
        [&] {
          EXPECT_EQ(drawn("chair.gltf --root ."), plain);
          EXPECT_THAT(run("render chair.gltf out.png --root nowhere").err, HasSubstr("does not hold chair.gltf"));
        }},
       {"lod", [&] { EXPECT_NE(drawn("chair.hmesh --wire --lod 2"), wired); }},
       {"size",
        [&] {
          build("render chair.gltf out.png --size 40x30");
          EXPECT_EQ(read("out.png").substr(16, 8), std::string("\0\0\0\x28\0\0\0\x1e", 8));
        }},
       {"text",
        [&] {
          const std::string word = drawn("runtime/ui.hfont --text AV");
          EXPECT_NE(drawn("runtime/ui.hfont --text VA"), word);
          EXPECT_EQ(run("render runtime/ui.hfont out.png").err,
                    "error: runtime/ui.hfont: a font needs a text to draw; add --text \"Hello\"\n");
          EXPECT_EQ(run("render chair.gltf out.png --text A").err,
                    "error: chair.gltf: --text does not apply to a model; it applies to a .hfont\n");
          write("alone.hfont", read("runtime/ui.hfont"));
          EXPECT_THAT(run("render alone.hfont out.png --text A").err,
                      HasSubstr("the atlas of a font is beside it, under the same name with .atlas.ktx2"));
        }},
       {"text-size",
        [&] {
          EXPECT_NE(drawn("runtime/ui.hfont --text A --text-size 20"), drawn("runtime/ui.hfont --text A"));
          EXPECT_EQ(run("render runtime/ui.hfont out.png --text A --text-size 0").exit_code, 2);
        }},
       {"view", [&] { EXPECT_NE(drawn("chair.gltf --view 90,60"), plain); }},
       {"clip",
        [&] {
          EXPECT_NE(posed, drawn("tentacle.glb"));
          const std::string none = run("render tentacle.glb out.png --clip none").err;
          const std::string mark = "error: tentacle.glb: has no clip \"none\"; the clips are: \"";
          ASSERT_THAT(none, testing::StartsWith(mark));
          const std::string name = none.substr(mark.size(), none.find('"', mark.size()) - mark.size());
          EXPECT_EQ(drawn("tentacle.glb --clip " + name), posed);
          EXPECT_EQ(run("render chair.gltf out.png --clip 0").err,
                    "error: chair.gltf: has no clip \"0\"; the model has no clips\n");
        }},
       {"camera",
        [&] {
          EXPECT_NE(drawn("face.gltf --camera eye"), drawn("face.gltf"));
          EXPECT_EQ(drawn("face.gltf --camera 0"), drawn("face.gltf --camera eye"));
          EXPECT_EQ(run("render face.gltf out.png --camera ear").err,
                    "error: face.gltf: has no camera \"ear\"; the cameras are: \"eye\"\n");
        }},
       {"morph",
        [&] {
          EXPECT_NE(drawn("face.gltf --morph 1"), drawn("face.gltf"));
          EXPECT_EQ(drawn("face.gltf --morph 0.5"), drawn("face.gltf")) << "the default weight";
        }},
       {"time", [&] { EXPECT_NE(drawn("tentacle.glb --clip 0 --time 0.6"), posed); }},
       {"textured", [&] { EXPECT_NE(drawn("chair.gltf --textured"), drawn("chair.gltf --shaded")); }},
       {"shaded", differs("shaded")},
       {"normals", differs("normals")},
       {"uv", differs("uv")},
       {"wire", differs("wire")},
       {"meshlets", [&] { EXPECT_NE(drawn("chair.hmesh --meshlets"), drawn("chair.hmesh")); }}});
  EXPECT_EQ(run("render chair.gltf out.png --uv --wire").exit_code, 2) << "one style at a time";
  EXPECT_EQ(run("render chair.gltf out.jpg").err,
            "error: out.jpg: the picture is a PNG; give it a name that ends in .png\n");
  EXPECT_FALSE(exists("out.jpg"));
  EXPECT_THAT(run("render chair.hmesh out.png --lod 7").err, HasSubstr("chair.hmesh"));
  EXPECT_THAT(run("render chair.gltf out.png --meshlet").err, HasSubstr("did you mean --meshlets?"));
}

TEST_F(SingleFiles, render_draws_every_kind_of_model_alike) {
  const Model model = grid_model("chair", "", 8);
  write("chair.gltf", model.gltf);
  write("chair.bin", model.bin);
  build("convert chair.gltf chair.glb");
  build("convert chair.gltf chair.hmesh");
  build("convert chair.gltf chair.gali");
  build("convert chair.gltf v1/chair.hmesh --mesh.container hmesh-v1");
  build("render chair.gltf source.png --uv --size 48x48");
  for (const char* path : {"chair.glb", "chair.hmesh", "chair.gali", "v1/chair.hmesh"}) {
    build(std::string("render ") + path + " out.png --uv --size 48x48");
    EXPECT_EQ(read("out.png"), read("source.png")) << path;
  }
}

TEST_F(SingleFiles, every_kind_of_model_becomes_every_other) {
  const Model model = grid_model("chair", "", 8);
  write("chair.gltf", model.gltf);
  write("chair.bin", model.bin);
  write("chair.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n");
  build("convert chair.gltf chair.glb");
  build("convert chair.gltf chair.hmesh");
  build("convert chair.gltf chair.gali");
  for (const char* from : {"gltf", "glb", "obj", "hmesh", "gali"}) {
    for (const char* to : {"glb", "hmesh", "gali"}) {
      const std::string out = std::string("from_") + from + "." + to;
      build("convert chair." + std::string(from) + " " + out);
      build("convert " + out + " again.glb");
      EXPECT_TRUE(exists("again.glb")) << out;
      remove("again.glb");
    }
  }
}

TEST_F(SingleFiles, a_mesh_that_takes_the_siblings_of_another_is_told) {
  const Model model = grid_model("chair", "", 8);
  write("chair.gltf", model.gltf);
  write("chair.bin", model.bin);
  EXPECT_THAT(build("convert chair.gltf chair.hmesh").err, testing::Not(HasSubstr("chair.hmat")));
  EXPECT_THAT(build("convert chair.gltf chair.gali").err,
              HasSubstr("warning: chair.hmesh: has the same name, so it now uses chair.hmat of chair.gali; "
                        "give the output another name, or remove the mesh that it replaces [shared-siblings]\n"));
  // The .hmat stays: it is that of the other too.
  write("plain.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  EXPECT_THAT(build("convert plain.obj chair.gali").err,
              HasSubstr("chair.hmat: existed before, and chair.gali now uses it"));
  EXPECT_TRUE(exists("chair.hmat"));
}

TEST_F(SingleFiles, every_flag_of_convert_changes_the_file) {
  Model model = grid_model("chair", "wood.png", 24);
  const std::size_t set = model.gltf.find("\"TEXCOORD_0\":");
  const std::string values = model.gltf.substr(set + 13, model.gltf.find_first_of(",}", set) - set - 13);
  model.gltf.insert(set, "\"TEXCOORD_1\":" + values + ",");
  write("assets/chair.gltf", model.gltf);
  write("assets/chair.bin", model.bin);
  write("assets/wood.png", png(48, 32, 1));
  write("assets/sky.array/a.png", png(16, 16, 2));
  write("assets/sky.array/b.png", png(16, 16, 3));
  build("-q");
  const auto file = [&](const std::string& arguments, const std::string& out) {
    build("convert " + arguments.substr(0, arguments.find(' ')) + " " + out +
          arguments.substr(std::min(arguments.find(' '), arguments.size())));
    return read(out);
  };
  const auto mesh = [&](const std::string& flags) { return file("assets/chair.gltf" + flags, "out.hmesh"); };
  const auto texture = [&](const std::string& flags) { return file("assets/wood.png" + flags, "out.ktx2"); };
  const std::string plain_mesh = mesh(""), plain_texture = texture("");
  std::map<std::string, std::function<void()>> checks{
      {"keep-ktx2", [&] { EXPECT_THAT(file("runtime/chair.hmesh --keep-ktx2", "out.glb"), HasSubstr("image/ktx2")); }},
      {"error",
       [&] {
         build("convert assets/chair.gltf chair.hcluster");
         EXPECT_NE(file("chair.hcluster --error 100", "out.glb"), file("chair.hcluster", "out.glb"));
         EXPECT_EQ(run("convert assets/chair.gltf out.glb --error 100").exit_code, 2);
         EXPECT_THAT(run("convert chair.hcluster out.glb --error 1px").err,
                     HasSubstr("expected a length of at least 0"));
       }},
      {"mesh.keep_area",
       [&] {
         std::string leaves;
         for (int i = 1; i <= 400; ++i) {
           const std::string x = std::to_string(i % 20 * 3), z = std::to_string(i / 20 * 3);
           leaves += "v " + x + " 0 " + z + "\nv " + x + " 1 " + z + "\nv " + x + ".5 0 " + z + "\nf -1 -2 -3\n";
         }
         write("assets/leaves.obj", leaves);
         build("convert assets/leaves.obj plain.hcluster");
         build("convert assets/leaves.obj shrinks.hcluster --mesh.keep_area false");
         EXPECT_NE(read("plain.hcluster"), read("shrinks.hcluster"));
       }},
      {"root",
       [&] {
         EXPECT_EQ(file("assets/chair.gltf --root .", "out.hmesh"), file("assets/chair.gltf", "out.hmesh"));
         EXPECT_THAT(run("convert assets/chair.gltf out.hmesh --root nowhere").err,
                     HasSubstr("does not hold assets/chair.gltf"));
       }},
      {"level", [&] {
         EXPECT_EQ(file("out.ktx2 --level 1", "out.png").substr(16, 8), std::string("\0\0\0\x18\0\0\0\x10", 8));
       }}};
  const auto settings = [&](const auto& change, const std::string& plain, const char* flag, const char* value) {
    checks[flag] = [&change, &plain, flag, value] {
      EXPECT_NE(change(std::string(" --") + flag + " " + value), plain);
    };
  };
  settings(mesh, plain_mesh, "mesh.container", "hmesh-v1");
  settings(mesh, plain_mesh, "mesh.merge", "false");
  settings(mesh, plain_mesh, "mesh.names", "false");
  settings(mesh, plain_mesh, "mesh.tangents", "false");
  settings(mesh, plain_mesh, "mesh.scale", "2");
  settings(mesh, plain_mesh, "mesh.lods", "1");
  settings(mesh, plain_mesh, "mesh.lod_ratio", "0.3");
  settings(mesh, plain_mesh, "mesh.attributes", "all");
  settings(mesh, plain_mesh, "mesh.compress", "meshopt");
  settings(mesh, plain_mesh, "mesh.quantize", "true");
  settings(mesh, plain_mesh, "mesh.position_bits", "6");
  settings(mesh, plain_mesh, "mesh.texcoord_bits", "4");
  for (const std::string& flag : flags_of("convert")) {
    if (flag == "layer" || flag == "face" || flag == "slice") {
      // Settings that a single picture does not have are refused by name.
      checks[flag] = [&, flag] {
        EXPECT_THAT(run("convert out.ktx2 out.png --" + flag + " 3").err, HasSubstr("out.ktx2"));
      };
    }
    // every_knob_test shows that each setting changes the output of a build; here the flag only has to be known.
    const bool is_of_attributes = flag == "mesh.normal_bits" || flag == "mesh.color_bits" || flag == "mesh.weight_bits";
    if (flag.find('.') != flag.npos && (!flag.starts_with("mesh.") || is_of_attributes)) {
      checks[flag] = [&, flag] {
        EXPECT_THAT(run("convert assets/chair.gltf out.hmesh --" + flag + " no-such-value").err, HasSubstr(flag));
      };
    }
  }
  EXPECT_NE(texture(" --texture.mips false"), plain_texture);
  EXPECT_EQ(texture(""), plain_texture);
  expect_all_checked("convert", checks);
}

TEST_F(SingleFiles, every_flag_of_optimize_changes_the_file) {
  const Model model = grid_model("chair", "wood.png", 24);
  write("chair.gltf", model.gltf);
  write("chair.bin", model.bin);
  write("wood.png", png(48, 32, 1));
  const auto file = [&](const std::string& flags) {
    const bool chooses_format =
        flags.contains("--texture.format") || flags.contains("--for") || flags.contains("--keep-pictures");
    build("optimize chair.gltf out.glb" + std::string(chooses_format ? "" : " --texture.format uastc") + flags);
    return read("out.glb");
  };
  const std::string plain = file("");
  EXPECT_THAT(plain, HasSubstr("image/ktx2"));
  EXPECT_THAT(plain, HasSubstr("EXT_meshopt_compression"));
  std::map<std::string, std::function<void()>> checks{
      {"root",
       [&] {
         EXPECT_EQ(file(" --root ."), plain);
         EXPECT_THAT(run("optimize chair.gltf out.glb --root nowhere").err, HasSubstr("does not hold chair.gltf"));
       }},
      {"jobs", [&] { EXPECT_EQ(file(" --jobs 1"), plain); }},
      {"no-cache", [&] { EXPECT_EQ(file(" --no-cache"), plain); }},
      {"quiet", [&] { EXPECT_EQ(run("optimize chair.gltf out.glb --quiet").out, ""); }},
      {"verbose",
       [&] {
         EXPECT_THAT(run("optimize chair.gltf out.gltf").out, Not(HasSubstr("wrote out.bin")));
         EXPECT_THAT(run("optimize chair.gltf out.gltf --verbose").out, HasSubstr("wrote out.bin, "));
       }},
      {"keep-pictures",
       [&] {
         EXPECT_THAT(file(" --keep-pictures"), HasSubstr("image/png"));
         EXPECT_THAT(run("optimize chair.gltf out.glb --keep-pictures --texture.mips false").err,
                     HasSubstr("--texture.mips contradicts --keep-pictures"));
       }},
      {"keep",
       [&] {
         EXPECT_TRUE(plain.contains("\"name\""));
         EXPECT_FALSE(file(" --keep none").contains("\"name\""));
         EXPECT_EQ(run("optimize chair.gltf out.glb --keep name").exit_code, 2);
         EXPECT_THAT(run("optimize chair.gltf out.glb --keep name").err,
                     HasSubstr("found \"name\", expected names, nodes, extras or materials"));
       }},
      {"for",
       [&] {
         EXPECT_NE(file(" --for phone"), plain);
         EXPECT_EQ(file(" --for phone --mesh.position_bits 8"), file(" --mesh.position_bits 8 --for phone"));
         EXPECT_NE(file(" --for phone --mesh.position_bits 8"), file(" --for phone"));
         EXPECT_THAT(run("optimize chair.gltf out.glb --for tv").err,
                     HasSubstr("found \"tv\", expected web, headset or phone"));
       }},
      {"texture.format",
       [&] {
         const std::string webp = file(" --texture.format webp");
         EXPECT_THAT(webp, HasSubstr("image/webp"));
         build("optimize chair.gltf out.glb");
         EXPECT_EQ(read("out.glb"), webp) << "the default";
         EXPECT_NE(file(" --texture.format etc1s"), plain);
         EXPECT_THAT(run("optimize chair.gltf out.glb --texture.format png").err,
                     HasSubstr("expected webp, uastc or etc1s"));
       }},
      {"texture.etc1s_quality",
       [&] {
         EXPECT_NE(file(" --texture.format etc1s --texture.etc1s_quality 1"), file(" --texture.format etc1s"));
         EXPECT_THAT(run("optimize chair.gltf out.glb --texture.format uastc --texture.etc1s_quality 9").err,
                     HasSubstr("applies to ETC1S, but pictures become another format"));
       }},
      {"texture.webp_quality",
       [&] {
         EXPECT_NE(file(" --texture.format webp --texture.webp_quality 100"), file(" --texture.format webp"));
         EXPECT_THAT(run("optimize chair.gltf out.glb --texture.format uastc --texture.webp_quality 50").err,
                     HasSubstr("applies to WebP, but pictures become KTX 2"));
         EXPECT_THAT(run("optimize chair.gltf out.glb --texture.webp_quality 101").err, HasSubstr("expected 0 to 100"));
         for (const char* of_ktx2 : {"rdo 3", "zstd 3", "quality best", "mips false", "metric rgb"})
           EXPECT_THAT(run("optimize chair.gltf out.glb --texture.format webp --texture." + std::string(of_ktx2)).err,
                       HasSubstr(" applies to KTX 2, but pictures become WebP"));
       }},
      {"texture.rdo",  // at fast, the picture has no block that may change
       [&] {
         const std::string normal = " --texture.quality normal";
         EXPECT_FALSE(file(normal + " --texture.rdo 0") == file(normal)) << "the same file";
       }},
      {"texture.max_size",
       [&] {
         EXPECT_NE(file(" --texture.max_size 16"), plain);
         EXPECT_EQ(file(" --texture.max_size base_color=16"), file(" --texture.max_size 16"));
         EXPECT_EQ(file(" --texture.max_size normal=16"), plain);
         EXPECT_THAT(run("optimize chair.gltf out.glb --texture.max_size wood=16").err, HasSubstr("found \"wood=16\""));
         EXPECT_THAT(run("optimize chair.gltf out.glb --texture.max_size normal=16,normal=8").err,
                     HasSubstr("found \"normal=8\" after another size for the same slots"));
       }},
      {"animation.error",
       [&] {
         EXPECT_THAT(run("optimize chair.gltf out.glb --animation.error x").err,
                     HasSubstr("--animation.error: found \"x\", expected off, auto or up to 1000 meters"));
         copy_demo("models/tentacle.glb", "tentacle.glb");
         build("optimize tentacle.glb all.glb --animation.error off");
         build("optimize tentacle.glb coarse.glb --animation.error 0.1");
         EXPECT_LT(read("coarse.glb").size(), read("all.glb").size());
         build("optimize tentacle.glb auto.glb --animation.error auto");
         EXPECT_LE(read("auto.glb").size(), read("all.glb").size());
       }},
      {"simplify",
       [&] {
         EXPECT_NE(file(" --simplify 0.5"), plain);
         EXPECT_THAT(run("optimize chair.gltf out.glb --simplify 1.5").err,
                     HasSubstr("found \"1.5\", expected a number between 0 and 1"));
       }},
      {"mesh.compress", [&] {
         EXPECT_THAT(file(" --mesh.compress none"), testing::Not(HasSubstr("EXT_meshopt_compression")));
         EXPECT_THAT(run("optimize chair.gltf out.glb --mesh.compress meshopt-zstd").err,
                     HasSubstr("found \"meshopt-zstd\", expected none, meshopt, meshopt-khr, draco or smallest"));
         EXPECT_THAT(file(" --mesh.compress meshopt-khr"), HasSubstr("KHR_meshopt_compression"));
       }}};
  const std::pair<const char*, const char*> settings[] = {
      {"mesh.quantize", "false"}, {"mesh.position_bits", "8"}, {"mesh.texcoord_bits", "6"}, {"mesh.normal_bits", "12"},
      {"texture.mips", "false"},  {"texture.quality", "best"}, {"texture.zstd", "1"}};
  for (const auto& [flag, value] : settings) {
    checks[flag] = [&file, &plain, flag, value] {
      EXPECT_FALSE(file(std::string(" --") + flag + " " + value) == plain) << "the same file";
    };
  }
  // The grid has no colors and weights, and these filters may give the same texels.
  for (const std::string flag : {"mesh.color_bits", "mesh.weight_bits", "texture.metric", "texture.mip_filter"}) {
    checks[flag] = [&, flag] {
      EXPECT_THAT(run("optimize chair.gltf out.glb --" + flag + " no-such-value").err, HasSubstr(flag));
    };
  }
  expect_all_checked("optimize", checks);
  EXPECT_EQ(file(""), plain);
}

TEST_F(SingleFiles, ktx_answers_like_the_program_of_that_name) {
  write("wall.png", png(16, 16, 1));
  EXPECT_EQ(run("ktx --version").out, "ktx version: v4.4.0\n");
  EXPECT_EQ(run("ktx create --format R8G8B8A8_SRGB --encode uastc wall.png sub/wall.ktx2").exit_code, 0);
  EXPECT_THAT(run("info sub/wall.ktx2").out, HasSubstr("uastc"));
  EXPECT_EQ(run("ktx validate sub/wall.ktx2").exit_code, 0);
  EXPECT_EQ(run("ktx validate wall.png").exit_code, 3);
  EXPECT_EQ(run("ktx create --format R8G8B8A8_SRGB none.png sub/wall.ktx2").exit_code, 2);
  EXPECT_EQ(run("ktx create --format R8G8B8A8_SRGB --encode uastc-hdr-4x4 wall.png sub/wall.ktx2").exit_code, 5);
  EXPECT_EQ(run("ktx validate sub/wall.ktx2").exit_code, 0) << "a failure keeps the output";
  EXPECT_EQ(run("--json ktx --version").exit_code, 2) << "options of assetc do not apply";
  EXPECT_THAT(run("--help").out, HasSubstr("ktx"));
}

TEST_F(SingleFiles, optimize_tells_its_size_and_refuses_other_outputs) {
  copy_demo("models/tentacle.glb", "tentacle.glb");
  EXPECT_THAT(run("optimize tentacle.glb out.glb").out,
              testing::MatchesRegex("wrote out\\.glb, [0-9.]+ KiB, [0-9]+ % of the source\n"));
  EXPECT_THAT(run("optimize tentacle.glb out.glb --json").out,
              HasSubstr("\"source_bytes\":" + std::to_string(read("tentacle.glb").size())));
  EXPECT_EQ(run("optimize tentacle.glb out.obj").exit_code, 2);
  EXPECT_THAT(run("optimize tentacle.glb out.obj").err,
              HasSubstr("optimize writes a .glb or .gltf, but the output is out.obj"));
  EXPECT_EQ(run("optimize tentacle.glb tentacle.glb").exit_code, 2);
  write("bad.glb", "glTF");
  const Finished bad = run("optimize bad.glb out2.glb");
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_THAT(bad.err, HasSubstr("bad.glb"));
  EXPECT_FALSE(fs::exists(root_ / "out2.glb"));
}

TEST_F(SingleFiles, optimize_tells_of_an_unreadable_picture_once) {
  const Model model = grid_model("chair", "wood.png");
  write("chair.gltf", model.gltf);
  write("chair.bin", model.bin);
  write("wood.png", "this is no picture");
  const std::string told = build("optimize chair.gltf chair.glb").err;
  const std::size_t first = told.find("[unreadable-picture]");
  EXPECT_NE(first, std::string::npos) << told;
  EXPECT_EQ(told.find("[unreadable-picture]", first + 1), std::string::npos) << told;
}

TEST_F(SingleFiles, convert_refuses_what_a_texture_that_is_copied_cannot_follow) {
  write("wood.png", png(16, 16, 1));
  build("convert wood.png wood.ktx2");
  const Finished done = run("convert wood.ktx2 copy.ktx2 --texture.format bc7");
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_EQ(done.err,
            "error: --texture.format does not apply to copy.ktx2; it applies to a picture that becomes a .ktx2\n");
  EXPECT_FALSE(fs::exists(root_ / "copy.ktx2"));
}

TEST_F(SingleFiles, names_mean_the_same_in_capitals) {
  write("wood.n.png", png(16, 16, 1));
  write("WOOD.N.PNG", png(16, 16, 1));
  build("convert wood.n.png small.ktx2 --texture.format auto");
  build("convert WOOD.N.PNG LARGE.KTX2 --texture.format auto");
  EXPECT_EQ(read("small.ktx2"), read("LARGE.KTX2"));
}

TEST_F(SingleFiles, diff_says_what_became_of_alpha) {
  write("ui.tga", std::string("\0\0\2\0\0\0\0\0\0\0\0\0\1\0\1\0\x20\x28", 18) + "\xff\xff\xff\x80");
  build("convert ui.tga ui.ktx2 --texture.format bc1");
  EXPECT_THAT(run("diff ui.tga ui.ktx2").out,
              testing::MatchesRegex("image .*PSNR +of alpha +SSIM.*\nlevel 0 +1x1 +equal +6.05 dB .*\n"));
  EXPECT_THAT(run("diff ui.tga ui.ktx2 --json").out,
              testing::AllOf(HasSubstr("\"psnr_alpha_db\":6.0"), testing::Not(HasSubstr("\"psnr_db\""))));
}

TEST_F(SingleFiles, diff_names_the_file_that_is_damaged) {
  write("wood.png", png(16, 16, 1));
  build("convert wood.png wood.ktx2");
  write("cut.ktx2", read("wood.ktx2").substr(0, 60));
  for (const char* order : {"wood.png cut.ktx2", "cut.ktx2 wood.png"})
    EXPECT_THAT(run(std::string("diff ") + order).err, testing::StartsWith("error: cut.ktx2: byte 12: ")) << order;
}

TEST_F(SingleFiles, every_flag_of_diff_changes_the_heat_map) {
  write("wood.png", png(32, 32, 1));
  build("convert wood.png wood.ktx2 --texture.format bc1");
  const auto heat = [&](const std::string& arguments) {
    build("diff wood.png wood.ktx2 --heat heat.png " + arguments);
    return read("heat.png");
  };
  EXPECT_NE(heat("--level 1"), heat(""));
  for (const std::string flag : {"layer", "face", "slice"}) {
    const Finished done = run("diff wood.png wood.ktx2 --heat heat.png --" + flag + " 3");
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_EQ(done.err, "error: wood.ktx2: " + flag + " 3 was asked for, the files share 1; ask for " + flag + " 0\n");
  }
  const Finished done = run("diff wood.png wood.ktx2 --heat heat.jpg");
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_EQ(done.err, "error: heat.jpg: a heat map is a PNG; give it a name that ends in .png\n");
  EXPECT_FALSE(fs::exists(root_ / "heat.jpg"));
}

TEST_F(SingleFiles, convert_says_what_a_picture_leaves_out) {
  std::string animation = png(4, 4, 1);
  animation.insert(33, std::string("\0\0\0\x08"
                                   "acTL"
                                   "\0\0\0\3\0\0\0\0"
                                   "\xce\xed\xba\xc0",
                                   20));
  write("a.png", animation);
  for (const char* output : {"b.ktx2", "b.png"}) {
    EXPECT_EQ(run(std::string("convert a.png ") + output).err,
              "warning: a.png: these parts of the picture are not read: the other frames of an animation of 3; export "
              "the parts that you need as separate pictures [partly-read-picture]\n");
    EXPECT_TRUE(exists(output));
  }
}

TEST_F(SingleFiles, a_file_above_is_named_as_the_user_did) {
  write("bad.png", "no picture");
  write("bad.gltf", "{}");
  fs::create_directory(root_ / "below");
  const std::string full = (root_ / "bad.png").string();
  for (const std::string& name : {std::string("../bad.png"), full})
    EXPECT_THAT(run("convert " + name + " bad.ktx2", {}, "below").err,
                testing::StartsWith("error: " + name + ": byte 0: "));
  EXPECT_THAT(run("render ../bad.gltf out.png", {}, "below").err, testing::StartsWith("error: ../bad.gltf: "));
}

}  // namespace
}  // namespace assetc::e2e
