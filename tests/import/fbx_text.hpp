// Minimal FBX files as text.
#pragma once

#include <string>
#include <string_view>

namespace assetc::fbx_text {

struct Settings {
  std::string_view up = "1", up_sign = "1", front = "2", front_sign = "1", unit = "1";
};

inline std::string file(std::string_view objects, std::string_view connections, const Settings& settings = {}) {
  const auto property = [](std::string_view name, std::string_view value) {
    return "\t\tP: \"" + std::string(name) + "\", \"int\", \"Integer\", \"\"," + std::string(value) + "\n";
  };
  std::string text =
      "; FBX 7.4.0 project file\nFBXHeaderExtension:  {\n\tFBXHeaderVersion: 1003\n\tFBXVersion: 7400\n}\n";
  text += "GlobalSettings:  {\n\tVersion: 1000\n\tProperties70:  {\n";
  text += property("UpAxis", settings.up) + property("UpAxisSign", settings.up_sign) +
          property("FrontAxis", settings.front) + property("FrontAxisSign", settings.front_sign) +
          property("CoordAxis", "0") + property("CoordAxisSign", "1");
  text += "\t\tP: \"UnitScaleFactor\", \"double\", \"Number\", \"\"," + std::string(settings.unit) + "\n\t}\n}\n";
  text += "Objects:  {\n" + std::string(objects) + "}\nConnections:  {\n" + std::string(connections) + "}\n";
  return text;
}

inline std::string array(std::string_view name, std::string_view items) {
  std::size_t count = 1;
  for (const char c : items) count += c == ',' ? 1 : 0;
  return "\t\t" + std::string(name) + ": *" + std::to_string(count) + " {\n\t\t\ta: " + std::string(items) +
         "\n\t\t}\n";
}

inline std::string connect(std::string_view child, std::string_view parent) {
  return "\tC: \"OO\"," + std::string(child) + "," + std::string(parent) + "\n";
}
inline std::string connect(std::string_view child, std::string_view parent, std::string_view property) {
  return "\tC: \"OP\"," + std::string(child) + "," + std::string(parent) + ", \"" + std::string(property) + "\"\n";
}

// A cube of 100 units around the origin: six quads with texture coordinates at their corners, and one material.
inline std::string cube_geometry(std::string_view id = "10") {
  const auto layer = [](std::string_view type) {
    return "\t\t\tLayerElement:  {\n\t\t\t\tType: \"" + std::string(type) + "\"\n\t\t\t\tTypedIndex: 0\n\t\t\t}\n";
  };
  return "\tGeometry: " + std::string(id) + ", \"Geometry::Box\", \"Mesh\" {\n" +
         array("Vertices", "-50,-50,-50,50,-50,-50,50,50,-50,-50,50,-50,-50,-50,50,50,-50,50,50,50,50,-50,50,50") +
         array("PolygonVertexIndex", "4,5,6,-8,1,0,3,-3,5,1,2,-7,0,4,7,-4,7,6,2,-4,0,1,5,-5") +
         "\t\tLayerElementUV: 0 {\n\t\t\tName: \"map1\"\n\t\t\tMappingInformationType: \"ByPolygonVertex\"\n"
         "\t\t\tReferenceInformationType: \"IndexToDirect\"\n" +
         array("UV", "0,0,1,0,1,0.75,0,0.75") + array("UVIndex", "0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3") +
         "\t\t}\n\t\tLayerElementMaterial: 0 {\n\t\t\tMappingInformationType: \"AllSame\"\n"
         "\t\t\tReferenceInformationType: \"IndexToDirect\"\n" +
         array("Materials", "0") + "\t\t}\n\t\tLayer: 0 {\n\t\t\tVersion: 100\n" + layer("LayerElementMaterial") +
         layer("LayerElementUV") + "\t\t}\n\t}\n";
}

// properties: lines of property().
inline std::string object(std::string_view type, std::string_view id, std::string_view name, std::string_view kind,
                          std::string_view properties = {}, std::string_view rest = {}) {
  return "\t" + std::string(type) + ": " + std::string(id) + ", \"" + std::string(type) + "::" + std::string(name) +
         "\", \"" + std::string(kind) + "\" {\n\t\tProperties70:  {\n" + std::string(properties) + "\t\t}\n" +
         std::string(rest) + "\t}\n";
}
inline std::string property(std::string_view name, std::string_view type, std::string_view value) {
  return "\t\t\tP: \"" + std::string(name) + "\", \"" + std::string(type) + "\", \"\", \"A\"," + std::string(value) +
         "\n";
}

// A crate of one meter that stands on the ground, with one material.
inline std::string crate(std::string_view material_properties = {}, std::string_view more_objects = {},
                         std::string_view more_connections = {}, const Settings& settings = {}) {
  return file(cube_geometry() +
                  object("Model", "20", "Crate", "Mesh", property("Lcl Translation", "Lcl Translation", "0,50,0")) +
                  object("Material", "30", "Wood", "", material_properties, "\t\tShadingModel: \"phong\"\n") +
                  std::string(more_objects),
              connect("10", "20") + connect("20", "0") + connect("30", "20") + std::string(more_connections), settings);
}

}  // namespace assetc::fbx_text
