// The speed of decoding encoded .hmesh files, on one core, and of meshoptimizer's decoders on the same streams.
//
//   decode_bench FILE.hmesh...
#include <meshoptimizer.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

#include "assetc/formats/hmesh_encoded.hpp"
#include "assetc/formats/hmesh_view.hpp"
#include "assetc/runtime/inflate.hpp"
#include "codec/mesh/decode/meshopt_stream.hpp"

namespace assetc {
namespace {

constexpr int kRuns = 40;

// The least time, in seconds.
template <class Work>
double least(Work work) {
  double best = 1e9;
  for (int i = 0; i < kRuns; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

void print(const char* what, std::size_t bytes, double seconds) {
  std::printf("  %-42s%8.2f ms%8.2f GB/s\n", what, seconds * 1e3, static_cast<double>(bytes) / seconds / 1e9);
}

// A stream with both decoders.
void compare(const chunks::ChunkEntry& entry, ByteSpan file) {
  const auto header = load<hmesh::EncodedHeader>(file, entry.offset_bytes);
  const auto encoding = static_cast<hmesh::Encoding>(entry.flags & hmesh::kEncodingMask);
  if (entry.flags == 0 || (entry.flags & hmesh::kZstdFlag) != 0 || header.body_bytes == 0) return;
  const ByteSpan stream =
      file.subspan(entry.offset_bytes + sizeof header, header.body_bytes).subspan(header.prefix_bytes);
  const auto* data = reinterpret_cast<const unsigned char*>(stream.data());
  char what[64];
  if (encoding == hmesh::Encoding::kTriangles) {
    const std::size_t count = header.decoded_bytes / header.stride_bytes;
    std::vector<std::uint32_t> out(count), peer(count);
    const double ours = least([&] {
      auto triangles = *meshopt_stream::Triangles::open(stream, count / 3);
      for (std::size_t i = 0; i < count; i += 3) {
        const meshopt_stream::Triangle t = triangles.next();
        for (std::size_t k = 0; k < 3; ++k) out[i + k] = t[k];
      }
    });
    const double theirs = least([&] { meshopt_decodeIndexBuffer(peer.data(), count, 4, data, stream.size()); });
    std::snprintf(what, sizeof what, "%.4s: %zu triangles, this decoder", reinterpret_cast<const char*>(&entry.id),
                  count / 3);
    print(what, count * 4, ours);
    print("      meshoptimizer", count * 4, theirs);
    if (out != peer) std::puts("  the decoders differ");
  } else if (encoding == hmesh::Encoding::kAttributes || encoding == hmesh::Encoding::kGrid) {
    const bool is_grid = encoding == hmesh::Encoding::kGrid;
    const std::size_t stride = header.stride_bytes;
    const std::size_t count = is_grid ? header.decoded_bytes / sizeof(hmesh::GpuVertex)
                                      : (header.decoded_bytes - header.prefix_bytes) / stride;
    ByteVector out(count * stride), peer(count * stride);
    const double ours = least([&] { meshopt_stream::decode_attributes(stream, count, stride, out.data()); });
    const double theirs = least([&] { meshopt_decodeVertexBuffer(peer.data(), count, stride, data, stream.size()); });
    std::snprintf(what, sizeof what, "%.4s: %zu elements of %zu, this decoder",
                  reinterpret_cast<const char*>(&entry.id), count, stride);
    print(what, out.size(), ours);
    print("      meshoptimizer", out.size(), theirs);
    if (out != peer) std::puts("  the decoders differ");
  }
}

int run(const char* path) {
  std::ifstream stream(path, std::ios::binary);
  const std::vector<char> text((std::istreambuf_iterator<char>(stream)), {});
  ByteVector file(text.size());
  std::memcpy(file.data(), text.data(), text.size());
  const auto size = hmesh::decoded_size(file);
  if (!size) return std::fprintf(stderr, "%s: %s\n", path, size.error().to_string().c_str()), 1;
  ByteVector plain(*size);
  bool good = true;
  const double seconds = least([&] { good &= hmesh::decode(file, plain, runtime::inflate_frame).has_value(); });
  std::printf("%s: %zu bytes, %zu decoded%s\n", path, file.size(), plain.size(), good ? "" : ", damaged");
  print("the whole file", plain.size(), seconds);
  const auto table = chunks::open_table(file, hmesh::kVersion);
  if (!table) return 1;
  for (const chunks::ChunkEntry& entry : *table) compare(entry, file);
  return good ? 0 : 1;
}

}  // namespace
}  // namespace assetc

int main(int count, char** words) {
  int status = 0;
  for (int i = 1; i < count; ++i) status |= assetc::run(words[i]);
  return status;
}
