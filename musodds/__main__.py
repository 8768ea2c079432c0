"""``python -m musodds`` is ``musodds``."""

import sys

from musodds.cli.app import main

sys.exit(main())
