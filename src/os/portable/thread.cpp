#include "os/thread.hpp"

namespace assetc::os {

void yield_to_other_threads() {}

}  // namespace assetc::os
