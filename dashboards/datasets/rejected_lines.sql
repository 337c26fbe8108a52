select
    reason,
    remedy,
    source_file,
    line_number,
    line_count as lines
from fct_rejected_lines
