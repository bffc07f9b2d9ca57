// A recipe is a pure function from inputs to outputs; the engine (src/engine) does all disk access.
//
// A recipe never opens or writes a file. It reads only through the Inputs that it is given. The engine thus knows every
// byte that the recipe read, and every file that it looked for and did not find: that is the dependency list. Caching,
// parallelism, determinism and atomic publishing all follow from that rule.
//
// To add an asset kind: write recipes/<kind>.cpp that defines one `const Recipe`, and name it in
// recipes/all_recipes.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/hash.hpp"
#include "assetc/base/result.hpp"
#include "assetc/base/uuid.hpp"
#include "assetc/formats/hman.hpp"
#include "recipes/settings.hpp"
#include "texture/graphics_report.hpp"
#include "texture/rdo_report.hpp"
#include "warnings/warnings.hpp"

namespace assetc::recipes {

struct Recipe;
struct Step;
struct Product;

// An external program that cooks run. Asking for its version is slow, so that happens only if its signature has
// changed.
struct Program {
  std::string_view name;
  std::string (*signature)();  // identifies the program's file, cheap to get; empty if there is no program
  std::string (*version)();    // one readable line; it differs between programs that may behave differently
};

// Whether a build has a color or normal map of a set of pictures: has_set("wood/planks"). See picture_set(). May be
// empty: it has none.
using HasSet = std::function<bool(std::string_view set)>;

// The result of compiling a source file on its own.
struct SourceAsset {
  const Recipe* recipe = nullptr;           // the recipe that accepts it
  TextureUsage mode = TextureUsage::kAuto;  // the mode of its claim
  std::string stem;
  std::uint64_t ref = 0;  // the target's reference to it
};

// What makes the texture of a picture that a model uses: a child step, or the picture as a source of its own.
enum class TextureMaker : std::uint8_t { kStep, kSource };

// The only access to source files and other dependencies of a cook. Paths are '/'-separated and relative to the input
// root. Absolute paths and paths that leave the root are refused with kInvalidData. Not thread-safe: one Inputs serves
// one cook call.
class Inputs {
 public:
  virtual ~Inputs() = default;
  // The bytes of a file. kNotFound if it does not exist (the engine records that the recipe looked for it).
  virtual Result<Bytes> read(std::string_view path) = 0;
  // At least the first size bytes of a file, followed by zeros in place of bytes that were not read. For estimates,
  // which must not load a whole file only for its header.
  virtual Result<Bytes> head(std::string_view path, std::size_t /*size*/) { return read(path); }
  // Whether a file exists. Tracked like a read, but only for existence.
  virtual bool exists(std::string_view path) = 0;
  // Names (not paths) of the files directly in a directory, sorted by byte value. Tracked as a listing.
  virtual Result<std::vector<std::string>> list(std::string_view directory) = 0;
  // The paths of all files of the project whose names have the same loose_name(), sorted by byte value. Tracked: the
  // step runs again if such a file comes or goes.
  virtual std::vector<std::string> named(std::string_view /*name*/) { return {}; }
  // The result of a file on its own; empty if the file does not exist or no recipe accepts it. Tracked: the step runs
  // again if the answer changes. A product that refers to the result lists its stem in its references.
  virtual std::optional<SourceAsset> asset(std::string_view path) = 0;
  // The target's reference to an output that this step or a child of it makes under a stem.
  virtual std::uint64_t ref(std::string_view stem) = 0;
  // The UUID of an asset. asset is one of:
  // - the path of a source
  // - for an asset inside a source: path, '#', type, '/' and its number among those of its type
  //   ("models/chair.gltf#Material/2")
  // - a name from a .meta: the text of a UUID, or a virtual path, current or former
  //
  // Empty if the target has no UUIDs, or the asset has none. Tracked like asset().
  virtual std::optional<Uuid> uuid(std::string_view /*asset*/) { return std::nullopt; }
  // The source with this UUID; empty for an asset inside a source. Not tracked: the caller has the UUID from uuid(),
  // and passes the path to asset().
  virtual std::optional<std::string> path_of(const Uuid& /*source*/) { return std::nullopt; }
  // The type of an asset of the game that this build extends ("Texture2D"); empty if no such asset has this UUID. Not
  // tracked: the caller has the UUID from uuid().
  virtual std::string_view base_type(const Uuid& /*asset*/) { return {}; }
  // Decides what makes the texture that a child step would make. If the settings share textures (texture.share), the
  // step gets a stem that depends on its picture, use and settings alone, and params and pins that several sources can
  // agree on. kSource: the picture of the step becomes the same texture under the stem that the step now has, so the
  // step is not needed. Tracked.
  // Errors: kConflict: the input has a folder where the shared textures would be.
  virtual Result<TextureMaker> share(Step& /*child*/) { return TextureMaker::kStep; }
  // Declares that the cook is about to run a program of its recipe. The step runs again if that program changes.
  virtual void runs(const Program&) {}
  // The product of another step, whose input is inline and which reads no files. The engine may take it from a store,
  // so that a cook with an expensive part need not repeat it. Child steps are ignored. Unlike the functions above, this
  // one is thread-safe.
  virtual Result<Product> make(const Step& step);
};

enum class Severity : std::uint8_t { kNote, kWarning, kError };

// A message to the user. An empty Error::file means the step's own source; the engine fills it in. A warning is
// constructed from its kind; a severity alone makes only notes and errors.
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
  // Restores a stored diagnostic; empty for a warning without a kind.
  static std::optional<Diagnostic> remembered(Severity severity, std::optional<WarningKind> kind, Error error) {
    if (severity != Severity::kWarning)
      return severity == Severity::kNote ? Diagnostic(Severity::kNote, std::move(error))
                                         : Diagnostic(Severity::kError, std::move(error));
    return kind ? std::optional(Diagnostic(*kind, std::move(error))) : std::nullopt;
  }

