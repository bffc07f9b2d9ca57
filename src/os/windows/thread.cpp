#include "os/thread.hpp"

#include "os/windows/system.hpp"

namespace assetc::os {

void yield_to_other_threads() { SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_BELOW_NORMAL); }

}  // namespace assetc::os
