"""The expectations of every table, column by column, and whether it meets them.

They are in the table's entry in yml (``expectations``). Each follows from how the warehouse is built,
whatever a log holds: nobody can stop a build by publishing odd messages, and what fails is a fault of ours.
Keys, relations and laws of several rows are dbt tests. Each of those is a query of its own; one query
answers all expectations of a table.

``check`` checks a table for dbt's test ``meets_expectations``, and ``data_docs`` writes the results for
people. Only these, and what extends Great Expectations for them (``satisfy`` and ``view``), import it, which
takes seconds.
"""
