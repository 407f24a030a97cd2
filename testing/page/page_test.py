"""The page of `tessera report` in a browser: what a reader does with it, and how fast it is there.

    python testing/page/page_test.py TESSERA [TEST ..]
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

import modules
from browser import Browser, Keys, write_page

TESSERA = None
ROOT = pathlib.Path(__file__).resolve().parents[2]
VIEWS = ("tensors", "communication", "time", "memory", "findings")
TARGET = "--target=tpu-v5e:2x4"
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
        return self.browser.run("return [...document.querySelectorAll('#tensors [data-row]')]"
                                ".map(r => r.children[0].textContent)")

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
        self.assertIn("P(", self.browser.text("#tensors"))
        self.assertGreater(self.browser.run("return shownRows().length"), 300)
        self.assertLess(len(self.names()), 200, "only what is visible is in the document")

    def test_search_narrows_the_list(self):
        self.open_step()
        self.search("dot_general")
        names = self.names()
        self.assertTrue(names)
        rows = self.browser.run("return [...shownRows()].map(r => tensors.name[r] + ' ' + textOf('op_name', r))")
        self.assertTrue(all("dot_general" in row for row in rows), rows[:5])
        self.assertIn(" of ", self.browser.text("#count"))
        self.search("no such tensor anywhere")
        self.assertIn("no tensor is like that", self.browser.text("#tensors"))

    def test_search_takes_all_words_and_waits_for_the_last_letter(self):
        self.open_step()
        self.browser.run("window.draws = 0; const refresh = list.refresh; list.refresh = () => { ++window.draws; refresh(); }")
        self.search('TANH "f32[4,16')
        self.assertLess(self.browser.run("return window.draws"), 6)
        self.assertTrue(all(self.browser.run("return [...shownRows()].map(row => /tanh/.test(haystackOf(row)) && haystackOf(row).includes('f32[4,16'))")))

    def test_filter_by_axis(self):
        self.open_step()
        self.browser.run("const s = document.getElementById('filter'); s.value = [...s.options].find(o => o.text === 'sharded over model').value;"
                         "s.dispatchEvent(new Event('change'))")
        specs = self.browser.run("return [...shownRows()].map(specAt)")
        self.assertTrue(specs)
        self.assertTrue(all("model" in spec for spec in specs))

    def test_sort_by_bytes(self):
        self.open_step()
        header = [h for h in self.browser.all("#tensors .list-head button") if h.text.startswith("bytes")][0]
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
        self.browser.find("#tensors [data-row]").click()
        self.assertIn("dot_general.0", self.browser.run(CHOSEN))
        self.browser.wait("return document.querySelector('.explanation') !== null")
        explanation = self.browser.text(".explanation")
        self.assertIn(", from P(", explanation)
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
        name = self.browser.run("return arguments[0].querySelector('title').textContent", node).split()[0]
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

    def test_what_a_device_runs(self):
        self.open_step()
        row = self.browser.run("return device.row[device.collectives[0]]")
        self.browser.run("choose(arguments[0])", row)
        name = self.browser.run(CHOSEN)
        shown = self.browser.run("return [...document.querySelectorAll('.device tbody tr')].map(r => [...r.children].map(c => c.textContent))")
        answer = json.loads(subprocess.run([TESSERA, "partition", ROOT / "examples/train_step.hlo", "--json"],
                                           stdout=subprocess.PIPE, check=True).stdout)
        said = [[one["name"], one["opcode"], one["shape"]] for one in answer["tensors"] if name in one.get("value_of", []) + one.get("made_for", [])]
        self.assertEqual([line[:3] for line in shown], said, "what the verb says")
        marks = self.browser.run("return [...document.querySelectorAll('.device tr.collective .how')].map(c => c.textContent)")
        self.assertRegex(" ".join(marks), "collective")
        self.assertIn("its shards", self.browser.text(".device"))

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
        self.assertGreater(len(self.browser.all("#view-communication [data-row]")), 1)
        totals = self.browser.run("return collectives.map(c => c.total)")
        self.assertEqual(totals, sorted(totals, reverse=True))
        self.assertIn("by axis", self.browser.text("#view-communication").lower())

    def test_a_reshard_without_a_direct_way(self):
        self.open_module(ROOT / "examples" / "incidents" / "modules" / "full_resharding.hlo")
        self.show("communication")
        self.assertIn("no direct way: each device first holds the array, 2 MiB", self.browser.text("#view-communication"))
        self.show("findings")
        self.assertIn("rematerialization", self.browser.text("#view-findings"))

    def test_memory(self):
        self.open_step()
        self.show("memory")
        peak = self.browser.text("#alive h2")
        self.assertIn("Alive at step", peak)
        chart = self.browser.find("svg.chart")
        chart.click()
        chart.send_keys(Keys.ARROW_LEFT)
        self.assertNotEqual(self.browser.text("#alive h2"), "")
        self.assertEqual(self.browser.run("return data.memory.temporaries"), max(self.browser.run("return data.memory.steps")))

    def test_time_needs_a_target(self):
        self.open_step()
        self.show("time")
        self.assertIn("--target=", self.browser.text("#view-time"))

    def test_time_and_memory_on_a_target(self):
        self.open_module(ROOT / "examples" / "train_step.hlo", "", TARGET)
        self.show("time")
        time_view = self.browser.text("#view-time")
        said = subprocess.run([TESSERA, "cost", ROOT / "examples/train_step.hlo", TARGET], capture_output=True, text=True, check=True).stdout
        self.assertIn(re.search(r"a step takes ([\d.]+ us)", said).group(1), time_view)
        self.assertIn("waits", time_view)
        combined = self.browser.run("return data.cost.collectives.filter((c) => (c.parts || []).length > 1).map(linesOf)")
        self.assertTrue(combined and all(re.match(r"\w+\.py:\d+(, |$)", lines) for lines in combined), combined)
        self.assertGreater(len(self.browser.all("#view-time [data-row]")), 5)
        self.show("memory")
        self.assertIn("Peak on tpu-v5e:2x4", self.browser.text("#view-memory"))
        self.assertEqual(len(self.browser.all("#view-memory svg.chart")), 2)

    def test_findings_of_lint(self):
        self.open_module(ROOT / "examples" / "tutorial" / "slow.hlo")
        self.show("findings")
        self.assertIn("loop-gather", self.browser.text("#view-findings"))

    def test_costly_places_lead_to_tensors(self):
        self.open_step()
        self.show("findings")
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
        self.browser.press("4")
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

    def test_a_hundred_thousand_instructions(self):
        module = self.folder / "big.hlo"
        module.write_text(modules.chain(100_000))
        page = self.folder / "big.html"
        written = write_page(TESSERA, module, page)
        self.browser.requests()
        self.browser.open(page)
        took = {"open": self.browser.cpu_seconds()}
        for what, script in {
            "first search": "search('d.39')",
            "next key": "search('d.399')",
            "all again": "search('')",
            "sort": "list.sortBy(4, -1)",
            "choose": "choose(30000)",
            "next tensor": "chooseNext(1)",
            "the end of the list": "list.body.scrollTop = 1e9; list.draw()",
            "communication": "showView('communication')",
            "memory": "showView('memory')",
        }.items():
            took[what] = self.browser.cpu_of(script)
        print(f"\n100,000 instructions: written in {written:.1f} s, {page.stat().st_size / 2**20:.1f} MiB; seconds of a processor: "
              + ", ".join(f"{what} {seconds:.2f}" for what, seconds in took.items()))
        self.assertLess(took.pop("open"), 2)
        self.assertEqual({what: seconds for what, seconds in took.items() if seconds > 1}, {})

    # --- for screen readers

    def test_accessibility_rules(self):
        """No violation of axe-core's rules, in any view and both schemes."""
        rules = pathlib.Path(os.environ["TESSERA_AXE"]).read_text()
        page = self.open_module(ROOT / "examples" / "train_step.hlo", "#dot_general.0", TARGET)
        self.assertEqual(self.violations_of(self.browser, rules), {})
        dark = Browser(dark=True)
        try:
            dark.open(page, "#dot_general.0")
            self.assertEqual(self.violations_of(dark, rules), {})
        finally:
            dark.close()

    def violations_of(self, browser, rules):
        browser.wait("return document.querySelector('.explanation') !== null")
        browser.run(rules)
        found = {}
        for view in VIEWS:
            browser.find(f'#tabs [data-view="{view}"]').click()
            for violation in browser.run_async("axe.run().then((result) => arguments[0](result.violations))"):
                found[view + " " + violation["id"]] = [node["html"][:200] for node in violation["nodes"]][:3]
        return found

    def test_tabs_by_arrow_keys(self):
        self.open_step()
        self.browser.find("#tab-tensors").click()
        self.browser.press(Keys.ARROW_RIGHT)
        self.assertEqual(self.browser.run("return document.activeElement.id"), "tab-communication")
        self.assertTrue(self.browser.find("#view-communication").is_displayed())
        self.assertEqual(self.browser.run("return document.querySelectorAll('#tabs [tabindex=\"0\"]').length"), 1)

    def test_the_list_has_its_size_and_order_for_screen_readers(self):
        self.open_step()
        count = self.browser.run("return shownRows().length")
        self.assertEqual(int(self.browser.find("#tensors [role=grid]").get_attribute("aria-rowcount")), count + 1)
        self.browser.run("list.sortBy(4, -1)")
        self.assertEqual(self.browser.run("return document.querySelector('#tensors [aria-sort]').textContent"), "bytes")
        self.browser.run("choose(shownRows()[count - 1])".replace("count", str(count)))
        chosen = self.browser.find('#tensors [aria-selected="true"]')
        self.assertEqual(int(chosen.get_attribute("aria-rowindex")), count + 1)

    def test_pictures(self):
        folder = os.environ.get("TESSERA_SCREENSHOTS")
        if not folder:
            self.skipTest("TESSERA_SCREENSHOTS is not set")
        pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
        page = self.open_module(ROOT / "examples" / "train_step.hlo", "#dot_general.0", TARGET)
        for dark in (False, True):
            browser = Browser(dark)
            try:
                browser.open(page, "#dot_general.0")
                browser.wait("return document.querySelector('.explanation') !== null")
                for view in VIEWS:
                    browser.find(f'#tabs [data-view="{view}"]').click()
                    browser.screenshot(pathlib.Path(folder) / f"{view}{'_dark' if dark else ''}.png")
                browser.run("showView('tensors'); document.querySelector('.graph').scrollIntoView()")
                browser.screenshot(pathlib.Path(folder) / f"neighbours{'_dark' if dark else ''}.png")
            finally:
                browser.close()


if __name__ == "__main__":
    TESSERA = sys.argv.pop(1)
    unittest.main(verbosity=2)
