// Functions whose arguments and results use every kind of register, and the stack.
#pragma once

#define DELAYED_API extern "C" __attribute__((visibility("default")))

struct DelayedLarge {
  double values[4];
};

// The sum of each argument times its position, from 1.
DELAYED_API double delayed_sum(int a, int b, int c, int d, int e, int f, int g, double h, double i, double j, double k,
                               double l, double m, double n, double o, double p);
// The sum of count doubles.
DELAYED_API double delayed_sum_of(int count, ...);
// 1, 2, 3 and 4 times the value; returned in memory.
DELAYED_API DelayedLarge delayed_large(double value);
// How often it was called.
DELAYED_API int delayed_calls();
// In a library that does not exist (absent.S).
DELAYED_API void delayed_absent();
// Not in the library (missing.S).
DELAYED_API void delayed_missing();
