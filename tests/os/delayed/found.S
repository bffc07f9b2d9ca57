#include "os/delay/function.inc"
library "libassetc_delayed.so"
function delayed_sum
function delayed_sum_of
function delayed_large
function delayed_calls
