"""Files of the landing folder: what they are, and the lines, values or records in them."""
