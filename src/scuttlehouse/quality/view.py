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

STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
td, th { border-top: 1px solid #8884; overflow-wrap: anywhere; padding: .3rem .6rem; }
td, th { text-align: left; vertical-align: top; }
h5 { font-size: 1.1rem; margin: 1.5rem 0 .3rem; }
i.text-success::before { color: #080; content: "\\2713"; }
i.text-danger::before, i.text-warning::before { color: #c00; content: "\\2717"; }
"""

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ title }}</title>
<style>{{ style }}</style>
</head>
<body>
<h1>{{ title }}</h1>
{% block body %}{% endblock %}
<p><small>Build {{ build_id }}, {{ built_at }}.
Checked by Great Expectations {{ ge_version }}.</small></p>
</body>
</html>
"""

TABLE = """{% extends "offline_page" %}
{% block body %}
<p><a href="index.html">All tables</a></p>
<p>A row is {{ row }}.</p>
{% for section in sections[1:] %}{% set section_loop = loop %}{% include "section.j2" %}{% endfor %}
{% endblock %}
"""

INDEX = """{% extends "offline_page" %}
{% block body %}
<p>What every table promises, column by column.
Where a promise is broken, the build publishes nothing.</p>
<table>
<tr><th></th><th>Table</th><th>A row is</th><th>Promises</th><th>Broken</th></tr>
{% for table in tables %}
<tr>
<td><i class="text-{{ 'danger' if table.broken else 'success' }}"></i></td>
<td><a href="{{ table.name }}.html">{{ table.name }}</a></td>
<td>{{ table.row }}</td>
<td>{{ table.promises }}</td>
<td>{{ table.broken }}</td>
</tr>
{% endfor %}
</table>
{% endblock %}
"""


class OfflineView(DefaultJinjaPageView):
    """Renders a document of Great Expectations, and has the template of an index beside it."""

    _template = "offline_table"

    def __init__(self) -> None:
        super().__init__()
        assert self.env.loader is not None
        ours = {
            "offline_page": PAGE,
            "offline_table": TABLE,
            "offline_index": INDEX,
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
