// Collectives on four devices: each row is a module, and what device 1 has at the end.
#include "tessera/testing/evaluator/sharded/spmd.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"

namespace tessera::testing::evaluator {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

struct Row {
  const char* name;
  const char* entry;             // device d has p = 10 d, 10 d + 1, ..
  std::vector<double> device_1;  // cells of the result there
};

std::vector<Row> Rows() {
  return {
      {"AllGather",
       "ROOT r = f32[4,2] all-gather(p), dimensions={0}, replica_groups={{0,1},{3,2}}",
       {0, 1, 2, 3, 10, 11, 12, 13}},
      {"AllGatherOfAll",
       "ROOT r = f32[2,8] all-gather(p), dimensions={1}, replica_groups={}",
       {0, 1, 10, 11, 20, 21, 30, 31, 2, 3, 12, 13, 22, 23, 32, 33}},
      {"AllReduce",
       "ROOT r = f32[2,2] all-reduce(p), replica_groups={{0,2},{1,3}}, to_apply=add",
       {40, 42, 44, 46}},
      {"ReduceScatter",
       "ROOT r = f32[1,2] reduce-scatter(p), dimensions={0}, replica_groups={{0,1},{2,3}}, "
       "to_apply=add",
       {14, 16}},
      {"AllToAll",
       "ROOT r = f32[2,2] all-to-all(p), dimensions={1}, replica_groups={{0,1},{2,3}}",
       {1, 11, 3, 13}},
      {"Permute",
       "ROOT r = f32[2,2] collective-permute(p), source_target_pairs={{3,1},{1,0}}",
       {30, 31, 32, 33}},
      {"PermuteFromNobody",
       "ROOT r = f32[2,2] collective-permute(p), source_target_pairs={{1,0}}",
       {0, 0, 0, 0}},
      {"Broadcast",
       "ROOT r = f32[2,2] collective-broadcast(p), replica_groups={{2,1},{0,3}}",
       {20, 21, 22, 23}},
      {"Started",
       "s = (f32[2,2], f32[4,2]) all-gather-start(p), dimensions={0}, "
       "replica_groups={{0,1},{2,3}}\n"
       "ROOT r = f32[4,2] all-gather-done(s)",
       {0, 1, 2, 3, 10, 11, 12, 13}},
      {"AllToAllOfTuples",
       "q = f32[2,2] negate(p) s = (f32[2,2], f32[2,2]) all-to-all(p, q), "
       "replica_groups={{0,1},{2,3}}\n"
       "a = f32[2,2] get-tuple-element(s), index=0 b = f32[2,2] get-tuple-element(s), index=1\n"
       "ROOT r = f32[4,2] concatenate(a, b), dimensions={0}",
       {0, -1, -2, -3, -10, -11, -12, -13}},
      {"AllGatherOfTwo",
       "q = f32[4,1] reshape(p) s = (f32[4,2], f32[8,1]) all-gather(p, q), dimensions={0}, "
       "replica_groups={{0,1},{2,3}}\n"
       "ROOT r = f32[8,1] get-tuple-element(s), index=1",
       {0, 1, 2, 3, 10, 11, 12, 13}},
      {"RaggedAllToAll",  // row 1 of device 0 goes to row 1 here, row 0 of device 1 to row 0
       "a = s32[2] constant({0, 1}) one = s32[2] constant({1, 1}) i = u32[] partition-id()\n"
       "j = s32[] convert(i) to = s32[2] broadcast(j), dimensions={} k = s32[2] constant({1, 1})\n"
       "l = s32[2] subtract(k, to) z = f32[2,2] negate(p)\n"
       "ROOT r = f32[2,2] ragged-all-to-all(p, z, a, one, l, one), replica_groups={{0,1},{2,3}}",
       {12, 13, 2, 3}},
      {"CollectiveInsideAnAsynchronousCall",
       "s = ((f32[2,2]), f32[4,2], u32[]) async-start(p), calls=gather\n"
       "u = ((f32[2,2]), f32[4,2], u32[]) async-update(s) ROOT r = f32[4,2] async-done(u)",
       {0, 1, 2, 3, 10, 11, 12, 13}},
      {"LoopThatEndsEarlierHere",  // device d goes round 3 - d times
       "i = u32[] partition-id() z = s32[] convert(i) t = (s32[], f32[2,2]) tuple(z, p)\n"
       "w = (s32[], f32[2,2]) while(t), condition=go, body=alone\n"
       "ROOT r = f32[2,2] get-tuple-element(w), index=1",
       {40, 44, 48, 52}},
      {"BranchOfItsOwn",  // 0 and 1 exchange, 2 and 3 do not
       "i = u32[] partition-id() n = u32[] constant(2) c = pred[] compare(i, n), direction=LT\n"
       "ROOT r = f32[2,2] conditional(c, p, p), true_computation=both, false_computation=twice",
       {10, 12, 14, 16}},
      {"OwnNumber",
       "i = u32[] partition-id() f = f32[] convert(i) b = f32[2,2] broadcast(f), dimensions={}\n"
       "ROOT r = f32[2,2] add(p, b)",
       {11, 12, 13, 14}},
      {"InALoop",
       "z = s32[] constant(0) t = (s32[], f32[2,2]) tuple(z, p)\n"
       "w = (s32[], f32[2,2]) while(t), condition=go, body=body\n"
       "ROOT r = f32[2,2] get-tuple-element(w), index=1",
       {40, 48, 56, 64}},
  };
}

constexpr char kCalled[] = R"(HloModule m, num_partitions=4
add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }
body { s = (s32[], f32[2,2]) parameter(0) i = s32[] get-tuple-element(s), index=0
  x = f32[2,2] get-tuple-element(s), index=1 one = s32[] constant(1) n = s32[] add(i, one)
  y = f32[2,2] all-reduce(x), replica_groups={{0,1},{2,3}}, to_apply=add
  ROOT t = (s32[], f32[2,2]) tuple(n, y) }
