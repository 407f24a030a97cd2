#include "tessera/testing/propagation/random_program.h"

#include <cstdlib>
#include <utility>
#include <vector>

#include "tessera/testing/propagation/random_shardings.h"

namespace tessera::sharding::propagation {
namespace {

using program::Op;
using program::Value;

class Maker {
 public:
  Maker(uint64_t seed, int num_ops, TestProgram* program)
      : dice_(seed), program_(*program), mesh_(program->meshes().mesh(0)), left_(num_ops) {
    priorities_ = dice_.OneIn(2);
    eager_ = 2 + dice_.Roll(4);
  }

  void Make() {
    Scope scope;
    for (int n = 2 + dice_.Roll(3); n > 0; --n) {
      Value* const v = program_.AddArgument(NewTensor(RandomShape(dice_), 2));
      values_.push_back(v);
      scope.push_back(v);
    }
    AddOps(scope, /*depth=*/0);
    const Outputs outputs = NewOutputs(scope);
    if (dice_.OneIn(3)) AddGroup(scope);
    const bool shuffles = dice_.OneIn(2);
    if (!program_.Return(outputs.values, outputs.shardings).ok()) std::abort();
    if (shuffles) ShuffleUses();
  }

 private:
  using Scope = std::vector<Value*>;
  using Handler = void (Maker::*)(Scope&, int);
  struct Outputs {
    Scope values;
    std::vector<ShardingId> shardings;
  };

  // --- values
  Tensor NewTensor(const Dims& shape, int one_in) {
    ShardingId sharding = kNoSharding;
    if (dice_.OneIn(one_in)) sharding = NewSharding(static_cast<int>(shape.size()));
    return {shape, sharding};
  }
  ShardingId NewSharding(int rank) {
    return program_.shardings().Intern(RandomSharding(dice_, mesh_, 0, rank, priorities_, manual_));
  }
  static Dims Shape(const Value* v) { return {v->shape().dims().begin(), v->shape().dims().end()}; }

  // Gives the results.
  Scope AddOp(const OpSpec& spec, const Scope& operands, const std::vector<Tensor>& results) {
    Scope made;
    for (Value& result : program_.AddOp(spec, operands, results)->results) made.push_back(&result);
    values_.insert(values_.end(), made.begin(), made.end());
    return made;
  }

  // --- ops
  void AddOps(Scope& scope, int depth) {
    static constexpr Handler kPlain[] = {&Maker::AddRule, &Maker::AddElementWise,
                                         &Maker::AddConstraint, &Maker::AddBarrier};
    static constexpr Handler kNested[] = {&Maker::AddOptBarrier, &Maker::AddWhile, &Maker::AddCase,
                                          &Maker::AddNamed, &Maker::AddManual};
    for (int n = 3 + dice_.Roll(12); n > 0 && left_ > 0; --n, --left_) {
      const bool nested = depth < 2 && dice_.OneIn(6);
      const Handler handler = nested           ? kNested[dice_.Roll(5)]
                              : dice_.OneIn(3) ? kPlain[dice_.Roll(4)]
                                               : kPlain[dice_.Roll(2)];
      (this->*handler)(scope, depth);
    }
  }

  void AddRule(Scope& scope, int) {
    OpSpec spec;
    Scope operands;
    std::vector<Dims> shapes, result_shapes;
    for (int n = 1 + dice_.Roll(3); n > 0; --n) {
      operands.push_back(dice_.Pick(scope));
      shapes.push_back(Shape(operands.back()));
    }
    spec.rule = program_.rules().Intern(RandomRule(dice_, shapes, result_shapes));
    spec.flow = static_cast<OpPriorityClass>(dice_.Roll(4));
    spec.removable = !dice_.OneIn(3);
    std::vector<Tensor> tensors;
    for (const Dims& shape : result_shapes) tensors.push_back(NewTensor(shape, 8));
    const Scope results = AddOp(spec, operands, tensors);
    scope.insert(scope.end(), results.begin(), results.end());
  }

