#pragma once
#include <oneapi/tbb/blocked_range.h>  // IWYU pragma: export
