#include "tessera/sharding/propagation/testing/random_program.h"

#include <utility>
#include <vector>

#include "tessera/sharding/propagation/program_builder.h"
#include "tessera/sharding/propagation/testing/random_shardings.h"

namespace tessera::sharding::propagation {
namespace {

class Maker {
 public:
  Maker(uint64_t seed, int num_ops, const Tables& tables)
      : dice_(seed), tables_(tables), mesh_(tables.meshes->mesh(0)), left_(num_ops) {
    priorities_ = dice_.OneIn(2);
    eager_ = 2 + dice_.Roll(4);
  }

  Program Make() {
    OpSpec spec;
    spec.kind = OpKind::kFunction;
    const OpId main = builder_.AddOp(spec);
    Scope scope;
    for (int n = 2 + dice_.Roll(3); n > 0; --n) {
      const ValueId v = NewValue(RandomShape(dice_), 2);
      builder_.AddBlockArgument(main, v);
      scope.push_back(v);
    }
    AddOps(main, scope, /*depth=*/0);
    AddOutputs(main, scope);
    if (dice_.OneIn(3)) AddGroup(scope);
    if (dice_.OneIn(2)) ShuffleUses();
    return *std::move(builder_).Build();
  }

 private:
  using Scope = std::vector<ValueId>;
  using Handler = void (Maker::*)(OpId, Scope&, int);

  // --- values
  ValueId NewValue(const Dims& shape, int one_in) {
    ShardingId sharding = kNoSharding;
    if (dice_.OneIn(one_in)) sharding = NewSharding(static_cast<int>(shape.size()));
    return NewValueLike(shape, sharding);
  }
  ValueId NewValueLike(Dims shape, ShardingId sharding) {
    const ShapeId id = builder_.AddShape(shape);
    shapes_.push_back(std::move(shape));
    users_.emplace_back();
    given_.push_back(sharding);
    return builder_.AddValue(id, sharding);
  }
  ShardingId NewSharding(int rank) {
    return tables_.shardings->Intern(RandomSharding(dice_, mesh_, 0, rank, priorities_, manual_));
  }
  const Dims& Shape(ValueId v) const { return shapes_[static_cast<size_t>(v)]; }

  OpId AddOp(const OpSpec& spec, const Scope& operands, const Scope& results) {
    const OpId op = builder_.AddOp(spec, operands, results);
    for (size_t k = 0; k < operands.size(); ++k) {
      users_[static_cast<size_t>(operands[k])].push_back({op, static_cast<int32_t>(k)});
    }
    return op;
  }

  // --- ops
  void AddOps(OpId parent, Scope& scope, int depth) {
    static constexpr Handler kPlain[] = {&Maker::AddRule, &Maker::AddElementWise,
                                         &Maker::AddConstraint, &Maker::AddBarrier};
    static constexpr Handler kNested[] = {&Maker::AddOptBarrier, &Maker::AddWhile, &Maker::AddCase,
                                          &Maker::AddNamed, &Maker::AddManual};
    for (int n = 3 + dice_.Roll(12); n > 0 && left_ > 0; --n, --left_) {
      const bool nested = depth < 2 && dice_.OneIn(6);
      const Handler handler = nested           ? kNested[dice_.Roll(5)]
                              : dice_.OneIn(3) ? kPlain[dice_.Roll(4)]
                                               : kPlain[dice_.Roll(2)];
      (this->*handler)(parent, scope, depth);
    }
  }

  void AddRule(OpId parent, Scope& scope, int) {
    OpSpec spec = Spec(OpKind::kPlain, parent);
    Scope operands;
    std::vector<Dims> shapes, result_shapes;
    for (int n = 1 + dice_.Roll(3); n > 0; --n) {
      operands.push_back(dice_.Pick(scope));
      shapes.push_back(Shape(operands.back()));
    }
    spec.rule = tables_.rules->Intern(RandomRule(dice_, shapes, result_shapes));
    spec.flow = static_cast<OpPriorityClass>(dice_.Roll(4));
    spec.removable = !dice_.OneIn(3);
    Scope results;
    for (const Dims& shape : result_shapes) results.push_back(NewValue(shape, 8));
    AddOp(spec, operands, results);
    scope.insert(scope.end(), results.begin(), results.end());
  }

  void AddElementWise(OpId parent, Scope& scope, int) {
    OpSpec spec = Spec(OpKind::kPlain, parent);
    spec.flow = OpPriorityClass::kPassThrough;
    spec.element_wise = true;
    spec.removable = true;
    const ValueId first = dice_.Pick(scope);
    Scope operands = {first};
    const ValueId second = dice_.Pick(scope);
    if (Shape(second) == Shape(first)) operands.push_back(second);
    AddPointwise(spec, operands, scope, 10);
  }

