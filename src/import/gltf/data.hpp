// Buffers, buffer views and accessors of one glTF file. Every range is checked before a byte is read or allocated.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "import/gltf/json.hpp"
#include "import/model/source.hpp"

namespace assetc::importer {

// glTF's componentType.
enum class Component : std::uint16_t { kI8 = 5120, kU8 = 5121, kI16 = 5122, kU16 = 5123, kU32 = 5125, kF32 = 5126 };
std::size_t component_bytes(Component component);

// A validated accessor. `data` contains every byte that reading it touches.
struct Accessor {
  std::string place;  // "/accessors/3"
  Component component = Component::kF32;
  std::uint8_t rows = 1;     // of one column: 1 to 4
  std::uint8_t columns = 1;  // 1 except for matrices
  bool normalized = false;
  std::uint64_t count = 0;
  Bytes data;  // from the first element on; if empty, all elements are zero
  std::size_t stride_bytes = 0;

  struct Sparse {
    std::uint64_t count = 0;
    Component index_component = Component::kU16;
    Bytes indices;  // tightly packed
    Bytes values;   // tightly packed elements
  };
  std::optional<Sparse> sparse;

  std::size_t components() const { return std::size_t{rows} * columns; }
  // Each column of a matrix starts at a multiple of four bytes.
  std::size_t column_bytes() const;
  std::size_t element_bytes() const;
  // "VEC3 of float", for messages.
  std::string type_name() const;
};

// The memory that decoding may still use. It grows with the bytes that were read.
class Budget {
 public:
  explicit Budget(const ImportLimits& limits) : limits_(limits) {}
  void add_source(std::uint64_t size_bytes) { source_bytes_ += size_bytes; }
  Result<void> take(std::uint64_t count, std::uint64_t bytes_each, const std::string& place);

 private:
  ImportLimits limits_;
  std::uint64_t source_bytes_ = 0, taken_ = 0;
};

class GltfData {
 public:
  // glb_binary is the BIN chunk of a GLB, if there is one. All arguments must outlive this object.
  GltfData(const Value& root, std::string_view source_path, std::optional<Bytes> glb_binary, const FileReader& read,
           Budget& budget);

  // The bytes of a buffer view. Decompressed if it uses KHR_ or EXT_meshopt_compression. Read once, then cached.
  struct View {
    Bytes bytes;
    std::size_t stride_bytes = 0;  // 0: tightly packed
  };
  Result<View> view(std::uint32_t index);
  std::size_t view_count() const { return views_json_.size(); }

  // accessor() checks the accessor and finds its bytes. describe_accessor() reads only its description, for data from
  // elsewhere (Draco).
  Result<Accessor> accessor(std::uint32_t index);
  Result<Accessor> describe_accessor(std::uint32_t index);
  std::size_t accessor_count() const { return accessors_json_.size(); }

  Budget& budget() { return budget_; }

 private:
  Result<Bytes> buffer(std::uint32_t index);
  Result<Bytes> load_buffer(std::uint32_t index);
  Result<View> load_view(std::uint32_t index);
  Result<View> decompress(const Value& view, const Value& extension);

  std::string source_path_;
  std::optional<Bytes> glb_binary_;
  const FileReader& read_;
  Budget& budget_;
  Value buffers_json_, views_json_, accessors_json_;
  std::vector<std::optional<Bytes>> buffers_;
  std::vector<std::optional<View>> views_;
};

// Reads elements as floats, `width` per row. Normalized integers become [0,1] or [-1,1]; others keep their value.
// Requires accessor.components() == width and out.size() == count * width. kInvalidData if a sparse index is out of
// range.
Result<void> read_floats(const Accessor& accessor, std::size_t width, std::span<float> out);
// The same for unsigned integers. Requires an unsigned component type.
Result<void> read_uints(const Accessor& accessor, std::size_t width, std::span<std::uint32_t> out);

// Copies the components of all elements without gaps, as stored. Requires out.size() == count * components() *
// component_bytes(). Errors: as read_floats().
Result<void> read_bytes(const Accessor& accessor, std::span<std::byte> out);

bool is_data_uri(std::string_view uri);
// The bytes of a "data:" URI, or nothing if uri is not one. They are base64 or bytes with percent escapes (RFC 2397).
std::optional<Result<Bytes>> decode_data_uri(std::string_view uri);

}  // namespace assetc::importer
