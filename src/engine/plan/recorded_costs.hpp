// The compile times of sources, as an earlier build recorded them.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"

namespace assetc::engine {

// Nanoseconds by the path of a source below the input. Includes the steps inside the source.
using RecordedCosts = std::map<std::string, std::uint64_t, std::less<>>;

// Reads "costs" of a report (--report): seconds by path. kInvalidData: not JSON, or no such report.
Result<RecordedCosts> parse_costs(ByteSpan json);

}  // namespace assetc::engine
