// *.shader/ folders: one SPIR-V file for each stage.
#include "shader/shader.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "base/ascii.hpp"
#include "recipes/container/containers.hpp"
#include "recipes/recipe.hpp"
#include "shader/bindings.hpp"
#include "shader/entry_points.hpp"
#include "shader/toolchain.hpp"

namespace assetc::recipes {
namespace {

constexpr std::array kShaderClaims{
    // The stem keeps ".shader", so that no other source can publish to the same folder.
    Claim{.suffix = ".shader", .directory = true, .strip = ""},
    // One stage; the stem keeps the suffix, because lit.vert and lit.frag are two sources. Not .mesh and .task: models
    // of other programs have these suffixes.
    // Their marked functions are stages; files without one are for others to include, and have no output.
    Claim{.suffix = ".hlsl", .strip = ""},
    Claim{.suffix = ".slang", .strip = ""},
    Claim{.suffix = ".vert", .strip = ""},
    Claim{.suffix = ".frag", .strip = ""},
    Claim{.suffix = ".comp", .strip = ""},
    Claim{.suffix = ".geom", .strip = ""},
    Claim{.suffix = ".tesc", .strip = ""},
    Claim{.suffix = ".tese", .strip = ""},
    Claim{.suffix = ".rgen", .strip = ""},
    Claim{.suffix = ".rahit", .strip = ""},
    Claim{.suffix = ".rchit", .strip = ""},
    Claim{.suffix = ".rmiss", .strip = ""},
    Claim{.suffix = ".rint", .strip = ""},
    Claim{.suffix = ".rcall", .strip = ""},
    Claim{.suffix = ".vert.glsl", .strip = ""},
    Claim{.suffix = ".vert.hlsl", .strip = ""},
    Claim{.suffix = ".vert.slang", .strip = ""},
    Claim{.suffix = ".frag.glsl", .strip = ""},
    Claim{.suffix = ".frag.hlsl", .strip = ""},
    Claim{.suffix = ".frag.slang", .strip = ""},
    Claim{.suffix = ".comp.glsl", .strip = ""},
    Claim{.suffix = ".comp.hlsl", .strip = ""},
    Claim{.suffix = ".comp.slang", .strip = ""},
    Claim{.suffix = ".geom.glsl", .strip = ""},
    Claim{.suffix = ".geom.hlsl", .strip = ""},
    Claim{.suffix = ".geom.slang", .strip = ""},
    Claim{.suffix = ".tesc.glsl", .strip = ""},
    Claim{.suffix = ".tesc.hlsl", .strip = ""},
    Claim{.suffix = ".tesc.slang", .strip = ""},
    Claim{.suffix = ".tese.glsl", .strip = ""},
    Claim{.suffix = ".tese.hlsl", .strip = ""},
    Claim{.suffix = ".tese.slang", .strip = ""},
    Claim{.suffix = ".task.glsl", .strip = ""},
    Claim{.suffix = ".task.hlsl", .strip = ""},
    Claim{.suffix = ".task.slang", .strip = ""},
    Claim{.suffix = ".mesh.glsl", .strip = ""},
    Claim{.suffix = ".mesh.hlsl", .strip = ""},
    Claim{.suffix = ".mesh.slang", .strip = ""},
};
constexpr std::array<std::string_view, 1> kShaderGroups{"shader"};

constexpr Program kSlangc{"slangc", shader::slangc_signature, shader::slangc_version};
constexpr Program kDxc{"dxc", shader::dxc_signature, shader::dxc_version};
constexpr std::array kPrograms{&kSlangc, &kDxc};

std::string join(std::string_view directory, std::string_view name) {
  return std::string(directory) + "/" + std::string(name);
}

using shader::StageSource;

Result<std::vector<StageSource>> stages_in(const Step& step, Inputs& inputs) {
  if (!ends_with_ignoring_case(step.input_path, kShaderClaims.front().suffix)) {
    const std::string_view name = std::string_view(step.input_path).substr(step.input_path.rfind('/') + 1);
    return shader::stages_of_file(name, [&] { return inputs.read(step.input_path); });
  }
  ASSETC_TRY(const std::vector<std::string> names, inputs.list(step.input_path));
  ASSETC_TRY(std::vector<StageSource> stages, shader::stages_of_folder(names, [&](std::string_view name) {
               return inputs.read(join(step.input_path, name));
             }));
  if (stages.empty()) {
    return fail(ErrorCode::kNotFound, "no stage in this folder",
                "add vertex.glsl, fragment.glsl, compute.glsl, mesh.glsl or task.glsl (or .hlsl, .slang), or mark the "
                "entry points of a .hlsl or .slang with [shader(\"vertex\")]");
  }
  return stages;
}

// Checks that the stages of the graphics pipeline agree on their descriptors. Two entry points of one stage belong to
// several pipelines, which only the engine knows.
Result<void> check_stages(std::span<const std::pair<shader::Stage, shader::Compiled>> modules, Product& product) {
  for (std::size_t i = 1; i < modules.size(); ++i) {
    if (modules[i].first == modules[i - 1].first) return {};
  }
  std::vector<spirv::Reflection> wants;
  wants.reserve(modules.size());
  std::vector<shader::StageBindings> pipeline;
  for (const auto& [stage, compiled] : modules) {
    if (stage == shader::Stage::kCompute || is_of_ray_tracing(stage)) continue;  // pipelines of their own
    ASSETC_TRY(spirv::Reflection one, spirv::reflect(compiled.spirv));
    wants.push_back(std::move(one));
    pipeline.push_back({to_string(stage), wants.back().bindings});
  }
  ASSETC_TRY(std::vector<Error> warnings, shader::check_pipeline(pipeline));
  for (Error& what : warnings) product.diagnostics.push_back({WarningKind::kSharedBinding, std::move(what)});
  return {};
}

// Compiles one stage; needs_bytes of the product if its memory was not enough.
Result<shader::Compiled> compile_stage(const Step& step, Inputs& inputs, const StageSource& source, Product& product) {
  const shader::HlslCompiler hlsl = step.settings.shader.hlsl;
  const shader::CompilerMemory memory = shader::memory_of(source.language, hlsl);
  const std::string path = source.file.empty() ? step.input_path : join(step.input_path, source.file);
  ASSETC_TRY(const Bytes text, inputs.read(path));
  const shader::Options options{.stage = source.stage,
                                .language = source.language,
                                .target = step.settings.shader.target,
                                .optimize = step.settings.shader.optimize,
                                .debug = step.settings.shader.debug,
                                .hlsl = hlsl,
                                .registers = step.settings.shader.registers,
                                .entry = shader::EntryName::of(source.entry),
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
  for (const StageSource& source : stages) {
    ASSETC_TRY(shader::Compiled compiled, compile_stage(step, inputs, source, product));
    if (product.needs_bytes != 0) return product;
    modules.emplace_back(source.stage, std::move(compiled));
  }
  ASSETC_CHECK(check_stages(modules, product));
  for (std::size_t i = 0; i < modules.size(); ++i) {
    shader::Compiled& compiled = modules[i].second;
    for (Error& what : compiled.warnings)
      product.diagnostics.push_back({WarningKind::kShaderCompiler, std::move(what)});
    const ShaderContainer& container = step.containers->shader;
    ASSETC_TRY(ByteVector bytes, container.write(std::move(compiled.spirv)));
    std::string suffix(container.suffix);
    if (const std::string& name = stages[i].output; !name.empty()) {
      const std::string file = std::string(container.prefix).append(name).append(container.suffix);
      suffix = step.containers->naming.beside(step.stem, name, file);
    }
    product.outputs.push_back({std::move(suffix), Bytes(std::move(bytes)), {AssetKind::kShader}});
  }
  return product;
}

// Stages compile one at a time. Each compiler process is limited to the memory that is reserved here.
std::uint64_t shader_peak_bytes(const Step& step, Inputs& inputs) {
  std::uint64_t most = 0;
  if (const auto stages = stages_in(step, inputs)) {
    for (const StageSource& source : *stages)
      most = std::max(most, shader::memory_of(source.language, step.settings.shader.hlsl).usual_bytes);
  }
  return most;
}

// Starting a compiler takes longer than compiling.
std::uint64_t estimate_shader_ns(std::string_view, std::uint64_t, const Settings&) { return 80'000'000; }

}  // namespace

extern const Recipe kShaderRecipe;
constinit const Recipe kShaderRecipe{.name = "shader",
                                     .version = 6,
                                     .claims = kShaderClaims,
                                     .setting_groups = kShaderGroups,
                                     .stem_matters = false,
                                     .cook = cook_shader,
                                     .estimate_peak_bytes = shader_peak_bytes,
                                     .libraries = shader::libraries,
                                     .programs = kPrograms,
                                     .estimate_ns = estimate_shader_ns};

}  // namespace assetc::recipes