  Severity severity;
  std::optional<WarningKind> kind;  // for warnings
  Error what;
  // Of an error: the paths for `ignore:` that leave its source out, or the sources that use it. The engine fills it in.
  std::vector<std::string> ignore = {};
};
inline Diagnostic warning(WarningKind kind, ErrorCode code, std::string place, std::string what,
                          std::string hint = {}) {
  return {kind, Error{code, {}, std::move(place), std::move(what), std::move(hint)}};
}

using Params = std::map<std::string, std::string, std::less<>>;  // sorted: part of the key

// The param that holds a step's mode. The intended use of texels is the only mode that recipes have.
inline constexpr std::string_view kModeParam = "mode";
constexpr std::string_view mode_name(TextureUsage mode) {  // empty for kAuto
  return mode == TextureUsage::kAuto ? std::string_view() : to_string(mode);
}
Params mode_params(TextureUsage mode);  // empty for kAuto
// The mode in params; kAuto for none.
TextureUsage mode_in(const Params& params);
// A param without a value: a normal map whose name says that Y points down, as DirectX has it.
inline constexpr std::string_view kYDownParam = "y_down";
// A picture that is color because no set needs the word at the end of its name: that word ("mask").
inline constexpr std::string_view kNounParam = "noun";
// A picture that no model uses, under texture.compress: auto.
inline constexpr std::string_view kAloneParam = "alone";
// The content of the picture of a shared texture, as a hash. It identifies the input of the step, instead of its bytes.
inline constexpr std::string_view kContentParam = "content";
// The folder of shared textures.
inline constexpr std::string_view kSharedFolder = "shared";

struct ContainerSet;                           // containers.hpp
extern const ContainerSet kRuntimeContainers;  // the files that engines mount: .ktx2 .hmesh .hmat .hanim
extern const ContainerSet kMeshContainers;     // the same without scenes: each model becomes one mesh
extern const ContainerSet kClusterContainers;  // the same, and every mesh as .hcluster
extern const ContainerSet kCookedContainers;  // AAS1 blobs, one for each asset; a step's stem is the UUID of its source

