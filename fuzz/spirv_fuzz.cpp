// Any bytes as a SPIR-V module: all reported names lie inside the module.
#include "assetc/formats/spirv.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assetc;
  const ByteSpan input(reinterpret_cast<const std::byte*>(data), size);
  const auto found = spirv::reflect(input);
  if (!found) {
    fuzz::require(!found.error().what.empty());
    return 0;
  }
  const auto inside = [&](std::string_view text) {
    const auto* begin = reinterpret_cast<const char*>(data);
    fuzz::require(text.empty() || (text.data() >= begin && text.data() + text.size() <= begin + size));
  };
  inside(found->entry_point);
  for (const spirv::Binding& binding : found->bindings) {
    inside(binding.name);
    fuzz::require(!to_string(binding.kind).empty());
  }
  for (const spirv::Variable& input_of : found->inputs) inside(input_of.name);
  for (const spirv::Variable& output : found->outputs) inside(output.name);
  for (const spirv::SpecConstant& constant : found->spec_constants) inside(constant.name);
  return 0;
}
