"""Answers on paper: tables, JSON, CSV and Markdown. Nothing here computes a figure."""
