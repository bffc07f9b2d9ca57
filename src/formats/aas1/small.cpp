// Redirectors, raw files, skeletons, models.
#include <algorithm>

#include "assetc/formats/aas1.hpp"
#include "assetc/formats/hanim.hpp"
#include "assetc/formats/hanim_compressed.hpp"
#include "base/plural.hpp"
#include "formats/aas1/desc_table.hpp"
#include "formats/aas1/layout.hpp"
#include "formats/hmesh/rules.hpp"
#include "formats/text.hpp"

namespace assetc::aas1 {
namespace {

using namespace formats;

constexpr std::uint32_t kSpirvMagic = 0x07230203;

bool is_payload(Type type) {
  return type == Type::kScript || type == Type::kAnimation || type == Type::kShader || type == Type::kRaw;
}

Result<void> check_payload(std::uint32_t encoding, ByteSpan payload, std::uint64_t place) {
  if (encoding == kEncodingText && !is_utf8(as_text(payload))) return invalid(place, "the text is not UTF-8");
  if (encoding == kEncodingSpirv && (payload.size() < 4 || load<std::uint32_t>(payload) != kSpirvMagic))
    return invalid(place, "the encoding is SPIR-V, but the payload is not");
  if (encoding == kEncodingHanim) {
    if (auto clips = hanim::View::open(payload); !clips) {
      clips.error().place = byte_place(place) + ", payload " + clips.error().place;
      return std::unexpected(std::move(clips).error());
    }
  }
  if (encoding == kEncodingHanimCompressed) {
    if (auto clips = hanim::CompressedView::open(payload); !clips) {
      clips.error().place = byte_place(place) + ", payload " + clips.error().place;
      return std::unexpected(std::move(clips).error());
    }
  }
  return {};
}

Result<std::span<const std::uint32_t>> numbers_of(const Blob& blob, std::uint32_t extension, std::size_t count) {
  const ByteSpan bytes = blob.extension(extension);
  if (!bytes.empty() && bytes.size() != count * sizeof(std::uint32_t)) {
    return invalid(static_cast<std::uint64_t>(bytes.data() - blob.file().data()),
                   message("extension ", fourcc_text(extension), " has ", counted(bytes.size(), "byte"), ", expected ",
                           count * sizeof(std::uint32_t)));
  }
  return std::span(reinterpret_cast<const std::uint32_t*>(bytes.data()), bytes.size() / sizeof(std::uint32_t));
}

Result<hmesh::NamesView> names_at(const Blob& blob, std::uint32_t offset_bytes, std::uint32_t size_bytes,
                                  std::uint64_t field_place, hmesh::NamesView::Counts counts) {
  ASSETC_TRY(const ByteSpan bytes, bytes_at(blob, offset_bytes, size_bytes, field_place, "bytes of names"));
  const std::uint64_t place = blob.data_place() + offset_bytes;
  if (place % alignof(std::uint32_t) != 0)
    return invalid(field_place, message("names lie at ", offset_bytes, ", expected a multiple of 4"));
  return hmesh::NamesView::open(bytes, place, counts);
}

// Checks that parents and represented nodes are in range, that no node is its own ancestor, and that all numbers are
// finite.
Result<void> check_nodes(Places place, std::span<const ModelNode> nodes) {
  if (nodes.empty()) return {};
  Context context;
  context.counts[table::kNodes] = nodes.size();
  ASSETC_CHECK(check_records(table::kNode, std::as_bytes(nodes), place(nodes[0]), context));
  std::vector<std::uint32_t> walk(nodes.size());  // number of the walk that first reached the node, from 1
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto number = static_cast<std::uint32_t>(i + 1);
    for (std::size_t n = i; walk[n] == 0;) {
      walk[n] = number;
      if (nodes[n].parent == ModelNode::kNone) break;
      n = static_cast<std::size_t>(nodes[n].parent);
      if (walk[n] == number) return invalid(place(nodes[n].parent), message("node ", n, " is its own ancestor"));
    }
  }
  return {};
}

}  // namespace

Result<Redirector> read_redirector(ByteSpan file) {
  ASSETC_TRY(const Blob blob, Blob::open(file, Type::kRedirector, sizeof(RedirectorDesc)));
  const auto desc = load<RedirectorDesc>(blob.desc());
  if (desc.old_uuid.is_nil() || desc.new_uuid.is_nil() || desc.old_uuid == desc.new_uuid)
    return invalid(desc_place(0), "a redirector leads from an asset to itself or to none, expected two UUIDs");
  ASSETC_TRY(const ByteSpan path, bytes_at(blob, desc.path_offset_bytes, desc.path_size_bytes, desc_place(32),
                                           "bytes of the old virtual path"));
  if (path.size() > kMaxVirtualPath || !is_utf8(as_text(path))) {
    return invalid(blob.data_place() + desc.path_offset_bytes,
                   message("the old virtual path is not UTF-8 of at most ", kMaxVirtualPath, " bytes"));
  }
  return Redirector{desc.old_uuid, desc.new_uuid, std::string(as_text(path))};
}

Result<ByteVector> write(const Redirector& redirector) {
  const RedirectorDesc desc{redirector.old_uuid, redirector.new_uuid, 0,
                            static_cast<std::uint32_t>(redirector.old_virtual_path.size())};
  const ByteSpan data[] = {as_bytes(redirector.old_virtual_path)};
  ASSETC_TRY(ByteVector file, write_blob(Type::kRedirector, 0, object_bytes(desc), data));
  ASSETC_CHECK(read_redirector(file));
  return file;
}

