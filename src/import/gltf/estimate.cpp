// Estimates the cost of a glTF file before it is read. All sums saturate. A file with wrong sizes is refused later,
// with a place.
#include <algorithm>
#include <limits>

#include "import/gltf/gltf.hpp"
#include "import/gltf/json.hpp"
#include "import/gltf/parts.hpp"

namespace assetc::importer {
namespace {

constexpr std::uint64_t kMost = std::uint64_t{1} << 50;
constexpr std::uint64_t kElementBytes = 16;  // VEC4 of float, the widest attribute
// A triangle strip of n indices becomes a list with three times as many.
constexpr std::uint64_t kIndexBytes = 12;
// Memory of the JSON document: per byte of text, and per value. The worst measured value, an empty array, takes 122
// bytes.
constexpr std::uint64_t kDocumentFactor = 2;
constexpr std::uint64_t kValueBytes = 128;

std::uint64_t document_bytes(std::string_view json) {
  // Every value except the first of an array or object follows a comma.
  const auto values =
      static_cast<std::uint64_t>(std::ranges::count_if(json, [](char c) { return c == ',' || c == '[' || c == '{'; }));
  return kDocumentFactor * json.size() + kValueBytes * values;
}

std::uint64_t sum(std::uint64_t a, std::uint64_t b) { return std::min(kMost, a + b); }
std::uint64_t product(std::uint64_t a, std::uint64_t b) { return std::min(kMost, checked_mul(a, b).value_or(kMost)); }

class Estimate {
 public:
  explicit Estimate(const Value& root) : root_(root) {
    each(root_, "accessors", [&](const Value& accessor) {
      counts_.push_back(std::min(kMost, accessor.get_uint("count").value_or(0)));
      // Of a morph target, zeros are not stored.
      moved_counts_.push_back(counts_.back());
      if (accessor.find("bufferView")) return;
      const auto sparse = accessor.find("sparse");
      moved_counts_.back() = sparse ? std::min(counts_.back(), sparse->get_uint("count").value_or(0)) : 0;
    });
  }

  GltfSize size() const {
    GltfSize total = meshes();
    total.data_bytes = clip_bytes();
    each(root_, "buffers", [&](const Value& buffer) {
      total.data_bytes = sum(total.data_bytes, buffer.get_uint("byteLength").value_or(0));
    });
    add_pictures(total);
    return total;
  }

 private:
  template <class Visit>
  static void each(const Value& parent, std::string_view key, const Visit& visit) {
    const auto items = parent.array_or_empty(key);
    for (std::size_t i = 0; items && i < items->size(); ++i) visit(items->item(i));
  }

  std::uint64_t count_of(const Value& object, std::string_view key) const {
    const auto index = object.uint_or(key, counts_.size());
    return index && *index < counts_.size() ? counts_[*index] : 0;
  }
  std::uint64_t attribute_bytes(const Value& attributes) const {
    std::uint64_t total = 0;
    attributes.for_each_member([&](std::string_view name, const Value&) {
      total = sum(total, product(kElementBytes, count_of(attributes, name)));
    });
    return total;
  }

  // Offsets of a target, which are also held by vertex, quantized, and in the file.
  std::uint64_t target_bytes(const Value& target) const {
    constexpr std::uint64_t kFormsOfOffsets = 2;
    std::uint64_t total = 0;
    target.for_each_member([&](std::string_view name, const Value&) {
      const auto index = target.uint_or(name, moved_counts_.size());
      const std::uint64_t count = index && *index < moved_counts_.size() ? moved_counts_[*index] : 0;
      total = sum(total, product(kElementBytes * kFormsOfOffsets, count));
    });
    return total;
  }

  void add_primitive(const Value& primitive, GltfGeometry& size) const {
    ++size.primitives;
    constexpr std::uint64_t kTriangles = 4;  // higher modes are strips and fans
    const std::uint64_t indices = count_of(primitive, "indices");
    std::uint64_t vertices = 0;
    bool is_flat = false;
    if (const auto attributes = primitive.find("attributes")) {
      size.bytes = sum(size.bytes, attribute_bytes(*attributes));
      vertices = count_of(*attributes, "POSITION");
      is_flat = !attributes->find("NORMAL");
    }
    each(primitive, "targets", [&](const Value& target) { size.bytes = sum(size.bytes, target_bytes(target)); });
    size.bytes = sum(size.bytes, product(kIndexBytes, indices));
    const bool is_list = primitive.uint_or("mode", kTriangles).value_or(kTriangles) <= kTriangles;
    const std::uint64_t corners = product(is_list ? 1 : 3, std::max(indices, vertices));
    size.corners = sum(size.corners, corners);
    if (is_flat) size.flat_corners = sum(size.flat_corners, corners);
  }

