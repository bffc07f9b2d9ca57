// What an optimized file keeps for the application that finds it: names, nodes, extras, materials.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/result.hpp"
#include "scene/scene.hpp"

namespace assetc::optimize {

struct Keep {
  bool names = true;      // of everything but clips and variants, which have no other address
  bool nodes = true;      // each node of the source stays a node
  bool extras = true;     // data of the application
  bool materials = true;  // materials that differ only in their name stay apart
  bool operator==(const Keep&) const = default;
};

// "names,nodes,extras,materials" in any order, "all" or "none". Errors: kUsage for another word.
Result<Keep> parse_keep(std::string_view text);
// The text of it, in the order above; "none" if nothing is kept.
std::string to_string(const Keep& keep);

// Removes extras, and data of extensions stays. Adds a note if there are any.
void remove_extras(scene::Scene& scene, std::vector<Error>& notes);
// Removes all names except those of clips and variants. Adds a note if there are any.
void remove_names(scene::Scene& scene, std::vector<Error>& notes);
// Makes one material of those that are equal but for their name: the first of them. Adds a note if there are any.
void merge_materials(scene::Scene& scene, std::vector<Error>& notes);

// Joins the meshes of nodes that nothing moves or refers to, and removes the nodes that are then without a purpose:
//
// - A node stays, with all nodes above it, if a clip, a skin or a level of detail refers to it, or if it has a camera,
//   a light, a skin, extras, extensions, instances or is hidden.
// - The meshes of all other nodes below one that stays become one mesh of it, and those below none become one mesh of a
//   new node. Primitives with the same material, topology and attributes become one primitive.
// - A mesh of several nodes, with morph targets, extras or extensions is not joined. Its nodes move to the next node
//   that stays above them.
//
// has_instances: instances of the scene (exporter::find_instances) stay. Adds notes of what was joined and removed.
void join_nodes(scene::Scene& scene, bool has_instances, std::vector<Error>& notes);

}  // namespace assetc::optimize
