"""The licences of what the site serves are on the site."""

import pytest

from checkout import ROOT, SITE

pytestmark = pytest.mark.site


def test_every_licence_is_beside_its_files() -> None:
    texts = [path for path in (ROOT / "book" / "_static" / "vendor").rglob("*") if path.name.startswith(("LICENSE", "NOTICE"))]
    assert len(texts) == 6
    for path in texts:
        assert (SITE / path.relative_to(ROOT / "book")).read_bytes() == path.read_bytes()