  void AddConstraint(OpId parent, Scope& scope, int) {
    OpSpec spec = Spec(OpKind::kPlain, parent);
    spec.flow = OpPriorityClass::kPassThrough;
    spec.element_wise = true;
    AddPointwise(spec, {dice_.Pick(scope)}, scope, 1);
  }

  void AddBarrier(OpId parent, Scope& scope, int) {
    OpSpec spec = Spec(OpKind::kPropagationBarrier, parent);
    spec.barrier = static_cast<Direction>(dice_.Roll(4));
    spec.removable = true;
    AddPointwise(spec, {dice_.Pick(scope)}, scope, 10);
  }

  // One result of the operands' shape.
  void AddPointwise(OpSpec spec, const Scope& operands, Scope& scope, int one_in) {
    const Dims shape = Shape(operands[0]);
    spec.rule =
        tables_.rules->Intern(factors::IdentityRule(shape, static_cast<int>(operands.size()), 1));
    const ValueId result = NewValue(shape, one_in);
    AddOp(spec, operands, {result});
    scope.push_back(result);
  }

  // --- data-flow ops
  void AddOptBarrier(OpId parent, Scope& scope, int) {
    const Scope operands = SomeOf(scope);
    const Scope results = LikeAll(operands);
    AddOp(Spec(OpKind::kOptBarrier, parent), operands, results);
    for (size_t k = 0; k < results.size(); ++k) {
      scope.push_back(AddEdge(parent, results[k], {operands[k]}, {}));
    }
  }

  void AddWhile(OpId parent, Scope& scope, int depth) {
    const Scope operands = SomeOf(scope);
    const Scope results = LikeAll(operands);
    const OpId op = AddOp(Spec(OpKind::kWhile, parent), operands, results);
    const Scope condition = Arguments(op, operands), body = Arguments(op, operands);
    AddTerminator(op, {AddOpaque(op, {})});
    const Scope returned = AddBody(op, body, operands, depth);
    for (size_t k = 0; k < results.size(); ++k) {
      scope.push_back(
          AddEdge(parent, results[k], {operands[k], returned[k]}, {condition[k], body[k]}));
    }
  }

  void AddCase(OpId parent, Scope& scope, int depth) {
    const Scope like = SomeOf(scope);
    const Scope results = LikeAll(like);
    const OpId op = AddOp(Spec(OpKind::kCase, parent), {AddOpaque(parent, {})}, results);
    std::vector<Scope> returned;
    for (int branch = 0; branch < 2; ++branch) returned.push_back(AddBody(op, scope, like, depth));
    for (size_t k = 0; k < results.size(); ++k) {
      scope.push_back(AddEdge(parent, results[k], {returned[0][k], returned[1][k]}, {}));
    }
  }

  void AddNamed(OpId parent, Scope& scope, int depth) {
    const Scope operands = SomeOf(scope);
    const Scope results = LikeAll(operands);
    const OpId op = AddOp(Spec(OpKind::kNamedComputation, parent), operands, results);
    const Scope arguments = Arguments(op, operands);
    Scope edges;
    for (size_t k = 0; k < operands.size(); ++k) {
      edges.push_back(AddEdge(op, arguments[k], {operands[k]}, {}));
    }
    const Scope returned = AddBody(op, edges, operands, depth);
    for (size_t k = 0; k < results.size(); ++k) {
      scope.push_back(AddEdge(parent, results[k], {returned[k]}, {}));
    }
  }

  // One more axis is manual; local shapes are taken to be the global ones, which is all the same to
  // propagation.
  void AddManual(OpId parent, Scope& scope, int depth) {
    const Scope operands = SomeOf(scope);
    const Scope results = LikeAll(operands);
    const OpId op = AddOp(Spec(OpKind::kManualComputation, parent), operands, results);
    const Scope arguments = Arguments(op, operands);
    Scope edges;
    for (size_t k = 0; k < operands.size(); ++k) {
      edges.push_back(AddManualEdge(op, arguments[k], operands[k], ManualView::kOuter));
    }
    ++manual_;
    const Scope returned = AddBody(op, edges, operands, depth);
    --manual_;
    for (size_t k = 0; k < results.size(); ++k) {
      scope.push_back(AddManualEdge(parent, results[k], returned[k], ManualView::kInner));
    }
  }

