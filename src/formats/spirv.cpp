// Reads only the declarations. Sizes are computed down to a limit of depth, because a damaged module may declare a type
// inside itself.
#include "assetc/formats/spirv.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "formats/message.hpp"

namespace assetc::spirv {
namespace {

constexpr std::uint32_t kSwappedMagic = 0x03022307;
constexpr std::size_t kHeaderWords = 5;
constexpr int kMaxDepth = 32;  // of nested types, when sizes are computed

enum Op : std::uint32_t {
  kName = 5,
  kEntryPoint = 15,
  kExecutionMode = 16,
  kTypeBool = 20,
  kTypeInt = 21,
  kTypeFloat = 22,
  kTypeVector = 23,
  kTypeMatrix = 24,
  kTypeImage = 25,
  kTypeSampler = 26,
  kTypeSampledImage = 27,
  kTypeArray = 28,
  kTypeRuntimeArray = 29,
  kTypeStruct = 30,
  kTypePointer = 32,
  kTypeForwardPointer = 39,
  kConstant = 43,
  kConstantComposite = 44,
  kSpecConstantTrue = 48,
  kSpecConstantFalse = 49,
  kSpecConstant = 50,
  kSpecConstantComposite = 51,
  kFunction = 54,
  kVariable = 59,
  kDecorate = 71,
  kMemberDecorate = 72,
  kExecutionModeId = 331,
  kTypeAccelerationStructure = 5341,
};
enum Decoration : std::uint32_t {
  kSpecId = 1,
  kBufferBlock = 3,
  kRowMajor = 4,
  kArrayStride = 6,
  kMatrixStride = 7,
  kBuiltIn = 11,
  kLocation = 30,
  kBindingNumber = 33,
  kDescriptorSet = 34,
  kOffset = 35,
};
enum Storage : std::uint32_t {
  kUniformConstant = 0,
  kInput = 1,
  kUniform = 2,
  kOutput = 3,
  kPushConstant = 9,
  kStorageBuffer = 12,
};
constexpr std::uint32_t kLocalSize = 17, kLocalSizeId = 38, kWorkgroupSize = 25;
constexpr std::uint32_t kDimBuffer = 5, kDimSubpassData = 6;

// An instruction: its place, its opcode, and its length in words, including the opcode.
struct Instruction {
  std::size_t at = 0;
  std::uint32_t op = 0;
  std::size_t words = 0;
};

// The declarations of an id before functions begin.
struct Id {
  Instruction defined{};
  std::size_t name_at = 0;  // the place of its text, 0: none
  std::optional<std::uint32_t> spec_id, stride, built_in, location, binding, set;
  bool is_buffer_block = false;
  std::optional<std::uint64_t> size_bytes;  // of a type, once computed
};
struct Member {
  std::uint32_t type = 0, member = 0;
  std::optional<std::uint32_t> offset{}, matrix_stride{};
  bool is_row_major = false;
};

std::unexpected<Error> wrong(std::size_t word, std::string what) {
  return fail_at(ErrorCode::kInvalidData, "word " + std::to_string(word), std::move(what), "compile the shader again");
}

class Module {
 public:
  explicit Module(ByteSpan bytes) : bytes_(bytes), words_(bytes.size() / 4) {}

  Result<Reflection> reflect() {
    ASSETC_CHECK(read());
    Reflection out;
    std::vector<std::uint32_t> interface;
    if (entry_) {
      out.stage = static_cast<Stage>(word(entry_->at + 1));
      ASSETC_TRY(const Text name, text(*entry_, 3));
      out.entry_point = name.view;
      for (std::size_t i = name.end; i < entry_->at + entry_->words; ++i) interface.push_back(word(i));
      std::ranges::sort(interface);
    }
    workgroup(out);
    for (std::uint32_t id = 0; id < ids_.size(); ++id) {
      const Id& one = ids_[id];
      if (one.defined.op == kVariable) ASSETC_CHECK(variable(id, std::ranges::binary_search(interface, id), out));
      if (one.spec_id) out.spec_constants.push_back({*one.spec_id, default_of(one), name_of(one)});
    }
    std::ranges::sort(out.bindings, {}, [](const Binding& b) { return std::pair(b.set, b.binding); });
    std::ranges::sort(out.inputs, {}, &Variable::location);
    std::ranges::sort(out.outputs, {}, &Variable::location);
    std::ranges::sort(out.spec_constants, {}, &SpecConstant::id);
    return out;
  }

