"""The templates of the Data Docs: pages in one file, which need no network."""

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
<style>{{ style | safe }}</style>
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
<p>The expectations of every table, column by column.
Where one is broken, the build publishes nothing.</p>
<table>
<tr><th></th><th>Table</th><th>A row is</th><th>Expectations</th><th>Broken</th></tr>
{% for table in tables %}
<tr>
<td><i class="text-{{ 'danger' if table.broken else 'success' }}"></i></td>
<td><a href="{{ table.name }}.html">{{ table.name }}</a></td>
<td>{{ table.row }}</td>
<td>{{ table.total }}</td>
<td>{{ table.broken }}</td>
</tr>
{% endfor %}
</table>
{% endblock %}
"""