  void AddElementWise(Scope& scope, int) {
    OpSpec spec;
    spec.flow = OpPriorityClass::kPassThrough;
    spec.element_wise = true;
    spec.removable = true;
    Value* const first = dice_.Pick(scope);
    Scope operands = {first};
    Value* const second = dice_.Pick(scope);
    if (Shape(second) == Shape(first)) operands.push_back(second);
    AddPointwise(spec, operands, scope, 10);
  }

  void AddConstraint(Scope& scope, int) {
    OpSpec spec = Spec(OpKind::kConstraint);
    spec.flow = OpPriorityClass::kPassThrough;
    spec.element_wise = true;
    AddPointwise(spec, {dice_.Pick(scope)}, scope, 1);
  }

  void AddBarrier(Scope& scope, int) {
    OpSpec spec = Spec(OpKind::kPropagationBarrier);
    spec.barrier = static_cast<Direction>(dice_.Roll(4));
    spec.removable = true;
    AddPointwise(spec, {dice_.Pick(scope)}, scope, 10);
  }

  // One result of the operands' shape.
  void AddPointwise(OpSpec spec, const Scope& operands, Scope& scope, int one_in) {
    const Dims shape = Shape(operands[0]);
    spec.rule =
        program_.rules().Intern(factors::IdentityRule(shape, static_cast<int>(operands.size()), 1));
    scope.push_back(AddOp(spec, operands, {NewTensor(shape, one_in)})[0]);
  }

  // --- data-flow ops
  void AddOptBarrier(Scope& scope, int) {
    const Scope operands = SomeOf(scope);
    for (Value* result : AddOp(Spec(OpKind::kOptBarrier), operands, LikeAll(operands))) {
      scope.push_back(AddEdge(result));
    }
  }

  void AddWhile(Scope& scope, int depth) {
    const Scope operands = SomeOf(scope);
    const Scope results = AddOp(Spec(OpKind::kWhile), operands, LikeAll(operands));
    OpenBlock(operands);
    program_.CloseBlock({AddOpaque({})});
    AddBody(OpenBlock(operands), operands, depth);
    for (Value* result : results) scope.push_back(AddEdge(result));
  }

  void AddCase(Scope& scope, int depth) {
    const Scope like = SomeOf(scope);
    const Scope results = AddOp(Spec(OpKind::kCase), {AddOpaque({})}, LikeAll(like));
    for (int branch = 0; branch < 2; ++branch) {
      OpenBlock({});
      AddBody(scope, like, depth);
    }
    for (Value* result : results) scope.push_back(AddEdge(result));
  }

  void AddNamed(Scope& scope, int depth) {
    const Scope operands = SomeOf(scope);
    const Scope results = AddOp(Spec(OpKind::kNamedComputation), operands, LikeAll(operands));
    Scope edges;
    for (Value* argument : OpenBlock(operands)) edges.push_back(AddEdge(argument));
    AddBody(edges, operands, depth);
    for (Value* result : results) scope.push_back(AddEdge(result));
  }

  // One more axis is manual; local shapes are taken to be the global ones, which is all the same to
  // propagation.
  void AddManual(Scope& scope, int depth) {
    const Scope operands = SomeOf(scope);
    const Scope results = AddOp(Spec(OpKind::kManualComputation), operands, LikeAll(operands));
    Op* const op = results[0]->def();
    program_.program().NewPayload<program::ManualInfo>(op)->manual_axes = {manual_};
    Scope edges;
    for (Value* argument : OpenBlock(operands)) edges.push_back(AddManualEdge(argument));
    ++manual_;
    AddBody(edges, operands, depth);
    --manual_;
    for (Value* result : results) scope.push_back(AddManualEdge(result));
  }

  // The slot of the owner holds the in- or out-sharding, which has the manual axis; the edge of an
  // argument is what the body sees.
  Value* AddManualEdge(Value* owner) {
    const TensorSharding inner =
        RandomSharding(dice_, mesh_, 0, owner->rank(), /*priorities=*/false, manual_ + 1);
    const ShardingId outer = program_.shardings().Intern(WithManualAxis(inner));
    owner->set_sharding(outer);
    const bool is_argument = owner->def() == nullptr;
    return Keep(program_.AddEdge(owner, is_argument ? program_.shardings().Intern(inner) : outer));
  }

