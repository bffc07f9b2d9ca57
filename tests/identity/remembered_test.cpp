#include "identity/remembered.hpp"

#include <gtest/gtest.h>

#include "crypto/sha.hpp"
