// What reader and writer of a registry share.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "assetc/formats/registry.hpp"

namespace assetc::registry {

constexpr std::uint64_t padded(std::uint64_t size) { return (size + 7) / 8 * 8; }

std::uint64_t path_hash(std::string_view virtual_path);
// The first 8 bytes, as they are compared.
std::uint64_t uuid_rank(const Uuid& uuid);
// Where the keys of these ranks, sorted, begin in each bucket, and their count.
std::vector<std::uint32_t> buckets_of(std::span<const std::uint64_t> ranks);

// Assets of which each depends on the next and the last on the first; nothing where there are none.
std::optional<std::vector<std::uint32_t>> find_circle(const View& view);

}  // namespace assetc::registry
