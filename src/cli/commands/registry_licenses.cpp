// assetc registry licenses: what a game owes to whom.
#include <map>
#include <vector>

#include "assetc/formats/registry.hpp"
#include "base/json_line.hpp"
#include "base/plural.hpp"
#include "bundle/cooked.hpp"
#include "cli/commands/commands.hpp"
#include "identity/license.hpp"
#include "text/format.hpp"

namespace assetc::cli {
namespace {

struct License {
  std::size_t asset_count = 0;
  std::vector<std::string> virtual_paths;  // of the main assets of sources, sorted
};

Result<std::map<std::string, License>> read_licenses(const std::string& named, engine::Disk& disk) {
  const std::string file = named.ends_with(".json") ? named : named + "/" + std::string(registry::kJsonPath);
  ASSETC_TRY(const Bytes text, disk.read(file));
  auto assets = bundle::read_registry(as_text(text));
  if (!assets) return std::unexpected(std::move(assets).error().in(file));
  if (assets->empty())
    return std::unexpected(Error{ErrorCode::kNotFound, file, {}, "has no assets", "add sources, and cook again"});
  std::map<std::string, License> licenses;
  for (bundle::CookedAsset& asset : *assets) {
    License& license = licenses[asset.license];
    ++license.asset_count;
    if (asset.container.is_nil()) license.virtual_paths.push_back(std::move(asset.virtual_path));
  }
  for (auto& [name, license] : licenses) std::ranges::sort(license.virtual_paths);
  return licenses;
}

// Text that Markdown shows as it is.
std::string markdown(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    if (c == '\n' || c == '\r') {
      shown += ' ';
      continue;
    }
    if (std::string_view("\\`*_{}[]<>()#+!|").contains(c)) shown += '\\';
    shown += c;
  }
  return shown;
}

std::string credits_of(const std::map<std::string, License>& licenses) {
  std::string text = "# Licenses\n";
  for (const auto& [name, license] : licenses) {
    text += "\n## " + (name.empty() ? std::string("Not stated") : markdown(name)) + "\n";
    for (const std::string& path : license.virtual_paths) text += "- " + markdown(path) + "\n";
  }
  return text;
}

}  // namespace

int run_registry_licenses(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const RegistryArguments& asked = arguments.registry;
  const auto licenses = read_licenses(asked.file, disk);
  if (!licenses) return stop(arguments, console, licenses.error());
  for (const auto& [name, license] : *licenses) {
    const bool is_spdx = identity::is_spdx_expression(name);
    if (arguments.json) {
      std::string paths;
      for (const std::string& path : license.virtual_paths) paths += (paths.empty() ? "" : ",") + json_quote(path);
      console.out(json_event("license")
                      .add("license", name)
                      .add("is_spdx", is_spdx)
                      .add("assets", license.asset_count)
                      .raw("virtual_paths", "[" + paths + "]")
                      .str() +
                  "\n");
      continue;
    }
    const std::string shown = name.empty() ? "not stated" : is_spdx ? name : "\"" + name + "\"";
    console.out(formatted("{:<24} {}\n", printable(shown), plural(license.asset_count, "asset")));
  }
  if (asked.credits.empty()) return kExitOk;
  if (const auto other = check_other_file(asked.file, asked.credits, disk); !other)
    return stop(arguments, console, other.error());
  if (auto written = disk.publish(asked.credits, as_bytes(credits_of(*licenses))); !written)
    return stop(arguments, console, std::move(written).error().in(asked.credits));
  if (arguments.json) {
    console.out(json_event("written").add("path", asked.credits).str() + "\n");
  } else {
    console.wrote(asked.credits);
  }
  return kExitOk;
}

}  // namespace assetc::cli
