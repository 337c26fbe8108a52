"""Writes a picture of each dashboard into `dashboards/pictures`: `make dashboards-pictures`."""

from __future__ import annotations

from urllib.parse import quote

from browser import PROJECT, Dashboards, dashboards
from selenium.webdriver.common.by import By

FOLDER = PROJECT / "dashboards" / "pictures"
WIDTH = 1500


def take(shown: Dashboards, slug: str, path: str) -> None:
    """Write one picture, as high as the page."""
    shown.open(path)
    grid = shown.driver.find_element(By.CSS_SELECTOR, ".grid-content")
    shown.driver.set_window_size(WIDTH, int(grid.size["height"]) + 250)
    shown.settle()
    shown.driver.save_screenshot(str(FOLDER / f"{slug}.png"))


def main() -> None:
    """The first page, and the group that it names first."""
    FOLDER.mkdir(exist_ok=True)
    with dashboards() as shown:
        take(shown, "this_morning", "/superset/dashboard/this-morning/")
        link = shown.driver.find_element(By.CSS_SELECTOR, "td a[href*='/dashboard/a-group/']")
        address = (link.get_attribute("href") or "").removeprefix(shown.address)
        take(shown, "a_group", quote(address, safe="/?=%:(),!'&"))


if __name__ == "__main__":
    main()
