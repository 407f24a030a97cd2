"""A program that is recorded anew leaves the lines of the others. Runs without jax: //testing:fails_closed_test."""

import pathlib
import tempfile
import unittest

import index


class IndexTest(unittest.TestCase):

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name) / "index.tsv"

    def test_the_lines_of_others_stay(self):
        self.path.write_text("name\tdevices\tstatus\nadam\t8\tok\nlstm\t4\trefused\n")
        index.put(self.path, "adam", 8, "refused")
        index.put(self.path, "rope", 2, "ok")
        self.assertEqual(self.path.read_text(), "name\tdevices\tstatus\nadam\t8\trefused\nlstm\t4\trefused\nrope\t2\tok\n")

    def test_a_table_begins_with_its_header(self):
        index.put(self.path, "name", 8, "ok")
        self.assertEqual(self.path.read_text(), "name\tdevices\tstatus\nname\t8\tok\n")
        index.start(self.path)
        self.assertEqual(self.path.read_text(), "name\tdevices\tstatus\n")


if __name__ == "__main__":
    unittest.main()
