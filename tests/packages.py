"""The modules of both packages, for tests that look at every one; what draws a scene is no reader's, but its chapter's."""

import pkgutil

import bandits_book
import bandits_dp

PACKAGES = (bandits_dp, bandits_book)
MODULES = tuple(name for package in PACKAGES for name in (package.__name__, *sorted(
    info.name for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if not info.name.startswith("bandits_book.scenes"))))
