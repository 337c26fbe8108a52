"""The dashboards in a real browser: `make test-dashboards`.

It looks at the warehouse of SCUTTLEHOUSE_HOME; without one it builds the sample into a folder of its own.
"""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
import tempfile
import unittest
from contextlib import ExitStack
from typing import Any
from urllib.parse import unquote

from browser import PROJECT, SCUTTLEHOUSE, SERVE, Dashboards, dashboards
from selenium.webdriver.common.by import By

sys.path.insert(0, str(PROJECT / "dashboards"))
import assets

BOARDS = assets.boards()


def sql(query: str) -> list[list[str]]:
    """The rows that `scuttlehouse sql` gives, as texts."""
    command = [SCUTTLEHOUSE, "sql", query, "--format", "csv"]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return list(csv.reader(said.splitlines()))[1:]


class TestDashboards(unittest.TestCase):
    """One browser and one Superset for all tests."""

    shown: Dashboards
    _stack: ExitStack

    @classmethod
    def setUpClass(cls) -> None:
        cls._stack = ExitStack()
        if "SCUTTLEHOUSE_HOME" not in os.environ:
            folder = cls._stack.enter_context(tempfile.TemporaryDirectory())
            os.environ["SCUTTLEHOUSE_HOME"] = f"{folder}/home"
            subprocess.run([SCUTTLEHOUSE, "build"], cwd=PROJECT, check=True)
        subprocess.run([SCUTTLEHOUSE, "export"], check=True)
        cls._stack.callback(subprocess.run, [*SERVE, "stop"])
        cls.shown = cls._stack.enter_context(dashboards())

    @classmethod
    def tearDownClass(cls) -> None:
        cls._stack.close()

    def test_every_chart_of_every_dashboard_answers(self) -> None:
        for board in BOARDS:
            with self.subTest(board["slug"]):
                self.shown.open(f"/superset/dashboard/{board['slug']}/")
                texts = self.shown.charts()
                assert sorted(title.split(": ", 1)[1] for title in texts) == sorted(
                    chart["title"] for chart in assets.charts(board)
                )
                for title, text in texts.items():
                    for word in ("Error", "error occurred", "Unexpected", "violates", "No data"):
                        assert word not in text, title

    def test_numbers_are_those_of_scuttlehouse_sql(self) -> None:
        for board in BOARDS:
            self.shown.open(f"/superset/dashboard/{board['slug']}/")
            for chart in assets.charts(board):
                if chart["kind"] == "number" and "max" not in chart:
                    with self.subTest(f"{board['slug']}: {chart['title']}"):
                        [[expected]] = sql(assets.chart_sql(chart))
                        found = self.shown.number(chart["title"]).replace(",", "")
                        assert float(found) == float(expected or 0)

    def test_a_link_opens_a_group_and_filters_by_it(self) -> None:
        self.shown.open("/superset/dashboard/this-morning/")
        link = self.shown.driver.find_element(By.CSS_SELECTOR, "td a[href*='/dashboard/a-group/']")
        label, address = link.text, link.get_attribute("href") or ""
        assert label in unquote(address)
        self.shown.open(address.removeprefix(self.shown.address))
        assert self.shown.number("Epochs") == self._epochs_of(label)
        pictures: list[Any] = self.shown.driver.find_elements(By.CSS_SELECTOR, "td img")
        assert len(pictures) == 2
        for picture in pictures:
            # The browser has drawn it.
            assert int(picture.get_property("naturalWidth")) > 100

    def _epochs_of(self, label: str) -> str:
        labels = assets.dataset_sql("groups").split("select\n    group_link")[0]
        [[epochs]] = sql(
            f"{labels} select epoch_count from dim_groups inner join group_labels using (group_id) "
            f"""where "group" = '{label.replace("'", "''")}'"""
        )
        return epochs

    def test_what_happens_is_shown_without_a_restart(self) -> None:
        self.shown.open("/superset/dashboard/can-i-trust-it/")
        before = self._runs()
        # Nothing is new, so it is a matter of seconds; the run is logged all the same.
        subprocess.run([SCUTTLEHOUSE, "build"], cwd=PROJECT, check=True)
        self.shown.open("/superset/dashboard/can-i-trust-it/")
        assert self._runs() == before + 1

    def _runs(self) -> int:
        return len(re.findall(r"\d{4}-\d\d-\d\d \d\d:\d\d", self.shown.charts()["table: Runs"]))

    def test_zz_no_request_leaves_this_machine(self) -> None:
        """Runs last: it looks at all that the browser has asked."""
        assert self.shown.hosts() == {"127.0.0.1"}


if __name__ == "__main__":
    unittest.main(verbosity=2)
