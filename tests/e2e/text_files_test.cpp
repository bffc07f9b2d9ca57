// Text files as saved by editors on Windows: with a byte order mark and lines that end in CR LF.
#include <gmock/gmock.h>

#include "e2e/project.hpp"

namespace assetc::e2e {
namespace {

using testing::HasSubstr;

class TextFiles : public Project {
 protected:
  static std::string of_windows(const std::string& text) {
    std::string saved = "\xEF\xBB\xBF";
    for (const char c : text) saved += c == '\n' ? "\r\n" : std::string(1, c);
    return saved;
  }
  void write_both(const std::string& path, const std::string& text) const {
    write("plain/" + path, text);
    write("windows/" + path, of_windows(text));
  }
  Finished run_in(const std::string& folder, const std::string& arguments) const {
    Finished done = run(arguments, {}, folder);
    EXPECT_EQ(done.exit_code, 0) << folder << ": assetc " << arguments << "\n" << done.out << done.err;
    return done;
  }
};

TEST_F(TextFiles, of_every_kind_compile_to_what_plain_ones_do) {
  write_both("assetc.yml", "input: Assets\nignore: [\"wip/*\"]\ndefault:\n  texture:\n    quality: fast\n");
  write_both("Assets/wip/broken.mat", "metallic: [\n");
  write_both("Assets/chair.obj", "mtllib chair.mtl\no Seat\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl wood\nf 1 2 3\n");
  write_both("Assets/chair.mtl", "newmtl wood\nKd 0.5 0.25 0.125\nmap_Kd wood.png\n");
  write_both("Assets/gold.mat", "name: Gold\nmetallic: 1\nbase_color_texture: wood.png\n");
  write_both("Assets/warm.lut.cube", "LUT_3D_SIZE 2\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 0 1\n1 0 1\n0 1 1\n1 1 1\n");
  write_both("Assets/sky.shader/vertex.glsl",
             "#version 450\n#extension GL_GOOGLE_include_directive : require\n#include \"light.glsl\"\n"
             "void main() { gl_Position = light(); }\n");
  write_both("Assets/sky.shader/light.glsl", "vec4 light() { return vec4(1); }\n");
  for (const char* folder : {"plain", "windows"}) write(std::string(folder) + "/Assets/wood.png", png(8, 8, 1));

  for (const char* folder : {"plain", "windows"}) run_in(folder, "");
  EXPECT_FALSE(tree("plain/runtime").empty());
  EXPECT_EQ(tree("windows/runtime"), tree("plain/runtime"));

  run_in("plain", "import");
  for (const auto& [path, text] : tree("plain/Assets"))
    if (path.ends_with(".meta")) write("windows/Assets/" + path, of_windows(text));
  run_in("windows", "import --check");
  for (const char* folder : {"plain", "windows"}) run_in(folder, "cook --platform Win64 --stamp");
  EXPECT_FALSE(tree("plain/build/Cooked").empty());
  EXPECT_EQ(tree("windows/build/Cooked"), tree("plain/build/Cooked"));
}

TEST_F(TextFiles, a_meta_that_was_saved_so_is_imported_changed_and_merged) {
  write("Assets/chair.obj", "o Seat\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  build("import");
  write("Assets/chair.obj.meta", of_windows(read("Assets/chair.obj.meta")));
  write("Assets/chair.obj", "o Seat\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no Back\nv 0 0 2\nf 1 2 4\n");
  build("import");
  const std::string meta = read("Assets/chair.obj.meta");
  EXPECT_THAT(meta, HasSubstr("\"Back\""));
  EXPECT_TRUE(meta.starts_with("\xEF\xBB\xBF{\r\n"));
  for (std::size_t at = meta.find('\n'); at != std::string::npos; at = meta.find('\n', at + 1))
    EXPECT_EQ(meta[at - 1], '\r') << meta.substr(0, at);
  build("cook --platform Win64");
  for (const char* side : {"base", "ours", "theirs"}) write(side, meta);
  replace("theirs", "\"License\": \"\"", "\"License\": \"CC0\"");
  build("merge-meta base ours theirs");
  EXPECT_EQ(read("ours"), read("theirs"));
}

}  // namespace
}  // namespace assetc::e2e
