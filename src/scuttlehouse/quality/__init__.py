"""What every table promises, column by column, and whether it holds.

The promises of a table stand in its entry in yml (``expectations``). Every one follows from how the
warehouse is built, whatever a log holds: nobody can stop a build by publishing odd messages, and
what fails is a fault of ours. Keys, relations and invariants of several rows are dbt tests of their
own; each of those is a query, while a table's expectations are answered together.

``check`` runs the expectations of a table, for dbt's test ``meets_expectations``, and ``data_docs``
writes down for people how they fared. Only these, and what extends Great Expectations for them
(``satisfy`` and ``view``), need it; it takes seconds to import.
"""
