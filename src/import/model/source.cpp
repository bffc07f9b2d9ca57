#include "import/model/source.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>

#include "base/plural.hpp"

namespace assetc::importer {
namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::unexpected<Error> refuse(std::string_view reference, std::string_view why, std::string_view hint) {
  return fail(ErrorCode::kInvalidData, "found the reference \"" + std::string(reference) + "\", " + std::string(why),
              std::string(hint));
}

constexpr std::string_view kRelativeHint = "write the path relative to this file, inside the input folder";

// A scheme is letters, digits, '+', '-' and '.' before the first ':'. "C:" also counts.
bool has_scheme(std::string_view uri) {
  for (char c : uri) {
    if (c == ':') return true;
    const bool scheme_char =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
    if (!scheme_char) return false;
  }
  return false;
}

// The singular of "mesh nodes outside the default scene": removes the s of the first plural. Names of extensions,
// attributes and statements keep theirs.
std::string singular(std::string_view what) {
  for (std::size_t begin = 0, end = 0; begin < what.size(); begin = end + 1) {
    end = std::min(what.find_first_of(" ,", begin), what.size());
    const std::string_view word = what.substr(begin, end - begin);
    const bool is_word = std::ranges::all_of(word, [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; });
    if (is_word && word.ends_with('s') && !word.ends_with("ss")) {
      const std::size_t ending = word.ends_with("shes") ? 2 : 1;  // "meshes", but "lines"
      return std::string(what.substr(0, end - ending)).append(what.substr(end));
    }
  }
  return std::string(what);
}

}  // namespace

Result<void> check_decoded(std::uint64_t bytes, std::uint64_t source_bytes, const ImportLimits& limits) {
  const std::uint64_t proportional = checked_mul(source_bytes, limits.bytes_per_byte).value_or(limits.scene_bytes);
  const std::uint64_t limit = std::min(limits.scene_bytes, limits.free_bytes + proportional);
  if (bytes <= limit) return {};
  const std::string text = "the file would decode to more than " + std::to_string(limit >> 20) + " MiB";
  if (limit == limits.scene_bytes) return fail(ErrorCode::kLimit, text, "split the model into several files");
  return fail(ErrorCode::kLimit, text + ", the limit for " + counted(source_bytes, "byte"),
              "it names the same data many times; export the model again without the repetition");
}

Result<void> check_drawn(const scene::Scene& scene, std::uint64_t source_bytes, const ImportLimits& limits) {
  std::vector<std::uint64_t> of_mesh(scene.meshes.size(), 0);
  for (std::size_t m = 0; m < of_mesh.size(); ++m) {
    for (const scene::Primitive& p : scene.meshes[m].primitives) of_mesh[m] += p.indices.size();
  }
  std::uint64_t corners = 0;  // fits: 2^32 nodes, and fewer than 2^32 corners of each mesh
  for (const scene::Node& node : scene.nodes) corners += node.mesh < of_mesh.size() ? of_mesh[node.mesh] : 0;
  const std::uint64_t proportional = checked_mul(source_bytes, limits.corners_per_byte).value_or(corners);
  if (corners <= limits.free_corners || corners - limits.free_corners <= proportional) return {};
  return fail_at(ErrorCode::kLimit, "/nodes",
                 "its nodes draw " + counted(corners, "corner") + " of triangles, lines and points, expected at most " +
                     std::to_string(limits.free_corners + proportional) + " of " + counted(source_bytes, "byte"),
                 "draw fewer nodes or instances, or split the model");
}

Result<std::string> resolve_path(std::string_view source_path, std::string_view path,
                                 std::optional<std::string_view> root) {
  if (path.empty()) return refuse(path, "expected a path", kRelativeHint);
  if (path.find('\0') != path.npos) return refuse(path.substr(0, path.find('\0')), "which holds a NUL byte", {});
  if (has_scheme(path)) return refuse(path, "expected a relative path without a scheme or drive", kRelativeHint);
  std::string joined;
  const bool absolute = path.front() == '/' || path.front() == '\\';
  if (absolute && !root) return refuse(path, "expected a relative path", kRelativeHint);
  joined = absolute ? *root : source_path.substr(0, source_path.size() - file_name(source_path).size());
  joined += path;

  std::vector<std::string_view> parts;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= joined.size(); ++i) {
    if (i < joined.size() && joined[i] != '/' && joined[i] != '\\') continue;
    const std::string_view part = std::string_view(joined).substr(start, i - start);
    start = i + 1;
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (parts.empty()) {
      return refuse(path, "which leaves the input folder", kRelativeHint);
    } else {
      parts.pop_back();
    }
  }
  if (parts.empty()) return refuse(path, "expected a file, not the input folder", kRelativeHint);
  std::string resolved;
  for (std::string_view part : parts) {
    if (!resolved.empty() || source_path.starts_with('/')) resolved += '/';
    resolved += part;
  }
  return resolved;
}

