#include "shader/bindings.hpp"

#include <map>
#include <string>
#include <utility>

#include "base/size_text.hpp"
#include "text/format.hpp"

namespace assetc::shader {
namespace {

using spirv::Binding;
using spirv::BindingKind;

constexpr const char* kHint =
    "give each a register, binding or set of its own; for HLSL, shader.registers says where registers begin";

std::string place_of(const Binding& binding) { return formatted("set {}, binding {}", binding.set, binding.binding); }

std::string described(const Binding& binding) {
  const std::string_view kind = to_string(binding.kind);
  const std::string_view article = std::string_view("ai").find(kind.front()) == kind.npos ? "a" : "an";
  return formatted("{} {}", article, kind) +
         (binding.name.empty() ? std::string() : formatted(" \"{}\"", binding.name));
}

bool may_alias(const Binding& a, const Binding& b) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case BindingKind::kStorageBuffer:
    case BindingKind::kStorageImage:
    case BindingKind::kStorageTexelBuffer:
      return true;
    default:
      return a.count != 1 && b.count != 1;
  }
}

bool makes_combined(BindingKind kind) {
  return kind == BindingKind::kSampledImage || kind == BindingKind::kSampler ||
         kind == BindingKind::kCombinedImageSampler;
}

}  // namespace

Result<void> check_bindings(std::span<const Binding> bindings, bool allows_combined) {
  for (std::size_t i = 1; i < bindings.size(); ++i) {
    const Binding &a = bindings[i - 1], &b = bindings[i];
    if (a.set != b.set || a.binding != b.binding || may_alias(a, b)) continue;
    if (allows_combined && makes_combined(a.kind) && makes_combined(b.kind)) continue;
    return fail_at(ErrorCode::kConflict, place_of(a),
                   formatted("found {} and {}, expected one descriptor", described(a), described(b)), kHint);
  }
  return {};
}

Result<std::vector<Error>> check_pipeline(std::span<const StageBindings> stages) {
  struct First {
    std::string_view stage;
    const Binding* binding;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, First> firsts;
  std::vector<Error> warnings;
  for (const StageBindings& one : stages) {
    for (const Binding& b : one.bindings) {
      const auto [at, added] = firsts.try_emplace({b.set, b.binding}, First{one.stage, &b});
      if (added || at->second.stage == one.stage) continue;
      const Binding& a = *at->second.binding;
      if (a.kind != b.kind && !(makes_combined(a.kind) && b.kind == BindingKind::kCombinedImageSampler) &&
          !(makes_combined(b.kind) && a.kind == BindingKind::kCombinedImageSampler)) {
        return fail_at(ErrorCode::kConflict, place_of(a),
                       formatted("found {} in the {} stage and {} in the {} stage, expected one descriptor",
                                 described(a), at->second.stage, described(b), one.stage),
                       kHint);
      }
      if (makes_combined(a.kind) && !a.name.empty() && !b.name.empty() && a.name != b.name) {
        warnings.push_back({ErrorCode::kConflict,
                            {},
                            place_of(a),
                            formatted("the {} stage has {}, the {} stage {}, and both are one descriptor",
                                      at->second.stage, described(a), one.stage, described(b)),
                            "give each a register, binding or set of its own, or the same name"});
      }
      if (a.kind == BindingKind::kUniformBuffer && b.kind == a.kind && a.size_bytes != b.size_bytes) {
        warnings.push_back(
            {ErrorCode::kConflict,
             {},
             place_of(a),
             formatted("the {} stage has {} of {}, the {} stage {} of {}", at->second.stage, described(a),
                       size_text(a.size_bytes), one.stage, described(b), size_text(b.size_bytes)),
             "give each a register, binding or set of its own, or declare the same block in both"});
      }
    }
  }
  return warnings;
}

}  // namespace assetc::shader
