// File: testing/evaluator/devices.h
//
// The blocks of an instruction are the tiles that its sharding gives to devices.
//
//   // sharding={devices=[4,2]<=[8]} on f32[16,32]
//   CutByDevices(module, id, 0, {16, 32})     // eight tiles of 4 x 16
//
// Devices that hold the same tile compute the same from the same, so each tile stands once. What
// does not cut data (replicated, manual, one device, no sharding) is one block. A needed cell comes
// from a device that holds it; every tile is checked against the dense run, so it is no matter from
// which.
#ifndef TESSERA_TESTING_EVALUATOR_DEVICES_H_
#define TESSERA_TESTING_EVALUATOR_DEVICES_H_

#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/testing/evaluator/value.h"

namespace tessera::testing::evaluator {

std::vector<ZRange> CutByDevices(const hlo::Module& module, hlo::InstructionId id, int leaf,
                                 const ZPoint& dims);

}  // namespace tessera::testing::evaluator

#endif  // TESSERA_TESTING_EVALUATOR_DEVICES_H_
