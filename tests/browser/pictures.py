"""Writes a picture of each dashboard into `dashboards/pictures`: `make dashboards-pictures`."""

from __future__ import annotations

from browser import PROJECT, Dashboards, dashboards
from selenium.webdriver.common.by import By

FOLDER = PROJECT / "dashboards" / "pictures"
SIZE = 1500, 1700


def take(shown: Dashboards, name: str, path: str) -> None:
    """Write a picture of the upper part of a page."""
    shown.open(path)
    shown.driver.set_window_size(*SIZE)
    shown.settle()
    shown.driver.save_screenshot(str(FOLDER / f"{name}.png"))


def main() -> None:
    """The first page, and the last group of those that it names as forked."""
    FOLDER.mkdir(exist_ok=True)
    morning = "/superset/dashboard/this-morning/"
    with dashboards() as shown:
        shown.open(morning)
        forks = "[data-test-chart-name='Forks to mend'] td a"
        link = shown.driver.find_elements(By.CSS_SELECTOR, forks)[-1].get_attribute("href") or ""
        take(shown, "this_morning", morning)
        take(shown, "a_group", link.removeprefix(shown.address))


if __name__ == "__main__":
    main()