  ValueId AddManualEdge(OpId parent, ValueId owner, ValueId source, ManualView view) {
    const int rank = static_cast<int>(Shape(owner).size());
    const TensorSharding inner =
        RandomSharding(dice_, mesh_, 0, rank, /*priorities=*/false, manual_ + 1);
    const TensorSharding outer = WithManualAxis(inner);
    EdgeSpec edge;
    edge.view = view;
    edge.boundary = tables_.shardings->Intern(outer);
    edge.manual_axes = {manual_};
    return AddEdge(parent, owner, {source}, {}, edge,
                   tables_.shardings->Intern(view == ManualView::kOuter ? inner : outer));
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

  ValueId AddEdge(OpId parent, ValueId owner, const Scope& sources, const Scope& targets,
                  EdgeSpec edge = {}, ShardingId sharding = kNoSharding) {
    edge.owner = owner;
    edge.sources = sources;
    edge.other_targets = targets;
    edge.result =
        sharding == kNoSharding ? NewValue(Shape(owner), 10) : NewValueLike(Shape(owner), sharding);
    const ValueId result = edge.result;
    AddOp(Spec(OpKind::kDataFlowEdge, parent), {owner}, {result});
    builder_.AddEdge(std::move(edge));
    return result;
  }

  // A body that returns values of the shapes of `like`.
  Scope AddBody(OpId op, const Scope& outer, const Scope& like, int depth) {
    Scope scope = outer;
    AddOps(op, scope, depth + 1);
    Scope returned;
    for (const ValueId wanted : like) {
      ValueId found = kNone;
      for (const ValueId v : scope) {
        if (Shape(v) == Shape(wanted) && (found == kNone || dice_.OneIn(2))) found = v;
      }
      returned.push_back(found != kNone ? found : AddOpaque(op, Shape(wanted)));
    }
    AddTerminator(op, returned);
    return returned;
  }

  void AddTerminator(OpId op, const Scope& returned) {
    AddOp(Spec(OpKind::kTerminator, op), returned, {});
  }

  ValueId AddOpaque(OpId parent, const Dims& shape) {
    OpSpec spec = Spec(OpKind::kPlain, parent);
    spec.rule = factors::kNoRule;
    const ValueId v = NewValue(shape, 12);
    AddOp(spec, {}, {v});
    return v;
  }

  Scope Arguments(OpId op, const Scope& like) {
    const Scope arguments = LikeAll(like);
    for (const ValueId v : arguments) builder_.AddBlockArgument(op, v);
    return arguments;
  }

  Scope SomeOf(Scope& scope) {
    Scope some;
    for (int n = 1 + dice_.Roll(2); n > 0; --n) some.push_back(dice_.Pick(scope));
    return some;
  }

  Scope LikeAll(const Scope& values) {
    Scope like;
    for (const ValueId v : values) like.push_back(NewValueLike(Shape(v), kNoSharding));
    return like;
  }

  static OpSpec Spec(OpKind kind, OpId parent) {
    OpSpec spec;
    spec.kind = kind;
    spec.parent = parent;
    return spec;
  }

  // --- the end
  void AddOutputs(OpId main, const Scope& scope) {
    Scope returned;
    for (const ValueId v : scope) {
      if (dice_.OneIn(eager_)) returned.push_back(v);
    }
    AddOp(Spec(OpKind::kReturn, main), returned, {});
    for (const ValueId v : returned) {
      const int rank = static_cast<int>(Shape(v).size());
      builder_.AddOutput({v, dice_.OneIn(4) ? NewSharding(rank) : kNoSharding});
    }
  }

  // A group of values of one shape; only one of them says something, so they never disagree.
  void AddGroup(const Scope& scope) {
    Scope members = {dice_.Pick(scope)};
    for (const ValueId v : scope) {
      const bool fits = Shape(v) == Shape(members[0]) && v != members[0];
      if (fits && given_[static_cast<size_t>(v)] == kNoSharding) members.push_back(v);
    }
    builder_.AddGroup(members);
  }

  void ShuffleUses() {
    for (size_t v = 0; v < users_.size(); ++v) {
      std::vector<Use>& uses = users_[v];
      for (size_t i = uses.size(); i > 1; --i) {
        std::swap(uses[i - 1], uses[static_cast<size_t>(dice_.Roll(static_cast<int>(i)))]);
      }
      builder_.SetUses(static_cast<ValueId>(v), uses);
    }
  }

  Dice dice_;
  Tables tables_;
  const Mesh& mesh_;
  int left_;
  int eager_ = 2;
  bool priorities_ = false;
  int manual_ = 0;  // the axes before this one are manual where ops are added now
  ProgramBuilder builder_;
  std::vector<Dims> shapes_;
  std::vector<std::vector<Use>> users_;
  std::vector<ShardingId> given_;
};

}  // namespace

RandomProgram::RandomProgram(uint64_t seed, int num_ops) {
  Dice dice(seed);
  (void)meshes_.Add("mesh", RandomMesh(dice));
  program_ = Maker(seed, num_ops, tables()).Make();
}

}  // namespace tessera::sharding::propagation
