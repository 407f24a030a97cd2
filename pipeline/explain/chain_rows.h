// A chain as rows of text.
//
//   for (const Row& row : ChainRows(explained, labels, chain, style)) ...
//   // {"y dim 1", "w dim 1", "y ([i, k], [k, j])->([i, j]) factor j, step 0, level 2", "m.py:41"}
//   // {"w dim 1", "", "P(None, 'a') on parameter 1", "model.py:30"}

#ifndef TESSERA_PIPELINE_EXPLAIN_CHAIN_ROWS_H_
#define TESSERA_PIPELINE_EXPLAIN_CHAIN_ROWS_H_

#include <string>
#include <vector>

#include "tessera/pipeline/explain/explanation.h"
#include "tessera/pipeline/explain/labels.h"

namespace tessera::pipeline {

struct Row {
  std::string target;
  std::string source;  // empty for the annotation
  std::string how;
  std::string place;
  int level = -1;
};

// Equal consecutive steps that only pass the axis on are one row, unless all are wanted;
// of more than style.most_rows the middle is left out.
std::vector<Row> ChainRows(const Explained& explained, const Labels& labels,
                           const sharding::explain::Chain& chain, const TextStyle& style);

// Aligned, two blanks in front.
std::string RowsText(const std::vector<Row>& rows);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_EXPLAIN_CHAIN_ROWS_H_
