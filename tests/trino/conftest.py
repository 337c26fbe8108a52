"""What the tests of Trino begin with."""

from __future__ import annotations

from settings_of_people import forget_settings

forget_settings()
