"""`pip install ./` at the top of the repository: builds the package in this folder."""

import os

os.chdir(os.path.dirname(os.path.abspath(__file__)))

from hatchling.build import *  # noqa: E402, F401, F403 (the hooks of the build, which work in the current folder)
