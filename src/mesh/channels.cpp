#include "mesh/channels.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "mesh/parallel.hpp"
#include "mesh/weld.hpp"

namespace assetc::mesh {
namespace {

using scene::Vec2;
using scene::Vec3;
using scene::Vec4;

constexpr std::size_t kChannelBlock = 1u << 14;
constexpr Vec4 kWhite{1, 1, 1, 1};
// A vertex without weights in a skinned mesh moves with the first joint.
constexpr SkinVertex kRigid{{0, 0, 0, 0}, {1, 0, 0, 0}};

template <class T>
bool any_set(const std::vector<std::span<const T>>& sets) {
  return std::ranges::any_of(sets, [](const auto& set) { return !set.empty(); });
}

template <class T>
auto words_of(const T& value) {
  return std::bit_cast<std::array<std::uint64_t, sizeof(T) / sizeof(std::uint64_t)>>(value);
}

template <class T>
bool sets_equal(const std::vector<std::span<const T>>& sets, std::uint32_t a, std::uint32_t b) {
  return std::ranges::all_of(sets,
                             [&](const auto& set) { return set.empty() || words_of(set[a]) == words_of(set[b]); });
}

template <class T>
std::uint64_t hash_words(const T& value, std::uint64_t hash) {
  for (const std::uint64_t word : words_of(value)) hash = hash_mix(hash, word);
  return hash;
}

// Extends a stream to capacity and fills in the submesh's values.
// from: values of the input's vertices; if it is empty, the submesh gets absent.
template <class T>
void extend(std::vector<T>& stream, const T& absent, std::size_t first, std::size_t capacity, std::span<const T> from,
            std::span<const std::uint32_t> sources) {
  if (stream.empty() && from.empty()) return;
  stream.reserve(std::max(capacity, first + sources.size()));
  stream.resize(first, absent);
  stream.resize(first + sources.size(), absent);
  if (from.empty()) return;
  for_blocks(sources.size(), kChannelBlock, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t v = begin; v < end; ++v) stream[first + v] = from[sources[v]];
  });
}

// The texture coordinate sets of the input that the mesh keeps.
std::vector<std::span<const Vec2>> kept_texcoords(const SubmeshInput& input) {
  if (!input.texcoord_sets.empty() || input.texcoords.empty()) return input.texcoord_sets;
  return {input.texcoords};
}

}  // namespace

bool has_channels(const SubmeshInput& input) {
  return !input.skin.empty() || any_set(input.texcoord_sets) || any_set(input.color_sets);
}

bool channels_equal(const SubmeshInput& input, std::uint32_t a, std::uint32_t b) {
  return (input.skin.empty() || input.skin[a] == input.skin[b]) && sets_equal(input.texcoord_sets, a, b) &&
         sets_equal(input.color_sets, a, b);
}

std::uint64_t hash_channels(const SubmeshInput& input, std::uint32_t vertex, std::uint64_t seed) {
  std::uint64_t hash = seed;
  if (!input.skin.empty()) hash = hash_words(input.skin[vertex], hash);
  for (const auto& set : input.texcoord_sets) hash = set.empty() ? hash : hash_words(set[vertex], hash);
  for (const auto& set : input.color_sets) hash = set.empty() ? hash : hash_words(set[vertex], hash);
  return hash;
}

void add_channels(const ChannelSource& source, std::size_t capacity, Mesh& mesh) {
  const SubmeshInput& in = source.input;
  const std::size_t first = mesh.positions.size();
  const auto add = [&]<class T>(std::vector<T>& stream, const T& absent, std::span<const T> from) {
    extend(stream, absent, first, capacity, from, source.sources);
  };
  add(mesh.positions, Vec3{}, in.positions);
  const auto texcoords = kept_texcoords(in);
  mesh.texcoords.resize(std::max(mesh.texcoords.size(), texcoords.size()));
  for (std::size_t k = 0; k < mesh.texcoords.size(); ++k) {
    std::span<const Vec2> from = k < texcoords.size() ? texcoords[k] : std::span<const Vec2>();
    if (!from.empty() && from.data() == in.texcoords.data()) from = source.texcoords;
    add(mesh.texcoords[k], Vec2{}, from);
  }
  mesh.colors.resize(std::max(mesh.colors.size(), in.color_sets.size()));
  for (std::size_t k = 0; k < mesh.colors.size(); ++k)
    add(mesh.colors[k], kWhite, k < in.color_sets.size() ? in.color_sets[k] : std::span<const Vec4>());
  add(mesh.skin, kRigid, in.skin);
}

void describe_channels(const SubmeshInput& input, Submesh& submesh) {
  for (const auto& set : kept_texcoords(input)) submesh.texcoord_sets.push_back(!set.empty());
  for (const auto& set : input.color_sets) submesh.color_sets.push_back(!set.empty());
}

}  // namespace assetc::mesh
