// *.shader/ folders: one SPIR-V file for each stage.
#include "shader/shader.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "recipes/container/containers.hpp"
#include "recipes/recipe.hpp"
#include "shader/bindings.hpp"
#include "shader/toolchain.hpp"

namespace assetc::recipes {
namespace {

constexpr std::array kShaderClaims{
    // The stem keeps ".shader", so that no other source can publish to the same folder.
    Claim{.suffix = ".shader", .directory = true, .strip = ""},
};
constexpr std::array<std::string_view, 1> kShaderGroups{"shader"};

constexpr Program kSlangc{"slangc", shader::slangc_signature, shader::slangc_version};
constexpr Program kDxc{"dxc", shader::dxc_signature, shader::dxc_version};
constexpr std::array kPrograms{&kSlangc, &kDxc};

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

// Checks that the stages of the graphics pipeline agree on their descriptors.
Result<void> check_stages(std::span<const std::pair<shader::Stage, shader::Compiled>> modules, Product& product) {
  std::vector<spirv::Reflection> wants;
  wants.reserve(modules.size());
  std::vector<shader::StageBindings> pipeline;
  for (const auto& [stage, compiled] : modules) {
    if (stage == shader::Stage::kCompute) continue;  // a pipeline of its own
    ASSETC_TRY(spirv::Reflection one, spirv::reflect(compiled.spirv));
    wants.push_back(std::move(one));
    pipeline.push_back({to_string(stage), wants.back().bindings});
  }
  ASSETC_TRY(std::vector<Error> warnings, shader::check_pipeline(pipeline));
  for (Error& what : warnings) product.diagnostics.push_back({WarningKind::kSharedBinding, std::move(what)});
  return {};
}

// Compiles one stage; needs_bytes of the product if its memory was not enough.
Result<shader::Compiled> compile_stage(const Step& step, Inputs& inputs, shader::Stage stage, const StageSource& source,
                                       Product& product) {
  const shader::HlslCompiler hlsl = step.settings.shader.hlsl;
  const shader::CompilerMemory memory = shader::memory_of(source.language, hlsl);
  const std::string path = join(step.input_path, source.name);
  ASSETC_TRY(const Bytes text, inputs.read(path));
  const shader::Options options{.stage = stage,
                                .language = source.language,
                                .target = step.settings.shader.target,
                                .optimize = step.settings.shader.optimize,
                                .debug = step.settings.shader.debug,
                                .hlsl = hlsl,
                                .registers = step.settings.shader.registers,
                                // reserved_bytes may come from a stage in the other language, hence the clamp.
                                .memory_bytes = std::clamp(step.reserved_bytes, memory.usual_bytes, memory.most_bytes)};
  if (source.language == shader::Language::kSlang) inputs.runs(kSlangc);
  if (source.language == shader::Language::kHlsl && hlsl != shader::HlslCompiler::kGlslang) inputs.runs(kDxc);
  ASSETC_TRY(shader::Compiled compiled,
             shader::compile(path, text, options, [&](std::string_view include) { return inputs.read(include); }));
  if (compiled.needs_memory) product.needs_bytes = memory.most_bytes;
  return compiled;
}

Result<Product> cook_shader(const Step& step, Inputs& inputs) {
  ASSETC_TRY(const auto stages, stages_in(step, inputs));
  Product product;
  std::vector<std::pair<shader::Stage, shader::Compiled>> modules;
  for (const auto& [stage, source] : stages) {
    ASSETC_TRY(shader::Compiled compiled, compile_stage(step, inputs, stage, source, product));
    if (product.needs_bytes != 0) return product;
    modules.emplace_back(stage, std::move(compiled));
  }
  ASSETC_CHECK(check_stages(modules, product));
  for (auto& [stage, compiled] : modules) {
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
    for (const auto& [stage, source] : *stages)
      most = std::max(most, shader::memory_of(source.language, step.settings.shader.hlsl).usual_bytes);
  }
  return most;
}

// Starting a compiler takes longer than compiling.
std::uint64_t estimate_shader_ns(std::string_view, std::uint64_t, const Settings&) { return 80'000'000; }

}  // namespace

extern const Recipe kShaderRecipe;
constinit const Recipe kShaderRecipe{.name = "shader",
                                     .version = 4,
                                     .claims = kShaderClaims,
                                     .setting_groups = kShaderGroups,
                                     .stem_matters = false,
                                     .cook = cook_shader,
                                     .estimate_peak_bytes = shader_peak_bytes,
                                     .libraries = shader::libraries,
                                     .programs = kPrograms,
                                     .estimate_ns = estimate_shader_ns};

}  // namespace assetc::recipes