 private:
  struct Text {
    std::string_view view;
    std::size_t end = 0;  // the word after it
  };

  std::uint32_t word(std::size_t at) const { return load<std::uint32_t>(bytes_, at * 4); }

  // Requires a defined id with at least i + 1 words after its opcode.
  std::uint32_t operand(const Id& id, std::size_t i) const { return word(id.defined.at + 1 + i); }

  Result<Text> text(const Instruction& from, std::size_t first) const {
    const std::size_t begin = (from.at + first) * 4, end = (from.at + from.words) * 4;
    const auto* chars = reinterpret_cast<const char*>(bytes_.data());
    const void* zero = begin < end ? std::memchr(chars + begin, 0, end - begin) : nullptr;
    if (zero == nullptr) return wrong(from.at, "found a text without an end");
    const auto length = static_cast<std::size_t>(static_cast<const char*>(zero) - (chars + begin));
    return Text{{chars + begin, length}, from.at + first + length / 4 + 1};
  }
  std::string_view name_of(const Id& id) const {
    return id.name_at == 0 ? std::string_view()
                           : std::string_view(reinterpret_cast<const char*>(bytes_.data()) + id.name_at * 4);
  }

  Id* find(std::uint32_t id) { return id < ids_.size() ? &ids_[id] : nullptr; }
  // Returns the type of an id if it has this opcode and at least this many operands, otherwise null.
  const Id* defined(std::uint32_t id, std::uint32_t op, std::size_t operands) {
    const Id* found = find(id);
    return found != nullptr && found->defined.op == op && found->defined.words >= operands + 1 ? found : nullptr;
  }

  Result<void> read() {
    if (bytes_.size() < kHeaderWords * 4 || bytes_.size() % 4 != 0)
      return fail_at(ErrorCode::kTruncated, byte_place(bytes_.size()), "expected whole words, at least five",
                     "copy the file again");
    if (word(0) == kSwappedMagic)
      return fail(ErrorCode::kUnsupported, "is SPIR-V in the opposite byte order", "compile the shader with assetc");
    if (word(0) != kMagic) return wrong(0, "is not SPIR-V");
    // The definition of an id takes at least two words. If the header declares more ids than fit, most do not exist.
    ids_.resize(std::min<std::size_t>(word(3), words_));
    for (std::size_t at = kHeaderWords; at < words_;) {
      const Instruction next{at, word(at) & 0xffff, word(at) >> 16};
      if (next.words == 0 || next.words > words_ - at)
        return wrong(at, "found an instruction that does not fit in the module");
      if (next.op == kFunction) break;
      ASSETC_CHECK(read(next));
      at += next.words;
    }
    return {};
  }

