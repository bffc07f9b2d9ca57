// AAS1 blobs: files with one asset each. This header has the parts that all types share, and the small types.
// Specification: docs/formats/aas1.md.
//
// A blob is a header, a Desc of its type, data that the offsets of the Desc refer to, and extensions. Extensions come
// last, so readers without them never reach them.
// Other types: textures in aas1_texture.hpp, meshes in aas1_mesh.hpp, materials in aas1_material.hpp, sounds in
// aas1_audio.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/base/uuid.hpp"
#include "assetc/formats/aas1_type.hpp"
#include "assetc/formats/fourcc.hpp"
#include "assetc/formats/hmesh_view.hpp"

namespace assetc::aas1 {

inline constexpr std::uint32_t kMagic = fourcc("AAS1");
inline constexpr std::uint16_t kVersion = 1;
inline constexpr std::size_t kBufferAlignment = 4;
inline constexpr std::uint32_t kMaxExtensions = 64;
inline constexpr std::size_t kMaxVirtualPath = 512;

inline constexpr std::uint8_t kFlagSrgb = 1;
inline constexpr std::uint8_t kFlagExtended = 0x80;  // extensions follow the data

struct BlobHeader {
  std::uint32_t magic;
  std::uint16_t version;
  std::uint8_t type;
  std::uint8_t flags;
  std::uint32_t desc_size_bytes;
  std::uint32_t data_size_bytes;
};
static_assert(sizeof(BlobHeader) == 16);

struct ExtensionHeader {
  std::uint32_t magic;  // kExtensionMagic
  std::uint32_t count;
};
inline constexpr std::uint32_t kExtensionMagic = fourcc("AASX");
struct ExtensionEntry {
  std::uint32_t id;  // a fourcc
  std::uint32_t size_bytes;
};
static_assert(sizeof(ExtensionHeader) == 8 && sizeof(ExtensionEntry) == 8);

// The parts of a blob of any type, read in place. open() checks the header, ranges and extensions. The view of the type
// checks the content.
// Errors: kTruncated, kInvalidData, kVersion, kLimit, kUsage (a misaligned buffer).
// Constraints: file starts at a multiple of kBufferAlignment and outlives the blob.
// Thread safety: const.
class Blob {
 public:
  static Result<Blob> open(ByteSpan file);
  // The same. Also returns an error if the blob has another type, or if its Desc is shorter than the Desc of that type.
  static Result<Blob> open(ByteSpan file, Type type, std::size_t desc_size_bytes);

  Type type() const { return static_cast<Type>(header_.type); }
  std::uint8_t flags() const { return header_.flags; }
  bool is_srgb() const { return (header_.flags & kFlagSrgb) != 0; }
  ByteSpan file() const { return file_; }
  ByteSpan desc() const { return desc_; }
  ByteSpan data() const { return data_; }
  // Returns the bytes of an extension, or an empty span if the blob does not have it. Extensions in a file are never
  // empty.
  ByteSpan extension(std::uint32_t id) const;
  // Returns the offset of data() in the file, for errors.
  std::uint64_t data_place() const { return sizeof(BlobHeader) + desc_.size(); }

 private:
  struct Extension {
    std::uint32_t id;
    ByteSpan bytes;
  };
  BlobHeader header_{};
  ByteSpan file_, desc_, data_;
  std::vector<Extension> extensions_;
};

// Returns a blob like another one, but without its data. It is for readers that load an asset in parts.
// Errors: kTruncated, kInvalidData. Blob::open checks the rest.
// - head: the first bytes of the other blob, including its Desc.
// - behind: the bytes after its data.
Result<ByteVector> without_data(ByteSpan head, ByteSpan behind);

struct Extension {
  std::uint32_t id;
  ByteSpan bytes;
};
// Returns the bytes of a blob. Extensions without bytes are left out. Errors: kLimit if the data exceeds 32-bit sizes.
Result<ByteVector> write_blob(Type type, std::uint8_t flags, ByteSpan desc, std::span<const ByteSpan> data,
                              std::span<const Extension> extensions = {});

// Extensions that hold UUIDs, one after another. uuids_of() returns kInvalidData if the list is cut off or a UUID is
// nil.
inline constexpr std::uint32_t kSkeletonId = fourcc("SKEL");
inline constexpr std::uint32_t kModelId = fourcc("MODL");
inline constexpr std::uint32_t kSceneId = fourcc("SCEN");  // of a Model: the bytes of a .hscene
Result<std::span<const Uuid>> uuids_of(const Blob& blob, std::uint32_t extension);

// ---- Redirector: leads from an old UUID and virtual path to an asset ----
struct Redirector {
  Uuid old_uuid;
  Uuid new_uuid;
  std::string old_virtual_path;  // UTF-8, at most kMaxVirtualPath bytes; may be empty
  bool operator==(const Redirector&) const = default;
};
struct RedirectorDesc {
  Uuid old_uuid;
  Uuid new_uuid;
  std::uint32_t path_offset_bytes;
  std::uint32_t path_size_bytes;
};
static_assert(sizeof(RedirectorDesc) == 40);
Result<Redirector> read_redirector(ByteSpan file);
Result<ByteVector> write(const Redirector& redirector);

// ---- Files stored unchanged: scripts, clips, shaders, raw data ----
inline constexpr std::uint32_t kEncodingText = fourcc("TEXT");  // UTF-8
inline constexpr std::uint32_t kEncodingRaw = fourcc("BYTE");
inline constexpr std::uint32_t kEncodingSpirv = fourcc("SPRV");
inline constexpr std::uint32_t kEncodingHanim = fourcc("HANM");            // .hanim version 1
inline constexpr std::uint32_t kEncodingHanimCompressed = fourcc("HAN2");  // .hanim version 2
struct PayloadDesc {
  std::uint32_t encoding;
  std::uint32_t offset_bytes;
  std::uint32_t size_bytes;
  std::uint32_t reserved;
};
static_assert(sizeof(PayloadDesc) == 16);

class PayloadView {
 public:
  // Opens a kScript, kAnimation, kShader or kRaw. Checks that text is UTF-8, that a .hanim is valid, and that SPIR-V
  // has its magic.
  static Result<PayloadView> open(ByteSpan file);
  const Blob& blob() const { return blob_; }
  std::uint32_t encoding() const { return desc_.encoding; }
  ByteSpan payload() const { return payload_; }
  // Returns the model whose nodes an animation moves, by node number, or nil if the blob names none.
  Uuid model() const { return model_; }

