#include "shader/shader.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "shader/compilers.hpp"

namespace assetc::shader {
namespace {

using Files = std::map<std::string, std::string, std::less<>>;

ReadFile reader(const Files& files) {
  return [&files](std::string_view path) -> Result<Bytes> {
    const auto found = files.find(path);
    if (found == files.end()) return fail(ErrorCode::kNotFound, "no file");
    const ByteSpan bytes = as_bytes(found->second);
    return Bytes(ByteVector(bytes.begin(), bytes.end()));
  };
}

Result<Compiled> compile_text(std::string_view path, std::string_view text, const Files& files = {},
                              Target target = Target::kVulkan12) {
  const auto file = classify(path.substr(path.rfind('/') + 1));
  EXPECT_TRUE(file) << path;
  return compile(path, as_bytes(text), {.stage = file->stage, .language = file->language, .target = target},
                 reader(files));
}

std::string error_of(const Result<Compiled>& result) { return result ? "compiled" : result.error().to_string(); }

TEST(ShaderNames, stages_are_told_by_stem_or_extension) {
  EXPECT_EQ(classify("vertex.glsl")->stage, Stage::kVertex);
  EXPECT_EQ(classify("VERTEX.GLSL")->stage, Stage::kVertex);
  EXPECT_EQ(classify("Lit.Comp")->stage, Stage::kCompute);
  EXPECT_EQ(classify("frag.hlsl")->stage, Stage::kFragment);
  EXPECT_EQ(classify("frag.hlsl")->language, Language::kHlsl);
  EXPECT_EQ(classify("lit.comp")->stage, Stage::kCompute);
  EXPECT_EQ(classify("mesh.slang")->language, Language::kSlang);
  EXPECT_EQ(classify("task.spv")->language, Language::kSpirv);
  EXPECT_EQ(classify("lit.vert.glsl")->stage, Stage::kVertex);
  EXPECT_EQ(classify("lit.Frag.HLSL")->language, Language::kHlsl);
  EXPECT_EQ(classify("a.rchit")->stage, Stage::kClosestHit);
  EXPECT_EQ(classify("ray_generation.slang")->stage, Stage::kRayGeneration);
  EXPECT_FALSE(classify("light.glsl"));
  EXPECT_FALSE(classify("lit.vertex.glsl"));
  EXPECT_FALSE(classify(".vert.glsl"));
  EXPECT_FALSE(classify("vertex"));
  EXPECT_FALSE(classify(".vert"));
  EXPECT_FALSE(classify("vertex.txt"));
}

TEST(Shader, compiles_every_stage_of_glsl) {
  const std::map<std::string, std::string> sources{
      {"s/vertex.glsl", "#version 450\nvoid main() { gl_Position = vec4(0); }\n"},
      {"s/fragment.glsl", "#version 450\nlayout(location=0) out vec4 c;\nvoid main() { c = vec4(1); }\n"},
      {"s/compute.glsl", "#version 450\nlayout(local_size_x=8) in;\nvoid main() {}\n"},
      {"s/geometry.glsl",
       "#version 450\nlayout(triangles) in;\nlayout(triangle_strip, max_vertices=3) out;\nvoid main() {}\n"},
      {"s/x.tesc", "#version 450\nlayout(vertices=3) out;\nvoid main() {}\n"},
      {"s/x.tese", "#version 450\nlayout(triangles) in;\nvoid main() {}\n"},
      {"s/mesh.glsl",
       "#version 450\n#extension GL_EXT_mesh_shader : require\nlayout(local_size_x=1) in;\nlayout(triangles, "
       "max_vertices=3, "
       "max_primitives=1) out;\nvoid main() { SetMeshOutputsEXT(0, 0); }\n"},
      {"s/x.rgen",
       "#version 460\n#extension GL_EXT_ray_tracing : require\nlayout(binding=0) uniform accelerationStructureEXT as;\n"
       "layout(location=0) rayPayloadEXT vec3 pay;\n"
       "void main() { traceRayEXT(as, 0, 0xff, 0, 0, 0, vec3(0), 0.0, vec3(0, 0, 1), 10.0, 0); }\n"},
      {"s/any_hit.glsl",
       "#version 460\n#extension GL_EXT_ray_tracing : require\nvoid main() { ignoreIntersectionEXT; }\n"},
      {"s/x.rchit", "#version 460\n#extension GL_EXT_ray_tracing : require\nvoid main() {}\n"},
      {"s/x.rmiss", "#version 460\n#extension GL_EXT_ray_tracing : require\nvoid main() {}\n"},
      {"s/x.rint",
       "#version 460\n#extension GL_EXT_ray_tracing : require\nvoid main() { reportIntersectionEXT(1.0, 0); }\n"},
      {"s/x.rcall", "#version 460\n#extension GL_EXT_ray_tracing : require\nvoid main() {}\n"},
      {"s/task.glsl",
       "#version 450\n#extension GL_EXT_mesh_shader : require\nlayout(local_size_x=1) in;\nvoid main() { "
       "EmitMeshTasksEXT(1, 1, 1); }\n"},
  };
  for (const auto& [path, text] : sources) {
    const auto compiled = compile_text(path, text);
    EXPECT_TRUE(compiled) << path << ": " << error_of(compiled);
  }
}

TEST(Shader, compiles_hlsl) {
  const auto compiled =
      compile_text("s/fragment.hlsl",
                   "#include \"tint.hlsli\"\nfloat4 main(float4 p : SV_Position) : SV_Target { return tint * p.x; }\n",
                   {{"s/tint.hlsli", "static const float4 tint = float4(1, 0, 0, 1);\n"}});
  EXPECT_TRUE(compiled) << error_of(compiled);
}

TEST(Shader, compiles_storage_buffers_of_hlsl_for_every_target) {
  constexpr const char* kText =
      "struct Item { float4 a; };\n"
      "StructuredBuffer<Item> from : register(t0);\n"
      "RWStructuredBuffer<Item> to : register(u1);\n"
      "RWByteAddressBuffer raw : register(u2);\n"
      "[numthreads(8, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {\n"
      "  to[id.x].a = from[id.x].a; raw.Store(4 * id.x, 1u);\n"
      "}\n";
  for (const Target target : {Target::kVulkan10, Target::kVulkan11, Target::kVulkan12, Target::kVulkan13}) {
    for (const bool optimize : {true, false}) {
      const auto compiled = compile(
          "s/compute.hlsl", as_bytes(std::string_view(kText)),
          {.stage = Stage::kCompute, .language = Language::kHlsl, .target = target, .optimize = optimize}, reader({}));
      EXPECT_TRUE(compiled) << static_cast<int>(target) << ": " << error_of(compiled);
    }
  }
}

TEST(Shader, an_error_names_its_file_and_line_and_how_many_follow) {
  EXPECT_EQ(error_of(compile_text("fx/a.shader/fragment.glsl", "#version 450\nvoid main() {\n  x = 1;\n  y = 2;\n}\n")),
            "fx/a.shader/fragment.glsl: line 3: 'x' : undeclared identifier (and 1 more error)");
}

TEST(Shader, an_error_in_an_include_names_the_include) {
  EXPECT_EQ(
      error_of(compile_text("a.shader/fragment.glsl", "#version 450\n#include \"../common/bad.glsl\"\nvoid main() {}\n",
                            {{"common/bad.glsl", "\nfloat f() { return q; }\n"}})),
      "common/bad.glsl: line 2: 'q' : undeclared identifier");
}

TEST(Shader, an_include_that_is_missing_says_where_it_was_looked_for) {
  EXPECT_EQ(error_of(compile_text("a.shader/fragment.glsl", "#version 450\n#include \"x.glsl\"\nvoid main() {}\n")),
            "a.shader/fragment.glsl: line 2: '#include' : no file \"x.glsl\"; looked for a.shader/x.glsl and x.glsl "
            "for header name: "
            "x.glsl");
}

TEST(Shader, an_include_never_leaves_the_root) {
  for (const char* name : {"../../secret", "/etc/passwd", "a\\\\b"}) {
    const auto compiled =
        compile_text("a.shader/fragment.glsl", "#version 450\n#include \"" + std::string(name) + "\"\nvoid main() {}\n",
                     {{"../secret", ""}, {"/etc/passwd", ""}});
    ASSERT_FALSE(compiled) << name;
    EXPECT_NE(compiled.error().what.find("leaves the input folder"), std::string::npos) << compiled.error().to_string();
  }
}

TEST(Shader, a_file_that_includes_itself_is_an_error) {
  const auto compiled = compile_text("fragment.glsl", "#version 450\n#include \"loop.glsl\"\nvoid main() {}\n",
                                     {{"loop.glsl", "#include \"loop.glsl\"\n"}});
  ASSERT_FALSE(compiled);
  EXPECT_NE(compiled.error().what.find("does a file include itself?"), std::string::npos)
      << compiled.error().to_string();
}

TEST(Shader, a_module_that_glslang_makes_wrong_is_an_error_with_a_line) {
  const auto error = [](std::string_view text, const Files& files = {}) {
    return error_of(compile("a.shader/compute.hlsl", as_bytes(text),
                            {.stage = Stage::kCompute, .language = Language::kHlsl, .hlsl = HlslCompiler::kGlslang},
                            reader(files)));
  };
  const std::string atomic =
      "the compiler glslang makes an invalid module of this: AtomicIAdd: expected Value to be of type Result Type; "
      "give "
      "the operands the type of the memory, for example 1u instead of 1, or install dxc";
  EXPECT_EQ(error("RWByteAddressBuffer raw : register(u3);\n[numthreads(64, 1, 1)]\nvoid main() {\n  uint o;\n"
                  "  raw.InterlockedAdd(0, 1, o);\n}\n"),
            "a.shader/compute.hlsl: line 5: " + atomic);
  EXPECT_EQ(
      error("#include \"add.hlsli\"\n[numthreads(64, 1, 1)] void main() { add(); }\n",
            {{"a.shader/add.hlsli",
              "RWByteAddressBuffer raw : register(u3);\n\nvoid add() { uint o; raw.InterlockedAdd(0, 1, o); }\n"}}),
      "a.shader/add.hlsli: line 3: " + atomic);
  const std::string both = error(
      "struct L { float4 c; };\ncbuffer A : register(b0) { L a[4]; };\nRWStructuredBuffer<L> o : register(u0);\n"
      "StructuredBuffer<L> s : register(t0);\n[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) {\n"
      "  o[id.x] = a[id.y];\n  L l = id.x > 2 ? a[1] : s[2];\n  o[3] = l;\n}\n");
  EXPECT_TRUE(
      both.starts_with("a.shader/compute.hlsl: line 7: the compiler glslang makes an invalid module of this: "
                       "OpStore Pointer <id> "))
      << both;
  EXPECT_TRUE(
      both.ends_with("; assign the members of a struct one by one, because buffers of different kinds lay it "
                     "out differently, or install dxc"))
      << both;
}

TEST(Shader, a_line_directive_that_names_no_file_leaves_the_error_in_its_source) {
  EXPECT_EQ(error_of(compile("a.shader/fragment.hlsl",
                             as_bytes(std::string_view("#line 40 \"made/up.fx\"\nfloat4 main() : SV_Target { return x; "
                                                       "}\n")),
                             {.stage = Stage::kFragment, .language = Language::kHlsl, .hlsl = HlslCompiler::kGlslang},
                             reader({}))),
            "a.shader/fragment.hlsl: 'x' : unknown variable (a #line calls this place made/up.fx, line 40) (and 1 more "
            "error)");
  EXPECT_EQ(error_of(compile_text("a.shader/fragment.glsl",
                                  "#version 450\n#extension GL_GOOGLE_cpp_style_line_directive : require\n"
                                  "#line 7 \"gone.glsl\"\nvoid main() { x = 1; }\n")),
            "a.shader/fragment.glsl: 'x' : undeclared identifier (a #line calls this place gone.glsl, line 7)");
  // A file that was read keeps its name.
  EXPECT_EQ(
      error_of(compile_text("a.shader/fragment.glsl", "#version 450\n#include \"real.glsl\"\nvoid main() {}\n",
                            {{"a.shader/real.glsl", "#line 9 \"a.shader/fragment.glsl\"\nfloat f() { return x; }\n"}})),
      "a.shader/fragment.glsl: line 9: 'x' : undeclared identifier");
}

TEST(Shader, hlsl_that_only_dxc_knows_is_an_error_that_says_so) {
  const auto error = [](std::string_view text) {
    return error_of(compile("a.shader/fragment.hlsl", as_bytes(text),
                            {.stage = Stage::kFragment, .language = Language::kHlsl, .hlsl = HlslCompiler::kGlslang},
                            reader({})));
  };
  const std::string hint = "; install dxc, which knows HLSL 2021; glslang knows Shader Model 5.1";
  EXPECT_EQ(error("template<typename T> T sq(T x) { return x * x; }\nfloat4 main() : SV_Target { return sq(1.0); }\n"),
            "a.shader/fragment.hlsl: line 1: 'template' : Reserved word" + hint);
  EXPECT_EQ(error("float4 main() : SV_Target {\n  float16_t x = (float16_t)1; return x; }\n"),
            "a.shader/fragment.hlsl: line 2: 'float16_t' : unknown variable (and 2 more errors)" + hint);
  EXPECT_EQ(error("float4 main() : SV_Target { return y; }\n"),
            "a.shader/fragment.hlsl: line 1: 'y' : unknown variable (and 1 more error)");
}

TEST(Shader, hlsl_of_stages_that_only_dxc_has_is_refused_by_name) {
  for (const auto& [stage, name] :
       {std::pair(Stage::kMesh, "mesh"), {Stage::kTask, "task"}, {Stage::kClosestHit, "closest_hit"}}) {
    EXPECT_EQ(
        error_of(compile("a.shader/x.hlsl", {},
                         {.stage = stage, .language = Language::kHlsl, .hlsl = HlslCompiler::kGlslang}, reader({}))),
        "a.shader/x.hlsl: the HLSL of a " + std::string(name) +
            " stage needs the program dxc; install a release of DirectXShaderCompiler and add its bin folder to "
            "PATH, or write the stage in GLSL or Slang");
  }
}

TEST(Shader, warnings_are_located) {
  const auto compiled =
      compile_text("s/fragment.glsl", "#version 450\n#extension GL_not_there : warn\nvoid main() {}\n");
  ASSERT_TRUE(compiled) << error_of(compiled);
  ASSERT_EQ(compiled->warnings.size(), 1u);
  EXPECT_EQ(compiled->warnings[0].to_string(),
            "s/fragment.glsl: line 2: '#extension' : extension not supported: GL_not_there");
}

TEST(Shader, spirv_passes_through_and_is_validated) {
  const auto source = compile_text("vertex.glsl", "#version 450\nvoid main() { gl_Position = vec4(0); }\n");
  ASSERT_TRUE(source);
  const auto again = compile_text("vertex.spv", as_text(source->spirv));
  ASSERT_TRUE(again) << error_of(again);
  EXPECT_EQ(again->spirv, source->spirv);

  EXPECT_EQ(error_of(compile_text("vertex.spv", "abc")),
            "vertex.spv: SPIR-V of 3 bytes, expected a multiple of 4 and at least 20");
  EXPECT_EQ(error_of(compile_text("vertex.spv", std::string(20, 'x'))),
            "vertex.spv: byte 0: not SPIR-V: the first word is not 0x07230203");
  ByteVector broken = source->spirv;
  broken.resize(broken.size() - 4);
  EXPECT_FALSE(compile_text("vertex.spv", as_text(broken)));
}

TEST(Shader, a_stage_newer_than_its_target_is_refused) {
  const auto source =
      compile_text("vertex.glsl", "#version 450\nvoid main() { gl_Position = vec4(0); }\n", {}, Target::kVulkan13);
  ASSERT_TRUE(source);
  const auto compiled = compile_text("vertex.spv", as_text(source->spirv), {}, Target::kVulkan10);
  ASSERT_FALSE(compiled);
  EXPECT_NE(compiled.error().what.find("Invalid SPIR-V binary version 1.6"), std::string::npos)
      << compiled.error().to_string();
}

// A stand-in for a compiler on PATH: checks its arguments and the handling of its output.
class ProgramOnPath : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "assetc-slang-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    path_ = getenv("PATH");
  }
  void TearDown() override {
    setenv("PATH", path_.c_str(), 1);
    std::filesystem::remove_all(folder_);
  }
  void install_as(const std::string& name, const std::string& script) {
    std::ofstream(folder_ / name) << "#!/bin/sh\n" << script;
    std::filesystem::permissions(folder_ / name, std::filesystem::perms::owner_all);
    setenv("PATH", (folder_.string() + ":" + path_).c_str(), 1);
  }
  std::filesystem::path folder_;
  std::string path_;
};

