// Finds the line of a fault in a module that glslang made. shaderc reports such a module without a line, and always
// optimizes the modules of HLSL, so this calls glslang itself.
#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>

#include <algorithm>
#include <map>
#include <spirv-tools/libspirv.hpp>
#include <string>
#include <utility>
#include <vector>

#include "shader/compilers.hpp"

namespace assetc::shader {
namespace {

EShLanguage language_of(Stage stage) {
  switch (stage) {
    case Stage::kTessControl:
      return EShLangTessControl;
    case Stage::kTessEvaluation:
      return EShLangTessEvaluation;
    case Stage::kGeometry:
      return EShLangGeometry;
    case Stage::kFragment:
      return EShLangFragment;
    case Stage::kCompute:
      return EShLangCompute;
    default:
      return EShLangVertex;
  }
}

std::string hint_for(std::string_view rule) {
  constexpr std::string_view kInstead = ", or install dxc";
  if (rule.starts_with("Atomic"))
    return "give the operands the type of the memory, for example 1u instead of 1" + std::string(kInstead);
  if (rule.starts_with("OpStore") || rule.starts_with("OpCopy") || rule.starts_with("OpSelect"))
    return "assign the members of a struct one by one, because buffers of different kinds lay it out differently" +
           std::string(kInstead);
  return "write the line in another way" + std::string(kInstead);
}

// The module with line numbers, or nothing.
std::vector<unsigned> module_with_lines(const std::string& name, std::string_view source, const Options& options) {
  const EShLanguage language = language_of(options.stage);
  glslang::TShader shader(language);
  const char* text = source.data();
  const int length = static_cast<int>(source.size());
  const char* file = name.c_str();
  shader.setStringsWithLengthsAndNames(&text, &length, &file, 1);
  shader.setEnvInput(glslang::EShSourceHlsl, language, glslang::EShClientVulkan, 100);
  shader.setEnvClient(glslang::EShClientVulkan, glslang::EShTargetVulkan_1_1);
  shader.setEnvTarget(glslang::EShTargetSpv, glslang::EShTargetSpv_1_3);
  shader.setEntryPoint(std::string(options.entry.view()).c_str());
  shader.setAutoMapBindings(true);
  shader.setAutoMapLocations(true);
  const TBuiltInResource limits{};  // only GLSL has constants of them
  const auto rules = static_cast<EShMessages>(EShMsgSpvRules | EShMsgVulkanRules | EShMsgReadHlsl | EShMsgDebugInfo);
  if (!shader.parse(&limits, 100, false, rules)) return {};
  glslang::TProgram program;
  program.addShader(&shader);
  if (!program.link(rules) || !program.mapIO()) return {};
  glslang::SpvOptions output;
  output.generateDebugInfo = true;
  output.disableOptimizer = true;
  std::vector<unsigned> words;
  glslang::GlslangToSpv(*program.getIntermediate(language), words, &output);
  return words;
}

}  // namespace

Error invalid_module_error(std::string_view path, std::string_view preprocessed, const Options& options,
                           std::string what) {
  constexpr std::size_t kHeaderWords = 5;
  constexpr unsigned kString = 7, kLine = 8, kNoLine = 317;
  Error error{ErrorCode::kUnsupported, std::string(path), {}, {}, {}};
  const std::vector<unsigned> words =
      preprocessed.empty() ? std::vector<unsigned>() : module_with_lines(error.file, preprocessed, options);
  std::size_t broken = 0;  // the number of the instruction that breaks a rule, from 1
  spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_1);
  tools.SetMessageConsumer(
      [&](spv_message_level_t level, const char*, const spv_position_t& position, const char* text) {
        if (broken != 0 || level > SPV_MSG_ERROR) return;
        broken = position.index;
        what = text;
        what.resize(std::min(what.find('\n'), what.size()));
      });
  if (!words.empty()) (void)tools.Validate(words.data(), words.size());
  std::map<unsigned, std::string> names;
  std::pair<unsigned, unsigned> line{};  // the id of its file's name, and its number
  std::size_t number = 1;
  for (std::size_t at = kHeaderWords; at < words.size() && number <= broken; ++number) {
    const unsigned op = words[at] & 0xffff, length = words[at] >> 16;
    if (length == 0 || length > words.size() - at) break;
    if (op == kString && length > 2) names[words[at + 1]] = reinterpret_cast<const char*>(&words[at + 2]);
    if (op == kLine && length > 2) line = {words[at + 1], words[at + 2]};
    if (op == kNoLine) line = {};
    at += length;
  }
  if (broken != 0 && line.second != 0) {
    if (const auto name = names.find(line.first); name != names.end()) error.file = name->second;
    error.place = "line " + std::to_string(line.second);
  }
  error.what = "the compiler glslang makes an invalid module of this: " + what;
  error.hint = hint_for(what);
  return error;
}

}  // namespace assetc::shader
