#include "texture/libraries.hpp"

#include "compression/encode.hpp"

namespace assetc::texture {

namespace {
// libastcenc's blocks differ in a few bits between architectures. All other outputs are the same on all architectures.
#if defined(__aarch64__)
constexpr const char* kArchitecture = " arm64";
#else
constexpr const char* kArchitecture = " x86-64";
#endif
}  // namespace

std::string libraries() {
  return "libastcenc=" + astcenc_version() + kArchitecture + "\nlibzstd=" + compression::zstd_version() + "\n";
}

}  // namespace assetc::texture
