// AAS1 blobs, one asset a file: what every type of them shares, and the small ones. Specification:
// docs/formats/aas1.md.
//
// A header, a Desc of the type, data that the Desc's offsets count into, then extensions of ours, which readers that do
// not know them never reach. Textures, meshes, materials and sounds: aas1_texture.hpp, aas1_mesh.hpp,
// aas1_material.hpp, aas1_audio.hpp.
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
#include "assetc/formats/fourcc.hpp"
#include "assetc/formats/hmesh.hpp"

namespace assetc::aas1 {

inline constexpr std::uint32_t kMagic = fourcc("AAS1");
inline constexpr std::uint16_t kVersion = 1;
inline constexpr std::size_t kBufferAlignment = 4;
inline constexpr std::uint32_t kMaxExtensions = 64;
inline constexpr std::size_t kMaxVirtualPath = 512;

inline constexpr std::uint8_t kFlagSrgb = 1;
inline constexpr std::uint8_t kFlagExtended = 0x80;  // extensions follow the data

// From 16 on: ours.
enum class Type : std::uint8_t {
  kTexture2D = 1,
  kMesh = 2,
  kMaterial = 3,
  kAudio = 4,
  kScript = 5,
  kRedirector = 6,
  kTextureCube = 16,
  kTexture2DArray = 17,
  kTextureCubeArray = 18,
  kTexture3D = 19,
  kSkeleton = 20,
  kAnimation = 21,
  kShader = 22,
  kRaw = 23,
  kModel = 24,
};
// As a .meta and a registry name it: "Texture2D", "Mesh". Empty for a number that is none.
std::string_view type_name(Type type);
bool is_texture(Type type);

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

// The parts of any blob, read in place: header, ranges and extensions hold; what they say is for the view of its type.
// Errors: kTruncated, kInvalidData, kVersion, kLimit, kUsage (a misaligned buffer).
// Constraints: file starts at a multiple of kBufferAlignment and outlives the blob. Thread safety: const.
class Blob {
 public:
  static Result<Blob> open(ByteSpan file);
  // The same, and an error for a blob of another type, or whose Desc is shorter than that type's.
  static Result<Blob> open(ByteSpan file, Type type, std::size_t desc_size_bytes);

  Type type() const { return static_cast<Type>(header_.type); }
  std::uint8_t flags() const { return header_.flags; }
  bool is_srgb() const { return (header_.flags & kFlagSrgb) != 0; }
  ByteSpan file() const { return file_; }
  ByteSpan desc() const { return desc_; }
  ByteSpan data() const { return data_; }
  // Empty where the blob has none; an extension with no bytes is never written.
  ByteSpan extension(std::uint32_t id) const;
  // Where data() begins in the file, for errors.
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

// A blob that is as another but for its data, which it has none of: for readers of parts. head: the other's first
// bytes, its Desc included; behind: what follows its data. Errors: kTruncated, kInvalidData; what it says is for
// Blob::open.
Result<ByteVector> without_data(ByteSpan head, ByteSpan behind);

struct Extension {
  std::uint32_t id;
  ByteSpan bytes;
};
// Puts a blob together; extensions without bytes are left out. kLimit: data that 32 bits cannot count.
Result<ByteVector> write_blob(Type type, std::uint8_t flags, ByteSpan desc, std::span<const ByteSpan> data,
                              std::span<const Extension> extensions = {});

// UUIDs of an extension, one behind another. kInvalidData: cut, or nil.
inline constexpr std::uint32_t kSkeletonId = fourcc("SKEL");
inline constexpr std::uint32_t kModelId = fourcc("MODL");
Result<std::span<const Uuid>> uuids_of(const Blob& blob, std::uint32_t extension);

// ---- Redirector: who an asset was, and who it is now ----
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

// ---- Files as they are: scripts, clips, shaders, raw data ----
inline constexpr std::uint32_t kEncodingText = fourcc("TEXT");  // UTF-8
inline constexpr std::uint32_t kEncodingRaw = fourcc("BYTE");
inline constexpr std::uint32_t kEncodingSpirv = fourcc("SPRV");
inline constexpr std::uint32_t kEncodingHanim = fourcc("HANM");
struct PayloadDesc {
  std::uint32_t encoding;
  std::uint32_t offset_bytes;
  std::uint32_t size_bytes;
  std::uint32_t reserved;
};
static_assert(sizeof(PayloadDesc) == 16);

class PayloadView {
 public:
  // Of a kScript, kAnimation, kShader or kRaw. Text is UTF-8 and a .hanim is valid; SPIR-V has its magic.
  static Result<PayloadView> open(ByteSpan file);
  const Blob& blob() const { return blob_; }
  std::uint32_t encoding() const { return desc_.encoding; }
  ByteSpan payload() const { return payload_; }
  // Whose nodes an animation moves, by number; nil where the blob does not say.
  Uuid model() const { return model_; }

 private:
  Blob blob_;
  PayloadDesc desc_{};
  ByteSpan payload_;
  Uuid model_;
};
// model: nil for none.
Result<ByteVector> write_payload(Type type, std::uint32_t encoding, ByteSpan payload, const Uuid& model = {});

// ---- Skeleton ----
struct SkeletonDesc {
  std::uint32_t joint_count;
  std::uint32_t joints_offset_bytes;
  std::uint32_t names_offset_bytes;
  std::uint32_t names_size_bytes;  // 0: joints have no names
};
static_assert(sizeof(SkeletonDesc) == 16);
inline constexpr std::uint32_t kJointNodesId = fourcc("NODE");  // u32 of each joint: the node of its model

class SkeletonView {
 public:
  static Result<SkeletonView> open(ByteSpan file);
  const Blob& blob() const { return blob_; }
  std::span<const hmesh::GpuJoint> joints() const { return joints_; }  // at least one
  // Of each joint, or empty.
  std::span<const std::uint32_t> nodes() const { return nodes_; }
  const std::optional<hmesh::NamesView>& names() const { return names_; }

 private:
  Blob blob_;
  std::span<const hmesh::GpuJoint> joints_;
  std::span<const std::uint32_t> nodes_;
  std::optional<hmesh::NamesView> names_;
};
// names, nodes: empty, or one a joint.
Result<ByteVector> write_skeleton(std::span<const hmesh::GpuJoint> joints, std::span<const std::string> names,
                                  std::span<const std::uint32_t> nodes = {});

// ---- Model: the nodes of a source, and what stands at them ----
struct ModelNode {
  static constexpr std::int32_t kNone = -1;

  std::int32_t parent;     // a node, before or after this one, or kNone
  std::int32_t detail_of;  // the node that this one stands for at less detail, or kNone
  Uuid mesh;               // nil: none
  Uuid skeleton;           // that the mesh hangs on; nil: none
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
  std::span<const ModelNode> nodes() const { return nodes_; }  // may be none
  const std::optional<hmesh::NamesView>& names() const { return names_; }

 private:
  Blob blob_;
  std::span<const ModelNode> nodes_;
  std::optional<hmesh::NamesView> names_;
};
// names: empty, or one a node.
Result<ByteVector> write_model(std::span<const ModelNode> nodes, std::span<const std::string> names);

}  // namespace assetc::aas1
