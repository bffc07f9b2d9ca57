// A recipe is a pure function from inputs to outputs; the engine (src/engine) owns the disk.
//
// A recipe never opens a file and never writes one. It reads through the Inputs it is handed, so every byte it saw,
// and every file it looked for and did not find, is known to the engine: that is the dependency list. Caching,
// parallelism, determinism and atomic publishing follow from that one rule.
//
// To add an asset kind: write recipes/<kind>.cpp that defines one `const Recipe`, and name it in
// recipes/all_recipes.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/base/uuid.hpp"
#include "assetc/formats/hman.hpp"
#include "recipes/settings.hpp"
#include "texture/rdo_report.hpp"
#include "warnings/warnings.hpp"

namespace assetc::recipes {

struct Recipe;

// A program that cooks run. Asking it takes long, so it is asked only when its signature is not the one last seen.
struct Program {
  std::string_view name;
  std::string (*signature)();  // of its file, at the cost of a look; empty where there is none
  std::string (*version)();    // one line for people; two programs that may act differently differ in it
};

// What a source file becomes on its own.
struct SourceAsset {
  const Recipe* recipe = nullptr;           // that takes it
  TextureUsage mode = TextureUsage::kAuto;  // of its claim
  std::string stem;
  std::uint64_t ref = 0;  // how the target's files refer to it
};

// The only door to source files, and where a cook says what else it depends on. Paths are '/'-separated and relative to
// the input root; one that is absolute or climbs out of the root is refused with kInvalidData. Not thread-safe: one
// Inputs serves one cook call.
class Inputs {
 public:
  virtual ~Inputs() = default;
  // The bytes of a file. kNotFound when it is not there (the engine remembers that the recipe looked).
  virtual Result<Bytes> read(std::string_view path) = 0;
  // The first size bytes of a file, at least, and zeros in place of those that were not read: for estimates, which must
  // not hold a file for the sake of its header.
  virtual Result<Bytes> head(std::string_view path, std::size_t /*size*/) { return read(path); }
  // Whether a file is there; tracked like a read, but of its existence alone.
  virtual bool exists(std::string_view path) = 0;
  // Names (not paths) of the files directly in a directory, sorted by byte value; tracked as a listing.
  virtual Result<std::vector<std::string>> list(std::string_view directory) = 0;
  // What a file becomes on its own; nothing where no file is there or no recipe takes it. Tracked: the step runs again
  // when the answer differs. A product that refers to it names its stem among its references.
  virtual std::optional<SourceAsset> asset(std::string_view path) = 0;
  // How the target's files refer to what this step or a child of it makes under a stem.
  virtual std::uint64_t ref(std::string_view stem) = 0;
  // Who an asset is: a source by its path, what is inside one by path, '#', type, '/' and its number among those of its
  // type ("models/chair.gltf#Material/2"). Or what a .meta calls an asset: the text of a UUID or a virtual path, also
  // one that it had before. Nothing where the target has no UUIDs, or this asset none. Tracked like asset().
  virtual std::optional<Uuid> uuid(std::string_view /*asset*/) { return std::nullopt; }
  // The source that has a UUID of its own; nothing for what is inside one. Not tracked: who asks has the UUID from
  // uuid(), and asks asset() for the path.
  virtual std::optional<std::string> path_of(const Uuid& /*source*/) { return std::nullopt; }
  // Says that the cook is about to run a program of its recipe: the step runs again when that is another one.
  virtual void runs(const Program&) {}
};

enum class Severity : std::uint8_t { kNote, kWarning, kError };

// Something to tell the user. An empty Error::file means the step's own source; the engine fills it in.
// A warning has a kind: it is made of one, and a severity alone makes notes and errors only.
struct Diagnostic {
  class Unkinded {
   public:
    consteval Unkinded(Severity severity) : severity_(severity) {
      if (severity == Severity::kWarning) throw "a warning is made of its kind";
    }
    operator Severity() const { return severity_; }

   private:
    Severity severity_;
  };

