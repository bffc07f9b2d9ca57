#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "assetc/base/hash.hpp"
#include "formats/hcluster/table.hpp"
#include "formats/reader.hpp"

namespace assetc::hcluster {
namespace {

struct Direction {
  double x = 0, y = 0, z = 0;
};

// The box of the vertices and a cone around the normals of triangles, both of what the decoder returns.
void bound(const ClusterInput& in, std::uint32_t box_shift, ClusterRecord& record) {
  for (std::uint32_t k = 0; k < 3; ++k) {
    std::uint32_t low = 0xFFFFFFFF, high = 0;
    for (std::uint32_t v = 0; v < in.vertex_count; ++v) {
      low = std::min(low, in.vertices->at(k, v));
      high = std::max(high, in.vertices->at(k, v));
    }
    record.box_low[k] = static_cast<std::uint16_t>(low >> box_shift);
    record.box_high[k] = static_cast<std::uint16_t>(high >> box_shift);
  }

  std::array<Direction, kMaxClusterTriangles> normals;
  std::size_t count = 0;
  Direction sum;
  for (const auto& triangle : in.triangles) {
    std::array<double, 3> u, v;
    for (std::uint32_t k = 0; k < 3; ++k) {
      const double origin = in.vertices->at(k, triangle[0]);
      u[k] = in.vertices->at(k, triangle[1]) - origin, v[k] = in.vertices->at(k, triangle[2]) - origin;
    }
    const Direction n{u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    const double length = std::sqrt(n.x * n.x + n.y * n.y + n.z * n.z);
    if (length == 0) continue;
    normals[count++] = {n.x / length, n.y / length, n.z / length};
    sum = {sum.x + n.x / length, sum.y + n.y / length, sum.z + n.z / length};
  }
  const double length = std::sqrt(sum.x * sum.x + sum.y * sum.y + sum.z * sum.z);
  record.cone_cutoff = 127;
  if (length == 0) return;
  const auto axis = [&](double value) { return static_cast<std::int8_t>(std::lround(value / length * 127)); };
  const Direction stored{axis(sum.x) / 127.0, axis(sum.y) / 127.0, axis(sum.z) / 127.0};
  double least = 1;
  const double stored_length = std::sqrt(stored.x * stored.x + stored.y * stored.y + stored.z * stored.z);
  for (std::size_t i = 0; i < count; ++i) {
    const Direction& n = normals[i];
    least = std::min(least, (n.x * stored.x + n.y * stored.y + n.z * stored.z) / stored_length);
  }
  // A wide cone culls nothing.
  if (least <= 0.1) return;
  record.cone_axis[0] = axis(sum.x), record.cone_axis[1] = axis(sum.y), record.cone_axis[2] = axis(sum.z);
  // The stored axis is not of unit length: a longer one must not cull more.
  const double cutoff = std::sqrt(1 - least * least) * std::max(1.0, stored_length) + std::max(0.0, stored_length - 1);
  record.cone_cutoff = static_cast<std::int8_t>(std::min(127.0, std::ceil(cutoff * 127)));
}

struct Ball {
  float center[3], radius;
};

// Contains the spheres of the items, rounding included.
template <class Item>
Ball ball_around(std::span<const Item> items) {
  Ball ball{{items[0].center[0], items[0].center[1], items[0].center[2]}, 0};
  std::array<float, 3> low, high;
  for (std::size_t k = 0; k < 3; ++k) {
    low[k] = high[k] = items[0].center[k];
    for (const Item& item : items) {
      low[k] = std::min(low[k], item.center[k] - item.radius);
      high[k] = std::max(high[k], item.center[k] + item.radius);
    }
    ball.center[k] = low[k] + (high[k] - low[k]) * 0.5f;
  }
  for (const Item& item : items) {
    double distance = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const double d = static_cast<double>(item.center[k]) - ball.center[k];
      distance += d * d;
    }
    const auto needed = static_cast<float>((std::sqrt(distance) + item.radius) * (1 + 1e-6));
    ball.radius = std::max(ball.radius, needed);
  }
  return ball;
}

template <class Item>
Node node_above(std::span<const Item> items, std::uint32_t first, bool has_groups) {
  const Ball ball = ball_around(items);
  Node node{{ball.center[0], ball.center[1], ball.center[2]}, ball.radius,         0, first,
            static_cast<std::uint32_t>(items.size()),         has_groups ? 1u : 0u};
  for (const Item& item : items) node.error = std::max(node.error, item.error);
  return node;
}

std::size_t page_bytes(std::size_t record_count, std::size_t data_bytes) {
  return sizeof(std::uint32_t) + record_count * sizeof(ClusterRecord) + data_bytes + kReadAhead;
}
// What a group adds to a page.
std::size_t data_bytes_of(const EncodedGroup& group) {
  return group.data.size() + group.offsets.size() + group.offset_ends.size() * sizeof(std::uint32_t);
}

}  // namespace

GroupWriter::GroupWriter(std::span<const Channel> channels, std::uint32_t box_shift)
    : channels_(bits_of(channels)), box_shift_(box_shift), encoder_(channels_) {}

void GroupWriter::begin(const Group& group) {
  current_ = {};
  current_.group = group;
  encoder_.reset();
}

void GroupWriter::add(const ClusterInput& cluster) {
  ClusterRecord record{};
  record.refined_group[0] = static_cast<std::uint16_t>(cluster.refined & 0xFFFF);
  record.refined_group[1] = static_cast<std::uint16_t>(cluster.refined >> 16);
  record.last_vertex = static_cast<std::uint8_t>(cluster.vertex_count - 1);
  record.last_triangle = static_cast<std::uint8_t>(cluster.triangles.size() - 1);
  bound(cluster, box_shift_, record);
  const std::size_t begin = current_.data.size();
  const auto number = [](std::uint32_t material) {
    return material == kNone ? kNoMaterial : static_cast<std::uint16_t>(material);
  };
  record.material = cluster.materials.size() == 1 ? number(cluster.materials[0].material) : kSeveralMaterials;
  std::vector<std::uint32_t> ends;
  if (cluster.materials.size() > 1) append(current_.data, static_cast<std::uint8_t>(cluster.materials.size() - 1));
  for (const MaterialRange& range : cluster.materials) {
    const std::uint32_t first = ends.empty() ? 0 : ends.back();
    if (cluster.materials.size() > 1) {
      append(current_.data, number(range.material));
      append(current_.data, static_cast<std::uint8_t>(range.end - first - 1));
    }
    ends.push_back(range.end);
  }
  VertexNumbers numbers;
  encoder_.encode(cluster.triangles, ends, cluster.vertex_count, *cluster.vertices, current_.data, &numbers);
  if (cluster.offsets != nullptr) {
    encode_offsets(*cluster.offsets, std::span(numbers).first(cluster.vertex_count), current_.offsets);
    current_.offset_ends.push_back(static_cast<std::uint32_t>(current_.offsets.size()));
  }
  record.data_bytes = static_cast<std::uint16_t>(current_.data.size() - begin);
  current_.records.push_back(record);
  current_.triangle_count += cluster.triangles.size();
}

bool PageWriter::put(const EncodedGroup& group, std::size_t max_bytes) {
  assert(group.offset_ends.empty() == model_.morphs.empty());
  if (page_bytes(group.records.size(), data_bytes_of(group)) > max_bytes) return false;
  const std::size_t data_bytes =
      page_data_.size() + page_offsets_.size() + page_offset_ends_.size() * sizeof(std::uint32_t);
  if (page_groups_ > 0 &&
      page_bytes(page_records_.size() + group.records.size(), data_bytes + data_bytes_of(group)) > kMaxPageBytes)
    finish();
  Group placed = group.group;
  placed.page = static_cast<std::uint32_t>(model_.pages.size());
  placed.first_cluster = static_cast<std::uint16_t>(page_records_.size());
  placed.cluster_count = static_cast<std::uint16_t>(group.records.size());
  model_.groups.push_back(placed);
  model_.desc.level_count = std::max(model_.desc.level_count, placed.level + 1);
  model_.desc.triangle_count += group.triangle_count;
  model_.desc.cluster_count += static_cast<std::uint32_t>(group.records.size());
  for (const ClusterRecord& record : group.records) {
    if (record.refined() == kNone) continue;
    std::vector<std::uint32_t>& pages = replaced_on_[record.refined()];
    if (pages.empty() || pages.back() != placed.page) pages.push_back(placed.page);
  }
  page_records_.insert(page_records_.end(), group.records.begin(), group.records.end());
  append_bytes(page_data_, group.data);
  for (const std::uint32_t end : group.offset_ends)
    page_offset_ends_.push_back(static_cast<std::uint32_t>(page_offsets_.size() + end));
  append_bytes(page_offsets_, group.offsets);
  ++page_groups_;
  return true;
}

void PageWriter::finish() {
  if (page_groups_ == 0) return;
  Page page{};
  page.offset_bytes = model_.data.size();
  page.group_count = page_groups_;
  page.first_group = static_cast<std::uint32_t>(model_.groups.size()) - page_groups_;
  append(model_.data, static_cast<std::uint32_t>(page_records_.size()));
  append_bytes(model_.data, std::as_bytes(std::span(page_records_)));
  append_bytes(model_.data, page_data_);
  append_bytes(model_.data, std::as_bytes(std::span(page_offset_ends_)));
  append_bytes(model_.data, page_offsets_);
  model_.data.resize(model_.data.size() + kReadAhead);
  page.size_bytes = static_cast<std::uint32_t>(model_.data.size() - page.offset_bytes);
  page.hash = xxh3_64(ByteSpan(model_.data).subspan(static_cast<std::size_t>(page.offset_bytes)));
  model_.data.resize((model_.data.size() + kPageAlignment - 1) / kPageAlignment * kPageAlignment);
  const auto number = static_cast<std::uint32_t>(model_.pages.size());
  std::vector<std::uint32_t> dependencies;
  for (std::uint32_t g = page.first_group; g < page.first_group + page.group_count; ++g) {
    const auto found = replaced_on_.extract(g);
    if (found) dependencies.insert(dependencies.end(), found.mapped().begin(), found.mapped().end());
  }
  std::ranges::sort(dependencies);
  const auto repeated = std::ranges::unique(dependencies);
  dependencies.erase(repeated.begin(), repeated.end());
  std::erase(dependencies, number);
  model_.dependencies.insert(model_.dependencies.end(), dependencies.begin(), dependencies.end());
  page.dependency_end = static_cast<std::uint32_t>(model_.dependencies.size());
  model_.pages.push_back(page);
  page_records_.clear();
  page_data_.clear();
  page_offsets_.clear();
  page_offset_ends_.clear();
  page_groups_ = 0;
}

void build_nodes(Model& model) {
  // Bottom up, each row from the one below; then the rows in the other order, so that children come after parents.
  std::vector<std::vector<Node>> rows(1);
  const std::span<const Group> groups = model.groups;
  for (std::size_t first = 0; first < groups.size();) {
    // A node has groups of one level, because errors of levels differ.
    std::size_t end = first + 1;
    while (end < groups.size() && end - first < kMaxNodeChildren && groups[end].level == groups[first].level) ++end;
    rows.back().push_back(node_above(groups.subspan(first, end - first), static_cast<std::uint32_t>(first), true));
    first = end;
  }
  while (rows.back().size() > 1) {
    const std::span<const Node> below = rows.back();
    std::vector<Node> row;
    for (std::size_t first = 0; first < below.size(); first += kMaxNodeChildren) {
      const std::size_t count = std::min<std::size_t>(kMaxNodeChildren, below.size() - first);
      row.push_back(node_above(below.subspan(first, count), static_cast<std::uint32_t>(first), false));
    }
    rows.push_back(std::move(row));
  }
  model.nodes.clear();
  for (std::size_t r = rows.size(); r-- > 0;) {
    const auto below = static_cast<std::uint32_t>(model.nodes.size() + rows[r].size());
    for (Node node : rows[r]) {
      if (node.has_groups == 0) node.first_child += below;
      model.nodes.push_back(node);
    }
  }
}

Result<ByteVector> write(const Model& model) {
  std::vector<chunks::Chunk> list{{fourcc("DESC"), object_bytes(model.desc)},
                                  {fourcc("BNDS"), object_bytes(model.bounds)}};
  const auto add = [&](std::uint32_t id, const auto& array) {
    if (!array.empty()) list.push_back({id, std::as_bytes(std::span(array))});
  };
  add(fourcc("CHNL"), model.channels);
  add(fourcc("GRUP"), model.groups);
  add(fourcc("NODE"), model.nodes);
  add(fourcc("PAGE"), model.pages);
  add(fourcc("DEPS"), model.dependencies);
  add(fourcc("MTRL"), model.materials);
  add(fourcc("SKEL"), model.joints);
  add(fourcc("PBND"), model.pose_bounds);
  ByteVector names;
  if (!model.joint_names.empty()) {
    ASSETC_TRY(names,
               hmesh::write_names(
                   {.submeshes = {}, .materials = {}, .joints = model.joint_names, .nodes = {}, .submesh_nodes = {}}));
  }
  add(fourcc("NAME"), names);
  ByteVector morphs;
  if (!model.morphs.empty()) {
    ASSETC_TRY(morphs, hmesh::write_morphs(model.morphs, 0));
  }
  add(fourcc("MRPH"), morphs);
  add(fourcc("MRAD"), model.morph_radii);
  add(fourcc("DATA"), model.data);
  ByteVector file = chunks::write_file(kVersion, list, kFormat);
  // A file that the reader would refuse is never written.
  ASSETC_CHECK(View::open(file));
  return file;
}

}  // namespace assetc::hcluster