class Slang : public ProgramOnPath {
 protected:
  void install(const std::string& script) { install_as("slangc", script); }
};

class Dxc : public ProgramOnPath {
 protected:
  // Writes its words to the file words, and a module as its output.
  void SetUp() override {
    ProgramOnPath::SetUp();
    const auto spirv = compile_text("vertex.glsl", "#version 450\nvoid main() { gl_Position = vec4(0); }\n");
    spirv_ = spirv->spirv;
    std::ofstream(folder_ / "out.spv", std::ios::binary) << as_text(spirv_);
    install_as("dxc", "echo \"$*\" > '" + (folder_ / "words").string() + "'\ncat a.shader/* > '" +
                          (folder_ / "seen").string() + "'\nfor last; do :; done\ncp '" +
                          (folder_ / "out.spv").string() + "' \"$last\"\n");
  }
  std::string text(const char* name) {
    std::ifstream file(folder_ / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string words() {
    const std::string all = text("words");
    return all.substr(0, all.find(" -Fo "));
  }
  ByteVector spirv_;
};

TEST_F(Dxc, compiles_hlsl_where_it_is_installed_with_the_registers_and_files_of_the_stage) {
  const auto compiled =
      compile_text("a.shader/fragment.hlsl", "#include \"b.hlsli\"\n", {{"a.shader/b.hlsli", "two\n"}});
  ASSERT_TRUE(compiled) << error_of(compiled);
  EXPECT_EQ(compiled->spirv, spirv_);
  EXPECT_EQ(words(),
            "-spirv -T ps_6_6 -E main -HV 2021 -fspv-target-env=vulkan1.2 -fvk-b-shift 0 all -fvk-s-shift 16 all "
            "-fvk-t-shift 32 all -fvk-u-shift 160 all -fvk-auto-shift-bindings -O3 -I . a.shader/fragment.hlsl");
  EXPECT_EQ(text("seen"), "two\n#include \"b.hlsli\"\n");
  EXPECT_TRUE(compile_text("a.shader/mesh.hlsl", ""));
  EXPECT_TRUE(words().starts_with("-spirv -T ms_6_6 -E main ")) << words();
  EXPECT_TRUE(compile("a.shader/x.hlsl", {}, {.stage = Stage::kClosestHit, .language = Language::kHlsl}, reader({})));
  EXPECT_TRUE(words().starts_with("-spirv -T lib_6_6 -HV 2021 ")) << words();
  Options options{.stage = Stage::kCompute, .language = Language::kHlsl, .target = Target::kVulkan13};
  options.optimize = false;
  options.debug = true;
  options.registers = {1, 2, 3, 4};
  EXPECT_TRUE(compile("a.shader/x.hlsl", as_bytes(std::string_view("float16_t x;\n")), options, reader({})));
  EXPECT_EQ(words(),
            "-spirv -T cs_6_6 -E main -HV 2021 -fspv-target-env=vulkan1.3 -fvk-b-shift 1 all -fvk-s-shift 2 all "
            "-fvk-t-shift 3 all -fvk-u-shift 4 all -fvk-auto-shift-bindings -O0 -Zi -enable-16bit-types -I . "
            "a.shader/x.hlsl");
}

TEST_F(Dxc, compiles_the_function_that_is_the_entry_point) {
  Options options{.stage = Stage::kVertex, .language = Language::kHlsl};
  options.entry = EntryName::of("VSMain");
  EXPECT_TRUE(compile("a.shader/x.hlsl", {}, options, reader({})));
  EXPECT_TRUE(words().starts_with("-spirv -T vs_6_6 -E VSMain -HV 2021 ")) << words();
}

TEST_F(Dxc, glslang_compiles_if_the_settings_ask_for_it) {
  Options options{.stage = Stage::kFragment, .language = Language::kHlsl, .hlsl = HlslCompiler::kGlslang};
  EXPECT_TRUE(compile("a.shader/fragment.hlsl", as_bytes(std::string_view("float4 main() : SV_Target { return 1; }\n")),
                      options, reader({})));
  EXPECT_EQ(text("words"), "");
}

TEST_F(Dxc, that_the_settings_ask_for_and_that_is_missing_is_an_error) {
  std::filesystem::remove(folder_ / "dxc");
  setenv("PATH", folder_.c_str(), 1);
  Options options{.stage = Stage::kFragment, .language = Language::kHlsl, .hlsl = HlslCompiler::kDxc};
  EXPECT_EQ(error_of(compile("a.shader/fragment.hlsl", {}, options, reader({}))),
            "a.shader/fragment.hlsl: shader.hlsl is dxc, but the program dxc is not on PATH; install a release of "
            "DirectXShaderCompiler and add its bin folder to PATH, or set shader.hlsl to auto or glslang");
}

TEST_F(Dxc, its_errors_and_warnings_are_located) {
  install_as("dxc",
             "echo './a.shader/b.hlsli:3:8: error: unknown type name x' >&2\n"
             "echo 'made/up.fx:9:1: fatal error: gone' >&2\nexit 1\n");
  EXPECT_EQ(error_of(compile_text("a.shader/fragment.hlsl", "#include \"b.hlsli\"\n", {{"a.shader/b.hlsli", ""}})),
            "a.shader/b.hlsli: line 3: unknown type name x (and 1 more error)");
  install_as("dxc", "echo 'made/up.fx:9:1: fatal error: gone' >&2\nexit 1\n");
  EXPECT_EQ(error_of(compile_text("a.shader/fragment.hlsl", "")),
            "a.shader/fragment.hlsl: gone (a #line calls this place made/up.fx, line 9)");
}

TEST_F(Slang, without_slangc_the_error_says_how_to_get_it) {
  setenv("PATH", folder_.c_str(), 1);
  EXPECT_EQ(error_of(compile_text("a.shader/vertex.slang", "")),
            "a.shader/vertex.slang: Slang needs the program slangc, which is not on PATH; install the shader-slang "
            "release for your "
            "system and add its bin folder to PATH, or write the stage in GLSL or HLSL");
}

TEST_F(Slang, slangc_sees_the_source_and_every_file_it_names) {
  const auto spirv = compile_text("vertex.glsl", "#version 450\nvoid main() { gl_Position = vec4(0); }\n");
  std::ofstream(folder_ / "out.spv", std::ios::binary) << as_text(spirv->spirv);
  install("cat a.shader/vertex.slang a.shader/part.slang lib/math.slang common.slang > '" + folder_.string() +
          "/seen'\n" + "for last; do :; done\ncp '" + folder_.string() + "/out.spv' \"$last\"\n");
  const auto compiled = compile_text(
      "a.shader/vertex.slang", "import lib.math;\n#include \"part.slang\"\n",
      {{"lib/math.slang", "two\n"}, {"a.shader/part.slang", "#include <common.slang>\n"}, {"common.slang", "three\n"}});
  ASSERT_TRUE(compiled) << error_of(compiled);
  EXPECT_EQ(compiled->spirv, spirv->spirv);
  std::ifstream seen(folder_ / "seen");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(seen), {}),
            "import lib.math;\n#include \"part.slang\"\n#include <common.slang>\ntwo\nthree\n");
}