std::string decode_percents(std::string_view uri) {
  std::string decoded;
  decoded.reserve(uri.size());
  for (std::size_t i = 0; i < uri.size(); ++i) {
    if (uri[i] != '%') {
      decoded += uri[i];
      continue;
    }
    const int high = i + 2 < uri.size() ? hex_value(uri[i + 1]) : -1;
    const int low = i + 2 < uri.size() ? hex_value(uri[i + 2]) : -1;
    if (high >= 0 && low >= 0) {
      decoded += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      decoded += '%';  // exporters that do not escape write names such as "50%.png"
    }
  }
  return decoded;
}

Result<std::string> resolve_uri(std::string_view source_path, std::string_view uri) {
  // Checked before decoding, because an escaped ':' is part of a name.
  if (has_scheme(uri)) return refuse(uri.substr(0, 64), "expected a relative path or a data URI", kRelativeHint);
  std::string decoded = decode_percents(uri);
  // "./" keeps resolve_path from reading an escaped "C:" as a scheme. An absolute path must stay absolute.
  if (!decoded.empty() && decoded.front() != '/' && decoded.front() != '\\') decoded.insert(0, "./");
  return resolve_path(source_path, decoded);
}

std::string_view file_name(std::string_view path) {
  const std::size_t slash = path.find_last_of('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

std::string describe(const scene::Dropped& dropped) {
  std::string text = "dropped: " + std::to_string(dropped.count) + " ";
  const bool is_name = dropped.what.starts_with("extension ");
  text += dropped.count == 1 && !is_name ? singular(dropped.what) : dropped.what;
  if (!dropped.where.empty()) text += " (" + dropped.where + (dropped.count > 1 ? ", ..." : "") + ")";
  return text;
}

namespace {

// The first of these texts that the description of dropped data contains decides the kind of warning.
constexpr std::pair<std::string_view, WarningKind> kDroppedKinds[] = {
    {"attribute ", WarningKind::kDroppedAttribute},
    {"extension ", WarningKind::kDroppedExtension},
    {"MTL ", WarningKind::kDroppedMaterial},
    {"extras", WarningKind::kDroppedExtras},
    {"cameras", WarningKind::kDroppedCameras},
    {"lights", WarningKind::kDroppedLights},
    {"morph ", WarningKind::kDroppedMorphs},
    {"animat", WarningKind::kDroppedAnimation},
    {"textures", WarningKind::kDroppedMaterial},
    {"texture coordinate set", WarningKind::kDroppedAttribute},
    {"UV sets", WarningKind::kDroppedAttribute},
    {"vertex color", WarningKind::kDroppedAttribute},
    {"influences", WarningKind::kDroppedAttribute},
    {" maps", WarningKind::kDroppedMaterial},
    {"material tables", WarningKind::kDroppedMaterial},
    {"primitives", WarningKind::kDroppedGeometry},
    {"lines of", WarningKind::kDroppedGeometry},
    {"points without", WarningKind::kDroppedGeometry},
    {"surfaces", WarningKind::kDroppedGeometry},
    {"curves", WarningKind::kDroppedGeometry},
    {"geometry", WarningKind::kDroppedGeometry},
    {"triangles", WarningKind::kDroppedGeometry},
    {"faces", WarningKind::kDroppedGeometry},
    {"free-form", WarningKind::kDroppedGeometry},
};

}  // namespace

Warning dropped_warning(const scene::Dropped& dropped) {
  const auto known = std::ranges::find_if(
      kDroppedKinds, [&](std::string_view text) { return dropped.what.contains(text); },
      &std::pair<std::string_view, WarningKind>::first);
  const WarningKind kind = known == std::end(kDroppedKinds) ? WarningKind::kDroppedContent : known->second;
  return {kind, ErrorCode::kUnsupported, {}, {}, describe(dropped)};
}

void add_dropped(std::vector<scene::Dropped>& all, std::string_view what, std::string_view where, std::uint32_t count,
                 bool is_in_scene, bool is_minor) {
  if (count == 0) return;
  for (scene::Dropped& d : all) {
    if (d.what != what || d.is_in_scene != is_in_scene || d.is_minor != is_minor) continue;
    d.count = d.count > std::numeric_limits<std::uint32_t>::max() - count ? std::numeric_limits<std::uint32_t>::max()
                                                                          : d.count + count;
    return;
  }
  all.push_back({std::string(what), std::string(where), count, false, is_in_scene, is_minor});
}

}  // namespace assetc::importer
