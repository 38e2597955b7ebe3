"""Files of this project as text."""

from __future__ import annotations

from pathlib import Path


def file_text(path):
    """What is in a file on this machine."""
    return Path(path).read_text(encoding="utf-8")


def health_checks(folder):
    """{key of argocd-cm: Lua} from <group>_<Kind>/health.lua."""
    found = sorted(Path(folder).glob("*/health.lua"))
    return {"resource.customizations.health.%s" % path.parent.name: file_text(path) for path in found}


class FilterModule:
    """Filters about files."""

    def filters(self):
        return {"file_text": file_text, "health_checks": health_checks}
