// The morph targets of a submesh's input, by vertex instead of by target.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scene/scene.hpp"

namespace assetc::mesh {

class MorphIndex {
 public:
  // An offset of a vertex: a row of a target.
  struct Row {
    std::uint32_t target;
    std::uint32_t row;
  };

  MorphIndex() = default;
  // The targets must outlive this. Their vertices are below vertex_count.
  MorphIndex(std::span<const scene::MorphTarget> targets, std::size_t vertex_count);

  bool empty() const { return rows_.empty(); }
  std::span<const scene::MorphTarget> targets() const { return targets_; }
  // The offsets of a vertex, by ascending target.
  std::span<const Row> rows_of(std::uint32_t vertex) const {
    if (rows_.empty()) return {};
    return std::span(rows_).subspan(begin_[vertex], begin_[vertex + 1] - begin_[vertex]);
  }

  // Whether all targets move two vertices by the same offsets.
  bool equal(std::uint32_t a, std::uint32_t b) const;
  std::uint64_t hash(std::uint32_t vertex, std::uint64_t seed) const;

 private:
  std::span<const scene::MorphTarget> targets_;
  std::vector<std::size_t> begin_;  // of the rows of each vertex
  std::vector<Row> rows_;
};

// Returns SimplifyInput::shapes (lod.hpp) for some vertices: how the targets move each one; empty if there are none. Up
// to kShapeFloats / 3 targets each have their own three numbers. More targets share them: each offset is added to all,
// with signs that depend on the target, so that distances between the numbers stay near those between the offsets
// (Achlioptas, "Database-friendly random projections", 2003). sources: the vertex of the input for each vertex.
std::vector<float> shapes_of(const MorphIndex& morphs, std::span<const std::uint32_t> sources,
                             std::span<const std::uint32_t> vertices);

// Appends row `row` of a target to another target, as an offset of `vertex`. All rows of `to` must come from targets
// with the same attributes.
void append_row(const scene::MorphTarget& from, std::size_t row, std::uint32_t vertex, scene::MorphTarget& to);

}  // namespace assetc::mesh
