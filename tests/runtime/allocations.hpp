// Counts the calls of operator new, which catalog_test.cpp replaces for all of test_runtime.
#pragma once

#include <atomic>
#include <cstddef>

// Sanitizers have their own operator new, so only other builds count.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define ASSETC_SANITIZED
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define ASSETC_SANITIZED
#endif
#endif

namespace assetc::runtime {

inline std::atomic<std::size_t> allocations = 0;

}  // namespace assetc::runtime
