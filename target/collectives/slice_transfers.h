// Finds collectives of the hosts of several slices in a finished module of a TPU: a send and a receive that the
// runtime of slices joins to one collective.
//
//   send(x, token), frontend_attributes={_xla_megascale_transfer_type="ALL_REDUCE",_xla_megascale_target="{1,2}x{0:7}"}
//
//   SliceTransfers transfers(module);
//   IsSliceTransfer(module, send);    // true
//   transfers.Read(send)->groups;     // {{0, 8}, {1, 9}, ..}: slices 1 and 2, their devices 0 to 7
//   transfers.DoneOf(send);           // the recv-done
//
// The module is that of one slice: the devices of slice s are numbered after those of the slices before it. Where the
// text lists chips (100002 is chip 2 of slice 1), a chip counts as the device with its number, as nothing says which it
// is. Cost: linear in the module. Tested by standing_test.cc.

#ifndef TESSERA_TARGET_COLLECTIVES_SLICE_TRANSFERS_H_
#define TESSERA_TARGET_COLLECTIVES_SLICE_TRANSFERS_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/partition/partitioner.h"

namespace tessera::target {

// A send of such a pair.
bool IsSliceTransfer(const hlo::Module& module, hlo::InstructionId id);

class SliceTransfers {
 public:
  // `module` must outlive it.
  explicit SliceTransfers(const hlo::Module& module);

  // InvalidArgument with the offset of the instruction for devices that no slice has, and for more than
  // GivenGroups::kMostListed.
  absl::StatusOr<sharding::partition::Collective> Read(hlo::InstructionId send) const;
  // kNoId where nothing is received.
  hlo::InstructionId DoneOf(hlo::InstructionId send) const;

 private:
  hlo::InstructionId ReceiveOf(hlo::InstructionId send) const;

  const hlo::Module& module_;
  absl::flat_hash_map<std::string, hlo::InstructionId> receives_;     // by rendezvous
  absl::flat_hash_map<hlo::InstructionId, hlo::InstructionId> done_;  // by receive
};

}  // namespace tessera::target

#endif  // TESSERA_TARGET_COLLECTIVES_SLICE_TRANSFERS_H_
