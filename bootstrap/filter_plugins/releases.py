"""Helm's own records, and failures, as people want to read them."""

from __future__ import annotations

import re
from collections.abc import Mapping

LONGEST = 1500
MOST = 12


def last_good(records):
    """The newest revision that once was deployed, from the labels of Helm's Secrets; 0: there is none."""
    labels = [(one["metadata"].get("labels") or {}) for one in records or []]
    good = [int(one["version"]) for one in labels if one.get("status") in ("deployed", "superseded")]
    return max(good, default=0)


def failure(result, task=None):
    """What failed and why, in a line; nothing of a task that must not be shown."""
    task = task or {}
    name = task.get("name") or "a task"
    if task.get("no_log") or "censored" in (result or {}):
        return "%s: failed; why is hidden, because it could contain a secret" % name
    return "%s: %s" % (name, reason(result or {}))


def reason(result):
    """The sentence in a task's result."""
    items = [one for one in result.get("results") or [] if isinstance(one, dict) and one.get("failed")]
    if items:
        return reason(items[0])
    text = str(result.get("msg") or result.get("stderr") or "")
    # Helm's own words stand at the end of what its module says.
    helm = re.search(r"stderr: (.*)$", text, re.DOTALL)
    text = " ".join((helm.group(1) if helm and helm.group(1).strip() else text).split())
    if not text and "attempts" in result:
        text = "not so after %s attempts" % result["attempts"]
    return (text or "failed without a message")[:LONGEST]


def not_mappings(overrides):
    """The names of what cannot be laid over values."""
    return [name for name, values in overrides.items() if not isinstance(values, Mapping)]


def given(overrides):
    """Which of a chart's values are not the role's own: their places, never what they are, which may be secret."""
    places = {name: list(_leaves(values, ())) for name, values in overrides.items()}
    return "; ".join("%s sets %s" % (name, _few(found)) for name, found in places.items() if found)


def _leaves(value, path):
    if isinstance(value, Mapping) and value:
        for name, inner in value.items():
            yield from _leaves(inner, (*path, str(name).replace(".", "\\.")))
    elif path:
        yield ".".join(path)


def _few(places):
    more = len(places) - MOST
    return ", ".join(places[:MOST]) + (" and %d more" % more if more > 0 else "")


class FilterModule:
    """Filters about releases."""

    def filters(self):
        return {"last_good": last_good, "failure": failure, "not_mappings": not_mappings, "given": given}
