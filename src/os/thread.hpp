// Threads of this process.
#pragma once

namespace assetc::os {

// The calling thread never again takes a processor away from another thread when it wakes; it runs when one is free or
// the other has had its share. For threads that work behind a program's own, which draw a picture at a fixed time.
// Linux: SCHED_BATCH; Windows: a priority below normal. Does nothing where the system refuses.
void yield_to_other_threads();

}  // namespace assetc::os
