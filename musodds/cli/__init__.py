"""The command line: a thin skin that reads what was typed, asks the analysis and prints the report."""
