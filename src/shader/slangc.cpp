#include <filesystem>
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

// Writes the source, and all files that it names directly or indirectly, below folder.
Result<void> gather(const fs::path& folder, std::string_view path, ByteSpan source, const ReadFile& read) {
  ASSETC_TRY(const std::vector<Included> files,
             mentioned_files(path, Bytes(ByteVector(source.begin(), source.end())), read));
  for (const Included& file : files) ASSETC_CHECK(process::write_file(folder / file.path, file.bytes));
  return {};
}

std::string profile_of(Target target) {
  switch (target) {
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
}

std::string stage_of(Stage stage) {
  switch (stage) {
    case Stage::kTessControl:
      return "hull";
    case Stage::kTessEvaluation:
      return "domain";
    case Stage::kTask:
      return "amplification";
    default:
      return std::string(to_string(stage));
  }
}

}  // namespace

std::string slangc_signature() { return process::program_signature("slangc"); }
std::string slangc_version() { return process::program_version("slangc", "-v", kSlangcLimits); }

Result<Compiled> compile_with_slangc(std::string_view path, ByteSpan source, const Options& options,
                                     const ReadFile& read, const ProcessLimits& limits) {
  ASSETC_TRY(const process::TemporaryFolder folder, process::TemporaryFolder::create("slang"));
  const fs::path sources = folder.path() / "in";
  const fs::path log = folder.path() / "log";
  const fs::path output = folder.path() / "out.spv";
  ASSETC_CHECK(gather(sources, path, source, read));

  std::vector<std::string> words{"slangc",
                                 std::string(path),
                                 "-target",
                                 "spirv",
                                 "-profile",
                                 profile_of(options.target),
                                 "-entry",
                                 "main",
                                 "-stage",
                                 stage_of(options.stage),
                                 "-I",
                                 ".",
                                 options.optimize ? "-O2" : "-O0",
                                 "-o",
                                 os::utf8_path(output)};
  if (options.debug) words.insert(words.end() - 2, "-g2");
  const auto ran = process::run_program(words, sources, log, limits, kCompilerWords);
  if (!ran) return std::unexpected(Error(ran.error()).in(path));
  if (!*ran) {
    return std::unexpected(
        Error{ErrorCode::kNotFound,
              std::string(path),
              {},
              "Slang needs the program slangc, which is not on PATH",
              "install the shader-slang release for your system and add its bin folder to PATH, or write the "
              "stage in GLSL or HLSL"});
  }
  Compiled needs_memory{{}, {}, true};
  const bool may_have_more = limits.memory_bytes < kSlangcLimits.memory_bytes;
  const os::Exit& exit = **ran;
  if (!exit.status) {
    if (may_have_more && !exit.took_too_long) return needs_memory;
    return std::unexpected(process::crash_error(exit, limits, kCompilerWords).in(path));
  }
  const std::string text = process::read_text(log);
  CompilerMessages messages = parse_compiler_output(text);
  if (!exit.is(0)) {
    if (may_have_more && messages.errors.empty()) return needs_memory;
    return std::unexpected(
        first_error(std::move(messages), text.empty() ? "slangc failed without a message" : text, path));
  }
  const std::string words_written = process::read_text(output);
  const ByteSpan bytes = as_bytes(words_written);
  return Compiled{{bytes.begin(), bytes.end()}, std::move(messages.warnings)};
}

}  // namespace assetc::shader
