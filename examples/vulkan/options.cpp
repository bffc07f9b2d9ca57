#include "options.hpp"

#include <cstdlib>
#include <string_view>

namespace example {

const char* const kUsage =
    "usage: vulkan --mount PACK-OR-FOLDER... --light ENVIRONMENT --model MESH-OR-SCENE... --out OUT.png [OPTIONS]\n"
    "  of the model before it:  --at X Y Z  --scale S  --yaw DEGREES  --clip NUMBER  --time SECONDS  --lod LEVEL\n"
    "                           --animation PATH\n"
    "  of the picture:          --size WIDTH HEIGHT  --view YAW PITCH  --zoom FACTOR  --exposure FACTOR\n"
    "                           --frame X Y Z RADIUS (what it shows; otherwise all models)\n"
    "  --camera NAME            the view of a camera of a scene\n"
    "  --mod PACK-OR-FOLDER     draws OUT.mod.png with this mod mounted, and OUT.unmounted.png after it is unmounted\n"
    "  --gpu-budget BYTES       streams: meshes and textures are as coarse as this limit requires\n"
    "  --no-culling             draws every meshlet, and every cluster of the error\n"
    "  --error TEXELS           of clusters: how far they may be off in the picture; 1 unless given\n"
    "  --cluster-slots COUNT    clusters that the device holds at most; 8192 unless given\n"
    "  --no-occlusion           draws clusters behind others too\n"
    "  --frames COUNT           draws as many pictures and writes the last\n"
    "  --turn DEGREES           of the view, from picture to picture\n"
    "  --no-materials           everything is of glTF's default material\n"
    "  --validate               with the validation layer; its messages fail the program\n";

namespace {

// Reads the words of a command line in order.
class Words {
 public:
  Words(int argc, char** argv) : words_(argv + 1, argv + argc) {}
  bool at_end() const { return next_ == words_.size(); }
  bool is_valid() const { return is_valid_; }
  std::string text() {
    if (at_end()) return is_valid_ = false, "";
    return words_[next_++];
  }
  float number() {
    const std::string word = text();
    char* end = nullptr;
    const float value = std::strtof(word.c_str(), &end);
    is_valid_ = is_valid_ && end != word.c_str() && *end == '\0';
    return value;
  }
  std::uint64_t bytes() {
    const std::string word = text();
    char* end = nullptr;
    const unsigned long long value = std::strtoull(word.c_str(), &end, 10);
    is_valid_ = is_valid_ && end != word.c_str() && *end == '\0' && word[0] != '-';
    return value;
  }
  std::uint32_t count() {
    const float value = number();
    is_valid_ = is_valid_ && value >= 0 && value <= 16384;
    return is_valid_ ? static_cast<std::uint32_t>(value) : 0;
  }

 private:
  std::vector<std::string> words_;
  std::size_t next_ = 0;
  bool is_valid_ = true;
};

bool take_of_model(std::string_view name, Words& words, ModelOptions& model) {
  if (name == "--at") {
    for (float& v : model.at) v = words.number();
  } else if (name == "--scale") {
    model.scale = words.number();
  } else if (name == "--yaw") {
    model.yaw_degrees = words.number();
  } else if (name == "--clip") {
    model.clip = words.count();
  } else if (name == "--animation") {
    model.animation = words.text();
  } else if (name == "--time") {
    model.time_seconds = words.number();
  } else if (name == "--lod") {
    model.lod = words.count();
  } else {
    return false;
  }
  return true;
}

bool take(std::string_view name, Words& words, Options& options) {
  if (name == "--mount") {
    options.mounts.push_back(words.text());
  } else if (name == "--model") {
    options.models.push_back({.path = words.text()});
  } else if (name == "--light") {
    options.light = words.text();
  } else if (name == "--camera") {
    options.camera = words.text();
  } else if (name == "--out") {
    options.out = words.text();
  } else if (name == "--mod") {
    options.mod = words.text();
  } else if (name == "--gpu-budget") {
    options.gpu_bytes = words.bytes();
  } else if (name == "--size") {
    options.width = words.count();
    options.height = words.count();
  } else if (name == "--view") {
    options.yaw_degrees = words.number();
    options.pitch_degrees = words.number();
  } else if (name == "--frame") {
    for (float& v : options.frame.emplace()) v = words.number();
  } else if (name == "--zoom") {
    options.zoom = words.number();
  } else if (name == "--exposure") {
    options.exposure = words.number();
  } else if (name == "--error") {
    options.error_texels = words.number();
  } else if (name == "--cluster-slots") {
    options.cluster_slots = words.count();
  } else if (name == "--no-occlusion") {
    options.has_occlusion = false;
  } else if (name == "--frames") {
    options.frame_count = words.count();
  } else if (name == "--turn") {
    options.turn_degrees = words.number();
  } else if (name == "--no-culling") {
    options.culls = false;
  } else if (name == "--no-materials") {
    options.has_materials = false;
  } else if (name == "--validate") {
    options.validates = true;
  } else {
    return !options.models.empty() && take_of_model(name, words, options.models.back());
  }
  return true;
}

}  // namespace

std::optional<Options> parse(int argc, char** argv) {
  Options options;
  Words words(argc, argv);
  while (!words.at_end()) {
    if (!take(words.text(), words, options) || !words.is_valid()) return std::nullopt;
  }
  const bool is_whole = !options.mounts.empty() && !options.models.empty() && !options.light.empty() &&
                        !options.out.empty() && options.width > 0 && options.height > 0 && options.zoom > 0 &&
                        options.error_texels > 0 && options.cluster_slots > 0 && options.frame_count > 0;
  if (!is_whole) return std::nullopt;
  return options;
}

}  // namespace example
