#!/usr/bin/env python
"""Django's command line, on the stack that `memory serve` runs in MEMORY_HOME unless MEMORY_DATABASE_URL names another
database; `memory` is the one for people.
"""

import os
import sys

from django.core.management import execute_from_command_line

from apps.stack.data_root import variables_for_commands

if __name__ == "__main__":
    os.environ.update(variables_for_commands(os.environ))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    execute_from_command_line(sys.argv)
