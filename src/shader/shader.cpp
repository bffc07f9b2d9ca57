#include "shader/shader.hpp"

#include <array>
#include <cstring>
#include <utility>

#include "base/ascii.hpp"
#include "shader/compilers.hpp"

namespace assetc::shader {
namespace {

struct StageName {
  Stage stage;
  std::string_view name;  // of outputs, and of stems
  std::string_view glsl;  // the extension, also taken as a stem
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
};

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
    for (const StageName& s : kStages) {
      if (stem == s.name || stem == s.glsl) return StageFile{s.stage, language};
    }
  }
  return std::nullopt;
}

Result<Compiled> compile_here(std::string_view path, ByteSpan source, const Options& options, const ReadFile& read) {
  Result<Compiled> compiled = options.language == Language::kSpirv ? Compiled{{source.begin(), source.end()}, {}}
                                                                   : compile_with_shaderc(path, source, options, read);
  if (!compiled) return compiled;
  if (auto valid = validate_here(compiled->spirv, options.target); !valid) {
    return std::unexpected(std::move(valid).error().in(path));
  }
  return compiled;
}

Result<Compiled> compile(std::string_view path, ByteSpan source, const Options& options, const ReadFile& read) {
  if (options.language != Language::kSlang) return compile_isolated(path, source, options, read);
  ASSETC_TRY(Compiled compiled, compile_with_slangc(path, source, options, read));
  if (auto valid = validate_spirv(compiled.spirv, options.target); !valid) {
    return std::unexpected(std::move(valid).error().in(path));
  }
  return compiled;
}

Result<void> validate_spirv(ByteSpan spirv, Target target) {
  const auto no_files = [](std::string_view) -> Result<Bytes> { return fail(ErrorCode::kNotFound, "no file"); };
  ASSETC_TRY([[maybe_unused]] const Compiled same,
             compile_isolated({}, spirv, {.language = Language::kSpirv, .target = target}, no_files));
  return {};
}

}  // namespace assetc::shader
