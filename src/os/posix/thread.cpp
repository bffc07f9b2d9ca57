#include "os/thread.hpp"

#include <sched.h>

namespace assetc::os {

void yield_to_other_threads() {
#ifdef SCHED_BATCH
  const sched_param parameters{};
  ::sched_setscheduler(0, SCHED_BATCH, &parameters);
#endif
}

}  // namespace assetc::os
