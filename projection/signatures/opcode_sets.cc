#include "tessera/projection/signatures/opcode_sets.h"

#include "absl/algorithm/container.h"

namespace tessera::projection {
namespace {

using hlo::Opcode;

constexpr Opcode kTranscendental[] = {
    Opcode::kAcos,     Opcode::kAcosh, Opcode::kAsin,        Opcode::kAsinh,
    Opcode::kAtan2,    Opcode::kAtanh, Opcode::kCbrt,        Opcode::kCosine,
    Opcode::kCosh,     Opcode::kErf,   Opcode::kLog,         Opcode::kLogPlusOne,
    Opcode::kLogistic, Opcode::kPower, Opcode::kExponential, Opcode::kRsqrt,
    Opcode::kSine,     Opcode::kSinh,  Opcode::kSqrt,        Opcode::kExponentialMinusOne,
    Opcode::kTan,      Opcode::kTanh,
};

}  // namespace

bool IsTranscendental(Opcode opcode) { return absl::c_linear_search(kTranscendental, opcode); }

}  // namespace tessera::projection
