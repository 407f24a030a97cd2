// A profile that JAX wrote: how long each instruction of a module took.
//
//   with jax.profiler.trace("profile"): step(state, batch)
//   // profile/plugins/profile/DATE/HOST.trace.json.gz
//
//   Trace trace;
//   TESSERA_RETURN_IF_ERROR(AddTrace("HOST.trace.json.gz", "jit_step", &trace));
//   trace.ops.at("dot.4").seconds          // of each event
//   trace.ops.at("dot.4").Median()
//
// The file is JSON of trace events, packed by gzip or not. An event counts that names an instruction
// (hlo_op) of this module (hlo_module), as the runtimes of CPUs and GPUs write them. On the thread
// "XLA Ops" of a TPU the event has the instruction's name itself.
//
// Cost: linear in the file. Tested by trace_test.cc, and with profiles of XLA's CPU back end in
// pipeline/verbs/testdata.

#ifndef TESSERA_COST_TRACE_TRACE_H_
#define TESSERA_COST_TRACE_TRACE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tessera::cost {

struct TraceOp {
  std::vector<double> seconds;  // of each event

  double Median() const;
  double Shortest() const;
};

struct Trace {
  absl::flat_hash_map<std::string, TraceOp> ops;  // by the name of the instruction
  std::map<std::string, int64_t> others;          // events of other modules
};

// Adds the events of a file. NotFound for a file that cannot be read; InvalidArgument, which begins
// with its name, for one that is no trace.
absl::Status AddTrace(const std::string& file, absl::string_view module, Trace* trace);

// The same of the bytes of a file. OutOfRange for more than 1 GiB unpacked.
absl::Status AddTraceBytes(absl::string_view bytes, absl::string_view module, Trace* trace);

}  // namespace tessera::cost

#endif  // TESSERA_COST_TRACE_TRACE_H_