Result<PayloadView> PayloadView::open(ByteSpan file) {
  PayloadView view;
  ASSETC_TRY(view.blob_, Blob::open(file));
  if (!is_payload(view.blob_.type())) {
    return fail_at(ErrorCode::kUnsupported, byte_place(6),
                   message("found a blob of type ", type_name(view.blob_.type()),
                           ", expected a script, an animation, a shader or raw data"),
                   "open it with the reader of its type");
  }
  ASSETC_TRY(view.blob_, Blob::open(file, view.blob_.type(), sizeof(PayloadDesc)));
  view.desc_ = load<PayloadDesc>(view.blob_.desc());
  ASSETC_TRY(view.payload_, bytes_at(view.blob_, view.desc_.offset_bytes, view.desc_.size_bytes, desc_place(4),
                                     "bytes of the payload"));
  const std::uint64_t place = view.blob_.data_place() + view.desc_.offset_bytes;
  ASSETC_CHECK(check_payload(view.desc_.encoding, view.payload_, place));
  ASSETC_TRY(const std::span<const Uuid> model, uuids_of(view.blob_, kModelId));
  if (!model.empty()) view.model_ = model.front();
  return view;
}

Result<ByteVector> write_payload(Type type, std::uint32_t encoding, ByteSpan payload, const Uuid& model) {
  const PayloadDesc desc{encoding, 0, static_cast<std::uint32_t>(payload.size()), 0};
  const ByteSpan data[] = {payload};
  const Extension extensions[] = {{kModelId, model.is_nil() ? ByteSpan() : object_bytes(model)}};
  ASSETC_TRY(ByteVector file, write_blob(type, 0, object_bytes(desc), data, extensions));
  ASSETC_CHECK(PayloadView::open(file));
  return file;
}

Result<SkeletonView> SkeletonView::open(ByteSpan file) {
  SkeletonView view;
  ASSETC_TRY(view.blob_, Blob::open(file, Type::kSkeleton, sizeof(SkeletonDesc)));
  const auto desc = load<SkeletonDesc>(view.blob_.desc());
  ASSETC_CHECK(check_records(table::kSkeleton, object_bytes(desc), desc_place(0), {}));
  ASSETC_TRY(view.joints_, array_at<hmesh::GpuJoint>(view.blob_, desc.joints_offset_bytes, desc.joint_count,
                                                     desc_place(4), "joints"));
  ASSETC_CHECK(check_skeleton(Places(file), view.joints_));
  ASSETC_TRY(view.nodes_, numbers_of(view.blob_, kJointNodesId, desc.joint_count));
  if (desc.names_size_bytes == 0) return view;
  ASSETC_TRY(view.names_, names_at(view.blob_, desc.names_offset_bytes, desc.names_size_bytes, desc_place(8),
                                   {0, 0, desc.joint_count}));
  return view;
}

Result<ByteVector> write_skeleton(std::span<const hmesh::GpuJoint> joints, std::span<const std::string> names,
                                  std::span<const std::uint32_t> nodes) {
  ByteVector name_bytes;
  if (!names.empty()) {
    hmesh::Names all;
    all.joints.assign(names.begin(), names.end());
    ASSETC_TRY(name_bytes, hmesh::write_names(all));
  }
  const SkeletonDesc desc{static_cast<std::uint32_t>(joints.size()), 0,
                          static_cast<std::uint32_t>(name_bytes.empty() ? 0 : joints.size_bytes()),
                          static_cast<std::uint32_t>(name_bytes.size())};
  const ByteSpan data[] = {std::as_bytes(joints), name_bytes};
  const Extension extensions[] = {{kJointNodesId, std::as_bytes(nodes)}};
  ASSETC_TRY(ByteVector file, write_blob(Type::kSkeleton, 0, object_bytes(desc), data, extensions));
  ASSETC_CHECK(SkeletonView::open(file));
  return file;
}

Result<ModelView> ModelView::open(ByteSpan file) {
  ModelView view;
  ASSETC_TRY(view.blob_, Blob::open(file, Type::kModel, sizeof(ModelDesc)));
  const auto desc = load<ModelDesc>(view.blob_.desc());
  ASSETC_TRY(view.nodes_,
             array_at<ModelNode>(view.blob_, desc.nodes_offset_bytes, desc.node_count, desc_place(4), "nodes"));
  ASSETC_CHECK(check_nodes(Places(file), view.nodes_));
  if (desc.names_size_bytes == 0) return view;
  ASSETC_TRY(view.names_,
             names_at(view.blob_, desc.names_offset_bytes, desc.names_size_bytes, desc_place(8), {0, 0, 0}));
  if (view.names_->node_count() != desc.node_count) {
    return invalid(desc_place(8), message("found the names of ", counted(view.names_->node_count(), "node"),
                                          ", expected ", desc.node_count));
  }
  return view;
}

Result<ByteVector> write_model(std::span<const ModelNode> nodes, std::span<const std::string> names, ByteSpan scene) {
  ByteVector name_bytes;
  if (!names.empty()) {
    hmesh::Names all;
    all.nodes.assign(names.begin(), names.end());
    ASSETC_TRY(name_bytes, hmesh::write_names(all));
  }
  const ModelDesc desc{static_cast<std::uint32_t>(nodes.size()), 0,
                       static_cast<std::uint32_t>(name_bytes.empty() ? 0 : nodes.size_bytes()),
                       static_cast<std::uint32_t>(name_bytes.size())};
  const ByteSpan data[] = {std::as_bytes(nodes), name_bytes};
  const Extension extensions[] = {{kSceneId, scene}};
  ASSETC_TRY(ByteVector file, write_blob(Type::kModel, 0, object_bytes(desc), data, extensions));
  ASSETC_CHECK(ModelView::open(file));
  return file;
}

}  // namespace assetc::aas1
