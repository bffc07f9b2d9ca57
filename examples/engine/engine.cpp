// The part of an engine that finds its assets: mounts a pack (or a folder), opens every mesh, resolves the hash of
// every texture of its materials to a path, and streams the textures in. An engine would hand these spans to the GPU.
#include <assetc/runtime/inflate.hpp>
#include <assetc/runtime/library.hpp>
#include <assetc/runtime/source.hpp>
#include <cstdio>
#include <string>
#include <vector>

using namespace assetc;

namespace {

int failures = 0;

void report(const Error& error) {
  std::fprintf(stderr, "engine: %s\n", error.to_string().c_str());
  ++failures;
}

// The value of a result. On an error, reports it and returns null.
template <class T>
const T* check(const Result<T>& result) {
  if (result) return &*result;
  report(result.error());
  return nullptr;
}

// Inflates every level to the bytes that the GPU takes; an engine would inflate into its upload heap.
std::size_t load_levels(const ktx2::View& texture) {
  std::size_t total = 0;
  for (std::size_t level = 0; level < texture.levels().size(); ++level) {
    const auto size_bytes = runtime::inflated_size_bytes(texture, level);
    if (!check(size_bytes)) continue;
    std::vector<std::byte> staging(*size_bytes);
    const auto inflated = runtime::inflate_level(texture, level, staging);
    if (!inflated) report(inflated.error());
    total += staging.size();
  }
  return total;
}

// Streams all textures in; they arrive in any order.
void load_textures(const runtime::Library& library) {
  std::vector<std::string> paths;
  for (std::string& path : library.files().list()) {
    if (path.ends_with(".ktx2")) paths.push_back(std::move(path));
  }
  runtime::Completions completions;  // declared first: outlives the source's requests
  const auto source = runtime::make_source(library.files());
  for (std::size_t i = 0; i < paths.size(); ++i) source->submit({.path = paths[i], .user = i}, completions);
  std::size_t total = 0;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const runtime::Completion completion = completions.wait();
    const runtime::ReadAnswer* answer = check(completion.answer);
    if (!answer) continue;
    const auto view = ktx2::View::open(answer->bytes);
    if (view) total += load_levels(*view);
    if (!view) report(Error(view.error()).in(paths[completion.user]));
  }
  std::printf("%zu textures, %zu bytes of levels\n", paths.size(), total);
}

void print_texture(const runtime::Library& library, const char* slot, std::uint64_t hash) {
  if (hash == 0) return;
  const auto opened = library.texture(hash);
  const runtime::Texture* texture = check(opened);
  if (!texture) return;
  const ktx2::View& view = texture->view;
  std::printf("    %-19s %016llx -> %s, %u x %u %s %s, %zu levels\n", slot, static_cast<unsigned long long>(hash),
              texture->path.c_str(), view.width_texels(), view.height_texels(),
              view.format() ? std::string(to_string(*view.format())).c_str() : "?", view.is_srgb() ? "sRGB" : "linear",
              view.levels().size());
}

void print_materials(const runtime::Library& library, const std::string& path, const hmesh::View* mesh) {
  const auto opened = library.materials(path);
  const runtime::Materials* materials = check(opened);
  if (!materials) return;
  for (std::size_t row = 0; row < materials->view.materials().size(); ++row) {
    const hmat::GpuMaterial& material = materials->view.materials()[row];
    const std::string name(mesh && mesh->names() ? mesh->names()->material(row) : "");
    std::printf("  material %zu %s: base color %.2f %.2f %.2f %.2f, metallic %.2f, roughness %.2f%s\n", row,
                name.c_str(), material.base_color_factor[0], material.base_color_factor[1],
                material.base_color_factor[2], material.base_color_factor[3], material.metallic_factor,
                material.roughness_factor, material.is_double_sided() ? ", double-sided" : "");
    print_texture(library, "base color", material.base_color_texture);
    print_texture(library, "metallic-roughness", material.metallic_roughness_texture);
    print_texture(library, "normal", material.normal_texture);
    print_texture(library, "occlusion", material.occlusion_texture);
    print_texture(library, "emissive", material.emissive_texture);
  }
}

void print_mesh(const runtime::Library& library, const std::string& path) {
  const auto opened = library.mesh(path);
  const runtime::Mesh* mesh = check(opened);
  if (!mesh) return;
  const hmesh::View& view = mesh->view;
  std::printf("%s: %zu triangles, %zu vertices, %zu meshlets, %zu submeshes, %u LODs, %zu joints\n", path.c_str(),
              view.triangle_count(), view.vertices().size(), view.meshlets().size(), view.submeshes().size(),
              view.lod_count(), view.joints().size());
  const std::string stem = path.substr(0, path.size() - std::string_view(".hmesh").size());
  if (library.files().contains(stem + ".hmat")) print_materials(library, stem + ".hmat", &view);
  if (!library.files().contains(stem + ".hanim")) return;
  const auto animation = library.animation(stem + ".hanim");
  if (const runtime::Animation* clips = check(animation)) {
    for (const hanim::ClipView& clip : clips->view.clips()) {
      std::printf("  clip %.*s: %.2f s, %zu channels\n", static_cast<int>(clip.name.size()), clip.name.data(),
                  clip.duration_seconds, clip.channels.size());
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: engine PACK-OR-FOLDER\n"), 2;
  const auto opened = runtime::Library::open(argv[1]);
  const runtime::Library* library = check(opened);
  if (!library) return 1;

  for (const std::string& path : library->files().list()) {
    if (path.ends_with(".hmesh")) print_mesh(*library, path);
    const bool alone = path.ends_with(".hmat") && !library->files().contains(path.substr(0, path.size() - 3) + "mesh");
    if (alone) std::printf("%s:\n", path.c_str()), print_materials(*library, path, nullptr);
  }
  load_textures(*library);
  std::printf("%zu manifest entries\n", library->manifest().entries().size());
  for (const hman::EntryView& entry : library->manifest().entries()) {
    std::printf("  %016llx %-10s %.*s\n", static_cast<unsigned long long>(entry.hash),
                std::string(to_string(entry.kind)).c_str(), static_cast<int>(entry.path.size()), entry.path.data());
  }
  return failures == 0 ? 0 : 1;
}
