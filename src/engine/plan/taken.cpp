#include "engine/plan/taken.hpp"

#include "base/ascii.hpp"

namespace assetc::engine {

void Taken::add(const StepRecord& record) {
  for (const ChildRecord& child : record.children) {
    if (!child.input_path.empty()) paths_.insert(child.input_path);
  }
  for (std::string_view name : record.references) references_.insert(ascii_lower(name));
}

bool Taken::leaves(std::string_view path, std::string_view stem) const {
  return paths_.contains(path) && !references_.contains(ascii_lower(stem));
}

}  // namespace assetc::engine
