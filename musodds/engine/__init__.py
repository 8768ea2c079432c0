"""The numbers: tables in, integer counts out. Knows no question and no text."""
