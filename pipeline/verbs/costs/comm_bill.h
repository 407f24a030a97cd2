// The bill of a program's collectives: each with its bytes, its formula and its time, and the sums.
//
//   const Bill bill = MakeBill(lines, &machine);       // null: no times
//   bill.total.sent, bill.by_axis[0].name

#ifndef TESSERA_PIPELINE_VERBS_COSTS_COMM_BILL_H_
#define TESSERA_PIPELINE_VERBS_COSTS_COMM_BILL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tessera/cost/network/collective_cost.h"
#include "tessera/cost/network/machine.h"
#include "tessera/pipeline/verbs/costs/collectives_list.h"

namespace tessera::pipeline {

struct BillLine {
  CollectiveLine line;
  std::string bytes_formula;  // "2 (n-1)/n V, n = 8, V = 4 KiB"
  cost::CollectiveCost once;  // of one run
  // Of all runs, where it is known.
  std::optional<double> seconds() const {
    if (!once.seconds.has_value()) return std::nullopt;
    return *once.seconds * static_cast<double>(line.runs);
  }
};

struct BillSum {
  std::string name;
  int64_t count = 0, sent = 0;  // bytes by each device, in all runs
  double seconds = 0;           // of those whose time is known
  int64_t without_time = 0;     // collectives whose time is not known
};

struct Bill {
  std::vector<BillLine> lines;  // by bytes
  BillSum total;
  // By bytes. A combined collective counts once in each of its lines, with the part of its bytes.
  std::vector<BillSum> by_op, by_axis, by_line;
  int64_t counted_once = 0;  // collectives in loops whose trip count is not known
};

// `launch_s`: what each takes before its first byte moves.
Bill MakeBill(std::vector<CollectiveLine> lines, const cost::Machine* machine, double launch_s = 0);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_COMM_BILL_H_
