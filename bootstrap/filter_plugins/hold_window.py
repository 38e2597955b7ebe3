"""The hold: what src/adapters/argocd/hold-window.ts makes, and nothing else; test/bootstrap compares the two."""

from __future__ import annotations


def held_in(windows, platform):
    """The Applications that our own window names."""
    return [name for window in windows or [] if _is_ours(window, platform) for name in window.get("applications") or []]


def with_hold(windows, platform, applications):
    """The same windows with ours naming exactly these Applications; without any, ours goes. Other people's windows stay as they are."""
    others = [window for window in windows or [] if not _is_ours(window, platform)]
    if not applications:
        return others
    ours = {
        "kind": "deny",
        # Starts anew every minute and lasts a day: always open.
        "schedule": "* * * * *",
        "duration": "24h",
        "applications": list(applications),
        "manualSync": True,
        "description": "%s held until its turn" % _mark(platform),
    }
    return [*others, ours]


def _is_ours(window, platform):
    description = window.get("description")
    return isinstance(description, str) and description.startswith(_mark(platform))


def _mark(platform):
    return "tiphys %s:" % platform


class FilterModule:
    """Filters about sync windows."""

    def filters(self):
        return {"held_in": held_in, "with_hold": with_hold}
