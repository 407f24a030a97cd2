// The structured values of attributes as XLA writes them: the other half of values.h.

#ifndef TESSERA_HLO_VALUES_VALUE_PRINTER_H_
#define TESSERA_HLO_VALUES_VALUE_PRINTER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/values/values.h"

namespace tessera::hlo {

std::string PrintInts(absl::Span<const int64_t> values);  // {1,0}
std::string PrintBools(const std::vector<bool>& values);
std::string PrintWindow(const Window& window);
std::string PrintConvolutionDimensions(const ConvolutionDimensions& dims);
std::string PrintPadding(const std::vector<PaddingDimension>& padding);
std::string PrintSlice(const std::vector<SliceDimension>& slice);
// `single_device`: as sharding/hlo_sharding.h has it.
std::string PrintReplicaGroups(const ReplicaGroups& groups, bool single_device);
std::string PrintReplicaGroups(const ReplicaGroups& groups);
// Empty for an empty list.
std::string PrintAliasing(const std::vector<OperandAlias>& aliases);
// Empty when there are none.
std::string PrintStatistics(const Statistics& statistics);
std::string PrintOrigin(const OriginTree& tree);
// Empty for the default.
std::string PrintResultAccuracy(const ResultAccuracy& accuracy);
std::string PrintSparsity(const SparsityConfig& config);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_VALUES_VALUE_PRINTER_H_
