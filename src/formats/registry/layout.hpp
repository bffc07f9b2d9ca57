// Shared by the reader and the writer of a registry.
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
// Returns the first 8 bytes as a number that orders like the UUID.
std::uint64_t uuid_rank(const Uuid& uuid);
// Returns where the keys of each bucket begin, and their total count. The ranks must be sorted.
std::vector<std::uint32_t> buckets_of(std::span<const std::uint64_t> ranks);

// Returns assets of which each depends on the next and the last on the first; nothing if there is no such circle.
std::optional<std::vector<std::uint32_t>> find_circle(const View& view);

}  // namespace assetc::registry
