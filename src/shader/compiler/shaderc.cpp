#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <shaderc/shaderc.hpp>
#include <vector>

#include "shader/compiler_message.hpp"
#include "shader/compilers.hpp"
#include "shader/hlsl_attributes.hpp"
#include "shader/include_path.hpp"

namespace assetc::shader {
namespace {

// Deeper than any hand-written chain of includes. Stops a file that includes itself.
constexpr std::size_t kMaxIncludeDepth = 64;
// For one stage, counting every mention. Stops files that include others twice, because those double at every level.
constexpr std::size_t kMaxIncludes = 10'000;
constexpr std::size_t kMaxIncludedBytes = 256u << 20;

shaderc_shader_kind kind_of(Stage stage) {
  switch (stage) {
    case Stage::kVertex:
      return shaderc_vertex_shader;
    case Stage::kTessControl:
      return shaderc_tess_control_shader;
    case Stage::kTessEvaluation:
      return shaderc_tess_evaluation_shader;
    case Stage::kGeometry:
      return shaderc_geometry_shader;
    case Stage::kFragment:
      return shaderc_fragment_shader;
    case Stage::kCompute:
      return shaderc_compute_shader;
    case Stage::kTask:
      return shaderc_task_shader;
    case Stage::kMesh:
      return shaderc_mesh_shader;
    case Stage::kRayGeneration:
      return shaderc_raygen_shader;
    case Stage::kAnyHit:
      return shaderc_anyhit_shader;
    case Stage::kClosestHit:
      return shaderc_closesthit_shader;
    case Stage::kMiss:
      return shaderc_miss_shader;
    case Stage::kIntersection:
      return shaderc_intersection_shader;
    case Stage::kCallable:
      return shaderc_callable_shader;
  }
  return shaderc_vertex_shader;
}

std::uint32_t version_of(Target target) {
  switch (target) {
    case Target::kVulkan10:
      return shaderc_env_version_vulkan_1_0;
    case Target::kVulkan11:
      return shaderc_env_version_vulkan_1_1;
    case Target::kVulkan12:
      return shaderc_env_version_vulkan_1_2;
    case Target::kVulkan13:
      return shaderc_env_version_vulkan_1_3;
  }
  return shaderc_env_version_vulkan_1_2;
}

class Includer : public shaderc::CompileOptions::IncluderInterface {
 public:
  explicit Includer(const ReadFile& read) : read_(read) {}

  shaderc_include_result* GetInclude(const char* requested, shaderc_include_type type, const char* requesting,
                                     std::size_t depth) override {
    auto holder = std::make_unique<Holder>();
    if (depth > kMaxIncludeDepth) {
      holder->text =
          "includes are more than " + std::to_string(kMaxIncludeDepth) + " deep; does a file include itself?";
    } else if (++count_ > kMaxIncludes || bytes_ > kMaxIncludedBytes) {
      holder->text = count_ > kMaxIncludes
                         ? "more than " + std::to_string(kMaxIncludes) + " includes in one stage"
                         : "more than " + std::to_string(kMaxIncludedBytes >> 20) + " MiB of includes in one stage";
      holder->text += "; do files include one another twice? Guard them with #ifndef";
    } else if (auto found = find_include(requested, type == shaderc_include_type_standard, requesting, read_)) {
      holder->name = std::move(found->path);
      holder->bytes = std::move(found->bytes);
      bytes_ += holder->bytes.size();
    } else if (type == shaderc_include_type_relative) {
      failed_name_ = requested;
      holder->text = failed_text_ = found.error().to_string();
    } else {
      // After "x" failed, glslang also requests <x>. The first error is more useful.
      holder->text = failed_name_ == requested ? failed_text_ : found.error().to_string();
    }
    const std::string_view content = holder->name.empty() ? std::string_view(holder->text) : as_text(holder->bytes);
    holder->result = {holder->name.data(), holder->name.size(), content.data(), content.size(), holder.get()};
    return &holder.release()->result;
  }

  void ReleaseInclude(shaderc_include_result* data) override { delete static_cast<Holder*>(data->user_data); }

