#include "tessera/testing/projection/cut_in_two.h"

#include <utility>

#include "tessera/text/status_macros.h"

namespace tessera::projection {

absl::StatusOr<Halving> CutInTwo(const Signature& s, const ElementBytes& bytes, int axis,
                                 int64_t at) {
  Halving out{axis, at, {}, {}, {}};
  TESSERA_ASSIGN_OR_RETURN(ZRange first,
                           ZRange::Create(s.index.start(), s.index.WithDim(axis, 0, at).end()));
  TESSERA_ASSIGN_OR_RETURN(
      ZRange second,
      ZRange::Create(s.index.WithDim(axis, at, s.index.end()[axis]).start(), s.index.end()));
  for (size_t k = 0; k < s.operands.size(); ++k) {
    TESSERA_ASSIGN_OR_RETURN(Need a, ProjectOperand(s, static_cast<int>(k), first));
    TESSERA_ASSIGN_OR_RETURN(Need b, ProjectOperand(s, static_cast<int>(k), second));
    TESSERA_ASSIGN_OR_RETURN(ZSet both, a.cells.Intersect(b.cells));
    for (auto [cells, list] : {std::pair(&a.cells, &out.read_first),
                               {&b.cells, &out.read_second},
                               {&both, &out.shared}}) {
      TESSERA_ASSIGN_OR_RETURN(int64_t n, cells->size());
      list->push_back(n * bytes.operands[k]);
    }
  }
  return out;
}

}  // namespace tessera::projection
