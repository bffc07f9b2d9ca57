// A GLB file in the making: the glTF document and the bytes of its one buffer.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/hash.hpp"
#include "assetc/base/result.hpp"
#include "json/json.hpp"

namespace assetc::exporter {

// Values of bufferView.target and accessor.componentType.
inline constexpr int kArrayBuffer = 34962;
inline constexpr int kElementArrayBuffer = 34963;
inline constexpr int kByte = 5120;
inline constexpr int kUnsignedByte = 5121;
inline constexpr int kShort = 5122;
inline constexpr int kUnsignedShort = 5123;
inline constexpr int kUnsignedInt = 5125;
inline constexpr int kFloat = 5126;

// Chunks, buffer views and vertices begin at multiples of 4.
constexpr std::size_t padded(std::size_t size) { return (size + 3) / 4 * 4; }

// How elements of a stream are stored if the file is compressed (EXT_meshopt_compression, KHR_meshopt_compression).
enum class StreamMode : std::uint8_t { kAttributes, kTriangles, kIndices };
enum class StreamFilter : std::uint8_t { kNone, kOctahedral, kQuaternion, kExponential };

// Accessors with equal formats share one buffer view.
struct StreamFormat {
  std::string group;  // what the elements are: "POSITION"
  StreamMode mode = StreamMode::kAttributes;
  StreamFilter filter = StreamFilter::kNone;
  std::size_t stride_bytes = 0;  // of kAttributes: a multiple of 4, at most 256; otherwise 2 or 4
  int target = 0;                // 0 or a kind of buffer
  auto operator<=>(const StreamFormat&) const = default;
};

// Replaces numbers that are floats by the shortest that a reader rounds to the same float. Members of `extras` and
// `extensions` stay: they may have numbers of other precision.
void shorten_numbers(Json& value);

class GlbDocument {
 public:
  // compresses: streams are compressed with EXT_meshopt_compression, or with KHR_meshopt_compression if is_khr is set.
  // packs: equal streams and views are stored once.
  explicit GlbDocument(bool compresses = false, bool packs = false, bool is_khr = false)
      : compresses_(compresses), packs_(packs), is_khr_(is_khr) {}

  Json& root() { return root_; }
  bool compresses() const { return compresses_; }

  // Appends bytes as a buffer view, 4-byte aligned, and returns its index. target: 0 or a kind of buffer.
  std::size_t add_view(const Bytes& bytes, int target = 0);
  std::size_t add_view(ByteSpan bytes, int target = 0);  // copies them
  // Appends an accessor and returns its index.
  std::size_t add_accessor(Json accessor);
  template <class T>
  std::size_t add_accessor(std::span<const T> values, std::string_view type, int component, int target = 0) {
    return add_accessor({{"bufferView", add_view(std::as_bytes(values), target)},
                         {"componentType", component},
                         {"count", values.size()},
                         {"type", type}});
  }
  // Appends elements to the stream of their format, and an accessor of them, and returns the accessor's index.
  // elements: as the filter's encoder of meshoptimizer gives them; count * stride bytes.
  std::size_t add_stream(const StreamFormat& format, ByteSpan elements, Json accessor);
  // Sets component-wise bounds, which glTF requires for positions and key times. values: at least one element.
  void add_bounds(std::size_t accessor, std::span<const float> values, std::size_t components);

  // The bytes of the file. Call it or write_files() once. Errors: kLimit from 4 GiB on.
  Result<ByteVector> write();
  // The document as text, and the bytes of its buffer, which is at the URI.
  std::pair<ByteVector, ByteVector> write_files(const std::string& buffer_uri);

 private:
  struct Stream {
    std::size_t view = 0;
    ByteVector elements;
  };
  // Appends bytes to the buffer, 4-byte aligned, and returns the start of their buffer view.
  Json add_to_buffer(const Bytes& bytes);
  void append_buffer(ByteVector& out) const;
  void write_streams();
  std::string finish();  // the document as text

  bool compresses_, packs_, is_khr_;
  std::map<StreamFormat, Stream> streams_;
  std::map<std::pair<ContentHash, std::string>, std::size_t> accessors_;  // of streams
  std::map<std::pair<ContentHash, int>, std::size_t> views_;              // by content and target
  Json root_ = Json::object();
  // The buffer, in pieces. They are copied only into the file, because models may have many megabytes of pictures.
  std::vector<Bytes> pieces_;
  std::size_t buffer_bytes_ = 0;
};

}  // namespace assetc::exporter
