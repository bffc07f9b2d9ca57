// The numbers of objects in a glTF document that is written, for extensions that assetc does not interpret.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "export/glb_json.hpp"
#include "json/json.hpp"
#include "scene/extension_references.hpp"
#include "scene/scene.hpp"

namespace assetc::exporter {

// From the number that an object has in its source to that in the file.
class NewNumbers {
 public:
  // numbers: of each item in the file.
  template <class T>
  void add(scene::ReferenceKind kind, const std::vector<T>& items, const std::vector<std::uint32_t>& numbers) {
    auto& of_kind = numbers_[kind];
    for (std::size_t i = 0; i < items.size() && i < numbers.size(); ++i)
      if (items[i].referred_as != scene::kNone) of_kind[items[i].referred_as] = numbers[i];
  }
  // Objects that keep their numbers.
  void add_unmoved(scene::ReferenceKind kind, std::size_t count) {
    for (std::uint32_t i = 0; i < count; ++i) numbers_[kind][i] = i;
  }
  // kNone: it is not in the file.
  std::uint32_t find(scene::ReferenceKind kind, std::uint32_t number) const;
  // Whether no object of a kind has moved.
  bool are_unmoved(scene::ReferenceKind kind) const;

 private:
  std::map<scene::ReferenceKind, std::map<std::uint32_t, std::uint32_t>> numbers_;
};

// Renumbers the references in all extensions of a document that have a rule. Leaves out those that refer to what is not
// in the file, and extensions whose data of the document was left out, because their objects refer to that.
void resolve_extensions(Json& root, const NewNumbers& numbers, UsedExtensions& used);

}  // namespace assetc::exporter
