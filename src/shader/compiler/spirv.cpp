#include <cstring>
#include <spirv-tools/libspirv.hpp>

#include "base/plural.hpp"
#include "shader/compilers.hpp"

namespace assetc::shader {
namespace {

constexpr std::uint32_t kSpirvMagic = 0x07230203;
constexpr std::size_t kHeaderWords = 5;

spv_target_env environment_of(Target target) {
  switch (target) {
    case Target::kVulkan10:
      return SPV_ENV_VULKAN_1_0;
    case Target::kVulkan11:
      return SPV_ENV_VULKAN_1_1;
    case Target::kVulkan12:
      return SPV_ENV_VULKAN_1_2;
    case Target::kVulkan13:
      return SPV_ENV_VULKAN_1_3;
  }
  return SPV_ENV_VULKAN_1_2;
}

}  // namespace

Result<void> validate_here(ByteSpan spirv, Target target) {
  if (spirv.size() < kHeaderWords * 4 || spirv.size() % 4 != 0) {
    return fail(ErrorCode::kTruncated, "SPIR-V of " + counted(spirv.size(), "byte") +
                                           ", expected a multiple of 4 and at least " +
                                           std::to_string(kHeaderWords * 4));
  }
  if (load<std::uint32_t>(spirv) != kSpirvMagic) {
    return fail_at(ErrorCode::kInvalidData, byte_place(0), "not SPIR-V: the first word is not 0x07230203");
  }
  std::vector<std::uint32_t> words(spirv.size() / 4);
  std::memcpy(words.data(), spirv.data(), spirv.size());

  spvtools::SpirvTools tools(environment_of(target));
  std::string what;
  std::size_t word = 0;
  tools.SetMessageConsumer(
      [&](spv_message_level_t level, const char*, const spv_position_t& position, const char* text) {
        if (what.empty() && level <= SPV_MSG_ERROR) {
          what = text;
          word = position.index;
        }
      });
  if (tools.Validate(words.data(), words.size())) return {};
  if (const std::size_t line = what.find('\n'); line != what.npos) what.resize(line);
  return fail_at(ErrorCode::kInvalidData, "SPIR-V word " + std::to_string(word),
                 what.empty() ? "the validator refused it" : what,
                 "choose another shader.target if the shader needs a newer Vulkan");
}

}  // namespace assetc::shader
