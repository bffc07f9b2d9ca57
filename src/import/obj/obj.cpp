#include "import/obj/obj.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>

#include "base/plural.hpp"
#include "import/model/lod_names.hpp"
#include "import/model/triangulate.hpp"
#include "import/obj/mtl.hpp"
#include "import/text/encoding.hpp"
#include "import/text/lines.hpp"

namespace assetc::importer {
namespace {

using scene::Primitive;
using scene::Vec2;
using scene::Vec3;
using scene::Vec4;

constexpr std::uint32_t kAbsent = 0xFFFFFFFF;
constexpr std::size_t kMaxMtlFiles = 64;       // of one mtllib statement
constexpr std::string_view kPaint = "#MRGB ";  // ZBrush's mask and colors of the next vertices, as hexadecimal digits

bool ends_in_mtl(std::string_view word) {
  if (word.size() < 4) return false;
  return std::ranges::equal(word.substr(word.size() - 4), std::string_view(".mtl"), {},
                            [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
}

constexpr Vec4 kNoColor{-1, -1, -1, -1};  // of a vertex without; -1 alone: without alpha

struct Corner {
  std::uint32_t position, texcoord, normal;  // kAbsent if not given
  bool operator==(const Corner&) const = default;
};

// A face, a line of several corners, or points.
struct Element {
  std::uint32_t first_corner, corner_count;
  std::uint32_t primitive;  // of Reader::primitives_
  std::uint32_t smoothing;
  std::uint32_t line;
};

// Maps the corners of one primitive to vertices. Open addressing; grows when half full.
class CornerTable {
 public:
  // Returns the vertex of the corner, and true if it is new.
  std::pair<std::uint32_t, bool> insert(const Corner& corner) {
    if (2 * (corners_.size() + 1) > slots_.size()) grow();
    for (std::size_t at = hash(corner);; ++at) {
      std::uint32_t& slot = slots_[at & (slots_.size() - 1)];
      if (slot == kAbsent) {
        slot = static_cast<std::uint32_t>(corners_.size());
        corners_.push_back(corner);
        return {slot, true};
      }
      if (corners_[slot] == corner) return {slot, false};
    }
  }
  const std::vector<Corner>& corners() const { return corners_; }

 private:
  static std::size_t hash(const Corner& c) {
    std::uint64_t h = c.position * 0x9E3779B97F4A7C15ull;
    h = (h ^ h >> 32 ^ c.texcoord) * 0xD6E8FEB86659FD93ull;
    h = (h ^ h >> 32 ^ c.normal) * 0xA0761D6478BD642Full;
    return static_cast<std::size_t>(h ^ h >> 32);
  }
  void grow() {
    slots_.assign(std::max<std::size_t>(64, slots_.size() * 2), kAbsent);
    for (std::uint32_t i = 0; i < corners_.size(); ++i) {
      std::size_t at = hash(corners_[i]);
      while (slots_[at & (slots_.size() - 1)] != kAbsent) ++at;
      slots_[at & (slots_.size() - 1)] = i;
    }
  }
  std::vector<std::uint32_t> slots_;
  std::vector<Corner> corners_;
};

class ObjReader {
 public:
  ObjReader(std::string_view path, const FileReader& read, const ImportLimits& limits)
      : path_(path), read_(read), limit_bytes_(limits.scene_bytes) {}

  Result<Imported> run(std::string_view text) {
    Lines lines(text, kPaint);
    while (const auto line = lines.next()) {
      line_ = lines.number();
      if (line->starts_with(kPaint)) {
        paint(line->substr(kPaint.size()));
      } else {
        ASSETC_CHECK(statement(*line));
      }
      if (memory_bytes() > limit_bytes_) {
        return fail_at(ErrorCode::kLimit, line_place(line_),
                       "the file would decode to more than " + std::to_string(limit_bytes_ >> 20) + " MiB",
                       "split the model into several files");
      }
    }
    ASSETC_CHECK(build());
    return std::move(out_);
  }

 private:
  struct UsedMaterial {
    std::string name;
    std::uint64_t line = 0;  // of its first usemtl
  };
  struct PrimitiveKey {
    std::string group;
    std::uint32_t material;  // of used_, or scene::kNone
    scene::Topology topology;
    auto operator<=>(const PrimitiveKey&) const = default;
  };

  std::uint64_t memory_bytes() const {
    return positions_.size() * 24 + texcoords_.size() * 8 + normals_.size() * 12 + corners_.size() * 80 +
           elements_.size() * sizeof(Element);
  }

  std::unexpected<Error> refuse(std::string what, std::string_view hint = {}) const {
    return fail_at(ErrorCode::kInvalidData, line_place(line_), std::move(what), hint);
  }
  void warn(WarningKind kind, std::string what, std::string hint = {}) {
    out_.warnings.push_back({kind, ErrorCode::kInvalidData, {}, line_place(line_), std::move(what), std::move(hint)});
  }

  Result<void> statement(std::string_view line) {
    Words words(line);
    const std::string_view key = words.next();
    if (key == "v") return vertex(words);
    if (key == "vt") return texcoord(words);
    if (key == "vn") return normal(words);
    if (key == "f" || key == "fo") return element(words, scene::Topology::kTriangles);
    if (key == "l") return element(words, scene::Topology::kLines);
    if (key == "p") return element(words, scene::Topology::kPoints);
    if (key == "o" || key == "g") {
      group_ = words.rest();
      current_.fill(kAbsent);
    } else if (key == "usemtl") {
      material_ = used_material(words.rest());
      current_.fill(kAbsent);
    } else if (key == "s") {
      return smoothing(words.rest());
    } else if (key == "mtllib") {
      libraries(words.rest());
      if (unusable_library_) return std::unexpected(*unusable_library_);
    } else if (is_one_of(key, {"vp", "cstype", "deg", "bmat", "step", "curv", "curv2", "surf", "parm", "trim", "hole",
                               "scrv", "sp", "end", "con", "ctech", "stech"})) {
      add_dropped(out_.scene.dropped, "free-form statements", line_place(line_));
    } else if (is_one_of(key, {"mg", "bevel", "c_interp", "d_interp", "lod", "shadow_obj", "trace_obj", "maplib",
                               "usemap", "call", "csh"})) {
      add_dropped(out_.scene.dropped, "statements " + std::string(key), line_place(line_));
    } else if (unknown_count_++ == 0) {
      warn(WarningKind::kUnknownStatement,
           "found the unknown statement \"" + std::string(key.substr(0, 40)) + "\"; it and others like it are ignored");
    }
    return {};
  }

  static bool is_one_of(std::string_view key, std::initializer_list<std::string_view> all) {
    return std::ranges::find(all, key) != all.end();
  }

  // Reads numbers up to the end of the line, at most out.size().
  Result<std::size_t> numbers(Words& words, std::span<float> out) {
    std::size_t count = 0;
    for (; !words.empty() && count < out.size(); ++count) {
      const std::string_view word = words.next();
      const auto value = parse_float(word);
      if (!value) return refuse("found \"" + std::string(word.substr(0, 40)) + "\", expected a finite number");
      out[count] = *value;
    }
    return count;
  }

  // The same, but a value that is no number or not finite counts as 0, with a warning. For data that a model can do
  // without: exporters write "nan" and "-1.#IND" for normals of faces without area.
  std::size_t numbers_or_zero(Words& words, std::span<float> out) {
    std::size_t count = 0;
    for (; !words.empty() && count < out.size(); ++count) {
      const std::string_view word = words.next();
      const auto value = parse_float(word);
      if (!value && !std::exchange(warned_number_, true)) {
        warn(WarningKind::kRepairedMesh, "found \"" + std::string(word.substr(0, 40)) +
                                             "\", expected a finite number; it and others like it count as 0");
      }
      out[count] = value.value_or(0.0f);
    }
    return count;
  }

  Result<void> vertex(Words& words) {
    float n[7];
    ASSETC_TRY(std::size_t count, numbers(words, std::span(n).first(3)));
    if (count < 3) return refuse("found a vertex of " + counted(count, "number") + ", expected 3 or more");
    positions_.push_back({n[0], n[1], n[2]});
    count += numbers_or_zero(words, std::span(n).subspan(3));
    // x y z r g b, with or without alpha. One further number is a weight of free-form curves.
    if (count >= 6) {
      colors_.resize(positions_.size() - 1, kNoColor);
      colors_.push_back({n[3], n[4], n[5], count == 7 ? n[6] : kNoColor.w});
    }
    return {};
  }

  // Each vertex has 8 digits: the mask, red, green and blue. A vertex keeps the color of its own line.
  void paint(std::string_view digits) {
    for (; digits.size() >= 8; digits.remove_prefix(8), ++painted_count_) {
      std::uint32_t color = 0;
      const char* const start = digits.data();
      const auto [end, error] = std::from_chars(start, start + 8, color, 16);
      if (error != std::errc() || end != start + 8) break;
      if (painted_count_ >= positions_.size()) return;
      if (painted_count_ < colors_.size()) continue;
      const auto part = [&](int shift) { return static_cast<float>(color >> shift & 0xFF) / 255; };
      colors_.push_back({part(16), part(8), part(0), kNoColor.w});
    }
    if (!Words(digits).empty() && !std::exchange(warned_paint_, true)) {
      warn(WarningKind::kRepairedMesh,
           "found \"" + std::string(digits.substr(0, 16)) +
               "\" in a comment #MRGB, expected 8 hexadecimal digits for each vertex; the rest of the line is ignored");
    }
  }

  // Scales colors of 0 to 255, which some programs write, to 0 to 1. Vertices without a color become white.
  void finish_colors() {
    const auto is_byte = [](float value) { return value >= 0 && value <= 255 && value == std::floor(value); };
    float most = 0, most_alpha = 0;
    bool are_bytes = true;
    for (const Vec4& c : colors_) {
      if (c == kNoColor) continue;
      are_bytes = are_bytes && is_byte(c.x) && is_byte(c.y) && is_byte(c.z);
      most = std::max({most, c.x, c.y, c.z});
      most_alpha = std::max(most_alpha, c.w);
    }
    const float scale = are_bytes && most > 1 ? 255.0f : 1.0f, alpha_scale = most_alpha > 1 ? scale : 1.0f;
    for (Vec4& c : colors_) {
      const float alpha = c.w == kNoColor.w ? 1 : c.w / alpha_scale;
      c = c == kNoColor ? Vec4{1, 1, 1, 1} : Vec4{c.x / scale, c.y / scale, c.z / scale, alpha};
    }
    if (!colors_.empty()) colors_.resize(positions_.size(), Vec4{1, 1, 1, 1});
  }

  Result<void> texcoord(Words& words) {
    float n[3];
    const std::size_t count = numbers_or_zero(words, n);
    if (count < 1) return refuse("found a texture coordinate without numbers, expected 2");
    texcoords_.push_back({n[0], 1 - (count > 1 ? n[1] : 0)});
    return {};
  }

  Result<void> normal(Words& words) {
    float n[3];
    const std::size_t count = numbers_or_zero(words, n);
    if (count < 3) return refuse("found a normal of " + counted(count, "number") + ", expected 3");
    normals_.push_back({n[0], n[1], n[2]});
    return {};
  }

  // Converts a 1-based or negative index to a 0-based one. It may refer to a later line, so its range is checked at the
  // end.
  std::optional<std::uint32_t> index(std::string_view text, std::size_t defined) {
    std::int64_t value = 0;
    if (text.starts_with('+')) text.remove_prefix(1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    if (value < 0) value += static_cast<std::int64_t>(defined) + 1;
    if (value < 1 || value >= kAbsent) return std::nullopt;
    return static_cast<std::uint32_t>(value - 1);
  }

  Result<Corner> corner(std::string_view word) {
    Corner c{kAbsent, kAbsent, kAbsent};
    std::uint32_t* const parts[] = {&c.position, &c.texcoord, &c.normal};
    const std::size_t defined[] = {positions_.size(), texcoords_.size(), normals_.size()};
    std::string_view rest = word;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t slash = rest.find('/');
      const std::string_view part = rest.substr(0, slash);
      if (!part.empty() || i == 0) {
        const auto value = index(part, defined[i]);
        if (!value) {
          return refuse("found the corner \"" + std::string(word.substr(0, 40)) +
                            "\", expected v, v/vt, v//vn or v/vt/vn with numbers from 1, or from -1 back to " +
                            std::to_string(defined[i]),
                        "indices of OBJ start at 1; -1 is the last one defined");
        }
        *parts[i] = *value;
      }
      if (slash == rest.npos) return c;
      rest.remove_prefix(slash + 1);
    }
    return refuse("found the corner \"" + std::string(word.substr(0, 40)) + "\", expected at most v/vt/vn");
  }

  Result<void> element(Words& words, scene::Topology topology) {
    const auto first = static_cast<std::uint32_t>(corners_.size());
    while (!words.empty()) {
      ASSETC_TRY(const Corner c, corner(words.next()));
      corners_.push_back(c);
    }
    const auto count = static_cast<std::uint32_t>(corners_.size()) - first;
    if (corners_.size() >= kAbsent)
      return fail_at(ErrorCode::kLimit, line_place(line_), "more than 4294967294 face corners");
    static constexpr std::array<std::uint32_t, 3> kLeastCorners{3, 2, 1};
    static constexpr std::array<std::string_view, 3> kShort{
        "faces of fewer than three corners", "lines of fewer than two corners", "points without a corner"};
    const auto kind = static_cast<std::size_t>(topology);
    if (count < kLeastCorners[kind]) {
      corners_.resize(first);
      add_dropped(out_.scene.dropped, kShort[kind], line_place(line_));
      return {};
    }
    if (current_[kind] == kAbsent) {
      const auto next = static_cast<std::uint32_t>(primitive_keys_.size());
      const auto [at, added] = primitives_.try_emplace(PrimitiveKey{group_, material_, topology}, next);
      if (added) primitive_keys_.push_back(at->first);
      current_[kind] = at->second;
    }
    elements_.push_back({first, count, current_[kind], smoothing_,
                         static_cast<std::uint32_t>(std::min<std::uint64_t>(line_, kAbsent))});
    return {};
  }

  Result<void> smoothing(std::string_view value) {
    has_smoothing_ = true;
    if (value == "off" || value.empty()) {
      smoothing_ = 0;
    } else if (value == "on") {
      smoothing_ = 1;
    } else {
      std::uint32_t group = 0;
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), group);
      if (error != std::errc() || end != value.data() + value.size()) {
        return refuse("found the smoothing group \"" + std::string(value.substr(0, 40)) +
                      "\", expected a number of 0 or more, or off");
      }
      smoothing_ = group;
    }
    return {};
  }

  std::uint32_t used_material(std::string_view name) {
    const auto [at, added] = used_index_.try_emplace(std::string(name), static_cast<std::uint32_t>(used_.size()));
    if (added) used_.push_back({std::string(name), line_});
    return at->second;
  }

  // Resolves the material of each used name after every library is read, because mtllib may follow usemtl. A material
  // that no library defines keeps its name, so that an engine can bind it.
  std::vector<std::uint32_t> resolve_materials() {
    auto& materials = out_.scene.materials;
    std::map<std::string, std::uint32_t, std::less<>> defined;
    for (std::uint32_t i = 0; i < materials.size(); ++i) defined.try_emplace(materials[i].name, i);
    std::vector<std::uint32_t> resolved;
    for (const UsedMaterial& use : used_) {
      if (const auto known = defined.find(use.name); known != defined.end()) {
        resolved.push_back(known->second);
        continue;
      }
      if (!warned_library_) {
        line_ = use.line;
        warn(WarningKind::kMissingMaterialLibrary,
             "found usemtl \"" + use.name.substr(0, 80) + "\", but no material library defines it; defaults are used",
             "export the .mtl beside the model, or name it with mtllib");
      }
      scene::Material m;
      m.name = use.name;
      m.base_color = {0.8f, 0.8f, 0.8f, 1};
      m.metallic = 0;
      resolved.push_back(static_cast<std::uint32_t>(materials.size()));
      materials.push_back(std::move(m));
    }
    return resolved;
  }

  // The text is one file name with blanks, or several file names, each of which may have blanks before its ".mtl".
  void libraries(std::string_view all) {
    if (read_library(all)) return;
    Words words(all);
    const char* first = all.data();
    for (std::size_t count = 0; !words.empty() && count < kMaxMtlFiles;) {
      const std::string_view word = words.next();
      const char* const end = word.data() + word.size();
      if (!ends_in_mtl(word) && !words.empty()) continue;
      const std::string_view name(first, static_cast<std::size_t>(end - first));
      first = words.rest().data();
      ++count;
      if ((name != all && read_library(name)) || read_any_word(name)) continue;
      warned_library_ = true;
      warn(WarningKind::kMissingMaterialLibrary,
           "the material library \"" + std::string(name.substr(0, 200)) + "\" is not there; its materials get defaults",
           "export the .mtl beside the model");
    }
  }

  bool read_any_word(std::string_view names) {
    bool any = false;
    Words words(names);
    for (std::size_t count = 0; !words.empty() && count < kMaxMtlFiles; ++count) {
      const std::string_view word = words.next();
      if (word != names && read_library(word)) any = true;
    }
    return any;
  }

  bool read_library(std::string_view name) {
    const auto path = resolve_path(path_, name);
    if (!path) return false;
    const auto bytes = read_(*path);
    if (!bytes) {
      if (bytes.error().code == ErrorCode::kInvalidData) unusable_library_ = bytes.error();
      return false;
    }
    read_mtl(*path, as_text(bytes->span()), out_);
    return true;
  }

  Result<void> build() {
    const std::vector<std::uint32_t> materials = resolve_materials();
    if (elements_.empty()) {
      line_ = std::max(line_, std::uint64_t{1});
      return refuse("found " + counted(positions_.size(), "vertex") + ", but no face, line or point that uses one",
                    "export the faces too; write a point cloud with statements p");
    }
    finish_colors();
    std::vector<Primitive> primitives(primitive_keys_.size());
    std::vector<CornerTable> tables(primitive_keys_.size());
    std::vector<std::uint32_t> triangles;
    std::vector<Vec3> shape;
    std::vector<std::uint32_t> vertices;
    for (std::size_t p = 0; p < primitives.size(); ++p) primitives[p].topology = primitive_keys_[p].topology;
    for (const Element& f : elements_) {
      line_ = f.line;
      Primitive& primitive = primitives[f.primitive];
      shape.clear();
      vertices.clear();
      for (std::uint32_t i = 0; i < f.corner_count; ++i) {
        ASSETC_TRY(const Corner c, checked(corners_[f.first_corner + i]));
        shape.push_back(positions_[c.position]);
        vertices.push_back(tables[f.primitive].insert(c).first);
      }
      if (primitive.topology == scene::Topology::kPoints) {
        primitive.indices.insert(primitive.indices.end(), vertices.begin(), vertices.end());
        continue;
      }
      if (primitive.topology == scene::Topology::kLines) {
        for (std::size_t i = 1; i < vertices.size(); ++i)
          primitive.indices.insert(primitive.indices.end(), {vertices[i - 1], vertices[i]});
        continue;
      }
      if (!triangulate(shape, triangles))
        warn(WarningKind::kPolygonFan,
             "a face of " + counted(f.corner_count, "corner") +
                 " would take too long to cut well; it is cut as a fan, which fits convex faces only");
      for (std::uint32_t t : triangles) primitive.indices.push_back(vertices[t]);
      // A file without smoothing statements is treated as smooth. Exporters of flat shapes write normals or "s off".
      primitive.smoothing_groups.insert(primitive.smoothing_groups.end(), triangles.size() / 3,
                                        has_smoothing_ ? f.smoothing : 1);
    }
    for (std::size_t p = 0; p < primitives.size(); ++p) fill(tables[p].corners(), primitives[p]);
    emit(std::move(primitives), materials);
    link_levels_by_name(out_.scene);
    return {};
  }

  // Checks the corner and removes texture coordinates and normals that do not exist.
  Result<Corner> checked(Corner c) {
    if (c.position >= positions_.size()) {
      return refuse("the face names vertex " + std::to_string(c.position + std::uint64_t{1}) + ", but the file has " +
                        std::to_string(positions_.size()),
                    "the file was cut short or its indices are wrong; export it again");
    }
    if (c.texcoord != kAbsent && c.texcoord >= texcoords_.size()) {
      if (!std::exchange(warned_texcoord_, true)) {
        warn(WarningKind::kRepairedMesh,
             "the face names texture coordinate " + std::to_string(c.texcoord + std::uint64_t{1}) +
                 ", but the file has " + std::to_string(texcoords_.size()) + "; it and others like it are left out");
      }
      c.texcoord = kAbsent;
    }
    if (c.normal != kAbsent && c.normal >= normals_.size()) {
      if (!std::exchange(warned_normal_, true)) {
        warn(WarningKind::kRepairedMesh, "the face names normal " + std::to_string(c.normal + std::uint64_t{1}) +
                                             ", but the file has " + std::to_string(normals_.size()) +
                                             "; normals are computed there");
      }
      c.normal = kAbsent;
    }
    return c;
  }

  void fill(const std::vector<Corner>& corners, Primitive& primitive) {
    const bool any_texcoord = std::ranges::any_of(corners, [](const Corner& c) { return c.texcoord != kAbsent; });
    const bool all_normals = std::ranges::all_of(corners, [](const Corner& c) { return c.normal != kAbsent; });
    if (any_texcoord) primitive.texcoords.resize(1);
    if (!colors_.empty()) primitive.colors.resize(1);
    for (const Corner& c : corners) {
      primitive.positions.push_back(positions_[c.position]);
      if (any_texcoord) primitive.texcoords[0].push_back(c.texcoord == kAbsent ? Vec2{} : texcoords_[c.texcoord]);
      if (all_normals) primitive.normals.push_back(normals_[c.normal]);
      if (!colors_.empty()) primitive.colors[0].push_back(colors_[c.position]);
    }
    if (!all_normals && std::ranges::any_of(corners, [](const Corner& c) { return c.normal != kAbsent; })) {
      out_.warnings.push_back({WarningKind::kRepairedMesh,
                               ErrorCode::kInvalidData,
                               {},
                               {},
                               "only some faces of a material have normals; all its normals are computed",
                               {}});
    }
    if (all_normals && !primitive.normals.empty()) primitive.smoothing_groups.clear();
  }

  // Creates one mesh and node per group, in the order of first use.
  void emit(std::vector<Primitive> primitives, std::span<const std::uint32_t> materials) {
    scene::Scene& scene = out_.scene;
    std::map<std::string, std::size_t, std::less<>> mesh_of_group;
    for (std::size_t p = 0; p < primitives.size(); ++p) {
      const PrimitiveKey& key = primitive_keys_[p];
      const auto [at, added] = mesh_of_group.try_emplace(key.group, scene.meshes.size());
      if (added) {
        scene.meshes.emplace_back().name = key.group;
        scene::Node node;
        node.name = key.group;
        node.mesh = static_cast<std::uint32_t>(at->second);
        scene.nodes.push_back(std::move(node));
      }
      primitives[p].material = key.material == scene::kNone ? scene::kNone : materials[key.material];
      scene.meshes[at->second].primitives.push_back(std::move(primitives[p]));
    }
  }

  std::string_view path_;
  const FileReader& read_;
  std::uint64_t limit_bytes_;
  Imported out_;
  std::uint64_t line_ = 0;
  std::uint64_t unknown_count_ = 0;
  std::optional<Error> unusable_library_;  // a library that is there, but is not what it should be
  bool warned_library_ = false, warned_texcoord_ = false, warned_normal_ = false, warned_number_ = false,
       warned_paint_ = false, has_smoothing_ = false;
  std::size_t painted_count_ = 0;  // vertices that #MRGB has named

  std::vector<Vec3> positions_;
  std::vector<Vec4> colors_;  // empty, or one per position
  std::vector<Vec2> texcoords_;
  std::vector<Vec3> normals_;
  std::vector<Corner> corners_;
  std::vector<Element> elements_;

  std::string group_;
  std::vector<UsedMaterial> used_;
  std::map<std::string, std::uint32_t, std::less<>> used_index_;
  std::uint32_t material_ = scene::kNone;  // of used_
  std::uint32_t smoothing_ = 0;
  // The primitive of the current group and material, by topology.
  std::array<std::uint32_t, 3> current_{kAbsent, kAbsent, kAbsent};
  std::map<PrimitiveKey, std::uint32_t> primitives_;
  std::vector<PrimitiveKey> primitive_keys_;
};

}  // namespace

Result<Imported> import_obj(std::string_view source_path, const Bytes& file, const FileReader& read,
                            const ImportLimits& limits) {
  std::string storage;
  auto [text, encoding] = read_text(as_text(file.span()), storage);
  // ZBrush ends files with a NUL byte, before or after the last line break.
  while (text.ends_with('\0') || text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
  if (text.find('\0') != text.npos) {
    const auto line = std::ranges::count(text.substr(0, text.find('\0')), '\n') + 1;
    return fail_at(ErrorCode::kInvalidData, line_place(static_cast<std::uint64_t>(line)),
                   "found a NUL byte, expected OBJ text",
                   "object files of a compiler and binary models are not Wavefront OBJ");
  }
  auto imported = ObjReader(source_path, read, limits).run(text);
  if (imported && encoding == TextEncoding::kLatin1) warn_of_latin1({}, *imported);
  return imported;
}

std::uint64_t estimate_obj_bytes(const Bytes& file) {
  // In memory, a corner takes 12 bytes and up to 68 as a separate vertex. In the text it takes at least 4 bytes.
  return std::uint64_t{file.size()} * 3;
}

}  // namespace assetc::importer
