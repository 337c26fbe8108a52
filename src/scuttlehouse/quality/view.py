"""The page around what Great Expectations renders, which needs no network.

Its own page fetches styles, scripts and a logo from eight hosts, and writes values of a log into the
page as they are, where a hostile one would run in the reader's browser. This one is a single file, and
plain text stays text.
"""

from __future__ import annotations

from html import escape
from typing import Any

from great_expectations.render.view import DefaultJinjaPageView
from jinja2 import ChoiceLoader, DictLoader, pass_context

STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
td, th { border-top: 1px solid #8884; overflow-wrap: anywhere; padding: .3rem .6rem; }
td, th { text-align: left; vertical-align: top; }
h5 { font-size: 1.1rem; margin: 1.5rem 0 .3rem; }
i.text-success::before { color: #080; content: "\\2713"; }
i.text-danger::before { color: #c00; content: "\\2717"; }
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
<p><small>Build {{ build_id }}, {{ built_at }}. Checked by Great Expectations {{ ge_version }}.</small></p>
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
<p>What every table promises, column by column. Where one promise is broken, nothing is published.</p>
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
    """Renders a document of Great Expectations as ``offline_table``, anything as ``offline_index``."""

    _template = "offline_table"

    def __init__(self) -> None:
        super().__init__()
        # Stacks, which show the paths of this machine, are what collapses.
        ours = {
            "offline_page": PAGE,
            "offline_table": TABLE,
            "offline_index": INDEX,
            "collapse.j2": "",
        }
        self.env.loader = ChoiceLoader([DictLoader(ours), self.env.loader])
        self.env.globals["style"] = STYLE

    @pass_context
    def render_content_block(self, context: Any, content_block: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(content_block, str):
            return escape(content_block)
        return super().render_content_block(context, content_block, *args, **kwargs)