  Result<void> read(const Instruction& in) {
    const auto has = [&](std::size_t operands) { return in.words >= operands + 1; };
    const auto at = [&](std::size_t i) { return word(in.at + 1 + i); };
    switch (in.op) {
      case kName:
        if (!has(2)) return wrong(in.at, "found a short instruction");
        ASSETC_CHECK(text(in, 2));
        if (Id* id = find(at(0))) id->name_at = in.at + 2;
        return {};
      case kEntryPoint:
        if (!has(3)) return wrong(in.at, "found a short instruction");
        if (!entry_) entry_ = in;
        return {};
      case kExecutionMode:
      case kExecutionModeId:
        if (has(5) && entry_ && at(0) == word(entry_->at + 2) && (at(1) == kLocalSize || at(1) == kLocalSizeId))
          mode_ = in;
        return {};
      case kDecorate:
        if (has(2)) decorate(at(0), at(1), has(3) ? at(2) : 0);
        return {};
      case kMemberDecorate:
        if (has(3)) decorate_member(at(0), at(1), at(2), has(4) ? at(3) : 0);
        return {};
      default:
        break;
    }
    // A forward pointer declares an id; the pointer defines it.
    const bool is_type = (in.op >= 19 && in.op < kTypeForwardPointer) || in.op == kTypeAccelerationStructure;
    const bool is_value = (in.op >= 41 && in.op <= 52) || in.op == kVariable;
    if (!is_type && !is_value) return {};
    if (!has(is_type ? 1 : 2)) return wrong(in.at, "found a short instruction");
    Id* id = find(at(is_type ? 0 : 1));
    if (id == nullptr) return wrong(in.at, "found an id beyond the bound of the module");
    if (id->defined.op != 0) return wrong(in.at, "found an id that is defined already");
    id->defined = in;
    return {};
  }

  void decorate(std::uint32_t target, std::uint32_t decoration, std::uint32_t value) {
    Id* id = find(target);
    if (id == nullptr) return;
    if (decoration == kSpecId) id->spec_id = value;
    if (decoration == kBufferBlock) id->is_buffer_block = true;
    if (decoration == kArrayStride) id->stride = value;
    if (decoration == kBuiltIn) id->built_in = value;
    if (decoration == kLocation) id->location = value;
    if (decoration == kBindingNumber) id->binding = value;
    if (decoration == kDescriptorSet) id->set = value;
  }
  void decorate_member(std::uint32_t type, std::uint32_t member, std::uint32_t decoration, std::uint32_t value) {
    if (decoration != kOffset && decoration != kMatrixStride && decoration != kRowMajor) return;
    members_.push_back({.type = type, .member = member});
    if (decoration == kOffset) members_.back().offset = value;
    if (decoration == kMatrixStride) members_.back().matrix_stride = value;
    members_.back().is_row_major = decoration == kRowMajor;
    sorted_ = false;
  }
  template <class Visit>
  void each_decorated(std::uint32_t type, const Visit& visit) {
    const auto key = [](const Member& m) { return m.type; };
    if (!sorted_) std::ranges::stable_sort(members_, {}, key);
    sorted_ = true;
    for (const Member& member : std::ranges::equal_range(members_, type, {}, key)) visit(member);
  }

  std::uint32_t default_of(const Id& id) const {
    if (id.defined.op == kSpecConstantTrue) return 1;
    return id.defined.op == kSpecConstant && id.defined.words >= 4 ? operand(id, 2) : 0;
  }
  std::optional<std::uint32_t> constant(std::uint32_t id) {
    const Id* found = find(id);
    const bool is = found != nullptr && (found->defined.op == kConstant || found->defined.op == kSpecConstant) &&
                    found->defined.words >= 4;
    return is ? std::optional(operand(*found, 2)) : std::nullopt;
  }

  void workgroup(Reflection& out) {
    if (mode_) {
      for (std::size_t i = 0; i < 3; ++i) {
        const std::uint32_t said = word(mode_->at + 3 + i);
        out.workgroup_size[i] = mode_->op == kExecutionMode ? said : constant(said).value_or(0);
      }
    }
    for (const Id& id : ids_) {
      const bool is_composite = id.defined.op == kConstantComposite || id.defined.op == kSpecConstantComposite;
      if (id.built_in != kWorkgroupSize || !is_composite || id.defined.words < 6) continue;
      for (std::size_t i = 0; i < 3; ++i) out.workgroup_size[i] = constant(operand(id, 2 + i)).value_or(0);
    }
  }