  Diagnostic(Warning warning) : severity(Severity::kWarning), kind(warning.kind), what(std::move(warning)) {}
  Diagnostic(WarningKind of, Error error) : severity(Severity::kWarning), kind(of), what(std::move(error)) {}
  Diagnostic(Unkinded of, Error error) : severity(of), what(std::move(error)) {}
  // As it was remembered; a warning without a kind is none.
  static std::optional<Diagnostic> remembered(Severity severity, std::optional<WarningKind> kind, Error error) {
    if (severity != Severity::kWarning)
      return severity == Severity::kNote ? Diagnostic(Severity::kNote, std::move(error))
                                         : Diagnostic(Severity::kError, std::move(error));
    return kind ? std::optional(Diagnostic(*kind, std::move(error))) : std::nullopt;
  }

  Severity severity;
  std::optional<WarningKind> kind;  // of a warning
  Error what;
};
inline Diagnostic warning(WarningKind kind, ErrorCode code, std::string place, std::string what,
                          std::string hint = {}) {
  return {kind, Error{code, {}, std::move(place), std::move(what), std::move(hint)}};
}

using Params = std::map<std::string, std::string, std::less<>>;  // sorted: part of the key

// How a step's params tell its mode: params["mode"]. What texels are for is the one mode that recipes know.
inline constexpr std::string_view kModeParam = "mode";
constexpr std::string_view mode_name(TextureUsage mode) {  // empty for kAuto
  return mode == TextureUsage::kAuto ? std::string_view() : to_string(mode);
}
Params mode_params(TextureUsage mode);  // none for kAuto

struct ContainerSet;                           // containers.hpp
extern const ContainerSet kRuntimeContainers;  // what engines mount: .ktx2 .hmesh .hmat .hanim
extern const ContainerSet kCookedContainers;   // AAS1 blobs, one an asset; a step's stem is the UUID of its source

// One unit of work: a recipe applied to one source (or to bytes found inside one).
struct Step {
  const Recipe* recipe = nullptr;
  std::string source;      // for people: "models/chair.glb", "models/chair.glb image 3 (wood.png)"; not part of the key
  std::string input_path;  // the primary input, a file or directory; empty when inline_input is the input
  Bytes inline_input;
  std::string stem;   // runtime-relative output path before an Output's suffix: "models/chair", "models/chair/tex_3"
  Settings settings;  // only the groups that the recipe uses are part of the key
  Params pins;        // of a child: settings by key that hold whatever its rules say; the rest are those of its parent
  Params params;      // what a parent step or a claim says beyond settings, e.g. {"mode", "normal"}
  bool listed = false;               // whether its outputs go into assets.hman; not part of the key
  std::uint64_t reserved_bytes = 0;  // as an earlier cook asked (Product::needs_bytes), or 0; not part of the key
  const ContainerSet* containers = &kRuntimeContainers;  // what its values are written as; not part of the key

