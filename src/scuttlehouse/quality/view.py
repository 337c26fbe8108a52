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

from scuttlehouse.printing import visible_lines
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
        if isinstance(content_block, list):
            # Blocks of Great Expectations, or a value of a column that has lists.
            content_block = [one if _is_block(one) else _as_text(one) for one in content_block]
        elif content_block is not None and not _is_block(content_block):
            return _as_text(content_block)
        return super().render_content_block(context, content_block, *args, **named)


def _is_block(value: object) -> bool:
    return isinstance(value, dict) and "content_block_type" in value


def _as_text(value: object) -> str:
    return escape(visible_lines(str(value)))
