#include "mesh/weld.hpp"

namespace assetc::mesh {

std::uint32_t number_firsts(std::span<std::uint32_t> first) {
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < first.size(); ++i) first[i] = first[i] == i ? next++ : first[first[i]];
  return next;
}

}  // namespace assetc::mesh