 private:
  struct Holder {
    std::string name;  // empty: the include failed and text says why
    Bytes bytes;
    std::string text;
    shaderc_include_result result{};
  };
  const ReadFile& read_;
  std::size_t count_ = 0;
  std::size_t bytes_ = 0;
  std::string failed_name_;
  std::string failed_text_;
};

// Sets the first bindings of the kinds of registers. Without a register, a variable gets the first unused binding of
// its kind.
void map_registers(shaderc::CompileOptions& settings, const Registers& first) {
  settings.SetHlslIoMapping(true);
  settings.SetAutoBindUniforms(true);
  settings.SetBindingBase(shaderc_uniform_kind_buffer, first.b);
  settings.SetBindingBase(shaderc_uniform_kind_sampler, first.s);
  settings.SetBindingBase(shaderc_uniform_kind_texture, first.t);
  settings.SetBindingBase(shaderc_uniform_kind_image, first.u);
  settings.SetBindingBase(shaderc_uniform_kind_storage_buffer, first.u);
  settings.SetBindingBase(shaderc_uniform_kind_unordered_access_view, first.u);
}

shaderc::CompileOptions settings_of(const Options& options, const Registers& registers, const ReadFile& read) {
  shaderc::CompileOptions settings;
  settings.SetSourceLanguage(options.language == Language::kHlsl ? shaderc_source_language_hlsl
                                                                 : shaderc_source_language_glsl);
  settings.SetTargetEnvironment(shaderc_target_env_vulkan, version_of(options.target));
  settings.SetOptimizationLevel(options.optimize ? shaderc_optimization_level_performance
                                                 : shaderc_optimization_level_zero);
  if (options.debug) settings.SetGenerateDebugInfo();
  if (options.language == Language::kHlsl) {
    settings.SetAutoMapLocations(true);
    // glslang declares storage buffers of HLSL as in SPIR-V 1.0, which 1.4 no longer allows. Its HLSL has no feature
    // that needs more than 1.3.
    if (options.target >= Target::kVulkan12) settings.SetTargetSpirv(shaderc_spirv_version_1_3);
    map_registers(settings, registers);
  }
  settings.SetIncluder(std::make_unique<Includer>(read));
  return settings;
}

ByteVector bytes_of(const shaderc::SpvCompilationResult& result) {
  const ByteSpan words = std::as_bytes(std::span(result.cbegin(), result.cend()));
  return {words.begin(), words.end()};
}

// Of HLSL that glslang does not know.
constexpr std::string_view kWordsOfDxc[] = {"template", "float16_t", "int16_t",  "uint16_t",         "int64_t",
                                            "uint64_t", "enum",      "operator", "WaveGetLaneIndex", "class",
                                            "RayDesc",  "auto",      "typename"};

struct Decoration {
  std::size_t value_at = 0;  // a word of the module
  std::uint32_t id = 0, decoration = 0, value = 0;
};
// The sets and bindings of a module's variables.
std::vector<Decoration> places_in(ByteSpan module) {
  constexpr std::uint32_t kDecorate = 71, kBinding = 33, kDescriptorSet = 34;
  constexpr std::size_t kHeaderWords = 5, kDecorateWords = 4;
  const auto word = [&](std::size_t at) { return load<std::uint32_t>(module, at * 4); };
  std::vector<Decoration> places;
  const std::size_t words = module.size() / 4;
  for (std::size_t at = kHeaderWords; at < words;) {
    const std::size_t length = word(at) >> 16;
    if (length == 0 || length > words - at) break;
    const bool is_place = length == kDecorateWords && (word(at) & 0xffff) == kDecorate &&
                          (word(at + 2) == kBinding || word(at + 2) == kDescriptorSet);
    if (is_place) places.push_back({at + 3, word(at + 1), word(at + 2), word(at + 3)});
    at += length;
  }
  return places;
}

// Corrects the places of variables with [[vk::binding]]. plain is the same source, compiled with registers that begin
// at 0: its variables have the same ids, and the bindings of attributes as they are written.
Result<void> place_attributes(ByteVector& module, ByteSpan plain) {
  constexpr std::uint32_t kBinding = 33;
  std::map<std::uint32_t, std::uint32_t> marked, written;  // the set and the binding of an id
  for (const Decoration& one : places_in(plain)) {
    if (one.decoration == kBinding)
      written[one.id] = one.value;
    else if (one.value >= kMarkedSet)
      marked[one.id] = one.value;
  }
  std::size_t found = 0;
  for (const Decoration& one : places_in(module)) {
    const auto mark = marked.find(one.id);
    const bool is_set = one.decoration != kBinding;
    if (mark == marked.end() && (!is_set || one.value < kMarkedSet)) continue;
    if (mark == marked.end() || (is_set && mark->second != one.value) || !written.contains(one.id)) {
      found = 0;
      break;
    }
    const std::uint32_t value = is_set ? one.value - kMarkedSet : written[one.id];
    std::memcpy(module.data() + one.value_at * 4, &value, sizeof value);
    ++found;
  }
  if (found == 2 * marked.size()) return {};
  return fail(ErrorCode::kInvalidData, "the compiler could not place the variables with [[vk::binding]]",
              "give them registers instead, or install dxc");
}

}  // namespace

Result<Compiled> compile_with_shaderc(std::string_view path, ByteSpan source, const Options& options,
                                      const ReadFile& read_file) {
  const bool is_hlsl = options.language == Language::kHlsl;
  if (is_hlsl && (options.stage == Stage::kTask || options.stage == Stage::kMesh || is_of_ray_tracing(options.stage))) {
    return std::unexpected(
        Error{ErrorCode::kUnsupported,
              std::string(path),
              {},
              "the HLSL of a " + std::string(to_string(options.stage)) + " stage needs the program dxc",
              "install a release of DirectXShaderCompiler and add its bin folder to PATH, or write "
              "the stage in GLSL or Slang"});
  }
  static const shaderc::Compiler compiler;  // static, because the last compiler frees glslang's tables, and rebuilding
                                            // them takes longer than compiling a shader
  const std::string name(path);
  const std::string entry(options.entry.view());
  std::string_view text = as_text(source);
  std::set<std::string, std::less<>> files{name};
  const ReadFile read = [&](std::string_view file) {
    auto bytes = read_file(file);
    if (bytes) files.emplace(file);
    return bytes;
  };
  const auto compiled = [&](const Registers& registers) {
    return compiler.CompileGlslToSpv(text.data(), text.size(), kind_of(options.stage), name.c_str(), entry.c_str(),
                                     settings_of(options, registers, read));
  };
  std::string preprocessed;
  RewrittenHlsl rewritten;
  if (is_hlsl) {
    const shaderc::PreprocessedSourceCompilationResult plain = compiler.PreprocessGlsl(
        text.data(), text.size(), kind_of(options.stage), name.c_str(), settings_of(options, options.registers, read));
    // If this fails, the error comes from the compilation below.
    if (plain.GetCompilationStatus() == shaderc_compilation_status_success) {
      preprocessed.assign(plain.cbegin(), plain.cend());
      auto changed = rewrite_attributes(preprocessed);
      if (!changed) return std::unexpected(std::move(changed).error().in(path));
      rewritten = std::move(*changed);
    }
    if (rewritten.changed()) text = rewritten.text;
  }
  const shaderc::SpvCompilationResult result = compiled(options.registers);
  const std::string output = result.GetErrorMessage();
  CompilerMessages messages = located(parse_compiler_output(output), files, path);
  if (output.starts_with("shaderc: internal error: ")) {  // the optimizer refuses a module that the compiler made
    constexpr std::string_view kPrefix = "failed to optimize: ";
    const std::size_t at = output.find(kPrefix);
    std::string rule = at == output.npos ? output : output.substr(at + kPrefix.size());
    rule.resize(std::min(rule.find('\n'), rule.size()));
    Error error = invalid_module_error(path, is_hlsl ? rewritten.text : std::string(), options, std::move(rule));
    CompilerMessages only;
    only.errors.push_back(std::move(error));
    return std::unexpected(std::move(located(std::move(only), files, path).errors.front()));
  }
  if (result.GetCompilationStatus() != shaderc_compilation_status_success) {
    Error error = first_error(std::move(messages), output, path);
    const bool is_newer = std::ranges::any_of(
        kWordsOfDxc, [&](std::string_view word) { return error.what.starts_with("'" + std::string(word) + "'"); });
    if (is_hlsl && is_newer) {
      if (error.what.ends_with('.')) error.what.pop_back();
      error.hint = "install dxc, which knows HLSL 2021; glslang knows Shader Model 5.1";
    }
    return std::unexpected(std::move(error));
  }
  ByteVector module = bytes_of(result);
  if (rewritten.has_bindings) {
    if (auto placed = place_attributes(module, bytes_of(compiled({0, 0, 0, 0}))); !placed)
      return std::unexpected(std::move(placed).error().in(path));
  }
  return Compiled{std::move(module), std::move(messages.warnings)};
}

}  // namespace assetc::shader
