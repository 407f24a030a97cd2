"""A live part that looked at nothing has failed. Runs without jax: //testing:fails_closed_test."""

import contextlib
import io
import unittest

import score


def finished(own=(), **counts):
    one = score.Score(own)
    for name, count in counts.items():
        setattr(one, name, count)
    with contextlib.redirect_stdout(io.StringIO()):
        one.finish("part")
    return one


class ScoreTest(unittest.TestCase):

    def no_result(self, name, error):
        one = score.Score(own=("adam", "partial_results"), jaxlib="0.12.0.1")
        with contextlib.redirect_stdout(io.StringIO()):
            one.no_result(name, error)
        return one.refused, one.failed

    def test_a_part_that_compared_nothing_has_failed(self):
        self.assertEqual(finished().failed, 1)
        self.assertEqual(finished(refused=3).failed, 1)
        self.assertEqual(finished(passed=1).failed, 0)

    def test_most_must_have_a_result(self):
        self.assertEqual(finished(passed=5, refused=4).failed, 0)
        self.assertEqual(finished(passed=4, refused=5).failed, 1)

    def test_programs_of_the_repository_need_a_reason_each(self):
        self.assertEqual(self.no_result("adam", "the reference crashed"), (0, 1))
        self.assertEqual(self.no_result("partial_results", "the compiler did not run the pass"), (1, 0))

    def test_errors_of_programs_made_by_seed_are_of_a_known_kind(self):
        self.assertEqual(self.no_result("adam_mutated_3", "the reference crashed"), (1, 0))
        self.assertEqual(self.no_result("adam_mutated_3", "the compiler did not run the pass"), (0, 1))


if __name__ == "__main__":
    unittest.main()
