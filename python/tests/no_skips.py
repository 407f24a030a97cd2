"""A plugin of pytest: with `--fail-on-skip`, a skipped test fails the run unless MAY_SKIP lists it. Where everything is installed that the tests
need (python/test.sh), a skip is a check that nobody sees missing."""

# By what stands after "tests/" in a skipped test's name, or in its file's: why it may skip.
MAY_SKIP = {
    "test_docs.py::test_the_pages": "the newest reference needs Python 3.12; where there is none, the older one cannot show what the pages show",
}


def pytest_addoption(parser):
    parser.addoption("--fail-on-skip", action="store_true", help="fail where a test is skipped that tests/no_skips.py does not list")


def unlisted(config):
    """(name, reason) of skipped tests and files."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    for report in reporter.stats.get("skipped", []):
        if report.nodeid.rsplit("tests/", 1)[-1].partition("[")[0] not in MAY_SKIP:
            yield report.nodeid, report.longrepr[2]


def pytest_sessionfinish(session):
    if session.config.getoption("--fail-on-skip") and any(unlisted(session.config)):
        session.exitstatus = 1


def pytest_terminal_summary(terminalreporter, config):
    if config.getoption("--fail-on-skip"):
        for name, reason in unlisted(config):
            terminalreporter.write_line(f"FAILED: {name} was skipped ({reason}); tests/no_skips.py does not list it")
