#include "shader/shader.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/ascii.hpp"
#include "base/text_file.hpp"
#include "shader/bindings.hpp"
#include "shader/compilers.hpp"
#include "shader/toolchain.hpp"

namespace assetc::shader {
namespace {

struct StageName {
  Stage stage;
  std::string_view name;  // used for outputs and accepted as a stem
  std::string_view glsl;  // the file extension, also accepted as a stem
};
constexpr std::array kStages{
    StageName{Stage::kVertex, "vertex", "vert"},
    StageName{Stage::kTessControl, "tess_control", "tesc"},
    StageName{Stage::kTessEvaluation, "tess_evaluation", "tese"},
    StageName{Stage::kGeometry, "geometry", "geom"},
    StageName{Stage::kFragment, "fragment", "frag"},
    StageName{Stage::kCompute, "compute", "comp"},
    StageName{Stage::kTask, "task", "task"},
    StageName{Stage::kMesh, "mesh", "mesh"},
    StageName{Stage::kRayGeneration, "ray_generation", "rgen"},
    StageName{Stage::kAnyHit, "any_hit", "rahit"},
    StageName{Stage::kClosestHit, "closest_hit", "rchit"},
    StageName{Stage::kMiss, "miss", "rmiss"},
    StageName{Stage::kIntersection, "intersection", "rint"},
    StageName{Stage::kCallable, "callable", "rcall"},
};

using CompileWithProgram = Result<Compiled>(std::string_view path, ByteSpan source, const Options& options,
                                            const ReadFile& read, const ProcessLimits& limits);

// The program of others that compiles a language, or null.
CompileWithProgram* program_for(Language language, HlslCompiler hlsl) {
  if (language == Language::kSlang) return compile_with_slangc;
  if (language != Language::kHlsl || hlsl == HlslCompiler::kGlslang) return nullptr;
  return hlsl == HlslCompiler::kDxc || !dxc_signature().empty() ? compile_with_dxc : nullptr;
}

}  // namespace

std::string_view to_string(Stage stage) {
  for (const StageName& s : kStages) {
    if (s.stage == stage) return s.name;
  }
  return {};
}

std::optional<StageFile> classify(std::string_view file_name) {
  const std::size_t dot = file_name.rfind('.');
  if (dot == file_name.npos || dot == 0) return std::nullopt;
  const std::string stem = ascii_lower(file_name.substr(0, dot));
  const std::string extension = ascii_lower(file_name.substr(dot + 1));
  for (const StageName& s : kStages) {
    if (extension == s.glsl) return StageFile{s.stage, Language::kGlsl};
  }
  for (const auto& [name, language] : {std::pair<std::string_view, Language>{"glsl", Language::kGlsl},
                                       {"hlsl", Language::kHlsl},
                                       {"slang", Language::kSlang},
                                       {"spv", Language::kSpirv}}) {
    if (extension != name) continue;
    const std::string end = stem.substr(std::min(stem.rfind('.') + 1, stem.size()));  // the stem, if it has no dot
    for (const StageName& s : kStages) {
      if (stem == s.name || stem == s.glsl || (end == s.glsl && end.size() + 1 < stem.size()))
        return StageFile{s.stage, language};
    }
  }
  return std::nullopt;
}

CompilerMemory memory_of(Language language, HlslCompiler hlsl) {
  constexpr std::uint64_t kMiB = 1u << 20;
  if (program_for(language, hlsl) != nullptr) return {1024 * kMiB, kSlangcLimits.memory_bytes};
  return {64 * kMiB, ProcessLimits{}.memory_bytes};
}

Result<Compiled> compile(std::string_view path, ByteSpan file, const Options& options, const ReadFile& read) {
  const ByteSpan source = without_mark(file);
  CompileWithProgram* const program = program_for(options.language, options.hlsl);
  const ProcessLimits limits = limits_under(program != nullptr ? kSlangcLimits : ProcessLimits{}, options.memory_bytes);
  ASSETC_TRY(Compiled compiled, (program != nullptr ? program : compile_isolated)(path, source, options, read, limits));
  if (compiled.needs_memory && limits.memory_bytes == memory_of(options.language, options.hlsl).most_bytes)
    return std::unexpected(process::memory_error(limits, kCompilerWords).in(path));
  if (compiled.needs_memory) return compiled;
  if (program != nullptr) {
    // Includes the check of the bindings.
    if (auto valid = validate_spirv(compiled.spirv, options.target); !valid)
      return std::unexpected(std::move(valid).error().in(path));
    return compiled;
  }
  const auto wants = spirv::reflect(compiled.spirv);
  if (!wants) return std::unexpected(Error(wants.error()).in(path));
  // An image and a sampler at one place are written on purpose only where no compiler of assetc chose the places.
  auto good = check_bindings(wants->bindings, options.language == Language::kSpirv);
  if (good) return compiled;
  if (options.language != Language::kSpirv && !options.debug) {  // for the names in the message
    Options with_names = options;
    with_names.debug = true;
    if (auto named = compile(path, file, with_names, read); !named) return named;
  }
  return std::unexpected(std::move(good).error().in(path));
}

Result<void> validate_spirv(ByteSpan spirv, Target target) {
  const auto no_files = [](std::string_view) -> Result<Bytes> { return fail(ErrorCode::kNotFound, "no file"); };
  ASSETC_TRY(const Compiled same, compile({}, spirv, {.language = Language::kSpirv, .target = target}, no_files));
  return {};
}

}  // namespace assetc::shader
