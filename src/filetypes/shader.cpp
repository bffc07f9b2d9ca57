// .spv.
#include "shader/shader.hpp"

#include "assetc/formats/spirv.hpp"
#include "base/size_text.hpp"
#include "filetypes/readers.hpp"
#include "text/format.hpp"

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

std::vector<Facts> rows(const std::vector<spirv::Binding>& bindings) {
  std::vector<Facts> rows;
  for (const spirv::Binding& b : bindings) {
    Facts& row = rows.emplace_back();
    row.add("set", std::uint64_t{b.set}, formatted("set {} binding {}", b.set, b.binding));
    row.add("binding", std::uint64_t{b.binding});
    row.add("kind", std::string(to_string(b.kind)), std::string(to_string(b.kind)));
    row.add("count", std::uint64_t{b.count}, b.count != 1 ? formatted("array of {}", b.count) : "");
    row.add("size_bytes", b.size_bytes, b.size_bytes > 0 ? size_text(b.size_bytes) : "");
    row.add("name", std::string(b.name), std::string(b.name));
  }
  return rows;
}

std::vector<Facts> rows(const std::vector<spirv::Variable>& variables) {
  static constexpr std::string_view kScalars[] = {"float", "int", "uint"};
  std::vector<Facts> rows;
  for (const spirv::Variable& v : variables) {
    Facts& row = rows.emplace_back();
    const std::string_view scalar = kScalars[static_cast<std::size_t>(v.scalar)];
    row.add("location", std::uint64_t{v.location}, formatted("location {}", v.location));
    const std::string columns = v.columns > 1 ? formatted("{}x", v.columns) : "";
    row.add("scalar", std::string(scalar), formatted("{}{} {}{}", columns, v.components, scalar, v.bits));
    row.add("bits", std::uint64_t{v.bits}).add("components", std::uint64_t{v.components});
    row.add("columns", std::uint64_t{v.columns}).add("name", std::string(v.name), std::string(v.name));
  }
  return rows;
}

std::vector<Facts> rows(const std::vector<spirv::SpecConstant>& constants) {
  std::vector<Facts> rows;
  for (const spirv::SpecConstant& c : constants) {
    Facts& row = rows.emplace_back();
    row.add("id", std::uint64_t{c.id}, formatted("id {}", c.id)).add("default_bits", std::uint64_t{c.default_bits});
    row.add("name", std::string(c.name), std::string(c.name));
  }
  return rows;
}

std::string_view stage_name(spirv::Stage stage) {
  switch (stage) {
    case spirv::Stage::kVertex:
      return "vertex";
    case spirv::Stage::kTessControl:
      return "tessellation control";
    case spirv::Stage::kTessEvaluation:
      return "tessellation evaluation";
    case spirv::Stage::kGeometry:
      return "geometry";
    case spirv::Stage::kFragment:
      return "fragment";
    case spirv::Stage::kCompute:
      return "compute";
    case spirv::Stage::kTask:
      return "task";
    case spirv::Stage::kMesh:
      return "mesh";
    case spirv::Stage::kRayGeneration:
      return "ray generation";
    case spirv::Stage::kIntersection:
      return "intersection";
    case spirv::Stage::kAnyHit:
      return "any hit";
    case spirv::Stage::kClosestHit:
      return "closest hit";
    case spirv::Stage::kMiss:
      return "miss";
    case spirv::Stage::kCallable:
      return "callable";
  }
  return "other";
}

Result<FileContent> inspect_spirv(ByteSpan file) {
  ASSETC_CHECK(open_spirv(file));
  ASSETC_TRY(const spirv::Reflection wants, spirv::reflect(file));
  const std::uint32_t number = version_of(file);
  const std::string version = formatted("SPIR-V {}.{}", number >> 16 & 0xff, number >> 8 & 0xff);
  const auto [x, y, z] = wants.workgroup_size;
  Facts facts;
  facts.add("version", version, version).count("words", file.size() / 4, "word");
  facts.add("entry_point", std::string(wants.entry_point),
            wants.entry_point.empty() ? "" : formatted("{} shader {}", stage_name(wants.stage), wants.entry_point));
  facts.add("execution_model", std::uint64_t{static_cast<std::uint32_t>(wants.stage)});
  facts.add("workgroup_size", std::vector<double>{double(x), double(y), double(z)},
            wants.workgroup_size == std::array{1u, 1u, 1u} ? "" : formatted("work groups of {}x{}x{}", x, y, z));
  facts.add("push_constant_bytes", wants.push_constant_bytes,
            wants.push_constant_bytes > 0 ? size_text(wants.push_constant_bytes) + " of push constants" : "");
  facts.table("bindings", rows(wants.bindings), "binding").table("inputs", rows(wants.inputs), "input");
  facts.table("outputs", rows(wants.outputs), "output");
  return facts.table("spec_constants", rows(wants.spec_constants), "specialization constant");
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
