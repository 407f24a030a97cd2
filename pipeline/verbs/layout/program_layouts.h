// Padding in the memory of a whole program, and its changes of layout.
//
//   absl::StatusOr<ProgramLayouts> all = FindProgramLayouts(module);
//   all->arrays[0].padding, all->arrays[0].bytes;      // the array that wastes most
//   all->groups[0].tiles, all->groups[0].padding;      // "T(8,128)(2,1)": all arrays in such tiles
//   all->changes[0].from, all->changes[0].to;          // what is copied into another layout
//
// Each piece of memory counts once, as its largest array (target/buffers); constants in fusions and
// scalars in registers have none. A change is a copy, transpose or bitcast whose operand lies in
// another order of memory or in other tiles. A fusion with such a copy or transpose is a change,
// too. Memory spaces are no layout: a move from HBM to VMEM alone changes nothing.
//
// Cost: that of target/buffers, and linear in the instructions. Tested by program_layouts_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_LAYOUT_PROGRAM_LAYOUTS_H_
#define TESSERA_PIPELINE_VERBS_LAYOUT_PROGRAM_LAYOUTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/layout/shape.h"
#include "tessera/pipeline/command_line/list_filter.h"
#include "tessera/pipeline/schema/program_layouts_answer.pb.h"

namespace tessera::pipeline {

struct ProgramArray {
  std::string name;     // of the instruction that makes it, and {K} for one array of several
  std::string kind;     // argument, result, constant, temporary
  layout::Shape shape;  // with its layout
  int64_t bytes = 0, padding = 0;
  std::string op_name, location;
  std::optional<answers::BetterLayout> fix;  // of an array with padding
};

// "T(8,128)(2,1)"; empty: none.
std::string TilesOf(const layout::Shape& array);

// Of its layout; 0, the main memory, without one.
int64_t SpaceOf(const layout::Shape& array);

struct ProgramLayouts {
  std::string target;                // whose rule it is; empty: the layouts stand in the module
  int64_t bytes = 0, padding = 0;    // of all arrays
  std::vector<ProgramArray> arrays;  // most padding first, then most bytes
  std::vector<answers::ProgramLayoutGroup> groups;    // most padding first, then most bytes
  std::vector<answers::ProgramLayoutChange> changes;  // most bytes first
};

// InvalidArgument with the offset of an instruction for calls without end; OutOfRange where bytes
// leave 64 bits.
absl::StatusOr<ProgramLayouts> FindProgramLayouts(const hlo::Module& module);

// A row for an array that lies in its layout, without names. Errors as of layout::SizesOf().
absl::StatusOr<ProgramArray> MakeProgramArray(const layout::Shape& array);

// Puts the arrays in order and sums them. OutOfRange where bytes leave 64 bits.
absl::Status Finish(ProgramLayouts* layouts);

// Keeps the arrays that a filter passes, by name, op_name and bytes; sums are those of the kept
// ones.
void Keep(const ListFilter& filter, ProgramLayouts* layouts);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_LAYOUT_PROGRAM_LAYOUTS_H_
