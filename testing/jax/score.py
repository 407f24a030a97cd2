"""Counts of one part of live.py, and what the reference may leave without a result.

    score = Score()
    score.passed += 1
    score.no_result("partial_results", error)     # counted apart, since the list below names it
    score.finish("programs and modules")          # prints the line; a part that compared nothing has failed

A program of the repository needs a reason of its own in NO_RESULT. Programs made by seed are too many for that: their errors must be of a
kind in REFUSALS. Most of them must have a result, else the reference is not asked as it should be.
"""

# By jaxlib, then by program or module of the repository: why it does not come to the pass.
NO_RESULT = {
    "0.12.0.1": {
        "loop_takes_partial_sums": "its verifier refuses an op that drops an unreduced axis",
        "partial_and_dead": "its verifier refuses an op that drops an unreduced axis",
        "partial_results": "its verifier refuses results that drop an unreduced axis",
        "region_returns_captured_partial": "its verifier refuses a loop that drops an unreduced axis",
    },
    "0.10.2": {
        "copies_before_shard_map": "it wants a sharding on the Sharding call",
        "uneven_partial_sums": "a failed check inside XLA",
    },
}

# By words of the error, of programs made by seed.
REFUSALS = {
    "expected CustomCallOp with a sharding attribute": "the mutation took the sharding of a Sharding call",
    "doesn't match function result type": "HLO becomes StableHLO with a tuple among the results",
    "without a blessed operation": "its verifier refuses what drops an unreduced axis",
    "the reference crashed": "a failed check inside XLA",
}


class Score:

    def __init__(self, own=(), jaxlib=""):
        """`own`: the names of the programs and modules of the repository."""
        self.own, self.without = frozenset(own), NO_RESULT.get(jaxlib, {})
        self.passed = self.failed = self.refused = self.open = 0

    def no_result(self, name, error):
        """The reference gives nothing to compare with: as listed, or a failure."""
        listed = name in self.without if name in self.own else any(words in error for words in REFUSALS)
        self.refused += listed
        self.failed += not listed
        if not listed:
            print(f"  {name}: the reference gives no result: {error[:300]}")

    def finish(self, part):
        """Prints the line of the part. Where no more was compared than left out, the part has failed."""
        compared = self.passed + self.failed + self.open
        if compared <= self.refused:
            print(f"  {part}: {compared} compared, {self.refused} not")
            self.failed += 1
        extra = f", {self.refused} not run (the reference gives no result)" if self.refused else ""
        known = f", {self.open} known differences" if self.open else ""
        print(f"{part}: {self.passed} passed, {self.failed} failed{known}{extra}", flush=True)
