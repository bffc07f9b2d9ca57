"""python -m assetc is the command."""
import sys

from .command import main

sys.exit(main())
