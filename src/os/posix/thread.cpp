#include "os/thread.hpp"

#include <sched.h>
#include <unistd.h>

namespace assetc::os {

void yield_to_other_threads() {
#ifdef __linux__
  const sched_param parameters{};
  ::sched_setscheduler(0, SCHED_BATCH, &parameters);
  // Of this thread alone, unlike on other systems. With 10 more, a thread gets a tenth of a processor that it shares.
  static_cast<void>(::nice(10));
#endif
}

}  // namespace assetc::os
