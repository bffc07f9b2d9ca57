// The shared library that delay_test.cpp calls through delayed functions.
#include "os/delayed/library.hpp"

#include <cstdarg>

double delayed_sum(int a, int b, int c, int d, int e, int f, int g, double h, double i, double j, double k, double l,
                   double m, double n, double o, double p) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k + 12 * l + 13 * m +
         14 * n + 15 * o + 16 * p;
}

double delayed_sum_of(int count, ...) {
  std::va_list numbers;
  va_start(numbers, count);
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += va_arg(numbers, double);
  va_end(numbers);
  return sum;
}

DelayedLarge delayed_large(double value) { return {{value, 2 * value, 3 * value, 4 * value}}; }

int delayed_calls() {
  static int calls = 0;
  return ++calls;
}
