// Shader source to SPIR-V: GLSL and HLSL through shaderc, Slang through the slangc program.
#pragma once

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
  kMesh
};
// The Vulkan version whose SPIR-V is written and validated against: SPIR-V 1.0, 1.3, 1.5 and 1.6.
enum class Target : std::uint8_t { kVulkan10, kVulkan11, kVulkan12, kVulkan13 };

// "vertex", "fragment" ...: the name of an output file and of slangc's -stage.
std::string_view to_string(Stage stage);

struct StageFile {
  Stage stage;
  Language language;
};
// What a file of a shader folder is, by its name alone; nothing for a file that is not a stage (an include).
//   vertex.glsl vertex.hlsl vertex.slang vertex.spv   the stage is the stem (vert, frag, comp ... are taken too)
//   anything.vert .frag .comp .geom .tesc .tese .mesh .task   GLSL, the stage is the extension
std::optional<StageFile> classify(std::string_view file_name);

struct Options {
  Stage stage = Stage::kVertex;
  Language language = Language::kGlsl;
  Target target = Target::kVulkan12;
  bool optimize = true;
  bool debug = false;
  std::uint64_t memory_bytes = 0;  // that the compiler may take; 0: the most it ever may
};

// What a compiler may take: what it is given first, which all but a few sources need less than, and the most.
struct CompilerMemory {
  std::uint64_t usual_bytes;
  std::uint64_t most_bytes;
};
CompilerMemory memory_of(Language language);

// Reads a file that the source includes; the path is relative to the input root, '/'-separated and normalized.
using ReadFile = std::function<Result<Bytes>(std::string_view path)>;

struct Compiled {
  ByteVector spirv;             // little-endian words, validated
  std::vector<Error> warnings;  // each with its file and line
  bool needs_memory = false;    // Options::memory_bytes, less than the most, did not do: there is nothing else here
};

// Compiles one stage; its entry point is main.
//
// path is the source's own, relative to the input root: it appears in messages and #include "x" is looked up beside it
// first, then in the input root; #include <x> in the root alone. An include never leaves the root.
// Errors: the compiler's first message with its file and line, and how many follow; kNotFound when slangc is not
// installed; kInvalidData when the SPIR-V breaks a rule of its target (the rule is named).
// Pure for GLSL and HLSL; Slang depends on the installed slangc. Thread-safe.
Result<Compiled> compile(std::string_view path, ByteSpan source, const Options& options, const ReadFile& read);

// The rules of the SPIR-V specification and of the target's Vulkan version.
Result<void> validate_spirv(ByteSpan spirv, Target target);

}  // namespace assetc::shader