  static void add(const GltfGeometry& one, std::uint64_t times, GltfGeometry& total) {
    total.primitives = sum(total.primitives, product(one.primitives, times));
    total.bytes = sum(total.bytes, product(one.bytes, times));
    total.corners = sum(total.corners, product(one.corners, times));
    total.flat_corners = sum(total.flat_corners, product(one.flat_corners, times));
  }

  GltfSize meshes() const {
    GltfSize total;
    std::vector<std::uint64_t> draws;
    each(root_, "nodes", [&](const Value& node) {
      total.nodes = sum(total.nodes, 1);
      const auto mesh = node.uint_or("mesh", kMost);
      if (!mesh || *mesh >= root_.array_or_empty("meshes").value_or(root_).size()) return;
      draws.resize(std::max<std::size_t>(draws.size(), *mesh + 1));
      std::uint64_t instances = 1;
      if (const auto instancing = node.extension("EXT_mesh_gpu_instancing")) {
        if (const auto attributes = instancing->find("attributes")) {
          attributes->for_each_member([&](std::string_view name, const Value&) {
            instances = std::max(instances, count_of(*attributes, name));
          });
        }
      }
      draws[*mesh] = sum(draws[*mesh], instances);
      if (instances > 1) total.nodes = sum(total.nodes, instances);
    });
    std::size_t index = 0;
    each(root_, "meshes", [&](const Value& mesh) {
      GltfGeometry once;
      each(mesh, "primitives", [&](const Value& primitive) { add_primitive(primitive, once); });
      add(once, 1, total.meshes);
      add(once, index < draws.size() ? std::max<std::uint64_t>(1, draws[index]) : 1, total.drawn);
      ++index;
    });
    return total;
  }

  void add_pictures(GltfSize& size) const {
    const auto views = root_.array_or_empty("bufferViews");
    each(root_, "images", [&](const Value& image) {
      const std::string uri = image.string_or("uri", "").value_or("");
      std::uint64_t bytes = 0;
      if (is_data_uri(uri)) {
        bytes = uri.size() / 4 * 3;
      } else if (const auto view = image.uint_or("bufferView", kMost); views && view && *view < views->size()) {
        bytes = views->item(*view).get_uint("byteLength").value_or(0);
      }
      if (bytes > 0) ++size.pictures;
      const std::string type = image.string_or("mimeType", uri.substr(0, uri.find(';'))).value_or("");
      std::uint64_t& of_type = type.ends_with("image/png")    ? size.png_bytes
                               : type.ends_with("image/ktx2") ? size.ktx2_bytes
                                                              : size.other_picture_bytes;
      of_type = sum(of_type, bytes);
    });
  }

  std::uint64_t clip_bytes() const {
    std::uint64_t total = 0;
    each(root_, "animations", [&](const Value& animation) {
      const auto samplers = animation.array_or_empty("samplers");
      each(animation, "channels", [&](const Value& channel) {
        const auto index = channel.uint_or("sampler", kMost);
        if (!samplers || !index || *index >= samplers->size()) return;
        const Value sampler = samplers->item(*index);
        total = sum(total, product(kElementBytes, sum(count_of(sampler, "input"), count_of(sampler, "output"))));
      });
    });
    return total;
  }

  const Value& root_;
  std::vector<std::uint64_t> counts_;        // elements of each accessor
  std::vector<std::uint64_t> moved_counts_;  // those that are stored
};

}  // namespace

std::size_t gltf_json_end(ByteSpan head) {
  if (head.size() < kGlbJsonOffset || load<std::uint32_t>(head) != kGlbMagic)
    return std::numeric_limits<std::size_t>::max();
  return kGlbJsonOffset + load<std::uint32_t>(head, kGlbJsonOffset - 8);
}

std::string_view gltf_json_text(const Bytes& file) {
  const std::size_t end = gltf_json_end(file);
  const bool is_glb = end != std::numeric_limits<std::size_t>::max();
  if (is_glb && end > file.size()) return {};
  const std::string_view json =
      as_text(is_glb ? file.span().subspan(kGlbJsonOffset, end - kGlbJsonOffset) : file.span());
  return json.size() <= kMaxJsonBytes ? json : std::string_view();
}

GltfSize estimate_gltf(const Bytes& file) {
  const std::string_view json = gltf_json_text(file);
  const auto document = JsonDocument::parse(json);
  if (!document) return {};
  const Value root = document->root();
  GltfSize size = Estimate(root).size();
  size.document_bytes = document_bytes(json);
  return size;
}

}  // namespace assetc::importer
