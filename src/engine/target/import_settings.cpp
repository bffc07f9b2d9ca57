#include "engine/target/import_settings.hpp"

#include "assetc/base/spelling.hpp"
#include "recipes/settings.hpp"

namespace assetc::engine {
namespace {

struct Short {
  std::string_view key, value;
  std::string_view setting;  // "key=value"
};
constexpr Short kShort[] = {
    {"SRGB", "true", "texture.usage=color"},
    {"SRGB", "false", "texture.usage=linear"},
    {"MipGen", "Default", "texture.mips=true"},
    {"MipGen", "None", "texture.mips=false"},
};

Result<std::string> one(const identity::ImportSetting& asked) {
  std::string values;
  for (const Short& row : kShort) {
    if (row.key != asked.key) continue;
    if (row.value == asked.value) return std::string(row.setting);
    values.append(values.empty() ? "" : " or ").append(row.value);
  }
  if (!values.empty()) return fail(ErrorCode::kUsage, "found \"" + asked.value + "\", expected " + values);
  const recipes::SettingField* field = recipes::find_setting(asked.key);
  if (field == nullptr) {
    std::vector<std::string_view> known{"SRGB", "MipGen"};
    for (const recipes::SettingField& other : recipes::setting_fields()) known.push_back(other.key);
    const std::string_view near = did_you_mean(asked.key, known);
    return fail(ErrorCode::kUsage, "is not a setting",
                near.empty() ? "use the settings of assetc.yml" : "did you mean \"" + std::string(near) + "\"?");
  }
  recipes::Settings trial;
  ASSETC_CHECK(field->set(trial, asked.value));
  return asked.key + "=" + asked.value;
}

}  // namespace

Result<std::string> import_settings(const identity::Meta& meta) {
  std::string lines;
  for (const identity::ImportSetting& asked : meta.import_settings) {
    Result<std::string> line = one(asked);
    if (!line) {
      return std::unexpected(std::move(line.error()).at("/ImportSettings/" + asked.key).in(meta.file()));
    }
    lines.append(*line).append("\n");
  }
  return lines;
}

}  // namespace assetc::engine