alone { s = (s32[], f32[2,2]) parameter(0) i = s32[] get-tuple-element(s), index=0
  x = f32[2,2] get-tuple-element(s), index=1 one = s32[] constant(1) n = s32[] add(i, one)
  y = f32[2,2] add(x, x) ROOT t = (s32[], f32[2,2]) tuple(n, y) }
gather { x = f32[2,2] parameter(0)
  ROOT g = f32[4,2] all-gather(x), dimensions={0}, replica_groups={{0,1},{2,3}} }
both { x = f32[2,2] parameter(0)
  ROOT g = f32[2,2] all-reduce(x), replica_groups={{0,1},{2,3}}, to_apply=add }
all { x = f32[2,2] parameter(0)
  ROOT g = f32[2,2] all-reduce(x), replica_groups={{0,1,2,3}}, to_apply=add }
twice { x = f32[2,2] parameter(0) ROOT g = f32[2,2] add(x, x) }
go { s = (s32[], f32[2,2]) parameter(0) i = s32[] get-tuple-element(s), index=0 n = s32[] constant(3)
  ROOT p = pred[] compare(i, n), direction=LT }
ENTRY e { p = f32[2,2] parameter(0)
)";

// On four devices that have p = 10 d, 10 d + 1, ..
absl::StatusOr<std::vector<Value>> RunOnFour(const hlo::Module& module) {
  std::vector<std::vector<Value>> arguments;
  for (int device = 0; device < 4; ++device) {
    Array p = MakeArray(ElementType::kF32, {2, 2});
    for (int i = 0; i < 4; ++i) p.cells[i].re = 10 * device + i;
    arguments.push_back({p});
  }
  return SpmdRunner(module, Budget(), 4).Run(arguments);
}

TEST(SpmdTest, CellsOfDeviceOne) {
  for (const Row& row : Rows()) {
    const auto module = hlo::ParseModule(absl::StrCat(kCalled, row.entry, "\n}\n"));
    ASSERT_TRUE(module.ok()) << row.name << module.status();
    const auto out = RunOnFour(*module);
    ASSERT_TRUE(out.ok()) << row.name << out.status();
    std::vector<double> cells;
    const Array& result = (*out)[1].array;
    for (int64_t i = 0; i < result.size(); ++i) cells.push_back(result.cells[i].re);
    EXPECT_THAT(cells, ElementsAreArray(row.device_1)) << row.name;
  }
}

// Devices 2 and 3 take the other branch.
TEST(SpmdTest, WaitingForADeviceThatIsElsewhereIsFound) {
  const auto module = hlo::ParseModule(absl::StrCat(
      kCalled,
      "i = u32[] partition-id() n = u32[] constant(2) c = pred[] compare(i, n), direction=LT\n"
      "ROOT r = f32[2,2] conditional(c, p, p), true_computation=all, "
      "false_computation=twice\n}\n"));
  ASSERT_TRUE(module.ok()) << module.status();
  const absl::Status status = RunOnFour(*module).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(status.message(), HasSubstr("device 0 would wait for ever for device 2"));
}

TEST(SpmdTest, DevicesAreThoseOfTheGroups) {
  const auto module = hlo::ParseModule(
      "HloModule m\nENTRY e { p = f32[2] parameter(0) ROOT r = f32[16] all-gather(p), "
      "dimensions={0}, replica_groups={{0,1,2,3,4,5,6,7}} }\n");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(DevicesOf(*module), 8);
}

}  // namespace
}  // namespace tessera::testing::evaluator
