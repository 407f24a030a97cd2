// The program gets its rules and is propagated.

#include <memory>
#include <utility>

#include "tessera/sharding/passes/pass_lists.h"
#include "tessera/sharding/passes/prepare/prepare.h"
#include "tessera/sharding/passes/program_passes.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::passes {
namespace {

using propagation::Schedule;
using propagation::Strategy;

constexpr Phase kPropagate = Phase::kPropagate;

// The schedules are built on one another, and so are the strategies below them: a pass of the
// reference for each.
absl::string_view PropagationName(const propagation::Options& options) {
  if (options.schedule == Schedule::kUserPriority) return "sdy-user-priority-propagate";
  if (options.schedule == Schedule::kOpPriority) return "sdy-op-priority-propagate";
  return options.strategy == Strategy::kBasic ? "sdy-basic-propagate" : "sdy-aggressive-propagate";
}

absl::Status MakeRuleBook(const PassOptions& options, Context* c) {
  if (options.books != nullptr) c->book = options.books->Take();
  if (c->book != nullptr) return absl::OkStatus();
  rules::RuleMode mode;
  mode.conservative = options.propagation.conservative;
  mode.behaviors = options.behaviors;
  auto book = std::make_unique<RuleBook>(mode);
  for (const auto& [target, rule] : options.rules) {
    TESSERA_RETURN_IF_ERROR(book->registry.AddText(target, rule));
  }
  if (options.books == nullptr) {
    c->book = std::move(book);
  } else {
    c->book = options.books->Lend(std::move(book));
  }
  return absl::OkStatus();
}

absl::Status Propagate(propagation::Options options, Context* c) {
  options.is_final = c->import.is_final;
  TESSERA_ASSIGN_OR_RETURN(Propagated run, RunPropagation(c->program.get(), &c->book->registry,
                                                          &c->book->table, options, c->observer));
  c->run = std::make_unique<Propagated>(std::move(run));
  return CheckManualMembers(*c->program);
}

}  // namespace

Pipeline PropagatePasses(const PassOptions& options) {
  const absl::string_view name = PropagationName(options.propagation);
  return {
      {"register-op-rules", kPropagate, "-", "registers the rules of ops, and those of --rule",
       [options](Context& c) { return MakeRuleBook(options, &c); }},
      {"separate-conflicting-groups", kPropagate, "-",
       "gives each member of a group with contradicting shardings an open constraint",
       OnProgram(SeparateConflictingGroups)},
      {name, kPropagate, name, "shardings flow through the rules of ops until nothing changes",
       [propagation = options.propagation](Context& c) { return Propagate(propagation, &c); }},
  };
}

Pipeline UpToPropagation(const PassOptions& options) {
  return Concatenate({ImportPasses(), PreparePasses(options), PropagatePasses(options)});
}

}  // namespace tessera::sharding::passes
