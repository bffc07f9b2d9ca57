// Simple asset kinds in text, which do everything that a recipe may do and are easy to predict.
#pragma once

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "recipes/recipe.hpp"

namespace assetc::engine::toy {

using recipes::Claim;
using recipes::Inputs;
using recipes::Params;
using recipes::Product;
using recipes::Recipe;
using recipes::Step;

// Compiled sources, in order, since the last clear().
class CookLog {
 public:
  void add(const Step& step) {
    const std::lock_guard lock(mutex_);
    sources_.push_back(step.source);
  }
  std::vector<std::string> take() {
    const std::lock_guard lock(mutex_);
    std::ranges::sort(sources_);
    return std::exchange(sources_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> sources_;
};
inline CookLog& cooked() {
  static CookLog log;
  return log;
}

inline Bytes bytes_of(std::string_view text) {
  const ByteSpan span = as_bytes(text);
  return Bytes(ByteVector(span.begin(), span.end()));
}
inline constexpr std::uint64_t kHungryBytes = 1u << 20;
inline std::uint64_t small_estimate(const Step&, Inputs&) { return 1000; }
inline std::string directory_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string() : std::string(path.substr(0, slash + 1));
}

// picture: "*.pic" -> .ktx2; its output depends only on its bytes, its mode and texture.quality.
inline Result<Product> cook_picture(const Step& step, Inputs& inputs) {
  cooked().add(step);
  ASSETC_TRY(const Bytes input, step.input(inputs));
  const std::string text(as_text(input));
  if (text.starts_with("broken"))
    return fail_at(ErrorCode::kInvalidData, "line 1", "found \"broken\", expected a picture", "paint it again");
  const auto mode = step.params.find("mode");
  Product product;
  if (text.starts_with("hungry") && step.reserved_bytes < kHungryBytes) {
    product.needs_bytes = kHungryBytes;
    return product;
  }
  std::string out = "picture ";
  out += mode == step.params.end() ? "color" : mode->second;
  out += step.settings.texture.quality == codec::Effort::kFast ? " fast " : " good ";
  out += step.settings.texture.format == texture::TargetFormat::kRgba8 ? "raw " : "";
  const bool is_color = mode == step.params.end() || mode->second == "color";
  product.outputs.push_back({".ktx2", bytes_of(out + text), {recipes::AssetKind::kTexture, is_color}});
  if (text.starts_with("odd"))
    product.diagnostics.push_back(
        recipes::warning(WarningKind::kDamagedPicture, ErrorCode::kUnsupported, "line 1", "an odd picture", ""));
  return product;
}

// model: "*.model", "*.mod" -> .hmesh and more. Each line is an order:
//   include F        reads F beside it; its text goes into the output
//   try F            whether F exists goes into the output
//   picture F        adds a step for the picture file F, published as <stem>/<name of F>.ktx2, listed
//   relief F         the same with params mode=normal, published as <stem>/relief_<name of F>.ktx2
//   secret F         like picture, but a look at the model's head does not find it; named F: only the head finds it
//   inside NAME TEXT adds a step for a picture whose bytes are TEXT, published as <stem>/<NAME>.ktx2, listed
//   normal NAME TEXT the same with params mode=normal
//   pin KEY VALUE    sets this setting for the pictures after it
//   clip             a second output, .hanim
//   refer STEM       refers to a texture that another source makes
//   link F           the ref, stem and mode of the asset that the file F becomes, or "nothing", go into the output
//   own NAME         the ref of <stem>/NAME goes into the output
//   warn TEXT, fail TEXT
inline const Recipe& picture_recipe();
inline Result<Product> cook_model(const Step& step, Inputs& inputs) {
  cooked().add(step);
  ASSETC_TRY(const Bytes input, step.input(inputs));
  Product product;
  std::string out = "model " + step.stem + " lods " + std::to_string(step.settings.mesh.lods) + "\n";
  Params pins;
  std::string_view rest = as_text(input);
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const std::string order(line.substr(0, line.find(' ')));
    const std::string value(line.substr(std::min(line.size(), order.size() + 1)));
    const std::string beside = directory_of(step.input_path) + value;
    if (order == "include") {
      ASSETC_TRY(const Bytes bytes, inputs.read(beside));
      out.append(as_text(bytes)).append("\n");
    } else if (order == "try") {
      out += inputs.exists(beside) ? "there\n" : "not there\n";
    } else if (order == "picture" || order == "secret" || order == "relief" || order == "inside" || order == "normal") {
      Step child;
      child.recipe = &picture_recipe();
      child.listed = true;
      child.pins = pins;
      if (order == "picture" || order == "secret" || order == "relief") {
        child.input_path = beside;
        child.stem = step.stem + "/" + (order == "relief" ? "relief_" : "") + value.substr(value.rfind('/') + 1);
        child.source = step.source + " " + order + " " + value;
        child.params["mode"] = order == "relief" ? "normal" : "color";
      } else {
        const std::string name = value.substr(0, value.find(' '));
        child.inline_input = input.slice(
            static_cast<std::size_t>(line.data() - as_text(input).data()) + order.size() + 1 + name.size() + 1,
            value.size() - name.size() - 1);
        child.stem = step.stem + "/" + name;
        child.source = step.source + " inside " + name;
        if (order == "normal") child.params["mode"] = "normal";
      }
      product.steps.push_back(std::move(child));
    } else if (order == "pin") {
      pins.emplace(value.substr(0, value.find(' ')), value.substr(value.find(' ') + 1));
    } else if (order == "clip") {
      product.outputs.push_back({".hanim", bytes_of("clip of " + step.stem), {recipes::AssetKind::kAnimation}});
    } else if (order == "refer") {
      product.references.push_back(value);
    } else if (order == "link") {
      const auto asset = inputs.asset(beside);
      out += asset ? std::to_string(asset->ref) + " " + asset->stem + " " +
                         std::string(recipes::mode_name(asset->mode)) + "\n"
                   : "nothing\n";
      if (asset) product.references.push_back(asset->stem);
    } else if (order == "seek") {  // a picture by its name; an error if there are several
      const std::vector<std::string> found = inputs.named(value);
      if (found.size() > 1) return fail_at(ErrorCode::kNotFound, "order", found[0] + " and " + found[1], "rename one");
      out += found.empty() ? "nothing\n" : found[0] + "\n";
      if (found.empty()) continue;
      Step child;
      child.recipe = &picture_recipe();
      child.listed = true;
      child.input_path = found[0];
      child.stem = step.stem + "/sought_" + value;
      child.source = step.source + " seek " + value;
      child.params["mode"] = "color";
      product.steps.push_back(std::move(child));
    } else if (order == "own") {
      out += std::to_string(inputs.ref(step.stem + "/" + value)) + "\n";
    } else if (order == "warn") {
      product.diagnostics.push_back(
          recipes::warning(WarningKind::kDroppedContent, ErrorCode::kUnsupported, "order", value));
    } else if (order == "fail") {
      return fail_at(ErrorCode::kInvalidData, "order", value, "remove the order");
    } else {
      out.append(line).append("\n");
    }
  }
  product.outputs.insert(product.outputs.begin(), {".hmesh", bytes_of(out), {recipes::AssetKind::kMesh}});
  return product;
}

// script: "*.script" -> .txt, by an external program, unless its bytes start with "plain". Tests may replace the
// program.
struct ToyProgram {
  std::string file = "1";     // its signature
  std::string version = "1";  // what it reports
  int asked = 0;
};
inline ToyProgram& toy_program() {
  static ToyProgram program;
  return program;
}
inline std::string& toy_library() {  // "name=version" lines
  static std::string text;
  return text;
}
inline constexpr recipes::Program kToyProgram{"scribe", [] { return toy_program().file; },
                                              [] { return ++toy_program().asked, toy_program().version; }};
inline constexpr std::array kScriptPrograms{&kToyProgram};
inline Result<Product> cook_script(const Step& step, Inputs& inputs) {
  cooked().add(step);
  ASSETC_TRY(const Bytes input, step.input(inputs));
  std::string out(as_text(input));
  if (!out.starts_with("plain")) {
    inputs.runs(kToyProgram);
    out += " by " + toy_program().version;
  }
  Product product;
  product.outputs.push_back({".txt", bytes_of(out + " " + toy_library()), {recipes::AssetKind::kEmbed}});
  return product;
}

// folder: "*.set/" -> <stem>.set/all.cat: the files of the folder in order of their names.
inline Result<Product> cook_folder(const Step& step, Inputs& inputs) {
  cooked().add(step);
  ASSETC_TRY(const auto names, inputs.list(step.input_path));
  std::string out = "set\n";
  for (const std::string& name : names) {
    ASSETC_TRY(const Bytes bytes, inputs.read(step.input_path + "/" + name));
    out.append(name).append(": ").append(as_text(bytes)).append("\n");
  }
  Product product;
  product.outputs.push_back({"/all.cat", bytes_of(out), {recipes::AssetKind::kShader}});
  return product;
}

inline constexpr std::array kPictureClaims{Claim{".n.pic", false, ".pic", {}, recipes::TextureUsage::kNormal},
                                           Claim{".pic", false, ".pic", {}, {}}};
inline constexpr std::array kModelClaims{Claim{".model", false, ".model", {}, {}},
                                         Claim{".mod", false, ".mod", {}, {}}};
inline constexpr std::array kFolderClaims{Claim{".set", true, {}, {}, {}}};
inline constexpr std::array kScriptClaims{Claim{".script", false, ".script", {}, {}}};
inline std::vector<std::string> names_of_model(const Step& step, Inputs& inputs) {
  const auto input = step.head(inputs, 64);
  std::vector<std::string> names;
  std::string_view rest = input ? as_text(*input) : std::string_view();
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const std::string_view order = line.substr(0, line.find(' '));
    if (order == "picture" || order == "relief" || order == "named")
      names.push_back(directory_of(step.input_path) + std::string(line.substr(order.size() + 1)));
  }
  return names;
}