  // For a member that is a matrix.
  struct Layout {
    std::uint32_t stride = 0;
    bool is_row_major = false;
  };
  // Returns the size of a type in a block, or 0 if it has none. Saturates.
  std::uint64_t size_of(std::uint32_t type, const Layout& matrix, int depth) {
    Id* id = find(type);
    if (id == nullptr || depth == 0) return 0;
    if (id->defined.op == kTypeMatrix) return computed_size(*id, type, matrix, depth);
    if (!id->size_bytes) {
      const std::uint64_t size = computed_size(*id, type, matrix, depth);
      id->size_bytes = size;
    }
    return *id->size_bytes;
  }
  std::uint64_t computed_size(const Id& id, std::uint32_t type, const Layout& matrix, int depth) {
    constexpr std::uint64_t kMost = ~std::uint64_t{0};
    const std::size_t operands = id.defined.words - 1;
    switch (id.defined.op) {
      case kTypeInt:
      case kTypeFloat:
        return operands >= 2 ? operand(id, 1) / 8 : 0;
      case kTypeVector:
        return operands >= 3 ? checked_mul(size_of(operand(id, 1), {}, depth - 1), operand(id, 2)).value_or(kMost) : 0;
      case kTypeMatrix:
        if (operands < 3) return 0;
        if (const Id* column = defined(operand(id, 1), kTypeVector, 3); matrix.is_row_major && column != nullptr)
          return std::uint64_t{matrix.stride} * operand(*column, 2);
        return std::uint64_t{matrix.stride} * operand(id, 2);
      case kTypeArray:
        if (operands < 3) return 0;
        return checked_mul(id.stride.value_or(0), constant(operand(id, 2)).value_or(0)).value_or(kMost);
      case kTypePointer:
        return 8;  // a buffer reference
      case kTypeStruct: {
        std::vector<Layout> matrices(operands);
        std::vector<std::uint32_t> offsets(operands);
        each_decorated(type, [&](const Member& m) {
          if (m.member >= operands - 1) return;
          if (m.matrix_stride) matrices[m.member].stride = *m.matrix_stride;
          matrices[m.member].is_row_major |= m.is_row_major;
          if (m.offset) offsets[m.member] = *m.offset;
        });
        std::uint64_t size = 0;
        for (std::size_t i = 0; i + 1 < operands; ++i) {
          const std::uint64_t one = size_of(operand(id, 1 + i), matrices[i], depth - 1);
          size = std::max(size, checked_add(offsets[i], one).value_or(kMost));
        }
        return size;
      }
      default:
        return 0;
    }
  }

  // The array size of a resource, and its element type without arrays.
  struct Element {
    std::uint32_t type = 0, count = 1;
  };
  Element element_of(std::uint32_t type) {
    Element out{type, 1};
    for (int depth = 0; depth < kMaxDepth; ++depth) {
      if (const Id* array = defined(out.type, kTypeArray, 3)) {
        out.type = operand(*array, 1);
        out.count = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(std::uint64_t{out.count} * constant(operand(*array, 2)).value_or(0), 0xffffffffu));
      } else if (const Id* open = defined(out.type, kTypeRuntimeArray, 2)) {
        out.type = operand(*open, 1);
        out.count = 0;
      } else {
        break;
      }
    }
    return out;
  }

  std::optional<BindingKind> kind_of(std::uint32_t type, std::uint32_t storage) {
    if (storage == kStorageBuffer) return BindingKind::kStorageBuffer;
    if (storage == kUniform) {
      const Id* block = find(type);
      return block != nullptr && block->is_buffer_block ? BindingKind::kStorageBuffer : BindingKind::kUniformBuffer;
    }
    if (defined(type, kTypeSampler, 1) != nullptr) return BindingKind::kSampler;
    if (defined(type, kTypeAccelerationStructure, 1) != nullptr) return BindingKind::kAccelerationStructure;
    if (const Id* combined = defined(type, kTypeSampledImage, 2)) {
      const Id* image = defined(operand(*combined, 1), kTypeImage, 8);
      return image != nullptr && operand(*image, 2) == kDimBuffer ? BindingKind::kUniformTexelBuffer
                                                                  : BindingKind::kCombinedImageSampler;
    }
    const Id* image = defined(type, kTypeImage, 8);
    if (image == nullptr) return std::nullopt;
    const std::uint32_t dim = operand(*image, 2);
    const bool is_storage = operand(*image, 6) == 2;
    if (dim == kDimSubpassData) return BindingKind::kInputAttachment;
    if (dim == kDimBuffer) return is_storage ? BindingKind::kStorageTexelBuffer : BindingKind::kUniformTexelBuffer;
    return is_storage ? BindingKind::kStorageImage : BindingKind::kSampledImage;
  }