  TensorSharding WithManualAxis(TensorSharding s) {
    const AxisRef manual = AxisRef::Full(manual_);
    const int where = dice_.Roll(4);
    if (where < s.rank()) {
      s.dim(where).axes.insert(s.dim(where).axes.begin(), manual);
    } else {
      s.mutable_replicated_axes().insert(s.mutable_replicated_axes().begin(), manual);
    }
    return s;
  }

  Value* AddEdge(Value* owner) {
    return Keep(program_.AddEdge(owner, NewTensor(Shape(owner), 10).sharding));
  }

  // The arguments of one more block of the last op.
  Scope OpenBlock(const Scope& like) {
    program_.OpenBlock();
    Scope arguments;
    for (const Tensor& tensor : LikeAll(like)) {
      arguments.push_back(Keep(program_.AddArgument(tensor)));
    }
    return arguments;
  }

  // The rest of a block, which returns values of the shapes of `like`.
  void AddBody(Scope scope, const Scope& like, int depth) {
    AddOps(scope, depth + 1);
    Scope returned;
    for (const Value* wanted : like) {
      Value* found = nullptr;
      for (Value* v : scope) {
        if (Shape(v) == Shape(wanted) && (found == nullptr || dice_.OneIn(2))) found = v;
      }
      returned.push_back(found != nullptr ? found : AddOpaque(Shape(wanted)));
    }
    program_.CloseBlock(returned);
  }

  // What nothing crosses.
  Value* AddOpaque(const Dims& shape) { return AddOp(OpSpec(), {}, {NewTensor(shape, 12)})[0]; }

  Value* Keep(Value* made) {
    values_.push_back(made);
    return made;
  }

  Scope SomeOf(Scope& scope) {
    Scope some;
    for (int n = 1 + dice_.Roll(2); n > 0; --n) some.push_back(dice_.Pick(scope));
    return some;
  }

  static std::vector<Tensor> LikeAll(const Scope& values) {
    std::vector<Tensor> like;
    for (const Value* v : values) like.push_back({Shape(v)});
    return like;
  }

  static OpSpec Spec(OpKind kind) {
    OpSpec spec;
    spec.kind = kind;
    return spec;
  }

  // --- the end
  Outputs NewOutputs(const Scope& scope) {
    Outputs outputs;
    for (Value* v : scope) {
      if (dice_.OneIn(eager_)) outputs.values.push_back(v);
    }
    for (const Value* v : outputs.values) {
      outputs.shardings.push_back(dice_.OneIn(4) ? NewSharding(v->rank()) : kNoSharding);
    }
    return outputs;
  }

  // A group of values of one shape; only one of them says something, so they never disagree.
  void AddGroup(const Scope& scope) {
    Value* const first = dice_.Pick(scope);
    program_.AddToGroup(0, first);
    for (Value* v : scope) {
      const bool fits = Shape(v) == Shape(first) && v != first;
      if (fits && !v->has_sharding()) program_.AddToGroup(0, v);
    }
  }

  void ShuffleUses() {
    for (Value* v : values_) {
      std::vector<program::Use*> uses;
      for (program::Use* use = v->first_use(); use != nullptr; use = use->next()) {
        uses.push_back(use);
      }
      for (size_t i = uses.size(); i > 1; --i) {
        std::swap(uses[i - 1], uses[static_cast<size_t>(dice_.Roll(static_cast<int>(i)))]);
      }
      for (program::Use* use : uses) use->Set(v);
    }
  }

  Dice dice_;
  TestProgram& program_;
  const Mesh& mesh_;
  int left_;
  int eager_ = 2;
  bool priorities_ = false;
  int manual_ = 0;  // the axes before this one are manual where ops are added now
  Scope values_;    // all of them
};

}  // namespace

RandomProgram::RandomProgram(uint64_t seed, int num_ops) {
  Dice dice(seed);
  (void)program_.meshes().Add("mesh", RandomMesh(dice));
  Maker(seed, num_ops, &program_).Make();
}

}  // namespace tessera::sharding::propagation
