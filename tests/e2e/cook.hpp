// A project with two folders of assets to cook.
#pragma once

#include <string>

#include "e2e/project.hpp"

namespace assetc::e2e {

inline constexpr const char* kCrate = R"(mtllib crate.mtl
o Lid
v 0 0 0
v 1 0 0
v 0 1 0
vt 0 0
vt 1 0
vt 0 1
usemtl Planks
f 1/1 2/2 3/3
)";

class Cook : public Project {
 protected:
  void SetUp() override {
    Project::SetUp();
    write("Assets/Textures/wood.png", png(16, 16, 1));
    write("Demo/Minimal/Assets/crate.obj", kCrate);
    write("Demo/Minimal/Assets/crate.mtl", "newmtl Planks\nKd 1 1 1\nmap_Kd ../../../Assets/Textures/wood.png\n");
  }
  Finished import() const { return build("import"); }
  Finished cook(const std::string& more = {}) const { return build("cook --platform Win64 " + more); }
  std::string registry(const std::string& platform = "Win64") const {
    return read("build/Cooked/" + platform + "/Registry/AssetRegistry.json");
  }
  // A member of the registry line of `virtual_path`.
  std::string member(const std::string& virtual_path, const std::string& key) const {
    const std::string text = registry();
    const std::size_t path = text.find("\"VirtualPath\":\"" + virtual_path + "\"");
    if (path == std::string::npos) return "(no asset)";
    const std::size_t begin = text.rfind('\n', path) + 1;
    const std::string line = text.substr(begin, text.find('\n', begin) - begin);
    const std::string start = "\"" + key + "\":";
    const std::size_t at = line.find(start);
    if (at == std::string::npos) return "(no member)";
    const std::size_t value = at + start.size();
    if (line[value] == '"') return line.substr(value + 1, line.find('"', value + 1) - value - 1);
    if (line[value] == '[') return line.substr(value, line.find(']', value) - value + 1);
    return line.substr(value, line.find_first_of(",}", value) - value);
  }
};

}  // namespace assetc::e2e
