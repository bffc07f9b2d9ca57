// Parts of a glTF document that need no binary data.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "json/json.hpp"
#include "scene/scene.hpp"

namespace assetc::exporter {

// Collects the extensions that a document uses, and those of the source that it cannot keep.
struct UsedExtensions {
  std::set<std::string> names;
  std::vector<scene::Dropped> omitted;        // their data refers to objects that the file has not
  std::set<std::string> omitted_of_document;  // of those, the ones of the document itself
};
// The place of the document in UsedExtensions::omitted.
inline constexpr std::string_view kDocumentPlace = "/";

Json camera_json(const scene::Camera& camera);
Json light_json(const scene::Light& light);

// Adds the extras and extensions of a source's object. Members that the object has already are kept. where: the place
// of the object, for UsedExtensions::omitted.
void add_extra(Json& object, const Json& extra, const std::string& where, UsedExtensions& used);
// Notes that the extension of an object is left out.
void omit_extension(const std::string& name, const std::string& where, UsedExtensions& used);
// The parsed text; an empty object if it is empty or no JSON object.
Json parse_extra(const scene::ExtraJson& text);

// Adds the material extensions whose values a material has. texture_info: the textureInfo of a use, or null.
void add_material_extensions(Json& object, const scene::Material& material,
                             const std::function<Json(const scene::TextureUse&)>& texture_info, UsedExtensions& used);

}  // namespace assetc::exporter
