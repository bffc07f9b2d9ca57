// Combines several functions into one overloaded function, for std::visit.
#pragma once

namespace assetc {

template <class... F>
struct Overload : F... {
  using F::operator()...;
};

}  // namespace assetc
