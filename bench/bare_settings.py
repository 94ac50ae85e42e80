"""The platform's settings with one view and no middleware: the floor that capture over HTTP is held against."""

from config.settings import *  # noqa: F403  the floor differs in what follows and in nothing else

ROOT_URLCONF = "bench.bare_urls"
MIDDLEWARE = []
