"""The game of Mus in plain Python, readable as the rule book.

Nothing here is fast and nothing here imports numpy or numba: the engine is tested against it.
"""
