#include "tessera/cost/trace/trace.h"

#include <zlib.h>

#include <string>

#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/cost/trace/unpack.h"

namespace tessera::cost {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

// As jax.profiler writes them, of a CPU and of a TPU.
constexpr char kEvents[] =
    R"json({"displayTimeUnit": "ns", "metadata": {"highres-ticks": true}, "traceEvents": [
  {"ph": "M", "pid": 7, "tid": 3, "name": "thread_name", "args": {"name": "XLA Ops"}},
  {"ph": "M", "pid": 7, "tid": 3, "name": "thread_sort_index", "args": {"sort_index": 3}},
  {"ph": "X", "pid": 1, "tid": 2, "ts": 5.5, "dur": 10, "name": "dot.4",
   "args": {"hlo_module": "jit_step", "hlo_op": "dot.4", "run_id": "9"}},
  {"ph": "X", "pid": 1, "tid": 2, "ts": 25, "dur": 30.5, "name": "dot.4",
   "args": {"hlo_module": "jit_step", "hlo_op": "dot.4"}},
  {"ph": "X", "pid": 1, "tid": 2, "ts": 60, "dur": 1, "name": "add",
   "args": {"hlo_module": "jit_other", "hlo_op": "add"}},
  {"ph": "X", "pid": 1, "tid": 2, "ts": 60, "dur": 1, "name": "end: add"},
  {"ph": "X", "pid": 7, "tid": 3, "ts": 1, "dur": 2, "name": "fusion.1",
   "args": {"long_name": "%fusion.1 = f32[8] fusion"}}, {}]})json";

std::string Packed(absl::string_view text) {
  z_stream stream = {};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(text.size() + 1000, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(&out[0]);
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

Trace TraceOf(absl::string_view bytes) {
  Trace trace;
  const absl::Status added = AddTraceBytes(bytes, "jit_step", &trace);
  EXPECT_TRUE(added.ok()) << added;
  return trace;
}

TEST(TraceTest, EventsOfInstructions) {
  for (const std::string& bytes : {std::string(kEvents), Packed(kEvents)}) {
    const Trace trace = TraceOf(bytes);
    ASSERT_EQ(trace.ops.size(), 2u);
    EXPECT_THAT(trace.ops.at("dot.4").seconds, ElementsAre(DoubleEq(1e-5), DoubleEq(3.05e-5)));
    EXPECT_THAT(trace.ops.at("fusion.1").seconds, ElementsAre(DoubleEq(2e-6)));
    EXPECT_THAT(trace.others, ElementsAre(Pair("jit_other", 1)));
  }
}

TEST(TraceTest, MembersOfAFileStandOneAfterTheOther) {
  const std::string half = std::string(kEvents).substr(0, 300), rest = &kEvents[300];
  EXPECT_EQ(TraceOf(Packed(half) + Packed(rest)).ops.size(), 2u);
}

TEST(TraceTest, Statistics) {
  const TraceOp op = {{3, 1, 2, 10}};
  EXPECT_EQ(op.Median(), 3);
  EXPECT_EQ(op.Shortest(), 1);
}

TEST(TraceTest, WhatIsNoTrace) {
  Trace trace;
  const std::string packed = Packed(kEvents);
  EXPECT_THAT(AddTraceBytes(packed.substr(0, packed.size() / 2), "m", &trace).message(),
              HasSubstr("cut or damaged"));
  for (const char* text : {"", "HloModule m", "[", "{\"traceEvents\": [{\"dur\": \"x\"}]}"}) {
    EXPECT_THAT(AddTraceBytes(text, "m", &trace).message(), HasSubstr("no trace events in JSON"))
        << text;
  }
  EXPECT_THAT(AddTrace("/no/such/file", "m", &trace).message(), HasSubstr("/no/such/file"));
  EXPECT_EQ(Unpack(packed, 100).status().code(), absl::StatusCode::kOutOfRange);
}

}  // namespace
}  // namespace tessera::cost
