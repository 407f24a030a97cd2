// The numbers of a machine file that a fit may move.
//
//   for (const MachineNumber& number : NumbersOf(&topology)) number.set(2 * number.get());

#ifndef TESSERA_COST_CALIBRATE_MACHINE_NUMBERS_H_
#define TESSERA_COST_CALIBRATE_MACHINE_NUMBERS_H_

#include <functional>
#include <string>
#include <vector>

#include "tessera/projection/cost/network/topology.h"

namespace tessera::cost {

struct MachineNumber {
  std::string name;
  std::function<double()> get;
  std::function<void(double)> set;
};

// Those that are there and more than 0. `topology` must outlive them, and keep its lists.
std::vector<MachineNumber> NumbersOf(projection::Topology* topology);

}  // namespace tessera::cost

#endif  // TESSERA_COST_CALIBRATE_MACHINE_NUMBERS_H_
