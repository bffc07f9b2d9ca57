// What sources took to compile, as an earlier build recorded it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"

namespace assetc::engine {

// Nanoseconds by the path of a source below the input, and what is inside it with it.
using RecordedCosts = std::map<std::string, std::uint64_t, std::less<>>;

// Of the "costs" of a report (--report): seconds by path. Errors: kInvalidData for other JSON and for what is none.
Result<RecordedCosts> parse_costs(ByteSpan json);

}  // namespace assetc::engine
