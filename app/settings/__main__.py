"""Print the settings table."""

import sys

from app.settings.table import settings_table

sys.stdout.write(settings_table())