 private:
  Blob blob_;
  PayloadDesc desc_{};
  ByteSpan payload_;
  Uuid model_;
};
// Returns the bytes of a blob with this payload. model: nil for none.
Result<ByteVector> write_payload(Type type, std::uint32_t encoding, ByteSpan payload, const Uuid& model = {});

// ---- Skeleton ----
struct SkeletonDesc {
  std::uint32_t joint_count;
  std::uint32_t joints_offset_bytes;
  std::uint32_t names_offset_bytes;
  std::uint32_t names_size_bytes;  // 0: joints have no names
};
static_assert(sizeof(SkeletonDesc) == 16);
inline constexpr std::uint32_t kJointNodesId = fourcc("NODE");  // u32 for each joint: its node in the model

class SkeletonView {
 public:
  static Result<SkeletonView> open(ByteSpan file);
  const Blob& blob() const { return blob_; }
  std::span<const hmesh::GpuJoint> joints() const { return joints_; }  // at least one
  // One for each joint, or empty.
  std::span<const std::uint32_t> nodes() const { return nodes_; }
  const std::optional<hmesh::NamesView>& names() const { return names_; }

 private:
  Blob blob_;
  std::span<const hmesh::GpuJoint> joints_;
  std::span<const std::uint32_t> nodes_;
  std::optional<hmesh::NamesView> names_;
};
// Returns the bytes of a skeleton. names and nodes: one for each joint, or empty.
Result<ByteVector> write_skeleton(std::span<const hmesh::GpuJoint> joints, std::span<const std::string> names,
                                  std::span<const std::uint32_t> nodes = {});

// ---- Model: the nodes of a source, and the meshes at them ----
struct ModelNode {
  static constexpr std::int32_t kNone = -1;

  std::int32_t parent;     // a node, before or after this one, or kNone
  std::int32_t detail_of;  // the node that this one replaces at a lower level of detail, or kNone
  Uuid mesh;               // nil for none
  Uuid skeleton;           // the skeleton that moves the mesh; nil for none
  float translation[3];    // relative to the parent
  float rotation[4];       // x y z w
  float scale[3];
  bool operator==(const ModelNode&) const = default;
};
static_assert(sizeof(ModelNode) == 80);
struct ModelDesc {
  std::uint32_t node_count;
  std::uint32_t nodes_offset_bytes;
  std::uint32_t names_offset_bytes;
  std::uint32_t names_size_bytes;  // 0: nodes have no names
};
static_assert(sizeof(ModelDesc) == 16);

class ModelView {
 public:
  static Result<ModelView> open(ByteSpan file);
  const Blob& blob() const { return blob_; }
  std::span<const ModelNode> nodes() const { return nodes_; }  // may be empty
  const std::optional<hmesh::NamesView>& names() const { return names_; }
  // Returns the bytes of a .hscene with everything at the nodes, or an empty span in a blob of an earlier assetc. They
  // were not checked, and are aligned to 4 bytes only: copy them before hscene::View::open().
  ByteSpan scene() const { return blob_.extension(kSceneId); }

 private:
  Blob blob_;
  std::span<const ModelNode> nodes_;
  std::optional<hmesh::NamesView> names_;
};
// Returns the bytes of a model. names: one for each node, or empty. scene: the bytes of a .hscene, or empty.
Result<ByteVector> write_model(std::span<const ModelNode> nodes, std::span<const std::string> names,
                               ByteSpan scene = {});

}  // namespace assetc::aas1