  Result<void> variable(std::uint32_t number, bool is_interface, Reflection& out) {
    const Id& id = ids_[number];
    if (id.defined.words < 4) return wrong(id.defined.at, "found a short instruction");
    const std::uint32_t storage = operand(id, 2);
    const Id* pointer = defined(operand(id, 0), kTypePointer, 3);
    if (pointer == nullptr) return wrong(id.defined.at, "found a variable whose type is not a pointer");
    const std::uint32_t type = operand(*pointer, 2);
    if (storage == kPushConstant) {
      out.push_constant_bytes = std::max(out.push_constant_bytes, size_of(type, {}, kMaxDepth));
    } else if (storage == kInput || storage == kOutput) {
      if (is_interface && id.location && !id.built_in)
        add_variable(id, type, storage == kInput ? out.inputs : out.outputs);
    } else if (id.set && id.binding) {
      const Element element = element_of(type);
      if (const auto kind = kind_of(element.type, storage)) {
        const bool is_buffer = *kind == BindingKind::kUniformBuffer || *kind == BindingKind::kStorageBuffer;
        // If a block's variable has no name, the name of its type is used.
        const Id* block = find(element.type);
        const std::string_view name = !name_of(id).empty() || block == nullptr ? name_of(id) : name_of(*block);
        out.bindings.push_back(
            {*id.set, *id.binding, *kind, element.count, is_buffer ? size_of(element.type, {}, kMaxDepth) : 0, name});
      }
    }
    return {};
  }

  void add_variable(const Id& id, std::uint32_t type, std::vector<Variable>& to) {
    Variable one{.location = *id.location, .name = name_of(id)};
    type = element_of(type).type;  // per vertex
    if (const Id* matrix = defined(type, kTypeMatrix, 3)) {
      one.columns = operand(*matrix, 2);
      type = operand(*matrix, 1);
    }
    if (const Id* vector = defined(type, kTypeVector, 3)) {
      one.components = operand(*vector, 2);
      type = operand(*vector, 1);
    }
    if (const Id* integer = defined(type, kTypeInt, 3)) {
      one.scalar = operand(*integer, 2) != 0 ? Scalar::kInt : Scalar::kUint;
      one.bits = operand(*integer, 1);
    } else if (const Id* real = defined(type, kTypeFloat, 2)) {
      one.bits = operand(*real, 1);
    } else {
      return;  // a struct: its members have the locations
    }
    to.push_back(one);
  }

  ByteSpan bytes_;
  std::size_t words_;
  std::vector<Id> ids_;
  std::vector<Member> members_;
  bool sorted_ = true;
  std::optional<Instruction> entry_, mode_;
};

}  // namespace

std::string_view to_string(BindingKind kind) {
  constexpr std::array<std::string_view, 10> kNames{"sampler",
                                                    "combined image sampler",
                                                    "sampled image",
                                                    "storage image",
                                                    "uniform texel buffer",
                                                    "storage texel buffer",
                                                    "uniform buffer",
                                                    "storage buffer",
                                                    "input attachment",
                                                    "acceleration structure"};
  return kNames[static_cast<std::size_t>(kind)];
}

Result<Reflection> reflect(ByteSpan module) { return Module(module).reflect(); }

}  // namespace assetc::spirv
