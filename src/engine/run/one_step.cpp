#include "engine/run/one_step.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/absolute_path.hpp"
#include "engine/disk/root.hpp"
#include "engine/plan/plan.hpp"
#include "engine/publish/publish.hpp"
#include "engine/restore/restorer.hpp"
#include "engine/run/step_records.hpp"
#include "engine/target/params.hpp"
#include "engine/target/target.hpp"

namespace assetc::engine {
namespace {

// The stem of a product that is valid wherever its input lies. If its messages name the folder, the folder is the stem.
constexpr std::string_view kAnyFolder = "file";

// No file of such a step is published here. Names only have to be possible.
Target files_target() {
  return {.name = "file",
          .file_path = [](std::string_view, std::string_view suffix) { return std::string(kAnyFolder).append(suffix); },
          .asset_ref = runtime_target().asset_ref,
          .verify = [](std::string_view, ByteSpan) { return Result<void>(); }};
}

// Paths below the input's folder are stored relative to it, because checkouts lie anywhere.
std::string_view below(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) ? path.substr(folder.size()) : path;
}
// Number of names in an absolute path without a slash at its end.
std::ptrdiff_t depth_of(std::string_view folder) { return folder == "/" ? 0 : std::ranges::count(folder, '/'); }
std::string from(std::string_view path, std::string_view folder) {
  return path.empty() || is_absolute_path(path) ? std::string(path) : std::string(folder).append(path);
}

// The inputs of a recipe that names files by absolute paths.
class FolderInputs final : public recipes::Inputs {
 public:
  FolderInputs(TrackedInputs& inputs, std::string_view folder, const std::string& root, Disk& disk, Store* store)
      : inputs_(inputs), folder_(folder), root_(root), disk_(disk), store_(store) {}

  Result<Bytes> read(std::string_view path) override {
    if (auto in_root = check_in_root(from(path, folder_), root_, disk_); !in_root) {
      knows_all_ = false;
      return std::unexpected(std::move(in_root).error());
    }
    auto bytes = inputs_.read(below(path, folder_));
    if (bytes) return bytes;
    if (bytes.error().code != ErrorCode::kNotFound) knows_all_ = false;
    bytes.error().file = from(bytes.error().file, folder_);
    return bytes;
  }
  bool exists(std::string_view path) override { return inputs_.exists(below(path, folder_)); }
  Result<std::vector<std::string>> list(std::string_view directory) override {
    return fail(ErrorCode::kUnsupported, std::string(directory) + " is a folder; convert takes one file",
                "build the project instead");
  }
  std::optional<recipes::SourceAsset> asset(std::string_view) override { return std::nullopt; }
  std::uint64_t ref(std::string_view stem) override { return inputs_.ref(stem); }
  Result<recipes::Product> make(const recipes::Step& step) override { return make_inline(step, disk_, store_); }
  // Whether everything that the recipe looked at is tracked. A file that cannot be read has no hash.
  bool knows_all() const { return knows_all_; }

 private:
  TrackedInputs& inputs_;
  std::string_view folder_;
  const std::string& root_;
  Disk& disk_;
  Store* store_;
  bool knows_all_ = true;
};

// Everything that a project's plan provides for a step.
class OneRun {
 public:
  OneRun(const OneStep& step, Disk& disk, Store* store)
      : step_(step),
        disk_(disk),
        store_(store),
        folder_(step.input.substr(0, step.input.rfind('/') + 1)),
        recipes_{&step.recipe},
        target_(files_target()),
        toolchain_(recipes_, target_, nullptr),
        table_(profile_, recipes_),
        files_(
            disk, folder_.substr(0, folder_.size() - 1), tree_, state_,
            [](std::string_view, bool) { return Visit::kLeaveOut; }, Reach::kAnywhere),
        publisher_(disk, folder_, tree_, target_, {}),
        assets_{recipes_, [&](std::string_view) -> const recipes::Settings& { return settings_.all; }, nullptr},
        planner_({recipes_, files_, publisher_, table_, assets_, state_, target_, toolchain_}) {
    settings_.all = step.settings;
    EffectiveSettings::View& view = settings_.of_recipe.emplace_back();
    view.restricted = step.settings;
    if (!step.recipe.setting_groups.empty()) {
      view.canonical = recipes::canonical_settings(step.settings, step.recipe.setting_groups);
    } else {
      for (const recipes::SettingField& field : recipes::setting_fields())
        view.canonical.append(field.key).append("=").append(field.get(step.settings)).append("\n");
    }
    node_.recipe = &step.recipe;
    node_.source = node_.input_path = node_.rules_source = std::string_view(step_.input).substr(folder_.size());
    if (!step.inline_input.empty()) {
      node_.input_path = {};
      node_.inline_hash = content_hash(step.inline_input);
    }
    node_.stem = kAnyFolder;
    recipes::Params params = step.params;
    // A product that read files elsewhere is no product of a step that may not. The depth is the same on any machine.
    if (!step.root.empty())
      params.emplace("root", std::to_string(std::ranges::count(folder_, '/') - 1 - depth_of(step.root)));
    node_.params = state_.arena.keep(encode_params(params));
    node_.settings = &settings_;
    node_.id = step_id(step.recipe.name, node_.stem);
  }

