"""The page of `tessera report` in a browser: what a reader does with it, and how fast it is there.

    python testing/page/page_test.py TESSERA [TEST ..]
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

import modules
from browser import Browser, Keys, write_page

TESSERA = None
ROOT = pathlib.Path(__file__).resolve().parents[2]
CHOSEN = "return document.querySelector('#detail h2').textContent"


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def open_module(self, text_or_path, fragment="", *flags):
        module = pathlib.Path(text_or_path) if "\n" not in str(text_or_path) else None
        if module is None:
            module = self.folder / "module.hlo"
            module.write_text(text_or_path)
        page = self.folder / "page.html"
        write_page(TESSERA, module, page, *flags)
        self.browser.requests()
        self.browser.open(page, fragment)
        return page

    def open_step(self, fragment=""):
        return self.open_module(ROOT / "examples" / "train_step.hlo", fragment)

    def tearDown(self):
        self.assertEqual(self.browser.errors(), [])
        self.assertEqual(self.browser.requests(), [], "the page asks the network")

    def names(self):
        return self.browser.run("return [...document.querySelectorAll('#tensors tbody tr[data-row]')]"
                                ".map(r => r.cells[0].textContent)")

    def show(self, view):
        self.browser.find(f'#tabs [data-view="{view}"]').click()

    def search(self, words):
        field = self.browser.find("#search")
        field.clear()
        field.send_keys(words)
        self.browser.wait("return document.querySelector('#search').value === %r" % words)
        time.sleep(0.3)

    # --- the list

    def test_every_tensor_is_listed_with_its_sharding(self):
        self.open_step()
        self.assertIn("P(", self.browser.text("#tensors tbody"))
        self.assertGreater(self.browser.run("return table.rows().count()"), 300)
        self.assertLess(len(self.names()), 200, "only what is visible is in the document")

    def test_search_narrows_the_list(self):
        self.open_step()
        self.search("dot_general")
        names = self.names()
        self.assertTrue(names)
        rows = self.browser.run("return table.rows({search: 'applied'}).data().toArray().map(r => tensors.name[r.row] + ' ' + textOf('op_name', r.row))")
        self.assertTrue(all("dot_general" in row for row in rows), rows[:5])
        self.assertIn(" of ", self.browser.text("#count"))
        self.search("no such tensor anywhere")
        self.assertIn("no tensor is like that", self.browser.text("#tensors tbody"))

    def test_search_takes_all_words_and_waits_for_the_last_letter(self):
        self.open_step()
        self.browser.run("window.draws = 0; table.on('draw', () => ++window.draws)")
        self.search('TANH "f32[4,16')
        self.assertLess(self.browser.run("return window.draws"), 6)
        self.assertTrue(all(self.browser.run("return [...shownRows()].map(row => /tanh/.test(haystackOf(row)) && haystackOf(row).includes('f32[4,16'))")))

    def test_filter_by_axis(self):
        self.open_step()
        self.browser.run("const s = document.getElementById('filter'); s.value = [...s.options].find(o => o.text === 'split by model').value;"
                         "s.dispatchEvent(new Event('change'))")
        specs = self.browser.run("return [...shownRows()].map(specAt)")
        self.assertTrue(specs)
        self.assertTrue(all("model" in spec for spec in specs))

    def test_sort_by_bytes(self):
        self.open_step()
        header = [h for h in self.browser.all(".dataTables_scrollHead th") if h.text.startswith("bytes")][0]
        header.click()
        self.browser.wait("const r = [...shownRows()].map(i => tensors.bytes[i]);"
                          "return r.length > 0 && r.every((b, k) => k === 0 || r[k - 1] >= b)")
        header.click()
        self.browser.wait("const r = [...shownRows()].map(i => tensors.bytes[i]);"
                          "return r.every((b, k) => k === 0 || r[k - 1] <= b)")

    def test_sizes_have_their_units(self):
        self.open_step()
        sizes = {0: "0 B", 1023: "1023 B", 1024: "1 KiB", 1536: "1.5 KiB", 3 << 20: "3 MiB", 5 << 30: "5 GiB", -2048: "-2 KiB"}
        said = self.browser.run("return arguments[0].map(formatBytes)", list(sizes))
        self.assertEqual(said, list(sizes.values()))

    # --- one tensor

    def test_a_click_explains(self):
        self.open_step()
        self.search("dot_general.0")
        self.browser.find("#tensors tbody tr[data-row]").click()
        self.assertIn("dot_general.0", self.browser.run(CHOSEN))
        self.browser.wait("return document.querySelector('.explanation') !== null")
        explanation = self.browser.text(".explanation")
        self.assertIn("asked for by", explanation)
        said = subprocess.run([TESSERA, "explain", ROOT / "examples/train_step.hlo", self.browser.run(CHOSEN)],
                              stdout=subprocess.PIPE, text=True, check=True).stdout
        self.assertEqual(explanation.split(), said.split("\n", 1)[1].split(), "what the verb says")

    def test_names_in_an_explanation_are_links(self):
        self.open_step("#dot_general.0")
        self.browser.wait("return document.querySelector('.explanation a.row') !== null")
        before = self.browser.run(CHOSEN)
        name = self.browser.run("const a = [...document.querySelectorAll('.explanation a.row')].find(a => a.textContent !== arguments[0]);"
                                "a.click(); return a.textContent", before)
        self.assertNotEqual(self.browser.run(CHOSEN), before, name)

    def test_neighbours_are_drawn(self):
        self.open_step("#dot_general.0")
        near = len(self.browser.all(".graph .node"))
        self.assertGreaterEqual(near, 3)
        self.browser.all(".graph-tools button")[1].click()
        self.assertGreater(len(self.browser.all(".graph .node")), near)
        self.browser.run("document.querySelector('.graph .node:not(.chosen)').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
        self.assertNotEqual(self.browser.run(CHOSEN), "dot_general.0")

    def test_neighbours_by_key(self):
        self.open_step("#dot_general.0")
        node = self.browser.find(".graph .node:not(.chosen)")
        name = node.get_attribute("aria-label").split(",")[0].split(" ")[0]
        self.browser.run("arguments[0].focus()", node)
        self.browser.press(Keys.ENTER)
        self.assertEqual(self.browser.run(CHOSEN), name)
        self.assertTrue(self.browser.run("return document.activeElement.matches('.graph .node.chosen')"))

    def test_back_goes_to_the_tensor_before(self):
        self.open_step()
        first = self.browser.run(CHOSEN)
        for row in (5, 7):
            self.browser.run("choose(arguments[0])", row)
        fifth = self.browser.run("return tensors.name[5]")
        for _ in range(3):
            self.browser.press(Keys.ARROW_DOWN)  # a walk is one entry
        for expected in (self.browser.run("return tensors.name[7]"), fifth, first, fifth):
            forward = expected == fifth and self.browser.run(CHOSEN) == first
            self.browser.driver.forward() if forward else self.browser.driver.back()
            self.browser.wait("return document.querySelector('#detail h2').textContent === %r" % expected)

    def test_collectives_stand_on_edges(self):
        self.open_step()
        row = self.browser.run("const [edge] = moves.keys(); return Number(edge.split('>')[1])")
        self.browser.run("choose(arguments[0])", row)
        self.assertRegex(self.browser.text(".graph .edge-label"), r"(all-|collective|reduce).* [KMG]?i?B")

    def test_shares_over_the_mesh(self):
        self.open_module(modules.PADDED, "#s")
        self.assertEqual(len(self.browser.all(".share")), 2 * 4)
        self.assertIn("hatched: padding", self.browser.text(".mesh-picture"))
        self.assertEqual(self.browser.run("return document.querySelectorAll('.share .elements').length"), 2 * 3,
                         "6 rows over 4 devices: the last one holds nothing")

    # --- the other views

    def test_communication(self):
        self.open_step()
        self.show("communication")
        self.assertGreater(len(self.browser.all("#collectives tbody tr")), 1)
        totals = self.browser.run("return collectives.map(c => c.total)")
        self.assertEqual(totals, sorted(totals, reverse=True))
        self.assertIn("by axis", self.browser.text("#view-communication").lower())

    def test_memory(self):
        self.open_step()
        self.show("memory")
        peak = self.browser.text("#alive h3")
        self.assertIn("Alive at step", peak)
        chart = self.browser.find("svg.chart")
        chart.click()
        chart.send_keys(Keys.ARROW_LEFT)
        self.assertNotEqual(self.browser.text("#alive h3"), "")
        self.assertEqual(self.browser.run("return data.memory.temporaries"), max(self.browser.run("return data.memory.steps")))

    def test_surprises_lead_to_tensors(self):
        self.open_step()
        self.show("surprises")
        link = self.browser.find(".surprises a.row")
        name = link.text
        link.click()
        self.assertEqual(self.browser.run(CHOSEN), name)

    def test_each_view_stays_where_it_was(self):
        self.open_step()
        self.show("memory")
        self.browser.run("document.getElementById('left').scrollTop = 40")
        where = self.browser.run("return document.getElementById('left').scrollTop")
        self.assertGreater(where, 0)
        self.show("communication")
        self.assertEqual(self.browser.run("return document.getElementById('left').scrollTop"), 0)
        self.show("memory")
        self.assertEqual(self.browser.run("return document.getElementById('left').scrollTop"), where)

    def test_twelve_axes_stay_in_the_window(self):
        self.open_module(modules.MANY_AXES)
        self.assertEqual(len(self.browser.all("#meshes .mesh > .axis")), 9)
        self.assertEqual(self.browser.text("#meshes summary"), "3 of size 1")
        for width in (1500, 1000):
            self.browser.driver.set_window_size(width, 950)
            beyond = self.browser.run("return [...document.querySelectorAll('#head *, #detail dd *')]"
                                      ".filter(e => e.getBoundingClientRect().right > innerWidth).map(e => e.outerHTML)")
            self.assertEqual(beyond, [])
        self.browser.driver.set_window_size(1500, 950)

    # --- keys

    def test_keys(self):
        self.open_step()
        self.browser.press("/")
        self.browser.wait("return document.activeElement.id === 'search'")
        self.browser.press("transpose")
        time.sleep(0.3)
        self.browser.press(Keys.ARROW_DOWN)
        first = self.browser.run(CHOSEN)
        self.assertEqual(first, self.names()[0])
        self.browser.press(Keys.ARROW_DOWN)
        self.assertEqual(self.browser.run(CHOSEN), self.names()[1])
        self.browser.press(Keys.ENTER)
        self.assertEqual(self.browser.run("return document.activeElement.id"), "detail")
        self.browser.press(Keys.ESCAPE)
        self.assertEqual(self.browser.run("return document.getElementById('search').value"), "")
        self.browser.press("3")
        self.assertTrue(self.browser.find("#view-memory").is_displayed())
        self.browser.press("?")
        self.assertTrue(self.browser.run("return document.getElementById('keys').open"))

    def test_light_and_dark(self):
        self.open_step()
        ground = "return getComputedStyle(document.body).backgroundColor"
        before = self.browser.run(ground)
        self.browser.press("t")
        self.assertNotEqual(self.browser.run(ground), before)

    def test_paper_is_light(self):
        self.open_step()
        ground = "return getComputedStyle(document.body).backgroundColor"
        for theme in ("light", "dark"):
            self.browser.run("document.documentElement.dataset.theme = arguments[0]", theme)
            self.browser.emulate(media="print")
            self.assertEqual(self.browser.run(ground), "rgb(255, 255, 255)", theme)
            self.browser.emulate(media="")

    def test_printed(self):
        self.open_step()
        self.browser.run("dispatchEvent(new Event('beforeprint'))")
        self.assertGreater(self.browser.run("return document.querySelectorAll('#printed tbody tr').length"), 100)

    # --- what could go wrong

    def test_names_cannot_break_out(self):
        page = self.open_module(modules.HOSTILE)
        self.assertIsNone(self.browser.run("return window.broken === undefined ? null : window.broken"))
        self.assertEqual(self.browser.run("return data.texts.filter(t => t.includes('</script>')).length"), 2)
        self.assertNotIn("<script>window.broken", page.read_text())
        self.browser.run("choose(0)")
        self.browser.run("choose(1)")
        self.assertIsNone(self.browser.run("return window.broken === undefined ? null : window.broken"))

    def test_a_module_without_shardings(self):
        self.open_module("HloModule m\n\nENTRY %e {\n  %x = f32[4] parameter(0)\n  ROOT %y = f32[4] sine(%x)\n}\n")
        self.assertIn("3", self.browser.text("#count"))

    def test_forty_thousand_instructions(self):
        module = self.folder / "big.hlo"
        module.write_text(modules.chain(40_000))
        page = self.folder / "big.html"
        written = write_page(TESSERA, module, page)
        self.browser.requests()
        self.browser.open(page)
        took = {"open": self.browser.cpu_seconds()}
        for what, script in {
            "first search": "search('d.39')",
            "next key": "search('d.399')",
            "all again": "search('')",
            "sort": "table.order([4, 'desc']).draw()",
            "choose": "choose(30000)",
            "next tensor": "chooseNext(1)",
            "communication": "showView('communication')",
            "memory": "showView('memory')",
        }.items():
            took[what] = self.browser.cpu_of(script)
        print(f"\n40,000 instructions: written in {written:.1f} s, {page.stat().st_size / 2**20:.1f} MiB; seconds of a processor: "
              + ", ".join(f"{what} {seconds:.2f}" for what, seconds in took.items()))
        self.assertLess(took.pop("open"), 4)
        self.assertEqual({what: seconds for what, seconds in took.items() if seconds > 1}, {})

    def test_pictures(self):
        folder = os.environ.get("TESSERA_SCREENSHOTS")
        if not folder:
            self.skipTest("TESSERA_SCREENSHOTS is not set")
        page = self.open_step("#dot_general.0")
        for dark in (False, True):
            browser = Browser(dark)
            try:
                browser.open(page, "#dot_general.0")
                browser.wait("return document.querySelector('.explanation') !== null")
                for view in ("tensors", "communication", "memory", "surprises"):
                    browser.find(f'#tabs [data-view="{view}"]').click()
                    browser.screenshot(pathlib.Path(folder) / f"{view}{'_dark' if dark else ''}.png")
                browser.run("showView('tensors'); document.querySelector('.graph').scrollIntoView()")
                browser.screenshot(pathlib.Path(folder) / f"neighbours{'_dark' if dark else ''}.png")
            finally:
                browser.close()


if __name__ == "__main__":
    TESSERA = sys.argv.pop(1)
    unittest.main(verbosity=2)