TEST_F(Slang, a_slangc_that_crashes_or_never_ends_is_an_error_of_the_source) {
  install("kill -SEGV $$\n");
  EXPECT_EQ(
      error_of(compile_text("a.shader/vertex.slang", "")),
      "a.shader/vertex.slang: the compiler crashed on this source (Segmentation fault) and gave no line; look for "
      "a mistake in the latest change; undefined names, stray words and very deep nesting are known causes");
  const auto no_files = [](std::string_view) -> Result<Bytes> { return fail(ErrorCode::kNotFound, "no file"); };
  const Options slang{.language = Language::kSlang};
  install("while :; do :; done\n");
  EXPECT_EQ(error_of(compile_with_slangc("vertex.slang", {}, slang, no_files, {.processor_seconds = 1})),
            "vertex.slang: the compiler took more than 1 s of processor time; look for macros, includes or loops that "
            "multiply, or split the shader");
  install("exec sleep 1000\n");
  EXPECT_EQ(error_of(compile_with_slangc("vertex.slang", {}, slang, no_files, {.seconds = 0})),
            "vertex.slang: the compiler gave no answer for 0 s; look for macros, includes or loops that multiply, or "
            "split the shader");
  install("exec 9>&-\nexec sleep 1000\n");
  EXPECT_EQ(error_of(compile_with_slangc("vertex.slang", {}, slang, no_files, {.seconds = 1})),
            "vertex.slang: the compiler gave no answer for 1 s; look for macros, includes or loops that multiply, or "
            "split the shader");
}