// One unit of work: a recipe applied to one source, or to bytes embedded in one.
struct Step {
  const Recipe* recipe = nullptr;
  std::string source;      // for people: "models/chair.glb", "models/chair.glb image 3 (wood.png)"; not part of the key
  std::string input_path;  // the primary input, a file or directory; empty when inline_input is the input
  Bytes inline_input;
  std::string stem;   // runtime-relative output path before an Output's suffix: "models/chair", "models/chair/tex_3"
  Settings settings;  // only the groups that the recipe uses are part of the key
  Params pins;  // for a child step: settings by key that override its rules; all other settings are those of its parent
  Params params;        // values from a parent step or a claim, in addition to settings, e.g. {"mode", "normal"}
  bool listed = false;  // whether others refer to its outputs by their hashes in assets.hman; not part of the key
  std::uint64_t reserved_bytes = 0;  // the need of an earlier cook (Product::needs_bytes), or 0; not part of the key
  // Only the child steps are wanted, and they must be the same as without this. A recipe may leave out all other work.
  // Not part of the key.
  bool only_children = false;
  const ContainerSet* containers = &kRuntimeContainers;  // how its values are written; not part of the key

  // The primary input, read through the engine if it is a file.
  Result<Bytes> input(Inputs& inputs) const {
    return input_path.empty() ? Result<Bytes>(inline_input) : inputs.read(input_path);
  }
  Result<Bytes> head(Inputs& inputs, std::size_t size) const {
    return input_path.empty() ? Result<Bytes>(inline_input) : inputs.head(input_path, size);
  }
};

// The kind of an output in assets.hman.
using AssetKind = hman::Kind;
inline constexpr AssetKind kLastAssetKind = hman::kLastKind;

// The entry of an output in an index, so that readers need not open the file to know it.
struct Descriptor {
  AssetKind kind = AssetKind::kEmbed;
  bool srgb = false;  // for a texture: texels are stored with sRGB's transfer function
  bool operator==(const Descriptor&) const = default;
};

struct Output {
  std::string suffix;  // appended to the step's stem: ".hmesh", ".ktx2", "/vertex.spv"
  Bytes bytes;
  Descriptor descriptor;
};

// A measurement of a cook, for display. The engine passes it on without using it.
using Statistic = std::variant<texture::RdoReport, texture::GraphicsReport>;

template <class T>
const T* find_statistic(std::span<const Statistic> statistics) {
  for (const Statistic& statistic : statistics) {
    if (const T* found = std::get_if<T>(&statistic)) return found;
  }
  return nullptr;
}

struct Product {
  std::vector<Output> outputs;
  std::vector<Step> steps;  // child steps (one for each image of a glTF). They use the rules of this step's source and
                            // their own pins; their settings are ignored
  std::vector<std::string> references;  // stems of textures that another source must make and the index must list
  std::vector<Diagnostic> diagnostics;
  std::vector<Statistic> statistics;
  // If not 0, there are no outputs: the cook needs this many bytes, more than estimated. It is cooked again with them
  // reserved.
  std::uint64_t needs_bytes = 0;
};

// A pattern of sources that a recipe accepts. The longest matching suffix of all recipes wins; ASCII case is ignored.
struct Claim {
  std::string_view suffix;                  // ".n.png", ".shader"
  bool directory = false;                   // the source is a directory; files in it are not sources themselves
  std::string_view strip;                   // removed from the end of the path to give the stem: ".png", ".array"
  std::string_view append = {};             // then added: ".arr"
  TextureUsage mode = TextureUsage::kAuto;  // becomes params["mode"] unless it is kAuto
};

// The approximate time on one core of a cook and of the child steps for data inside its input.
struct HeadEstimate {
  std::uint64_t own_ns = 0;
  std::uint64_t children_ns = 0;  // of all children together
  std::uint64_t children = 0;     // how many there are
};

