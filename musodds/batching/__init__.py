"""Files of questions in, files of answers out; the only room that knows pandas and Parquet.

``columns`` says which columns ask and which answer, ``questions`` reads a row, ``answers`` computes every
distinct question once, ``ledger`` keeps what is finished for a run that is interrupted. ``text`` and
``parquet`` read and write files, ``files`` puts it together; ``frames`` is the same for pandas.
"""

from musodds.batching.frames import batch

__all__ = ["batch"]
