// A folder of cooked assets and their registry, for tests that do not cook.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "assetc/base/uuid.hpp"
#include "assetc/formats/aas1.hpp"
#include "crypto/sha.hpp"

namespace assetc::e2e {

// Virtual paths and contents.
using CookedAssets = std::map<std::string, std::string>;

inline Uuid cooked_uuid(const std::string& virtual_path) { return crypto::uuid_of_name({}, as_bytes(virtual_path)); }

inline void write_cooked(const std::filesystem::path& folder, const CookedAssets& assets) {
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder / "Assets");
  std::filesystem::create_directories(folder / "Registry");
  std::string list;
  for (const auto& [path, content] : assets) {
    const std::string file = "Assets/" + cooked_uuid(path).to_string() + ".bin";
    const auto blob = aas1::write_payload(aas1::Type::kRaw, 0x74786574 /* "text" */, as_bytes(content)).value();
    std::ofstream(folder / file, std::ios::binary) << as_text(blob);
    list += std::string(list.empty() ? "" : ",\n") + R"(  {"Uuid": ")" + cooked_uuid(path).to_string() +
            R"(", "Type": "Raw", "VirtualPath": ")" + path + R"(", "CookedPath": ")" + file +
            R"(", "Dependencies": [], "Desc": {}})";
  }
  std::ofstream(folder / "Registry/AssetRegistry.json") << "{\"SchemaVersion\": 1, \"Assets\": [\n"
                                                        << list << "],\n\"Redirectors\": []}\n";
}

// Contents of every size class: small ones, one that is divided into blocks, two duplicates.
inline CookedAssets sample_assets() {
  std::string large;
  for (int i = 0; i < 60'000; ++i) large += std::to_string(i * 7919 % 10007) + " ";
  CookedAssets assets{{"Engine/Textures/Wood", large},
                      {"Engine/Textures/Stone", std::string(5000, 's')},
                      {"Demo/Minimal/Stone", std::string(5000, 's')},
                      {"Demo/Minimal/Chair", large.substr(0, 50'000)}};
  for (int i = 0; i < 60; ++i)
    assets["Engine/Materials/Plain_" + std::to_string(i)] =
        "{\"shading\": \"metallic-roughness\", \"roughness\": " + std::to_string(i * 37 % 101) +
        ", \"color\": [1, 1, 1], \"double_sided\": false, \"alpha_mode\": \"opaque\", \"alpha_cutoff\": 0.5, "
        "\"textures\": "
        "{\"base_color\": null, \"normal\": null, \"metallic_roughness\": null, \"occlusion\": null, \"emissive\": "
        "null}, "
        "\"scalars\": {\"clearcoat\": 0, \"transmission\": 0, \"sheen\": 0, \"anisotropy\": 0}, \"emissive\": [0, 0, "
        "0]}";
  return assets;
}

}  // namespace assetc::e2e
