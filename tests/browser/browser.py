"""A real browser that looks at the dashboards. It runs in Superset's environment, which has selenium."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

from selenium import webdriver
from selenium.common.exceptions import TimeoutException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

PROJECT = Path(__file__).parents[2]
SCUTTLEHOUSE = PROJECT / ".venv" / "bin" / "scuttlehouse"
SERVE = (sys.executable, str(PROJECT / "dashboards" / "serve.py"))
WAITS = 300  # seconds for a page, on a machine that does other things
LOADING = ".loading, [data-test='loading-indicator']"


def chromium() -> str:
    """The browser. It and its driver are packages of Debian: chromium and chromium-driver."""
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if not found or not shutil.which("chromedriver"):
        sys.exit("Chromium or its driver is missing: apt-get install chromium chromium-driver")
    return found


class Dashboards:
    """The dashboards of a home, in a browser that has logged in."""

    def __init__(self, driver: webdriver.Chrome, address: str) -> None:
        self.driver = driver
        self.address = address

    def log_in(self, password: str) -> None:
        """Log in, again if the page has not heard the first click: it may come before its script runs."""
        for wait in (WAITS // 10, WAITS):
            self.driver.get(f"{self.address}/login/")
            self.wait_for("input[type=password]")
            fields = {"input[name=username], #username": "admin", "input[type=password]": password}
            for selector, text in fields.items():
                self.driver.find_element(By.CSS_SELECTOR, selector).send_keys(text)
            self.driver.find_element(
                By.CSS_SELECTOR, "button[type=submit], input[type=submit]"
            ).click()
            with suppress(TimeoutException):
                WebDriverWait(self.driver, wait).until(
                    lambda driver: "/login" not in driver.current_url
                )
                return
        raise TimeoutException("Nobody can log in.")

    def open(self, path: str) -> None:
        """Open a page of a dashboard, and wait until all its charts have answered."""
        self.driver.get(self.address + path)
        self.see()

    def see(self) -> None:
        """Wait until all charts of the page that the browser is on have answered."""
        self.wait_for(".dashboard-component-chart-holder")
        self.driver.set_window_size(1500, 8000)  # Charts outside of the window do not load.
        self.settle()

    def settle(self) -> None:
        """Wait until no chart loads any more."""
        seen = 0

        def is_settled(_: object) -> bool:
            nonlocal seen
            seen = 0 if self.driver.find_elements(By.CSS_SELECTOR, LOADING) else seen + 1
            return seen > 4  # A chart waits a moment before it begins to load.

        WebDriverWait(self.driver, WAITS).until(is_settled)

    def wait_for(self, selector: str) -> None:
        WebDriverWait(self.driver, WAITS).until(
            lambda _: self.driver.find_elements(By.CSS_SELECTOR, selector)
        )

    def charts(self) -> dict[str, str]:
        """The text of each chart, by its kind in Superset and its title."""
        return {
            ": ".join(
                str(chart.get_attribute(f"data-test-{name}")) for name in ("viz-type", "chart-name")
            ): chart.text
            for chart in self.driver.find_elements(By.CSS_SELECTOR, "[data-test-chart-name]")
        }

    def number(self, title: str) -> str:
        """What a number shows."""
        number = (
            f"[data-test-viz-type='big_number_total'][data-test-chart-name='{title}'] .header-line"
        )
        return self.driver.find_element(By.CSS_SELECTOR, number).text

    def hosts(self) -> set[str]:
        """The hosts that the browser has asked since it started, and was not kept from asking."""
        asked: dict[str, str] = {}
        blocked = set()
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            parameters = message["params"]
            if message["method"] == "Network.requestWillBeSent":
                asked[parameters["requestId"]] = parameters["request"]["url"]
            elif message["method"] == "Network.loadingFailed" and parameters.get("blockedReason"):
                blocked.add(parameters["requestId"])
        urls = (urlsplit(url) for request, url in asked.items() if request not in blocked)
        return {url.hostname or "" for url in urls if url.scheme in ("http", "https")}


@contextmanager
def dashboards() -> Iterator[Dashboards]:
    """Show the dashboards of SCUTTLEHOUSE_HOME, log in, and stop them afterwards."""
    browser = chromium()
    said = subprocess.run([*SERVE, "start"], check=True, stdout=subprocess.PIPE, text=True).stdout
    address = said.strip().splitlines()[-1]
    if "password is" not in said:
        said = subprocess.run(
            [*SERVE, "password"], check=True, capture_output=True, text=True
        ).stdout
    [password] = re.findall(r"the password is (\S+)", said)
    parts = urlsplit(address)
    driver = _driver(browser)
    try:
        shown = Dashboards(driver, f"{parts.scheme}://{parts.netloc}")
        shown.log_in(password)
        yield shown
    finally:
        driver.quit()


def _driver(browser: str) -> webdriver.Chrome:
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    arguments = ["--headless=new", "--window-size=1500,1000", "--disable-background-networking"]
    if os.geteuid() == 0:
        arguments.append("--no-sandbox")
    for argument in arguments:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL"})
    driver = webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))
    driver.set_page_load_timeout(WAITS)
    driver.set_script_timeout(WAITS)
    return driver
