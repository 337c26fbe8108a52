"""The page around what Great Expectations renders.

Its own page fetches styles, scripts and a logo from other hosts, and is empty or bare without them;
and it takes values of a log for HTML, so that a hostile one would run in the reader's browser. Ours
is a single file, needs no network, and shows text as text.
"""

from __future__ import annotations

from html import escape
from typing import Any

from great_expectations.render.view.view import DefaultJinjaPageView
from jinja2 import ChoiceLoader, DictLoader, pass_context

from scuttlehouse.quality.templates import PAGE, STYLE, TABLE


class OfflineView(DefaultJinjaPageView):
    """Renders a document of Great Expectations."""

    _template = "offline_table"

    def __init__(self) -> None:
        super().__init__()
        assert self.env.loader is not None
        ours = {
            "offline_page": PAGE,
            "offline_table": TABLE,
            "collapse.j2": "",  # It would hold stacks, which show the paths of this machine.
        }
        self.env.loader = ChoiceLoader([DictLoader(ours), self.env.loader])
        self.env.globals["style"] = STYLE

    @pass_context
    def render_content_block(
        self, context: Any, content_block: Any, *args: Any, **named: Any
    ) -> Any:
        if isinstance(content_block, str):
            return escape(content_block)
        return super().render_content_block(context, content_block, *args, **named)
