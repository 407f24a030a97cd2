#include "tessera/cost/trace/trace.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/util/json_util.h"
#include "tessera/cost/trace/trace_events.pb.h"
#include "tessera/cost/trace/unpack.h"
#include "tessera/text/source.h"
#include "tessera/text/status_macros.h"

namespace tessera::cost {
namespace {

constexpr size_t kMostBytes = size_t{1} << 30;
constexpr double kMicrosecond = 1e-6;
constexpr char kThreadOfTpu[] = "XLA Ops";

using Thread = std::pair<int64_t, int64_t>;

// Threads whose events are instructions by their own names.
absl::flat_hash_set<Thread> ThreadsOfTpus(const TraceEvents& events) {
  absl::flat_hash_set<Thread> threads;
  for (const TraceEvent& event : events.traceevents()) {
    const bool names = event.ph() == "M" && event.name() == "thread_name";
    if (names && event.args().name() == kThreadOfTpu) threads.insert({event.pid(), event.tid()});
  }
  return threads;
}

void AddEvents(const TraceEvents& events, absl::string_view module, Trace* trace) {
  const absl::flat_hash_set<Thread> of_tpus = ThreadsOfTpus(events);
  for (const TraceEvent& event : events.traceevents()) {
    if (event.ph() != "X" || !(event.dur() >= 0)) continue;
    const bool is_named = event.args().has_hlo_op();
    if (!is_named && !of_tpus.contains(Thread{event.pid(), event.tid()})) continue;
    if (event.args().has_hlo_module() && event.args().hlo_module() != module) {
      ++trace->others[event.args().hlo_module()];
      continue;
    }
    const std::string& op = is_named ? event.args().hlo_op() : event.name();
    trace->ops[op].seconds.push_back(event.dur() * kMicrosecond);
  }
}

}  // namespace

double TraceOp::Median() const {
  if (seconds.empty()) return 0;
  std::vector<double> sorted = seconds;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

double TraceOp::Shortest() const {
  return seconds.empty() ? 0 : *std::min_element(seconds.begin(), seconds.end());
}

absl::Status AddTraceBytes(absl::string_view bytes, absl::string_view module, Trace* trace) {
  std::string unpacked;
  if (IsPacked(bytes)) {
    TESSERA_ASSIGN_OR_RETURN(unpacked, Unpack(bytes, kMostBytes));
    bytes = unpacked;
  }
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  TraceEvents events;
  const auto parsed =
      google::protobuf::util::JsonStringToMessage({bytes.data(), bytes.size()}, &events, options);
  if (!parsed.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("no trace events in JSON, as jax.profiler writes them to HOST.trace.json.gz: ",
                     std::string(parsed.message())));
  }
  AddEvents(events, module, trace);
  return absl::OkStatus();
}

absl::Status AddTrace(const std::string& file, absl::string_view module, Trace* trace) {
  TESSERA_ASSIGN_OR_RETURN(const auto source, text::Source::FromFile(file));
  const absl::Status added = AddTraceBytes(source->text(), module, trace);
  if (added.ok()) return added;
  return absl::Status(added.code(), absl::StrCat(file, ": ", added.message()));
}

}  // namespace tessera::cost
