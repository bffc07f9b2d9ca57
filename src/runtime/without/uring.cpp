#include "runtime/source/uring.hpp"

namespace assetc::runtime {

std::unique_ptr<Source> make_uring_source(const std::string&) { return nullptr; }

}  // namespace assetc::runtime
