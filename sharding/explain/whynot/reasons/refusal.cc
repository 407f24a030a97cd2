#include "tessera/sharding/explain/whynot/reasons/refusal.h"

#include <cstddef>

namespace tessera::sharding::explain {
namespace {

// The order of reasons: (a) the user's annotations, (b) conflicts, (c) sizes, (d) rules.
enum Rank : int { kWritten, kConflict, kSize, kRule, kNothing };

struct KindRow {
  const char* word;
  Rank rank;
};

// By RefusalKind.
constexpr KindRow kKinds[] = {
    {"group_conflict", kWritten},
    {"single_device", kWritten},
    {"mesh_mismatch", kWritten},
    {"manual_axis", kWritten},
    {"barrier", kWritten},
    {"blocked_factor", kRule},
    {"overflow", kSize},
    {"conflicting_sources", kConflict},
    {"behind_refused_axis", kConflict},
    {"explicitly_replicated", kWritten},
    {"unreduced", kWritten},
    {"closed_dimension", kWritten},
    {"not_divisible", kSize},
    {"axis_in_use", kConflict},
    {"lost_conflict", kConflict},
    {"result_cap", kConflict},
    {"strided_view", kSize},
    {"overwritten", kConflict},
    {"stale_call", kConflict},
    {"later_user_priority", kWritten},
    {"earlier_level", kConflict},
    {"no_rule", kRule},
    {"predicate_conditional", kRule},
    {"no_shared_factor", kRule},
    {"boundary_not_divisible", kSize},
    {"boundary_sub_axis", kSize},
    {"resharded_for_op", kRule},
    {"constant_copy", kNothing},
    {"dead_code", kNothing},
    {"not_a_tensor_of_propagation", kNothing},
    {"size_one_axis", kNothing},
    {"never_requested", kNothing},
    {"annotation_ignored", kNothing},
    {"unreachable", kNothing},
    {"defect", kNothing},
};
static_assert(sizeof(kKinds) / sizeof(kKinds[0]) == static_cast<size_t>(RefusalKind::kDefect) + 1);

constexpr const char* kTieBreaks[] = {"", "larger source", "larger axis product", "source index",
                                      "factor index"};
constexpr const char* kArrivals[] = {"",      "annotation", "same_step", "earlier_step",
                                     "group", "constraint"};

}  // namespace

const char* KindWord(RefusalKind kind) { return kKinds[static_cast<size_t>(kind)].word; }

int KindRank(RefusalKind kind) { return kKinds[static_cast<size_t>(kind)].rank; }

const char* TieBreakWords(TieBreak tie_break) { return kTieBreaks[static_cast<size_t>(tie_break)]; }

const char* ArrivalWord(Arrival arrival) { return kArrivals[static_cast<size_t>(arrival)]; }

}  // namespace tessera::sharding::explain