TEST_F(Slang, a_slangc_that_fails_without_a_word_under_a_limit_may_have_more) {
  if (!process::kLimitsMemory) GTEST_SKIP() << "the address space is not limited under AddressSanitizer";
  install(
      "while [ $(ulimit -v) = unlimited ]; do :; done\n[ $(ulimit -v) -gt 2000000 ] || kill -ABRT $$\n"
      "echo 'vertex.slang(3): error 1: odd' >&2\nexit 1\n");
  const auto no_files = [](std::string_view) -> Result<Bytes> { return fail(ErrorCode::kNotFound, "no file"); };
  Options slang{.language = Language::kSlang};
  slang.memory_bytes = memory_of(Language::kSlang).usual_bytes;
  const auto usual = compile("vertex.slang", {}, slang, no_files);
  ASSERT_TRUE(usual) << usual.error().to_string();
  EXPECT_TRUE(usual->needs_memory);
  slang.memory_bytes = 0;
  EXPECT_EQ(error_of(compile("vertex.slang", {}, slang, no_files)), "vertex.slang: line 3: odd");
}

TEST_F(Slang, slangc_keeps_the_name_of_an_entry_point_that_is_not_main) {
  install("echo \"slangc(1): error 1: $*\" >&2\nexit 1\n");
  Options options{.stage = Stage::kVertex, .language = Language::kSlang};
  EXPECT_EQ(error_of(compile("a.slang", {}, options, reader({}))).find("-fvk-use-entrypoint-name"), std::string::npos);
  options.entry = EntryName::of("vsMain");
  EXPECT_NE(error_of(compile("a.slang", {}, options, reader({})))
                .find("-entry vsMain -stage vertex -I . -O2 -fvk-use-entrypoint-name -o "),
            std::string::npos);
}

TEST_F(Slang, errors_of_slangc_are_located) {
  install("echo 'a.shader/vertex.slang(3): error 30015: undefined identifier x' >&2\nexit 1\n");
  EXPECT_EQ(error_of(compile_text("a.shader/vertex.slang", "")),
            "a.shader/vertex.slang: line 3: undefined identifier x");
}

TEST(Shader, a_byte_order_mark_is_no_part_of_sources_and_includes) {
  const std::string mark = "\xEF\xBB\xBF";
  const std::string main =
      "#version 450\r\n#extension GL_GOOGLE_include_directive : require\r\n"
      "#include \"light.glsl\"\r\nvoid main() { gl_Position = light(); }\r\n";
  const std::string light = "vec4 light() { return vec4(1); }\r\n";
  const auto plain = compile_text("s/vertex.glsl", main, {{"s/light.glsl", light}});
  const auto marked = compile_text("s/vertex.glsl", mark + main, {{"s/light.glsl", mark + light}});
  ASSERT_TRUE(plain) << error_of(plain);
  ASSERT_TRUE(marked) << error_of(marked);
  EXPECT_EQ(marked->spirv, plain->spirv);
}

}  // namespace
}  // namespace assetc::shader
