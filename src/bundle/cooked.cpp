#include "bundle/cooked.hpp"

#include <algorithm>

#include "assetc/formats/registry.hpp"
#include "base/ascii.hpp"
#include "base/text_place.hpp"
#include "formats/message.hpp"
#include "formats/text.hpp"
#include "json/json.hpp"

namespace assetc::bundle {
namespace {

using formats::message;
using formats::quote;

constexpr const char* kHint = "cook again";

std::unexpected<Error> wrong(const std::string& place, std::string what) {
  return fail_at(ErrorCode::kInvalidData, place, std::move(what), kHint);
}

Result<std::string> text_member(const Json& object, const std::string& place, const char* name) {
  const Json* text = object.find(name);
  if (text == nullptr || !text->is_string())
    return wrong(place + "/" + name,
                 "found " + std::string(text == nullptr ? "nothing" : text->kind_name()) + ", expected text");
  return text->as_string();
}

Result<Uuid> uuid_of(const std::string& text, const std::string& place) {
  const auto uuid = Uuid::parse(text);
  if (!uuid || uuid->is_nil()) return wrong(place, "found " + quote(text) + ", expected a UUID");
  return *uuid;
}

Result<CookedAsset> read_asset(const Json& object, const std::string& place) {
  if (!object.is_object()) return wrong(place, "found " + std::string(object.kind_name()) + ", expected an object");
  CookedAsset asset;
  ASSETC_TRY(const std::string uuid, text_member(object, place, "Uuid"));
  ASSETC_TRY(asset.uuid, uuid_of(uuid, place + "/Uuid"));
  ASSETC_TRY(asset.type, text_member(object, place, "Type"));
  ASSETC_TRY(asset.virtual_path, text_member(object, place, "VirtualPath"));
  ASSETC_TRY(asset.cooked_path, text_member(object, place, "CookedPath"));
  if (const auto fault = formats::path_fault(asset.cooked_path); !fault.empty())
    return wrong(place + "/CookedPath",
                 message("path ", quote(asset.cooked_path), " is not below the cooked folder: ", fault));
  if (object.find("License") != nullptr) {
    ASSETC_TRY(asset.license, text_member(object, place, "License"));
  }
  if (object.find("Sha256") != nullptr) {
    ASSETC_TRY(asset.sha256, text_member(object, place, "Sha256"));
  }
  if (object.find("Container") != nullptr) {
    ASSETC_TRY(const std::string container, text_member(object, place, "Container"));
    ASSETC_TRY(asset.container, uuid_of(container, place + "/Container"));
  }
  if (const Json* tags = object.find("Tags"); tags != nullptr) {
    if (!tags->is_array() || !std::ranges::all_of(tags->items(), &Json::is_string))
      return wrong(place + "/Tags", "expected an array of texts");
    for (const Json& tag : tags->items()) asset.tags.push_back(tag.as_string());
  }
  const Json* dependencies = object.find("Dependencies");
  if (dependencies == nullptr) return asset;
  if (!dependencies->is_array()) return wrong(place + "/Dependencies", "expected an array of UUIDs");
  for (std::size_t i = 0; i < dependencies->size(); ++i) {
    const std::string at = place + "/Dependencies/" + std::to_string(i);
    const Json& item = (*dependencies)[i];
    // A hard dependency is a UUID. Other dependencies are objects that contain one.
    if (item.is_string()) {
      ASSETC_TRY(const Uuid found, uuid_of(item.as_string(), at));
      asset.dependencies.push_back(found);
    } else {
      if (!item.is_object()) return wrong(at, "expected a UUID");
      ASSETC_TRY(const std::string text, text_member(item, at, "Uuid"));
      ASSETC_TRY(const Uuid found, uuid_of(text, at + "/Uuid"));
      asset.dependencies.push_back(found);
    }
  }
  return asset;
}

}  // namespace

Result<std::vector<CookedAsset>> read_registry(std::string_view json, bool* is_incomplete) {
  const auto parsed = Json::parse(json);
  if (!parsed && parsed.error().is_out_of_range)
    return fail(ErrorCode::kInvalidData, "found a number that is out of range", kHint);
  if (!parsed)
    return fail_at(ErrorCode::kInvalidData, text_place(json, parsed.error().offset), "found text that is not JSON",
                   kHint);
  const Json& root = *parsed;
  if (!root.is_object()) return wrong("/", "expected an object");
  const Json* schema = root.find("SchemaVersion");
  if (schema == nullptr || !schema->is_integer()) return wrong("/SchemaVersion", "expected a number");
  if (*schema != registry::kJsonSchemaVersion)
    return fail_at(ErrorCode::kVersion, "/SchemaVersion",
                   "found " + schema->text() + ", expected " + std::to_string(registry::kJsonSchemaVersion),
                   "read it with the assetc that wrote it, or cook again");
  if (is_incomplete != nullptr) *is_incomplete = root["Incomplete"] == Json(true);
  const Json* assets = root.find("Assets");
  if (assets == nullptr || !assets->is_array()) return wrong("/Assets", "expected an array");
  std::vector<CookedAsset> out;
  out.reserve(assets->size());
  for (std::size_t i = 0; i < assets->size(); ++i) {
    ASSETC_TRY(CookedAsset asset, read_asset((*assets)[i], "/Assets/" + std::to_string(i)));
    out.push_back(std::move(asset));
  }
  std::ranges::stable_sort(out, {}, &CookedAsset::uuid);
  const auto twice = std::ranges::adjacent_find(out, {}, &CookedAsset::uuid);
  if (twice != out.end())
    return fail_at(ErrorCode::kConflict, "/Assets",
                   message(quote(twice->virtual_path), " and ", quote(std::next(twice)->virtual_path),
                           " have the same UUID, ", twice->uuid.to_string()),
                   "run `assetc import`: it gives the copy a new UUID");
  return out;
}

bool is_below(std::string_view virtual_path, std::string_view prefix) {
  if (prefix == "*" || prefix.ends_with("/*")) prefix.remove_suffix(1);
  while (prefix.ends_with('/')) prefix.remove_suffix(1);
  if (virtual_path.size() < prefix.size()) return false;
  const auto same = [](char a, char b) { return ascii_lower(a) == ascii_lower(b); };
  if (!std::equal(prefix.begin(), prefix.end(), virtual_path.begin(), same)) return false;
  return prefix.empty() || virtual_path.size() == prefix.size() || virtual_path[prefix.size()] == '/';
}

}  // namespace assetc::bundle
