// Converts exceptions of libraries to the error of the file that was processed.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "assetc/base/result.hpp"

namespace assetc {

// Returns the Result of work(), or an error for an exception that it threw. who: for the message, "the mesh recipe";
// memory_hint: the hint if memory ran out.
template <class Work>
auto catch_exceptions(std::string_view who, std::string_view memory_hint, const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kLimit, "not enough memory to compile this", std::string(memory_hint));
  } catch (const std::exception& e) {
    return fail(ErrorCode::kInvalidData, std::string(who) + " threw: " + e.what(),
                "this is a fault in assetc; please report it with the file");
  }
}

}  // namespace assetc