  Result<OneProduct> run() {
    if (store_ == nullptr) return cook();
    const Restorer restorer(*store_, planner_, planner_.context());
    restorer.look_up_key(node_);
    for (const std::string_view stem : {kAnyFolder, std::string_view(folder_)}) {
      node_.stem = stem;
      if (const auto found = restorer.find(node_)) return product_of_stored(*found);
    }
    return cook();
  }

 private:
  OneProduct product_of_stored(const Restorable& found) const {
    const StepRecord& record = found.product.record();
    OneProduct product;
    for (std::size_t i = 0; i < record.outputs.size(); ++i) {
      product.outputs.push_back(
          {std::string(record.outputs[i].suffix), found.outputs[i], record.outputs[i].descriptor});
    }
    product.diagnostics = diagnostics_of(record);
    for (recipes::Diagnostic& d : product.diagnostics) d.what.file = from(d.what.file, folder_);
    return product;
  }

  Result<OneProduct> cook() {
    recipes::Step step;
    step.recipe = &step_.recipe;
    step.source = step_.input;
    if (step_.inline_input.empty()) step.input_path = step_.input;
    step.inline_input = step_.inline_input;
    step.stem = kAnyFolder;
    step.settings = step_.settings;
    step.params = step_.params;
    TrackedInputs tracked(files_, toolchain_, assets_, target_);
    FolderInputs inputs(tracked, folder_, step_.root, disk_, store_);
    ASSETC_TRY(recipes::Product product, step_.recipe.cook(step, inputs));
    OneProduct made{product.outputs, product.diagnostics};
    if (store_ != nullptr && node_.key && inputs.knows_all() && !tracked.torn()) store(std::move(product), tracked);
    return made;
  }

  void store(recipes::Product product, const TrackedInputs& tracked) {
    const auto names_folder = [&](const recipes::Diagnostic& d) {
      return d.what.what.contains(folder_) || d.what.hint.contains(folder_);
    };
    node_.stem = std::ranges::any_of(product.diagnostics, names_folder) ? std::string_view(folder_) : kAnyFolder;
    for (recipes::Diagnostic& d : product.diagnostics) d.what.file = below(d.what.file, folder_);
    const auto record = record_of(node_, product, tracked, state_.arena);
    record->toolchain = toolchain_.libraries(0);
    std::vector<Bytes> small;
    for (std::size_t i = 0; i < product.outputs.size(); ++i) {
      const Bytes& bytes = product.outputs[i].bytes;
      const bool is_small = bytes.size() <= kInlineBytes;
      if (!is_small) store_->put_blob(record->outputs[i].hash, bytes);
      small.push_back(is_small ? bytes : Bytes());
      record->outputs[i].descriptor = {};  // no index lists these outputs
    }
    store_->put({node_.key->stored, *record, small});
  }

  const OneStep& step_;
  Disk& disk_;
  Store* const store_;
  const std::string folder_;  // of the input, with a trailing slash
  const recipes::Recipe* const recipes_[1];
  const Target target_;
  const Profile profile_;
  const Tree tree_;
  State state_;
  Toolchain toolchain_;
  SettingsTable table_;
  FileTable files_;
  Publisher publisher_;
  EffectiveSettings settings_;
  const AssetRules assets_;
  const Planner planner_;
  Node node_;
};

}  // namespace

Result<OneProduct> run_one(const OneStep& step, Disk& disk, Store* store) { return OneRun(step, disk, store).run(); }

Result<recipes::Product> make_inline(const recipes::Step& step, Disk& disk, Store* store) {
  ASSETC_TRY(
      OneProduct made,
      run_one({*step.recipe, "/" + step.source, step.settings, step.params, {}, step.inline_input}, disk, store));
  recipes::Product product;
  product.outputs = std::move(made.outputs);
  product.diagnostics = std::move(made.diagnostics);
  return product;
}

}  // namespace assetc::engine
