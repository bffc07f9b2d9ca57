// Builds small glTF documents: accessors are appended one by one, the rest is JSON text.
#pragma once

#include <cstring>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "import/gltf/gltf.hpp"

namespace assetc::importer::testing {

inline std::string base64(ByteSpan bytes) {
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k)
      word = word << 8 | (i + k < bytes.size() ? static_cast<std::uint32_t>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) text += i + k <= bytes.size() ? kAlphabet[word >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

class TinyGltf {
 public:
  // Appends a buffer view and an accessor over it; returns the accessor's index. more: further JSON members.
  template <class T>
  int accessor(int component, std::string_view type, std::vector<T> values, std::size_t count,
               const std::string& more = "") {
    const int v = view(std::move(values));
    return raw_accessor("\"bufferView\":" + std::to_string(v) + ",\"componentType\":" + std::to_string(component) +
                        ",\"count\":" + std::to_string(count) + ",\"type\":\"" + std::string(type) + "\"" + more);
  }
  int vec3(std::vector<float> v) {
    const auto n = v.size() / 3;
    return accessor(5126, "VEC3", std::move(v), n);
  }
  int vec2(std::vector<float> v) {
    const auto n = v.size() / 2;
    return accessor(5126, "VEC2", std::move(v), n);
  }
  int vec4(std::vector<float> v) {
    const auto n = v.size() / 4;
    return accessor(5126, "VEC4", std::move(v), n);
  }
  int scalar(std::vector<float> v) {
    const auto n = v.size();
    return accessor(5126, "SCALAR", std::move(v), n);
  }
  int indices(std::vector<std::uint16_t> v) {
    const auto n = v.size();
    return accessor(5123, "SCALAR", std::move(v), n);
  }

  template <class T>
  int view(std::vector<T> values, const std::string& more = "") {
    buffer_.resize((buffer_.size() + 3) / 4 * 4);
    const std::size_t offset = buffer_.size();
    append_array<T>(buffer_, values);
    views_.push_back("{\"buffer\":0,\"byteOffset\":" + std::to_string(offset) +
                     ",\"byteLength\":" + std::to_string(values.size() * sizeof(T)) + more + "}");
    return static_cast<int>(views_.size()) - 1;
  }
  int raw_accessor(const std::string& members) {
    accessors_.push_back("{" + members + "}");
    return static_cast<int>(accessors_.size()) - 1;
  }

  // The document: asset, the collected arrays, and `rest` ("\"meshes\":[...]").
  std::string json(const std::string& rest) const {
    std::string text = R"({"asset":{"version":"2.0"})";
    if (!buffer_.empty()) {
      text += R"(,"buffers":[{"byteLength":)" + std::to_string(buffer_.size()) +
              R"(,"uri":"data:application/octet-stream;base64,)" + base64(buffer_) + "\"}]";
    }
    text += ",\"bufferViews\":[" + join(views_) + "],\"accessors\":[" + join(accessors_) + "]";
    return text + (rest.empty() ? "" : "," + rest) + "}";
  }
  // A document with one mesh of one primitive, shown by one node.
  std::string mesh(const std::string& primitive_members) const {
    return json(R"("meshes":[{"primitives":[{)" + primitive_members + R"(}]}],"nodes":[{"mesh":0}])");
  }

 private:
  static std::string join(const std::vector<std::string>& items) {
    std::string text;
    for (const std::string& item : items) text += (text.empty() ? "" : ",") + item;
    return text;
  }
  ByteVector buffer_;
  std::vector<std::string> views_, accessors_;
};

inline Bytes bytes_of(std::string_view text) { return Bytes(ByteVector(as_bytes(text).begin(), as_bytes(text).end())); }

// Reads files from a map; all other paths do not exist.
inline FileReader files(std::map<std::string, std::string, std::less<>> all = {}) {
  return [all = std::move(all)](std::string_view path) -> Result<Bytes> {
    const auto at = all.find(path);
    if (at == all.end()) return fail(ErrorCode::kNotFound, "no such file");
    return bytes_of(at->second);
  };
}

inline Result<Imported> import_text(const std::string& json, const FileReader& read = files(),
                                    const ImportLimits& limits = {}) {
  return import_gltf("models/test.gltf", bytes_of(json), read, limits);
}

// The whole message, or "no error".
template <class T>
std::string message(const Result<T>& result) {
  return result ? "no error" : result.error().to_string();
}

inline const std::vector<float> kTriangle{0, 0, 0, 1, 0, 0, 0, 1, 0};
inline const std::vector<float> kFourPoints{0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};

inline const scene::Primitive& first_primitive(const Result<Imported>& imported) {
  return imported->scene.meshes.at(0).primitives.at(0);
}

inline std::string attributes(std::initializer_list<std::pair<const char*, int>> all, const std::string& more = "") {
  std::string text = "\"attributes\":{";
  for (const auto& [name, accessor] : all)
    text += (text.back() == '{' ? "\"" : ",\"") + std::string(name) + "\":" + std::to_string(accessor);
  return text + "}" + more;
}

inline Result<Imported> import_mesh(const TinyGltf& g, const std::string& primitive) {
  return import_text(g.mesh(primitive));
}

inline std::vector<std::string> dropped(const Result<Imported>& imported) {
  std::vector<std::string> lines;
  for (const auto& d : imported->scene.dropped) lines.push_back(describe(d));
  return lines;
}

}  // namespace assetc::importer::testing
