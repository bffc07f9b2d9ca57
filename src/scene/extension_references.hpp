// What extensions that assetc does not interpret refer to: one table of rules. Their data is kept as JSON (ExtraJson),
// and its numbers follow when the objects of a document move.
//
// Sources: KHR_interactivity 1.0 and the glTF 2.0 Asset Object Model; VRM 0.x and 1.0 with their schemas;
// KHR_physics_rigid_bodies.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "scene/texture_usage.hpp"

namespace assetc {
class Json;
}

namespace assetc::scene {

enum class ReferenceKind : std::uint8_t {
  kNode,
  kDrawingNode,  // a node that must itself draw its mesh
  kMesh,
  kMaterial,
  kTexture,
  kImage,
  kSkin,
  kCamera,
  kLight,
  kClip,
};

struct ReferenceVisitor {
  // The new number of an object, or kNone if there is none. usage: of a texture.
  std::function<std::uint32_t(ReferenceKind, std::uint32_t number, TextureUsage usage)> renumber;
  // Whether all objects of a kind have the numbers of the source. For numbers that are computed while the file is used.
  std::function<bool(ReferenceKind)> keeps_all;
  // Whether the file has the property that a JSON pointer, with its new number, names. Parameters are in the pointer.
  std::function<bool(std::string_view pointer)> has_property;
};

// Whether the table has a rule for an extension.
bool has_reference_rule(std::string_view extension);

// Replaces each number in the data of an extension that has a rule. False if a reference has no new number, or if the
// rule does not cover the data: it must then not be kept. Data that are not as the extension's schema says refer to
// nothing. Linear in the size of the data. Thread-safe.
bool renumber_references(std::string_view extension, Json& data, const ReferenceVisitor& visitor);

// Whether data of an extension without a rule seem to refer to other objects of their document: by a number under a
// name that glTF uses for it, or by a JSON pointer.
bool seems_to_refer(const Json& data);

}  // namespace assetc::scene
