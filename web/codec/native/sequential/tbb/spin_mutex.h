#pragma once
#include <oneapi/tbb/spin_mutex.h>  // IWYU pragma: export