  // The primary input, read through the engine where it is a file.
  Result<Bytes> input(Inputs& inputs) const {
    return input_path.empty() ? Result<Bytes>(inline_input) : inputs.read(input_path);
  }
  Result<Bytes> head(Inputs& inputs, std::size_t size) const {
    return input_path.empty() ? Result<Bytes>(inline_input) : inputs.head(input_path, size);
  }
};

// What assets.hman says of an output.
using AssetKind = hman::Kind;
inline constexpr AssetKind kLastAssetKind = hman::kLastKind;

// What an index says of an output, so that nobody opens the file to know it.
struct Descriptor {
  AssetKind kind = AssetKind::kEmbed;
  bool srgb = false;  // of a texture: its texels are stored in sRGB's transfer function
  bool operator==(const Descriptor&) const = default;
};

struct Output {
  std::string suffix;  // appended to the step's stem: ".hmesh", ".ktx2", "/vertex.spv"
  Bytes bytes;
  Descriptor descriptor;
};

// What a cook measured, for people. The engine hands it on without looking.
using Statistic = std::variant<texture::RdoReport>;

template <class T>
const T* find_statistic(std::span<const Statistic> statistics) {
  for (const Statistic& statistic : statistics) {
    if (const T* found = std::get_if<T>(&statistic)) return found;
  }
  return nullptr;
}

struct Product {
  std::vector<Output> outputs;
  std::vector<Step> steps;              // further work this step asks for (one a glTF image), under the rules of this
                                        // step's source and their own pins; their settings are not read
  std::vector<std::string> references;  // stems of textures that another source must make and the index must list
  std::vector<Diagnostic> diagnostics;
  std::vector<Statistic> statistics;
  // Not 0: nothing is made, for it takes so many bytes, more than estimated; it is cooked again with those reserved.
  std::uint64_t needs_bytes = 0;
};

// A pattern of sources that a recipe takes. The longest matching suffix of all recipes wins; ASCII case is ignored.
struct Claim {
  std::string_view suffix;                  // ".n.png", ".shader"
  bool directory = false;                   // the source is a directory; files below it are not sources of their own
  std::string_view strip;                   // removed from the end of the path to give the stem: ".png", ".array"
  std::string_view append = {};             // then added: ".arr"
  TextureUsage mode = TextureUsage::kAuto;  // becomes params["mode"] where it is not kAuto
};

struct Recipe {
  std::string_view name;  // "texture"
  std::uint32_t version;  // raise it when the outputs for the same inputs change: every key changes with it
  std::span<const Claim> claims;
  std::span<const std::string_view> setting_groups;  // the groups whose settings it reads: {"texture"}
  bool stem_matters;  // true where outputs depend on the step's stem (a mesh hashes its refs): then it is in the key
  // Pure: same step and input bytes, same product. Called from any thread, many at once.
  Result<Product> (*cook)(const Step&, Inputs&);
  // An upper estimate of the bytes that cook and programs that it runs hold at its peak, outputs included; may read
  // headers through inputs.
  std::uint64_t (*estimate_peak_bytes)(const Step&, Inputs&);
  // Reports the linked libraries that can change a byte of the outputs, a line "name=version" each: part of every key.
  std::string (*libraries)() = nullptr;
  std::span<const Program* const> programs = {};  // that cooks may run
  // The mode of a source, where its path and settings have a say in it; null: that of its claim.
  TextureUsage (*mode_of)(std::string_view path, const Claim&, const Settings&) = nullptr;
  // What settings say that a source is for, where a step asks for it in another mode, which wins; kAuto where they
  // agree or say nothing. Null: always.
  TextureUsage (*overruled)(const Settings&, TextureUsage mode) = nullptr;
  bool takes_sources = false;  // its products may ask for steps on other sources, or refer to what those make
  // Whether a source under these settings is a step of its own even where a step of another asks for one on it, and no
  // product refers to what it makes. Null: always.
  bool (*stands_alone)(const Settings&) = nullptr;
  // Files that an input names, as far as a look at its head tells. What it is wrong about costs time alone: which shard
  // compiles a picture, and how long its model is thought to take. Null: none.
  std::vector<std::string> (*named_files)(const Step&, Inputs&) = nullptr;
  // What a cook of so many bytes of input takes on one core, roughly; null: kUsualNsPerByte of each.
  std::uint64_t (*estimate_ns)(std::string_view path, std::uint64_t input_bytes, const Settings&) = nullptr;
  // The same, as a look at its head tells, with what it asks for that is inside it; nothing where its size tells as
  // much.
  std::optional<std::uint64_t> (*estimate_head_ns)(const Step&, Inputs&, const Settings&) = nullptr;
};

// Of PNG pictures, models and sounds alike, within a factor of three.
inline constexpr std::uint64_t kUsualNsPerByte = 100;

// The output path of a source before an output's suffix: its path, strip removed, append added.
std::string stem_of(std::string_view path, const Claim& claim);
// What a file of that name becomes, the longest suffix of all recipes' claims deciding; under its settings; without its
// ref.
std::optional<SourceAsset> asset_of(std::span<const Recipe* const> recipes, std::string_view path,
                                    const Settings& settings = {});

// A recipe's longest claim of a file of that name, or null.
const Claim* file_claim(const Recipe& recipe, std::string_view path);

// Every recipe, in a fixed order.
std::span<const Recipe* const> all_recipes();
// Those of a cook: also of sounds, which the runtime target has no container for.
std::span<const Recipe* const> cooked_recipes();
const Recipe* find_recipe(std::string_view name);

}  // namespace assetc::recipes
