"""What the tests of builds through a Spark Connect server begin with."""

from __future__ import annotations

from settings_of_people import forget_settings

forget_settings()
