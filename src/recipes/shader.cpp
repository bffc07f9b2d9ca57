// *.shader/ folders: one SPIR-V file for each stage.
#include "shader/shader.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "recipes/container/containers.hpp"
#include "recipes/recipe.hpp"
#include "shader/toolchain.hpp"

namespace assetc::recipes {
namespace {

constexpr std::array kShaderClaims{
    // The stem keeps ".shader", so that no other source can publish to the same folder.
    Claim{.suffix = ".shader", .directory = true, .strip = ""},
};
constexpr std::array<std::string_view, 1> kShaderGroups{"shader"};

constexpr Program kSlangc{"slangc", shader::slangc_signature, shader::slangc_version};
constexpr std::array kPrograms{&kSlangc};

std::string join(std::string_view directory, std::string_view name) {
  return std::string(directory) + "/" + std::string(name);
}

struct StageSource {
  std::string name;
  shader::Language language;
};

Result<std::map<shader::Stage, StageSource>> stages_in(const Step& step, Inputs& inputs) {
  ASSETC_TRY(const std::vector<std::string> names, inputs.list(step.input_path));
  std::map<shader::Stage, StageSource> stages;
  for (const std::string& name : names) {
    const auto file = shader::classify(name);
    if (!file) continue;
    const auto [at, added] = stages.try_emplace(file->stage, StageSource{name, file->language});
    if (!added) {
      return fail(
          ErrorCode::kConflict,
          "both " + at->second.name + " and " + name + " are the " + std::string(to_string(file->stage)) + " stage",
          "keep one of them");
    }
  }
  if (stages.empty()) {
    return fail(ErrorCode::kNotFound, "no stage in this folder",
                "add vertex.glsl, fragment.glsl, compute.glsl, mesh.glsl or task.glsl (or .hlsl, .slang)");
  }
  return stages;
}

Result<Product> cook_shader(const Step& step, Inputs& inputs) {
  ASSETC_TRY(const auto stages, stages_in(step, inputs));
  Product product;
  for (const auto& [stage, source] : stages) {
    const shader::CompilerMemory memory = shader::memory_of(source.language);
    // reserved_bytes may come from a stage in the other language, hence the clamp.
    const std::uint64_t memory_bytes = std::clamp(step.reserved_bytes, memory.usual_bytes, memory.most_bytes);
    const std::string path = join(step.input_path, source.name);
    ASSETC_TRY(const Bytes text, inputs.read(path));
    const shader::Options options{.stage = stage,
                                  .language = source.language,
                                  .target = step.settings.shader.target,
                                  .optimize = step.settings.shader.optimize,
                                  .debug = step.settings.shader.debug,
                                  .memory_bytes = memory_bytes};
    if (source.language == shader::Language::kSlang) inputs.runs(kSlangc);
    ASSETC_TRY(shader::Compiled compiled,
               shader::compile(path, text, options, [&](std::string_view include) { return inputs.read(include); }));
    if (compiled.needs_memory) {
      Product more;
      more.needs_bytes = memory.most_bytes;
      return more;
    }
    for (Error& what : compiled.warnings)
      product.diagnostics.push_back({WarningKind::kShaderCompiler, std::move(what)});
    const ShaderContainer& container = step.containers->shader;
    ASSETC_TRY(ByteVector bytes, container.write(std::move(compiled.spirv)));
    const std::string file = std::string(container.prefix).append(to_string(stage)).append(container.suffix);
    std::string suffix = step.containers->naming.beside(step.stem, to_string(stage), file);
    product.outputs.push_back({std::move(suffix), Bytes(std::move(bytes)), {AssetKind::kShader}});
  }
  return product;
}

// Stages compile one at a time. Each compiler process is limited to the memory that is reserved here.
std::uint64_t shader_peak_bytes(const Step& step, Inputs& inputs) {
  std::uint64_t most = 0;
  if (const auto stages = stages_in(step, inputs)) {
    for (const auto& [stage, source] : *stages) most = std::max(most, shader::memory_of(source.language).usual_bytes);
  }
  return most;
}

// Starting a compiler takes longer than compiling.
std::uint64_t estimate_shader_ns(std::string_view, std::uint64_t, const Settings&) { return 80'000'000; }

}  // namespace

extern const Recipe kShaderRecipe;
constinit const Recipe kShaderRecipe{.name = "shader",
                                     .version = 3,
                                     .claims = kShaderClaims,
                                     .setting_groups = kShaderGroups,
                                     .stem_matters = false,
                                     .cook = cook_shader,
                                     .estimate_peak_bytes = shader_peak_bytes,
                                     .libraries = shader::libraries,
                                     .programs = kPrograms,
                                     .estimate_ns = estimate_shader_ns};

}  // namespace assetc::recipes
