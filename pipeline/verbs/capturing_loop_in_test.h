// A program for tests: a loop whose state captures an argument that nothing shards, beside one that is sharded along `b`.

#ifndef TESSERA_PIPELINE_VERBS_CAPTURING_LOOP_IN_TEST_H_
#define TESSERA_PIPELINE_VERBS_CAPTURING_LOOP_IN_TEST_H_

namespace tessera::pipeline {

inline constexpr char kCapturingLoop[] =
    R"(HloModule m, num_partitions=4, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["a"=2, "b"=2]>}}

cond {
  p = (s32[], f32[8,4], f32[4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(4)
  ROOT less = pred[] compare(i, n), direction=LT
}

body {
  p = (s32[], f32[8,4], f32[4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  x = f32[8,4] get-tuple-element(p), index=1
  g = f32[4] get-tuple-element(p), index=2
  wide = f32[8,4] broadcast(g), dimensions={1}
  y = f32[8,4] multiply(x, wide)
  ROOT t = (s32[], f32[8,4], f32[4]) tuple(next, y, g)
}

ENTRY e {
  zero = s32[] constant(0)
  x0 = f32[8,4] parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{}, {\"b\"}]>"}
  g0 = f32[4] parameter(1), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{}]>"}
  t0 = (s32[], f32[8,4], f32[4]) tuple(zero, x0, g0)
  w = (s32[], f32[8,4], f32[4]) while(t0), condition=cond, body=body
  ROOT r = f32[8,4] get-tuple-element(w), index=1
}
)";

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_CAPTURING_LOOP_IN_TEST_H_
