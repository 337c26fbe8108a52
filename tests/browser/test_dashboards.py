"""The dashboards in a real browser: `make test-dashboards`.

It builds the sample into a folder of its own, and later another log beside it. With SCUTTLEHOUSE_HOME it
looks at that warehouse, and leaves out what is about the sample.
"""

from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from browser import PROJECT, SCUTTLEHOUSE, SERVE, Dashboards, dashboards
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

sys.path.insert(0, str(PROJECT / "dashboards"))
import definitions

BOARDS = definitions.boards()
PYTHON = SCUTTLEHOUSE.with_name("python")
# What stands for marks of HTML on the dashboards (`dashboards/datasets/_labels.sql`).
SIMILAR = str.maketrans("<>&\"'", "\u2039\u203a\uff06\u201d\u2019")


def sql(query: str) -> list[list[str]]:
    """The rows that `scuttlehouse sql` gives, as texts."""
    return list(csv.reader(said(SCUTTLEHOUSE, "sql", query, "--format", "csv")))[1:]


def said(*command: str | Path) -> list[str]:
    """The lines that a command prints."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


class TestDashboards(unittest.TestCase):
    """One browser and one Superset for all tests."""

    shown: Dashboards
    folder: Path
    has_sample: bool
    _stack: ExitStack

    @classmethod
    def setUpClass(cls) -> None:
        cls._stack = ExitStack()
        cls.folder = Path(cls._stack.enter_context(tempfile.TemporaryDirectory()))
        cls.has_sample = "SCUTTLEHOUSE_HOME" not in os.environ
        if cls.has_sample:
            shutil.copytree(PROJECT / "sample", cls.folder / "logs")
            os.environ["SCUTTLEHOUSE_LANDING"] = str(cls.folder / "logs")
            os.environ["SCUTTLEHOUSE_HOME"] = str(cls.folder / "home")
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
                    chart["title"] for chart in definitions.charts(board)
                )
                for title, text in texts.items():
                    for word in ("Error", "error occurred", "Unexpected", "violates", "No data"):
                        assert word not in text, title

    def test_numbers_are_those_of_scuttlehouse_sql(self) -> None:
        for board in BOARDS:
            for title, found, expected in self._numbers(board):
                with self.subTest(f"{board['slug']}: {title}"):
                    assert found == expected

    def _numbers(self, board: definitions.Board) -> list[tuple[str, float, float]]:
        """The title of each number of a board, what the page shows, and what `scuttlehouse sql` gives."""
        self.shown.open(f"/superset/dashboard/{board['slug']}/")
        numbers = [
            chart
            for chart in definitions.charts(board)
            if chart["kind"] == "number" and "max" not in chart
        ]
        # One command for all of them: each start takes a moment.
        [row] = sql(f"select {', '.join(f'({definitions.chart_sql(chart)})' for chart in numbers)}")
        return [
            (
                chart["title"],
                float(self.shown.number(chart["title"]).replace(",", "")),
                float(expected or 0),
            )
            for chart, expected in zip(numbers, row, strict=True)
        ]

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
        labels = definitions.dataset_sql("groups").split("select\n    group_link")[0]
        [[epochs]] = sql(
            f"{labels} select epoch_count from dim_groups inner join group_labels using (group_id) "
            f"""where "group" = '{label.replace("'", "''")}'"""
        )
        return epochs

    def test_a_group_is_chosen_in_the_filter(self) -> None:
        label = sql("select name from dim_groups order by epoch_count desc, name")[0][0]
        self.shown.open("/superset/dashboard/a-group/")
        driver = self.shown.driver
        box = driver.find_element(
            By.CSS_SELECTOR, "[data-test='filter-bar'] input[role='combobox']"
        )
        box.send_keys(label)
        WebDriverWait(driver, 60).until(
            lambda _: [one.text for one in self._elements(".ant-select-item-option")] == [label]
        )
        box.send_keys(Keys.ENTER)
        driver.find_element(By.CSS_SELECTOR, "[data-test='filter-bar__apply-button']").click()
        self.shown.settle()
        assert self.shown.number("Epochs") == self._epochs_of(label)

    def test_nobody_scrolls_in_a_page_of_rows_of_one_line(self) -> None:
        """A page of five rows showed four and a half above its bar of pages. Names broke into two lines."""
        titles = {
            "a-group": ("What to publish", "Forks", "Who should prefer which epoch", "Audit log"),
            "a-person": ("Epoch to write in", "What the person should publish", "Memberships"),
        }
        for slug in titles:
            self.shown.open(f"/superset/dashboard/{slug}/")
            for title in titles[slug]:
                with self.subTest(title):
                    heights = self.shown.driver.execute_script(
                        """
                        const body = document.querySelector(arguments[0]).closest("div");
                        return [body.scrollHeight, body.clientHeight];
                        """,
                        f"[data-test-chart-name='{title}'] tbody",
                    )
                    assert heights[0] <= heights[1], heights

    def test_texts_of_a_drawing_can_be_selected(self) -> None:
        self.shown.open("/superset/dashboard/a-group/")
        drawing = "[data-test-chart-name='Epochs, members and forks'] td"
        selected = self.shown.driver.execute_script(
            "getSelection().selectAllChildren(document.querySelector(arguments[0]));"
            "return getSelection().toString()",
            drawing,
        )
        assert "Names struck through are excluded." in selected
        [group] = re.findall(r"^(Group .*): epochs", selected)
        members = sql(
            "select distinct name from fct_epoch_members inner join dim_people using (person_id) "
            f"where is_declared and group_name = '{group}' and name is not null"
        )
        assert members
        assert all(name in selected for (name,) in members)

    def test_the_walk_of_the_newcomer(self) -> None:
        """What `dashboards/README.md` says of the sample, click by click."""
        if not self.has_sample:
            self.skipTest("the walk is one through the sample")
        self.shown.open("/superset/dashboard/this-morning/")
        assert self.shown.number("Forks to mend") == "2"
        self._click("Forks to mend", "Group EhuUYi")
        drawing = self._chart("Epochs, members and forks").text
        assert "Group EhuUYi: epochs" in drawing
        assert "fork with gN_PjC: overlapping, wins, needs repair" in drawing
        assert "create_epoch" in self._chart("What to publish").text
        rows = [
            [cell.text.partition(" ")[0] for cell in self._elements("td", row)[:4]]
            for row in self._elements("tbody tr", self._chart("Who excluded whom"))
        ]
        pairs = sorted((excluder, excluded) for _, excluder, excluded, _ in rows)
        assert pairs == [
            ("bob", "carol"),
            ("bob", "dave"),
            ("carol", "dave"),
            ("dave", "bob"),
            ("dave", "carol"),
        ]
        assert {epoch for *_, epoch in rows} == {"DbH0UG"}
        self._click("Who should prefer which epoch", "alice")
        assert "/dashboard/a-person/" in self.shown.driver.current_url
        [witness] = [
            row.text
            for row in self._elements("tbody tr", self._chart("Epoch to write in"))
            if "Group EhuUYi" in row.text
        ]
        assert witness.endswith("true")

    def _elements(self, selector: str, inside: WebElement | None = None) -> list[WebElement]:
        return (inside or self.shown.driver).find_elements(By.CSS_SELECTOR, selector)

    def _chart(self, title: str) -> WebElement:
        [chart] = self._elements(
            f"[data-test-chart-name='{title}']:not([data-test-viz-type='big_number_total'])"
        )
        return chart

    def _click(self, title: str, text: str) -> None:
        """Click the first link of a table that begins with a text, and wait for what comes."""
        links = self._elements("td a", self._chart(title))
        next(one for one in links if one.text.startswith(text)).click()
        self.shown.see()

    def test_commands_are_played_on_their_page(self) -> None:
        [[tangle]] = sql(
            "select tangle_id from dim_tangles order by message_count desc, tangle_id limit 1"
        )
        page = self.folder / "commands.html"
        subprocess.run([SCUTTLEHOUSE, "draw", "commands", tangle, "--output", page], check=True)
        driver = self.shown.driver
        driver.get(page.as_uri())
        keys = driver.find_element(By.TAG_NAME, "body")
        assert self._order() == []
        keys.send_keys(Keys.ARROW_RIGHT)
        first = self._order()
        assert len(first) == 1
        for count in range(2, 6):
            keys.send_keys(Keys.ARROW_RIGHT)
            assert driver.find_element(By.ID, "now").text.startswith(f"{count} of ")
        keys.send_keys(Keys.END)
        expected = sql(
            f"select message_id from fct_tangle_messages where tangle_id = '{tangle}' and status = 'in' "
            "order by position"
        )
        assert self._order() == [message for (message,) in expected]
        keys.send_keys(Keys.HOME, Keys.ARROW_RIGHT)
        assert self._order() == first
        driver.find_element(By.ID, "play").click()
        WebDriverWait(driver, 60).until(lambda _: len(self._order()) > 1)

    def _order(self) -> list[str]:
        """The ids on the page of commands, from top to bottom."""
        return self.shown.driver.execute_script(
            "return [...document.querySelectorAll('#order li')]"
            ".sort((a, b) => parseFloat(a.style.top) - parseFloat(b.style.top)).map(one => one.title)"
        )

    def test_x_what_happens_is_shown_without_a_restart(self) -> None:
        """Runs after the others: another log comes, with groups of its own."""
        if not self.has_sample:
            self.skipTest("no log is put among those of somebody else")
        boards = [board for board in BOARDS if board["slug"] in ("this-morning", "a-group")]
        before = {title: found for board in boards for title, found, _ in self._numbers(board)}
        self.shown.open("/superset/dashboard/can-i-trust-it/")
        runs = self._runs()
        subprocess.run(
            [SCUTTLEHOUSE, "sample", "--seed", "2", "--out", self.folder / "other"], check=True
        )
        shutil.copy(self.folder / "other" / "alice.jsonl", self.folder / "logs" / "other.jsonl")
        subprocess.run([SCUTTLEHOUSE, "build"], cwd=PROJECT, check=True)
        after = {}
        for board in boards:
            for title, found, expected in self._numbers(board):
                assert found == expected, title
                after[title] = found
        assert after["Epochs"] > before["Epochs"]
        assert after["Things to publish"] > before["Things to publish"]
        self.shown.open("/superset/dashboard/can-i-trust-it/")
        assert self._runs() == runs + 1

    def _runs(self) -> int:
        return len(re.findall(r"\d{4}-\d\d-\d\d \d\d:\d\d", self.shown.charts()["table: Runs"]))

    def test_y_names_do_not_run_in_the_browser(self) -> None:
        """Runs after the others: a log comes whose names are HTML, scripts and templates."""
        if not self.has_sample:
            self.skipTest("no log is put among those of somebody else")
        log = self.folder / "logs" / "hostile.jsonl"
        names = said(PYTHON, Path(__file__).with_name("hostile_names.py"), log)
        subprocess.run([SCUTTLEHOUSE, "build"], cwd=PROJECT, check=True)
        [[group_id, root_id]] = sql(
            "select group_id, root_id from dim_groups where contains(name, 'onload')"
        )
        for board in BOARDS:
            with self.subTest(board["slug"]):
                self.shown.open(f"/superset/dashboard/{board['slug']}/")
                self._runs_nothing()
        self.shown.open("/superset/dashboard/this-morning/")
        self._click("Forks to mend", names[-1].translate(SIMILAR))
        self._runs_nothing()
        drawing = self._chart("Epochs, members and forks").text
        for name in names:
            assert name[:20] in drawing, name
        for kind, subject in (("group", group_id), ("commands", f"group:{root_id}")):
            page = self.folder / f"{kind}.html"
            subprocess.run(
                [SCUTTLEHOUSE, "draw", kind, subject, "--output", page], cwd=PROJECT, check=True
            )
            self.shown.driver.get(page.as_uri())
            self._runs_nothing()

    def _runs_nothing(self) -> None:
        """What `hostile_names.py` writes is no part of the page, and has set no title."""
        assert self.shown.driver.title != "run"
        for selector in ("img[src=x]", "[onload*='run']", "[onerror]", "a[href^=javascript]"):
            assert not self._elements(selector), selector
        assert "1337" not in self.shown.driver.find_element(By.TAG_NAME, "body").text

    def test_zz_no_request_leaves_this_machine(self) -> None:
        """Runs last: it looks at all that the browser has asked."""
        assert self.shown.hosts() == {"127.0.0.1"}


if __name__ == "__main__":
    unittest.main(verbosity=2)
