select
    reason,
    remedy,
    source_file,
    line_number
from fct_rejected_lines
