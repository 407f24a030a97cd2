// The driver of case files and of pairs (testing/driver.h).
//
//   conformance [--show=K] FILE.jsonl | FOLDER ...

#include <iostream>

#include "tessera/testing/driver.h"

int main(int argc, char** argv) {
  return tessera::testing::Drive({argv + 1, argv + argc}, std::cout, std::cerr);
}
