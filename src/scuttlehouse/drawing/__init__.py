"""Drawings of groups, tangles and threads as SVG, made from the published tables."""
