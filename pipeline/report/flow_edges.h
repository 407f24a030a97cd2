// Which rows of the page read which.
//
//   for (const FlowEdge& edge : FlowEdges(module, table)) ...   // {row of x, row of dot(x, w)}
//
// Tuples are looked through, so that an edge begins at the array that is meant. A loop reads what it
// starts with and what its body ends with; its parameters inside read the same. Branches and calls
// likewise. An operation of several results reads an operand for each of them, unless operands and
// results come in pairs.
//
// Cost: linear in the arrays of operands, times the logarithm of the widest tuple.
// Tested by report_test.cc.

#ifndef TESSERA_PIPELINE_REPORT_FLOW_EDGES_H_
#define TESSERA_PIPELINE_REPORT_FLOW_EDGES_H_

#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/pipeline/report/tensor_table.h"

namespace tessera::pipeline {

struct FlowEdge {
  int from = 0, to = 0;
};

// Each once, in order of `to`'s first mention. `module` is that of the table's tensors.
std::vector<FlowEdge> FlowEdges(const hlo::Module& module, const TensorTable& table);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_REPORT_FLOW_EDGES_H_
