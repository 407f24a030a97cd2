// table-copies: a table whose rows are gathered is copied into a layout of rows.
//
//   e = f32[100000,64]{0,1} parameter(0), g = f32[4096,64] gather(e, i)
//   ->  g = gather(f32[100000,64]{1,0} copy(e), i)
//
// Rows of fewer elements than a tile has columns pad least across. So a table of them lies across at the border of
// the program (layout/tpu_layout.h). Gathers need rows in one piece; scatters into the table share the copy, and
// their result is copied back. The sum of the table and its gradient shares it, too, since rows were scattered into
// the gradient: the copy stays until the end of a step. So it is in probes with 40 to 96 columns; with 16 and 32
// columns the gradient is copied instead.
//
// Rows of any table for several dimensions of indices are gathered one after the other. They are copied to their
// places where the last of these dimensions is no multiple of 8: f32[4096,26,64]. So are rows of up to 32 elements,
// as of position biases: f32[512,512,8] is gathered as f32[262144,8], and the copy has the layout that pads least.
// In recorded final modules all nine large gathers of such rows have that copy; of rows of 64 elements only some
// have.
//
// target/layouts has the layout of the table. Found from outside. Only for the memory of a program.
// Cost: linear.

#include <cstdint>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/values/value_printer.h"
#include "tessera/projection/signatures/opcode_sets.h"
#include "tessera/target/layouts/array_sizes.h"
#include "tessera/target/layouts/layout_preferences.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/tpu/copies/copies.h"
#include "tessera/target/tpu/tpu_passes.h"

namespace tessera::target {
namespace {

constexpr int64_t kRowsOfTile = 8;
constexpr int64_t kNarrowRow = 32;  // elements

class TableCopies {
 public:
  explicit TableCopies(Context* context)
      : program_(context->program), sizes_(*context->target.chip) {}

  void Run(ComputationId entry) {
    const std::vector<InstructionId> order = program_.PostOrder(entry);
    for (const InstructionId id : order) {
      if (IsOfScatter(id)) of_scatters_.insert(id);
    }
    for (const InstructionId id : order) {
      if (!GathersRows(program_.module(), id)) continue;
      const bool is_narrow = HasNarrowRows(id),
                 fills_no_tiles = HasPartialTiles(program_.shape(id));
      if (is_narrow || fills_no_tiles) PutCopyAfter(program_, id, "rows-copy");
      CopyTableOf(id);
      if (is_narrow) GatherAsList(id);
    }
  }

 private:
  void CopyTableOf(InstructionId gather) {
    const InstructionId table = program_.operand(gather, 0);
    if (program_.opcode(table) != Opcode::kParameter || !program_.shape(table).is_array()) return;
    if (LiesInRows(table)) return;
    const InstructionId copy = AddCopy(program_, table, "table-copy");
    for (const InstructionId user : program_.Users(table)) {
      if (IsUpdate(user) && HasWideRows(table)) program_.ReplaceOperand(user, table, copy);
      if (user == copy || program_.operand(user, 0) != table) continue;
      const Opcode opcode = program_.opcode(user);
      if (opcode == Opcode::kGather || opcode == Opcode::kScatter)
        program_.SetOperand(user, 0, copy);
      if (opcode == Opcode::kScatter) PutCopyAfter(program_, user, "table-copy");
    }
  }

  // A scatter, or what element-wise operations and sums over devices make of one.
  bool IsOfScatter(InstructionId id) const {
    const Opcode opcode = program_.opcode(id);
    if (opcode == Opcode::kScatter) return true;
    if (!projection::IsElementwise(opcode) && opcode != Opcode::kAllReduce) return false;
    return absl::c_any_of(program_.operands(id), [&](InstructionId operand) {
      return of_scatters_.contains(operand) &&
             program_.shape(operand).dims() == program_.shape(id).dims();
    });
  }

  bool IsUpdate(InstructionId user) const {
    return program_.opcode(user) != Opcode::kScatter && of_scatters_.contains(user);
  }

  // Of narrow rows the new table has the layout of the old one, and the compiler copies the gradient instead.
  bool HasWideRows(InstructionId table) const {
    return program_.shape(table).dim(program_.shape(table).rank() - 1) > kNarrowRow;
  }

  static bool HasPartialTiles(const layout::Shape& rows) {
    return rows.rank() > 2 && rows.dim(rows.rank() - 2) % kRowsOfTile != 0;
  }

  // For several dimensions of indices, whose numbers stand last.
  bool HasNarrowRows(InstructionId gather) const {
    const layout::Shape& rows = program_.shape(gather);
    const hlo::GatherDimensions dims = hlo::GetGatherDimensions(program_.module(), gather);
    const int64_t columns = rows.dim(rows.rank() - 1);
    return rows.rank() > 2 && columns > 0 && columns <= kNarrowRow &&
           rows.NumElements().has_value() && dims.offset_dims.size() == 1 &&
           dims.operand_batching_dims.empty() &&
           dims.index_vector_dim + 1 >= program_.shape(program_.operand(gather, 1)).rank();
  }

  // Its readers read a reshape of the list.
  void GatherAsList(InstructionId gather) {
    const layout::Shape rows = program_.shape(gather);
    const InstructionId indices = program_.operand(gather, 1);
    const auto dims = hlo::GetGatherDimensions(program_.module(), gather);
    const int64_t columns = rows.dim(rows.rank() - 1), count = *rows.NumElements() / columns;
    const auto numbers = static_cast<int64_t>(dims.start_index_map.size());
    const layout::Shape listed = Resized(program_.shape(indices), {count, numbers});
    const InstructionId list =
        program_.Clone(gather, {program_.operand(gather, 0), AddReshape(program_, indices, listed)},
                       Resized(rows, {count, columns}));
    program_.SetAttribute(list, hlo::AttributeName::kOffsetDims, hlo::PrintInts({1}));
    program_.SetAttribute(list, hlo::AttributeName::kIndexVectorDim, "1");
    program_.ReplaceUses(gather, AddReshape(program_, list, rows));
    program_.RemoveDead(gather);
  }

  bool LiesInRows(InstructionId table) const {
    const layout::Shape laid = sizes_.Laid(program_.shape(table));
    return laid.layout().minor_to_major[0] == laid.rank() - 1;
  }

  DeviceProgram& program_;
  const ArraySizes sizes_;
  absl::flat_hash_set<InstructionId> of_scatters_;
};

}  // namespace

absl::Status CopyTables(Context& context) {
  TableCopies(&context).Run(context.program.module().entry_id());
  return absl::OkStatus();
}

}  // namespace tessera::target
