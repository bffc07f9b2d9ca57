// .spv.
#include "shader/shader.hpp"

#include "filetypes/readers.hpp"

namespace assetc::filetypes {
namespace {

constexpr std::uint32_t kSpirvMagic = 0x07230203;
constexpr std::size_t kSpirvHeaderBytes = 20;

// SPIR-V consists of words and begins with the magic number. Source: SPIR-V specification, 2.3.
Result<void> open_spirv(ByteSpan file) {
  if (file.size() < kSpirvHeaderBytes || file.size() % 4 != 0 || load<std::uint32_t>(file) != kSpirvMagic) {
    return fail_at(ErrorCode::kInvalidData, byte_place(0),
                   "is not SPIR-V: expected whole words that begin with 0x07230203");
  }
  return {};
}

std::uint32_t version_of(ByteSpan file) { return load<std::uint32_t>(file, 4); }

Result<FileContent> inspect_spirv(ByteSpan file) {
  ASSETC_CHECK(open_spirv(file));
  const Bytes module(ByteVector(file.begin(), file.end()));
  ASSETC_TRY(spirv::Reflection wants, spirv::reflect(module));
  return ShaderInfo{static_cast<std::uint32_t>(file.size() / 4), version_of(file), module, std::move(wants)};
}

// Checks the rules of SPIR-V, and of the Vulkan version for its SPIR-V version.
Result<void> check_spirv(ByteSpan file) {
  ASSETC_CHECK(open_spirv(file));
  const std::uint32_t version = version_of(file);
  const shader::Target target = version <= 0x00010000   ? shader::Target::kVulkan10
                                : version <= 0x00010300 ? shader::Target::kVulkan11
                                : version <= 0x00010500 ? shader::Target::kVulkan12
                                                        : shader::Target::kVulkan13;
  return shader::validate_spirv(file, target);
}

}  // namespace

constinit const Reader kSpirvReader{.open = open_spirv, .inspect = inspect_spirv, .check = check_spirv};

}  // namespace assetc::filetypes
