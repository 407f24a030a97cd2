// The stage of a module: how far it has come on the way from a program to what a device runs.
//
//   const StageReading read = ReadStage(module);
//   read.stage;                  // Stage::kFinal
//   read.sign;                   // "is_scheduled=true": what says so
//   IsPerDevice(read.stage);     // its shapes are those of one device
//
// | stage       | arrays     | what says how they are cut       | made by                       |
// |-------------|------------|----------------------------------|-------------------------------|
// | lowered     | whole      | shardings of some, or none       | JAX's .lower()                |
// | sharded     | whole      | shardings of all                 | propagation (ShardyXLA)       |
// | partitioned | a device's | collectives                      | XLA's SPMD partitioner        |
// | final       | a device's | collectives; layouts, a schedule | XLA: JAX's .compile()         |
//
// Nothing in HLO names the stage, so that signs decide, the surest first. A schedule is made last.
// A module with attributes of Shardy, or calls that constrain, was not propagated: propagation
// removes them. Tiles in a layout, fusions and asynchronous starts are made after the partitioner
// only. The partitioner leaves no sharding but those of parameters and results, and gives the entry
// a name that ends in `_spmd`. Where the name was changed, a collective with a channel, or
// partition-id, says the same. Propagation leaves shardings on instructions on which neither JAX
// nor XLA puts one before. Found in the modules that the compilers of TPU and GPU made of 30
// programs.
//
// Cost: linear in the instructions; a final module with a schedule is known by its header. Tested
// by stage_test.cc.

#ifndef TESSERA_TARGET_STAGE_STAGE_H_
#define TESSERA_TARGET_STAGE_STAGE_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"

namespace tessera::target {

enum class Stage : uint8_t { kLowered, kSharded, kPartitioned, kFinal };

// "lowered", "sharded", "partitioned", "final"
absl::string_view StageName(Stage stage);

// Whether the shapes of the module are those of one device.
inline bool IsPerDevice(Stage stage) { return stage >= Stage::kPartitioned; }

struct StageReading {
  Stage stage = Stage::kLowered;
  std::string sign;  // in the words of the text; empty for a lowered module
};

StageReading ReadStage(const hlo::Module& module);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_STAGE_STAGE_H_
