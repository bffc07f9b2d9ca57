#include <memory>
#include <shaderc/shaderc.hpp>

#include "shader/compiler_message.hpp"
#include "shader/compilers.hpp"
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

}  // namespace

Result<Compiled> compile_with_shaderc(std::string_view path, ByteSpan source, const Options& options,
                                      const ReadFile& read) {
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
  }
  settings.SetIncluder(std::make_unique<Includer>(read));

  static const shaderc::Compiler compiler;  // static, because the last compiler frees glslang's tables, and rebuilding
                                            // them takes longer than compiling a shader
  const std::string name(path);
  const std::string_view text = as_text(source);
  const shaderc::SpvCompilationResult result =
      compiler.CompileGlslToSpv(text.data(), text.size(), kind_of(options.stage), name.c_str(), "main", settings);
  const std::string output = result.GetErrorMessage();
  CompilerMessages messages = parse_compiler_output(output);
  if (result.GetCompilationStatus() != shaderc_compilation_status_success) {
    return std::unexpected(first_error(std::move(messages), output, path));
  }
  const ByteSpan words = std::as_bytes(std::span(result.cbegin(), result.cend()));
  return Compiled{{words.begin(), words.end()}, std::move(messages.warnings)};
}

}  // namespace assetc::shader
