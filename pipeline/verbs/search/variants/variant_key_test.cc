#include "tessera/pipeline/verbs/search/variants/variant_key.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/pipeline/shard_arguments.h"

namespace tessera::pipeline {
namespace {

constexpr char kModule[] = R"(HloModule m, num_partitions=8,
    frontend_attributes={xla.sdy.meshes="{mesh = #sdy.mesh<[\"data\"=4, \"model\"=2]>}"}
ENTRY main {
  x = f32[16,64] parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"data\"}, {}]>"}
  w = f32[64,32] parameter(1)
  h = f32[16,32] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT y = f32[16,32] tanh(h)
}
)";

class VariantKeyTest : public ::testing::Test {
 protected:
  static Variant Said(int data, int model, const std::vector<std::string>& annotations) {
    Variant variant;
    variant.mesh = *sharding::Mesh::Create({{"data", data}, {"model", model}});
    for (const std::string& one : annotations) {
      variant.annotations.push_back(*ParseAnnotation(one));
    }
    return variant;
  }
  std::optional<VariantKey> Of(int data, int model, const std::vector<std::string>& said) const {
    return keys_.Of(Said(data, model, said));
  }

  const hlo::Module module_ = *hlo::ParseModule(kModule);
  const VariantKeys keys_{module_, ShardOptions()};
};

TEST_F(VariantKeyTest, AxesOfSizeOneSayNothing) {
  EXPECT_EQ(Of(8, 1, {"^w$=P('model')"}), Of(8, 1, {"^w$=P()"}));
  EXPECT_NE(Of(4, 2, {"^w$=P('model')"}), Of(4, 2, {"^w$=P()"}));
}

TEST_F(VariantKeyTest, WhatTheModuleSaysIsNoNews) {
  EXPECT_EQ(Of(4, 2, {"^x$=P('data', None)"}), Of(4, 2, {}));
  EXPECT_NE(Of(4, 2, {"^x$=P('data', UNCONSTRAINED)"}), Of(4, 2, {}));
  EXPECT_NE(Of(4, 2, {"^x$=P('model')"}), Of(4, 2, {}));
  // No sharding and a closed one without axes are different things.
  EXPECT_NE(Of(8, 1, {"^w$=P()"}), Of(8, 1, {}));
}

TEST_F(VariantKeyTest, TextsAreEqualWhereKeysAre) {
  const auto text = [&](int data, int model, const std::vector<std::string>& said) {
    return KeyText(*Of(data, model, said));
  };
  EXPECT_EQ(text(8, 1, {"^w$=P('model')"}), text(8, 1, {"^w$=P()"}));
  EXPECT_NE(text(8, 1, {"^w$=P()"}), text(8, 1, {}));
  EXPECT_NE(text(4, 2, {"^w$=P('data')"}), text(4, 2, {"^w$=P('model')"}));
  EXPECT_NE(text(4, 2, {"^w$=P('data')"}), text(4, 2, {"^w$=P('data', UNCONSTRAINED)"}));
  EXPECT_NE(text(4, 2, {}), text(2, 4, {}));
  EXPECT_NE(text(4, 2, {"^x$=P('data', UNCONSTRAINED)"}), text(4, 2, {}));
}

TEST_F(VariantKeyTest, MeshesAreDifferent) { EXPECT_NE(Of(4, 2, {}), Of(2, 4, {})); }

TEST_F(VariantKeyTest, TheOrderOfParametersDoesNotCount) {
  EXPECT_EQ(Of(4, 2, {"^x$=P('model')", "^w$=P('data')"}),
            Of(4, 2, {"^w$=P('data')", "^x$=P('model')"}));
  EXPECT_EQ(Of(4, 2, {"^x$=P('model')", "^x$=P('data')"}), Of(4, 2, {"^x$=P('data')"}));
}

TEST_F(VariantKeyTest, ConstraintsStay) {
  EXPECT_NE(Of(4, 2, {"^h$=P('data')"}), Of(4, 2, {}));
  EXPECT_EQ(Of(8, 1, {"^h$=P('data', 'model')"}), Of(8, 1, {"^h$=P('data')"}));
}

// c is constrained, and so is s, inside a shard_map.
constexpr char kConstrained[] = R"(HloModule m, num_partitions=8,
    frontend_attributes={xla.sdy.meshes="{mesh = #sdy.mesh<[\"data\"=4, \"model\"=2]>}"}
xla.sdy.manual_computation_body.1 {
  p = f32[4,64] parameter(0)
  ROOT s = f32[4,64] custom-call(p), custom_call_target="Sharding", frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@mesh, [{}, {\"model\"}]>]>"}
}
ENTRY main {
  x = f32[16,64] parameter(0)
  c = f32[16,64] custom-call(x), custom_call_target="Sharding", frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@mesh, [{\"data\"}, {}]>]>"}
  in = f32[4,64] custom-call(c), custom_call_target="xla.sdy.GlobalToLocalShape", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.in_shardings="#sdy.sharding_per_value<[<@mesh, [{\"data\", ?}, {?}]>]>",xla.sdy.manual_axes="#sdy<manual_axes{\"data\"}>"}
  body = f32[4,64] call(in), to_apply=xla.sdy.manual_computation_body.1, frontend_attributes={inlineable="xla_late"}
  ROOT out = f32[16,64] custom-call(body), custom_call_target="xla.sdy.LocalToGlobalShape", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.manual_axes="#sdy<manual_axes{\"data\"}>",xla.sdy.out_shardings="#sdy.sharding_per_value<[<@mesh, [{\"data\", ?}, {?}]>]>"}
}
)";

TEST_F(VariantKeyTest, ConstraintsOutsideShardMapsAreAsArgumentsAre) {
  const hlo::Module module = *hlo::ParseModule(kConstrained);
  const VariantKeys keys(module, ShardOptions());
  const auto said = keys.ConstraintsOn(Said(4, 2, {}));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(module.instruction(said[0].instruction).name, "c");
  EXPECT_EQ(said[0].spec.ToString(), "P('data', None)");
  EXPECT_EQ(keys.Of(Said(4, 2, {"^c$=P('data')"})), keys.Of(Said(4, 2, {})));
  EXPECT_NE(keys.Of(Said(4, 2, {"^c$=P('model')"})), keys.Of(Said(4, 2, {})));
  EXPECT_EQ(keys.Of(Said(4, 2, {"^c$=P('model')", "^x$=P('data')"})),
            keys.Of(Said(4, 2, {"^x$=P('data')", "^c$=P('model')"})));
}

TEST_F(VariantKeyTest, MistakesHaveNoKey) {
  EXPECT_EQ(Of(4, 2, {"^w$=P('stage')"}), std::nullopt);
  EXPECT_EQ(Of(8, 1, {"^w$=P('model', 'model')"}), std::nullopt);
  EXPECT_EQ(Of(8, 1, {"^w$=P(None, None, None)"}), std::nullopt);
  EXPECT_EQ(Of(8, 1, {"^nothing$=P()"}), std::nullopt);
}

}  // namespace
}  // namespace tessera::pipeline
