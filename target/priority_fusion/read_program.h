// The program of an entry computation, for tests; `sum` adds two f32.
//
//   const DeviceProgram program = ReadProgram("  ROOT x = f32[8] parameter(0)\n");

#ifndef TESSERA_TARGET_PRIORITY_FUSION_READ_PROGRAM_H_
#define TESSERA_TARGET_PRIORITY_FUSION_READ_PROGRAM_H_

#include <string>

#include "tessera/hlo/parser.h"
#include "tessera/target/program/device_program.h"

namespace tessera::target {

inline DeviceProgram ReadProgram(const std::string& body) {
  return DeviceProgram(
      *hlo::ParseModule("HloModule m\n\nsum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
                        "  ROOT s = f32[] add(a, b)\n}\n\nENTRY e {\n" +
                        body + "}\n"));
}

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PRIORITY_FUSION_READ_PROGRAM_H_
