#include "recipes/recipe.hpp"

namespace assetc::recipes {
namespace {

// The files that a step with inline input reads.
class NoInputs final : public Inputs {
 public:
  Result<Bytes> read(std::string_view path) override {
    return fail(ErrorCode::kNotFound, std::string(path) + " is no part of the input");
  }
  bool exists(std::string_view) override { return false; }
  Result<std::vector<std::string>> list(std::string_view directory) override {
    return fail(ErrorCode::kNotFound, std::string(directory) + " is no part of the input");
  }
  std::optional<SourceAsset> asset(std::string_view) override { return std::nullopt; }
  std::uint64_t ref(std::string_view) override { return 0; }
};

}  // namespace

Result<Product> Inputs::make(const Step& step) {
  NoInputs inputs;
  return step.recipe->cook(step, inputs);
}

}  // namespace assetc::recipes