// The estimate of a model that begins with "inside heavy" is ten seconds. If it begins with "inside full", it is as
// much for four children, and a tenth of a second for its own outputs.
inline std::optional<recipes::HeadEstimate> head_estimate_of_model(const Step& step, Inputs& inputs,
                                                                   const recipes::Settings&) {
  const auto input = step.head(inputs, 64);
  if (input && as_text(*input).starts_with("inside heavy")) return recipes::HeadEstimate{.own_ns = 10'000'000'000};
  if (input && as_text(*input).starts_with("inside full"))
    return recipes::HeadEstimate{.own_ns = 100'000'000, .children_ns = 10'000'000'000, .children = 4};
  return std::nullopt;
}

inline constexpr std::array<std::string_view, 1> kTextureGroup{"texture"};
inline constexpr std::array<std::string_view, 1> kMeshGroup{"mesh"};

inline const Recipe& picture_recipe() {
  static const Recipe recipe{
      .name = "picture",
      .version = 1,
      .claims = kPictureClaims,
      .setting_groups = kTextureGroup,
      .stem_matters = false,
      .cook = cook_picture,
      .estimate_peak_bytes = small_estimate,
      .stands_alone = [](const recipes::Settings& settings) { return settings.texture.standalone; }};
  return recipe;
}
inline const Recipe& model_recipe() {
  static const Recipe recipe{.name = "model",
                             .version = 1,
                             .claims = kModelClaims,
                             .setting_groups = kMeshGroup,
                             .stem_matters = true,
                             .cook = cook_model,
                             .estimate_peak_bytes = small_estimate,
                             .takes_sources = true,
                             .named_files = names_of_model,
                             .estimate_head = head_estimate_of_model};
  return recipe;
}
inline const Recipe& folder_recipe() {
  static const Recipe recipe{"folder", 1, kFolderClaims, {}, false, cook_folder, small_estimate};
  return recipe;
}
inline const Recipe& script_recipe() {
  static const Recipe recipe{"script",       1,           kScriptClaims,  {},
                             false,          cook_script, small_estimate, [] { return toy_library(); },
                             kScriptPrograms};
  return recipe;
}
inline std::span<const Recipe* const> all() {
  static const std::array<const Recipe*, 4> recipes{&picture_recipe(), &model_recipe(), &folder_recipe(),
                                                    &script_recipe()};
  return recipes;
}

}  // namespace assetc::engine::toy
