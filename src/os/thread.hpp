// Threads of this process.
#pragma once

namespace assetc::os {

// The calling thread never again takes a processor away from another thread when it wakes, and gets a small part of one
// that it shares with threads of normal priority. For threads that work behind a program's own, which draw a picture at
// a fixed time. Linux: SCHED_BATCH and a nice value 10 higher; Windows: a priority below normal. Does nothing where the
// system refuses. Call it once a thread.
void yield_to_other_threads();

}  // namespace assetc::os
