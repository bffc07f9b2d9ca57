#include "os/delay/function.inc"
library "libassetc_delayed.so"
function delayed_missing
