// The order of the entries of codebooks, which decides how many bits their differences take. Internal to the encoder.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codec/encode/etc1s/basis_lz_write.hpp"

namespace assetc::codec {

// The new number of each endpoint. Slices store the difference between the numbers of the endpoints of two blocks in a
// row, so endpoints that often follow each other get numbers that are close.
std::vector<std::uint16_t> endpoint_numbers(std::span<const Etc1sEndpoint> endpoints,
                                            std::span<const BlockSlice> slices, std::span<const BasisLzBlock> blocks);

// The new number of each entry of levels. The codebook stores which bits differ from the entry before.
std::vector<std::uint16_t> levels_numbers(std::span<const Etc1sLevels> levels);

}  // namespace assetc::codec
