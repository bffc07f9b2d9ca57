// assetc registry: queries, compares and exports the list of cooked assets, which games read in its binary form.
#include "assetc/formats/aas1.hpp"
#include "base/ascii.hpp"
#include "base/json_line.hpp"
#include "base/plural.hpp"
#include "cli/commands/commands.hpp"
#include "engine/look/registry_file.hpp"
#include "text/format.hpp"

namespace assetc::cli {
namespace {

std::string_view type_of(const registry::AssetView& asset) {
  return aas1::type_name(static_cast<aas1::Type>(asset.type));
}

void print(const Arguments& arguments, Console& console, const registry::View& view, std::uint32_t index) {
  const registry::AssetView asset = view.asset(index);
  if (!arguments.json) {
    console.out(formatted("{}  {:<16} {}\n", asset.uuid.to_string(), type_of(asset), printable(asset.virtual_path)));
    return;
  }
  const auto list = [&](std::span<const std::uint32_t> indices) {
    std::string text;
    for (const std::uint32_t to : indices) text += (text.empty() ? "" : ",") + json_quote(view.uuid(to).to_string());
    return "[" + text + "]";
  };
  std::string outer, tags;
  for (const ByteSpan needs : {asset.outer_hard_dependencies, asset.outer_soft_dependencies}) {
    for (std::size_t i = 0; i < needs.size() / sizeof(Uuid); ++i)
      outer += (outer.empty() ? "" : ",") + json_quote(registry::uuid_at(needs, i).to_string());
  }
  for (const std::string_view tag : asset.tags) tags += (tags.empty() ? "" : ",") + json_quote(tag);
  console.out(json_event("asset")
                  .add("uuid", asset.uuid.to_string())
                  .add("type", type_of(asset))
                  .add("virtual_path", asset.virtual_path)
                  .raw("dependencies", list(asset.hard_dependencies))
                  .raw("soft_dependencies", list(asset.soft_dependencies))
                  .raw("outer_dependencies", "[" + outer + "]")
                  .add("container", asset.container ? view.uuid(*asset.container).to_string() : "")
                  .raw("tags", "[" + tags + "]")
                  .str() +
              "\n");
}

bool is_path_below(std::string_view path, std::string_view prefix) {
  const std::string lower = ascii_lower(path), wanted = ascii_lower(prefix);
  return lower.starts_with(wanted) &&
         (lower.size() == wanted.size() || wanted.empty() || wanted.ends_with('/') || lower[wanted.size()] == '/');
}

}  // namespace

int run_registry_query(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const RegistryArguments& asked = arguments.registry;
  const auto file = engine::open_registry(asked.file, disk);
  if (!file) return stop(arguments, console, file.error());
  const registry::View& view = file->view;
  if (!asked.asset.empty()) {
    const auto uuid = Uuid::parse(asked.asset);
    const auto found = uuid ? view.find(*uuid) : view.find(asked.asset);
    if (!found) {
      return stop(arguments, console,
                  {ErrorCode::kNotFound,
                   asked.file,
                   {},
                   "lists no asset \"" + asked.asset + "\"",
                   "give a UUID or a virtual path; --below lists the assets of a folder"});
    }
    print(arguments, console, view, *found);
    return kExitOk;
  }
  for (std::uint32_t i = 0; i < view.size(); ++i) {
    const registry::AssetView asset = view.asset(i);
    if (!asked.type.empty() && ascii_lower(type_of(asset)) != ascii_lower(asked.type)) continue;
    if (is_path_below(asset.virtual_path, asked.below)) print(arguments, console, view, i);
  }
  return kExitOk;
}

int run_registry_diff(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const auto before = engine::open_registry(arguments.registry.file, disk);
  if (!before) return stop(arguments, console, before.error());
  const auto after = engine::open_registry(arguments.registry.other, disk);
  if (!after) return stop(arguments, console, after.error());
  static constexpr std::string_view kWords[] = {"added", "removed", "renamed", "changed"};
  const auto changes = engine::compare_registries(before->view, after->view);
  for (const engine::RegistryChange& change : changes) {
    const std::string_view word = kWords[static_cast<std::size_t>(change.kind)];
    if (arguments.json) {
      console.out(json_event("registry_change")
                      .add("change", word)
                      .add("uuid", change.uuid.to_string())
                      .add("virtual_path", change.virtual_path)
                      .add("before", change.before)
                      .str() +
                  "\n");
      continue;
    }
    const bool renamed = change.kind == engine::RegistryChange::Kind::kRenamed;
    const std::string more = change.before.empty() ? "" : (renamed ? ": it was " : ": ") + change.before;
    console.out(formatted("{:<8} {}{}\n", word, printable(change.virtual_path), more));
  }
  if (!arguments.json && changes.empty()) console.out("no differences\n");
  return kExitOk;
}

int run_registry_export(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const auto file = engine::open_registry(arguments.registry.file, disk);
  if (!file) return stop(arguments, console, file.error());
  if (const auto other = check_other_file(arguments.registry.file, arguments.registry.other, disk); !other)
    return stop(arguments, console, other.error());
  if (const auto written = engine::export_registry(file->view, arguments.registry.other, disk); !written)
    return stop(arguments, console, written.error());
  if (arguments.json)
    console.out(json_event("written").add("path", arguments.registry.other).str() + "\n");
  else
    console.out(formatted("{}: {}\n", arguments.registry.other, plural(file->view.size(), "asset")));
  return kExitOk;
}

}  // namespace assetc::cli
