"""A headless Chromium with a page of `tessera report` in it."""

import json
import pathlib
import shutil
import subprocess
import tempfile
import time

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

FLAGS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--window-size=1500,950",
]


def write_page(tessera, module, page, *flags):
    """Seconds that `tessera report` takes."""
    start = time.time()
    subprocess.run([tessera, "report", str(module), "-o", str(page), *flags], check=True)
    return time.time() - start


class Browser:
    """One page at a time. `close()` at the end."""

    def __init__(self, dark=False):
        self.profile = tempfile.mkdtemp()
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        for flag in FLAGS + [f"--user-data-dir={self.profile}"] + (["--force-dark-mode"] if dark else []):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        service = webdriver.ChromeService(executable_path=shutil.which("chromedriver"))
        self.driver = webdriver.Chrome(options=options, service=service)
        self.driver.set_script_timeout(60)
        self.driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
        if dark:
            self.emulate(features=[{"name": "prefers-color-scheme", "value": "dark"}])

    def close(self):
        self.driver.quit()
        shutil.rmtree(self.profile, ignore_errors=True)

    def open(self, page, fragment=""):
        self.driver.get("about:blank")
        self.driver.get(pathlib.Path(page).resolve().as_uri() + fragment)
        self.wait("return performance.getEntriesByName('interactive').length > 0")

    def emulate(self, **media):
        """media: "print", or "" for the screen; features: what @media asks for."""
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def run_async(self, script, *arguments):
        """`script` calls the last of its arguments with the result."""
        return self.driver.execute_async_script(script, *arguments)

    def wait(self, script, seconds=20):
        end = time.time() + seconds
        while time.time() < end:
            if self.run(script):
                return
            time.sleep(0.05)
        raise AssertionError(f"not true within {seconds} s: {script}\n{self.errors()}")

    def find(self, css):
        return self.driver.find_element(By.CSS_SELECTOR, css)

    def all(self, css):
        return self.driver.find_elements(By.CSS_SELECTOR, css)

    def text(self, css):
        return self.run("return document.querySelector(arguments[0]).textContent", css)

    def press(self, *keys):
        self.driver.switch_to.active_element.send_keys(*keys)

    def errors(self):
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def requests(self):
        """Addresses that were fetched since the last call, other than the page's own file."""
        urls = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = message["params"]["request"]["url"]
                if not url.startswith(("file:", "about:", "data:", "blob:", "chrome:")):
                    urls.append(url)
        return urls

    def cpu_seconds(self):
        """Of the page's own thread since it was opened: other work on the machine does not count."""
        metrics = self.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
        return next(m["value"] for m in metrics if m["name"] == "TaskDuration")

    def cpu_of(self, script):
        before = self.cpu_seconds()
        self.run(script)
        return self.cpu_seconds() - before

    def screenshot(self, path):
        self.driver.save_screenshot(str(path))


__all__ = ["Browser", "Keys", "write_page"]
