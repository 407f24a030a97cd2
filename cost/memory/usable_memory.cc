#include "tessera/cost/memory/usable_memory.h"

#include "tessera/cost/network/target_machine.h"

namespace tessera::cost {

int64_t UsableMemory(const target::Target& target) {
  const auto device = DeviceOf(target);
  return device.ok() ? device->hbm_bytes() : 0;
}

}  // namespace tessera::cost
