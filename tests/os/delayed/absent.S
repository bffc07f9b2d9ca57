#include "os/delay/function.inc"
library "libassetc_absent.so.1"
function delayed_absent
