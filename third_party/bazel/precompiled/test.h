// What most tests of the project read anyway. third_party/bazel/precompiled/README.md.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "third_party/bazel/precompiled/library.h"
