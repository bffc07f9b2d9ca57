// Runs the compilers that are programs of others: slangc and dxc.
#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "os/mapping.hpp"
#include "process/program.hpp"
#include "shader/compiler_message.hpp"
#include "shader/compilers.hpp"
#include "shader/mentions.hpp"
#include "shader/process.hpp"
#include "shader/toolchain.hpp"

namespace assetc::shader {
namespace {

namespace fs = std::filesystem;

using Words = std::vector<std::string>;

Words slangc_words(std::string_view path, const Options& options) {
  const auto profile = [&] {
    switch (options.target) {
      case Target::kVulkan10:
        return "spirv_1_0";
      case Target::kVulkan11:
        return "spirv_1_3";
      case Target::kVulkan12:
        return "spirv_1_5";
      case Target::kVulkan13:
        return "spirv_1_6";
    }
    return "spirv_1_5";
  };
  const auto stage = [&]() -> std::string {
    switch (options.stage) {
      case Stage::kTessControl:
        return "hull";
      case Stage::kTessEvaluation:
        return "domain";
      case Stage::kTask:
        return "amplification";
      case Stage::kRayGeneration:
        return "raygeneration";
      case Stage::kAnyHit:
        return "anyhit";
      case Stage::kClosestHit:
        return "closesthit";
      default:
        return std::string(to_string(options.stage));
    }
  };
  Words words{"slangc",
              std::string(path),
              "-target",
              "spirv",
              "-profile",
              profile(),
              "-entry",
              std::string(options.entry.view()),
              "-stage",
              stage(),
              "-I",
              ".",
              options.optimize ? "-O2" : "-O0"};
  if (options.entry.view() != "main") words.emplace_back("-fvk-use-entrypoint-name");
  if (options.debug) words.emplace_back("-g2");
  words.emplace_back("-o");
  return words;
}

// HLSL 2021 with Shader Model 6.6, or a library of it for stages that only libraries have.
Words dxc_words(std::string_view path, const Options& options, std::span<const Included> files) {
  const auto profile = [&] {
    switch (options.stage) {
      case Stage::kVertex:
        return "vs_6_6";
      case Stage::kTessControl:
        return "hs_6_6";
      case Stage::kTessEvaluation:
        return "ds_6_6";
      case Stage::kGeometry:
        return "gs_6_6";
      case Stage::kFragment:
        return "ps_6_6";
      case Stage::kCompute:
        return "cs_6_6";
      case Stage::kTask:
        return "as_6_6";
      case Stage::kMesh:
        return "ms_6_6";
      default:
        return "lib_6_6";
    }
  };
  const auto target = [&] {
    switch (options.target) {
      case Target::kVulkan10:
        return "vulkan1.0";
      case Target::kVulkan11:
        return "vulkan1.1";
      case Target::kVulkan12:
        return "vulkan1.2";
      case Target::kVulkan13:
        return "vulkan1.3";
    }
    return "vulkan1.2";
  };
  Words words{"dxc", "-spirv", "-T", profile()};
  if (!is_of_ray_tracing(options.stage)) words.insert(words.end(), {"-E", std::string(options.entry.view())});
  words.insert(words.end(), {"-HV", "2021", std::string("-fspv-target-env=") + target()});
  for (const auto& [kind, first] : {std::pair("b", options.registers.b),
                                    {"s", options.registers.s},
                                    {"t", options.registers.t},
                                    {"u", options.registers.u}})
    words.insert(words.end(), {std::string("-fvk-") + kind + "-shift", std::to_string(first), "all"});
  words.emplace_back("-fvk-auto-shift-bindings");  // variables without a register are shifted, too
  words.emplace_back(options.optimize ? "-O3" : "-O0");
  if (options.debug) words.emplace_back("-Zi");
  // These types exist only with the option, which also changes half. So it is set only for sources that name them.
  const bool has_16_bit = std::ranges::any_of(files, [](const Included& file) {
    const std::string_view text = as_text(file.bytes);
    return text.find("float16_t") != text.npos || text.find("int16_t") != text.npos;
  });
  if (has_16_bit) words.emplace_back("-enable-16bit-types");
  words.insert(words.end(), {"-I", ".", std::string(path), "-Fo"});
  return words;
}

// Runs a compiler in a temporary folder that has the source and the files that it names. words: without the name of the
// output, which comes last. missing: the error if PATH has no such program.
Result<Compiled> run_compiler(std::string_view path, std::span<const Included> files, Words words, const Error& missing,
                              const ProcessLimits& limits) {
  ASSETC_TRY(const process::TemporaryFolder folder, process::TemporaryFolder::create(words.front()));
  const fs::path sources = folder.path() / "in";
  const fs::path log = folder.path() / "log";
  const fs::path output = folder.path() / "out.spv";
  std::set<std::string, std::less<>> names;
  for (const Included& file : files) {
    ASSETC_CHECK(process::write_file(sources / file.path, file.bytes));
    names.insert(file.path);
  }
  const std::string name = words.front();
  words.push_back(os::utf8_path(output));
  const auto ran = process::run_program(words, sources, log, limits, kCompilerWords);
  if (!ran) return std::unexpected(Error(ran.error()).in(path));
  if (!*ran) return std::unexpected(Error(missing).in(path));
  Compiled needs_memory{{}, {}, true};
  const bool may_have_more = limits.memory_bytes < kSlangcLimits.memory_bytes;
  const os::Exit& exit = **ran;
  if (!exit.status) {
    if (may_have_more && !exit.took_too_long) return needs_memory;
    return std::unexpected(process::crash_error(exit, limits, kCompilerWords).in(path));
  }
  const std::string text = process::read_text(log);
  CompilerMessages messages = located(parse_compiler_output(text), names, path);
  if (!exit.is(0)) {
    if (may_have_more && messages.errors.empty()) return needs_memory;
    return std::unexpected(
        first_error(std::move(messages), text.empty() ? name + " failed without a message" : text, path));
  }
  const std::string words_written = process::read_text(output);
  const ByteSpan bytes = as_bytes(words_written);
  return Compiled{{bytes.begin(), bytes.end()}, std::move(messages.warnings)};
}

Result<std::vector<Included>> files_of(std::string_view path, ByteSpan source, const ReadFile& read) {
  return mentioned_files(path, Bytes(ByteVector(source.begin(), source.end())), read);
}

}  // namespace

std::string slangc_signature() { return process::program_signature("slangc"); }
std::string slangc_version() { return process::program_version("slangc", "-v", kSlangcLimits); }
std::string dxc_signature() { return process::program_signature("dxc"); }
std::string dxc_version() { return process::program_version("dxc", "--version", kSlangcLimits); }

Result<Compiled> compile_with_slangc(std::string_view path, ByteSpan source, const Options& options,
                                     const ReadFile& read, const ProcessLimits& limits) {
  ASSETC_TRY(const std::vector<Included> files, files_of(path, source, read));
  return run_compiler(path, files, slangc_words(path, options),
                      Error{ErrorCode::kNotFound,
                            {},
                            {},
                            "Slang needs the program slangc, which is not on PATH",
                            "install the shader-slang release for your system and add its bin folder to PATH, or write "
                            "the stage in GLSL or HLSL"},
                      limits);
}

Result<Compiled> compile_with_dxc(std::string_view path, ByteSpan source, const Options& options, const ReadFile& read,
                                  const ProcessLimits& limits) {
  ASSETC_TRY(const std::vector<Included> files, files_of(path, source, read));
  return run_compiler(path, files, dxc_words(path, options, files),
                      Error{ErrorCode::kNotFound,
                            {},
                            {},
                            "shader.hlsl is dxc, but the program dxc is not on PATH",
                            "install a release of DirectXShaderCompiler and add its bin folder to PATH, or set "
                            "shader.hlsl to auto or glslang"},
                      limits);
}

}  // namespace assetc::shader
