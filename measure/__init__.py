"""Measurements: the default compared with other libraries, single questions, and tables of papers."""
