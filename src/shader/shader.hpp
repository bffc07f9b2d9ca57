// Compiles shader source to SPIR-V: GLSL and HLSL with shaderc, HLSL with dxc if it is installed, Slang
// with slangc.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"

namespace assetc::shader {

enum class Language : std::uint8_t { kGlsl, kHlsl, kSlang, kSpirv };
enum class Stage : std::uint8_t {
  kVertex,
  kTessControl,
  kTessEvaluation,
  kGeometry,
  kFragment,
  kCompute,
  kTask,
  kMesh,
  kRayGeneration,
  kAnyHit,
  kClosestHit,
  kMiss,
  kIntersection,
  kCallable
};
// The Vulkan version that SPIR-V is written for and validated against: SPIR-V 1.0, 1.3, 1.5 and 1.6.
enum class Target : std::uint8_t { kVulkan10, kVulkan11, kVulkan12, kVulkan13 };

// "vertex", "fragment" ...: the name of an output file.
std::string_view to_string(Stage stage);
constexpr bool is_of_ray_tracing(Stage stage) { return stage >= Stage::kRayGeneration; }

struct StageFile {
  Stage stage;
  Language language;
};
// Classifies a file of a shader folder by its name; empty for a file that is not a stage (an include).
//   vertex.glsl vertex.hlsl vertex.slang vertex.spv   the stem is the stage (vert, frag, comp ... are accepted too)
//   anything.vert .frag .comp .geom .tesc .tese .mesh .task   GLSL, the extension is the stage
//   anything.rgen .rahit .rchit .rmiss .rint .rcall           the same
//   anything.vert.glsl anything.frag.hlsl ...                 the language by the extension
std::optional<StageFile> classify(std::string_view file_name);

// The compiler of HLSL. kAuto: dxc if it is on PATH, otherwise glslang.
enum class HlslCompiler : std::uint8_t { kAuto, kDxc, kGlslang };

// Where the registers of HLSL begin in their set: t3 is the binding t + 3. The set is the register's space. The
// defaults keep the registers of Direct3D 11 apart: b0 to b13, s0 to s15, t0 to t127, u0 to u63.
struct Registers {
  std::uint32_t b = 0, s = 16, t = 32, u = 160;
  bool operator==(const Registers&) const = default;
};
inline constexpr std::uint32_t kMaxFirstRegister = 30'000;

// The name of an entry point, in a form that can be sent to another process.
struct EntryName {
  static constexpr std::size_t kMaxBytes = 127;
  static constexpr bool fits(std::string_view name) { return name.size() <= kMaxBytes; }
  // Requires fits(name).
  static EntryName of(std::string_view name) {
    EntryName out;
    out.text = {};
    std::ranges::copy(name.substr(0, kMaxBytes), out.text.begin());
    return out;
  }
  std::string_view view() const { return text.data(); }
  std::array<char, kMaxBytes + 1> text{'m', 'a', 'i', 'n'};
};

struct Options {
  Stage stage = Stage::kVertex;
  Language language = Language::kGlsl;
  Target target = Target::kVulkan12;
  bool optimize = true;
  bool debug = false;
  HlslCompiler hlsl = HlslCompiler::kAuto;
  Registers registers{};           // of HLSL
  EntryName entry{};               // of HLSL and Slang
  std::uint64_t memory_bytes = 0;  // memory limit of the compiler; 0: the maximum
};

// Memory limits of a compiler: the first one tried, which is enough for almost all sources, and the maximum.
struct CompilerMemory {
  std::uint64_t usual_bytes;
  std::uint64_t most_bytes;
};
CompilerMemory memory_of(Language language, HlslCompiler hlsl = HlslCompiler::kAuto);

// Reads a file that the source includes; the path is relative to the input root, '/'-separated and normalized.
using ReadFile = std::function<Result<Bytes>(std::string_view path)>;

struct Compiled {
  ByteVector spirv;             // little-endian words, validated
  std::vector<Error> warnings;  // each with its file and line
  bool needs_memory = false;    // memory_bytes was not enough and is below the maximum; the rest is empty
};

// Compiles one stage. The module's entry point has the name of the source's.
//
// path is the path of the source relative to the input root. It appears in messages. #include "x" is searched next to
// the source first, then in the input root; #include <x> in the root only. An include never leaves the root. Pure for
// GLSL; HLSL depends on the installed dxc, and Slang on the installed slangc. Thread-safe.
// Errors:
// - the compiler's first message with its file and line, and the number of further ones
// - kNotFound: slangc, or dxc where hlsl asks for it, is not installed
// - kUnsupported: the stage needs dxc, which is not installed
// - kInvalidData: the SPIR-V breaks a rule of its target, which the message names
// - kConflict: two descriptors at one place (bindings.hpp)
Result<Compiled> compile(std::string_view path, ByteSpan file, const Options& options, const ReadFile& read);

// Checks the rules of the SPIR-V specification and of the target's Vulkan version, and that no two descriptors are at
// one place.
Result<void> validate_spirv(ByteSpan spirv, Target target);

}  // namespace assetc::shader