struct Recipe {
  std::string_view name;  // "texture"
  std::uint32_t version;  // raise it if the outputs for the same inputs change: every key changes with it
  std::span<const Claim> claims;
  std::span<const std::string_view> setting_groups;  // the groups of settings that it reads: {"texture"}
  bool stem_matters;  // true if outputs depend on the step's stem (a mesh hashes its refs): the stem is then part of
                      // the key
  // Pure: the same step and input bytes give the same product. Called from any thread, many at once.
  Result<Product> (*cook)(const Step&, Inputs&);
  // An upper estimate of the peak memory of cook and the programs that it runs, outputs included, in bytes. May read
  // headers through inputs.
  std::uint64_t (*estimate_peak_bytes)(const Step&, Inputs&);
  // The linked libraries that can change a byte of the outputs, one line "name=version" each. Part of every key.
  std::string (*libraries)() = nullptr;
  std::span<const Program* const> programs = {};  // the programs that cooks may run
  // The params of a source, its mode among them, if its path and settings can change them; null: always the mode of its
  // claim. has_set: the sets of the build.
  Params (*params_of)(std::string_view path, const Claim&, const Settings&, const HasSet& has_set) = nullptr;
  // If a step requests a source in one mode and the settings name another use, the step's mode wins. Returns the
  // overruled use of the settings, or kAuto if they agree or name none. Null: always kAuto.
  TextureUsage (*overruled)(const Settings&, TextureUsage mode) = nullptr;
  bool takes_sources = false;  // its products may contain steps on other sources, or refer to their outputs
  // Whether a source with these settings is compiled on its own even if a step of another source compiles it and no
  // product refers to its own output. Null: always.
  bool (*stands_alone)(const Settings&) = nullptr;
  // A hash of what an input decodes to: inputs with equal hashes give equal outputs. Null: steps are not shared.
  ContentHash (*content_of)(ByteSpan input) = nullptr;
  // Files that an input names, found by reading its head. A wrong answer costs only time: it affects which shard
  // compiles a picture, and the estimated time of its model. Null: none.
  std::vector<std::string> (*named_files)(const Step&, Inputs&) = nullptr;
  // The approximate time of a cook on one core for that many input bytes; null: kUsualNsPerByte for each byte.
  std::uint64_t (*estimate_ns)(std::string_view path, std::uint64_t input_bytes, const Settings&) = nullptr;
  // A better estimate from the head of the input; empty if the size of the input is as good.
  std::optional<HeadEstimate> (*estimate_head)(const Step&, Inputs&, const Settings&) = nullptr;
};

// For PNG pictures, models and sounds, within a factor of three.
inline constexpr std::uint64_t kUsualNsPerByte = 100;

// The output path of a source without an output's suffix: its path, with strip removed and append added.
std::string stem_of(std::string_view path, const Claim& claim);
// The result of a file of that name under its settings, without its ref. The longest matching suffix of all recipes'
// claims decides.
std::optional<SourceAsset> asset_of(std::span<const Recipe* const> recipes, std::string_view path,
                                    const Settings& settings = {}, const HasSet& has_set = {});

// The set of pictures that a file proves, because its name ends like that of a color or normal map: "wood/planks" for
// "wood/Planks_BaseColor.png". Nothing for other files.
std::optional<std::string> picture_set(std::string_view path);
// The set that decides the usage of a picture whose name ends with a word that may mean something else:
// "wood/planks" for "wood/planks_mask.png". Nothing for other files.
std::optional<std::string> set_asked_for(std::string_view path);

// The recipe's claim with the longest suffix that matches a file of that name, or null.
const Claim* file_claim(const Recipe& recipe, std::string_view path);

// The recipes of a build, in a fixed order.
std::span<const Recipe* const> all_recipes();
// The recipes of a cook. Sounds, scripts and data have no container of the runtime target. Fonts have none of AAS1: a
// cook keeps them as data.
std::span<const Recipe* const> cooked_recipes();
const Recipe* find_recipe(std::string_view name);

}  // namespace assetc::recipes
