"""Objects as we want them, and as they were."""

from __future__ import annotations

# What the API server, or somebody's work in progress, adds to an object.
NOT_OURS = ("status", "operation")
NOT_OURS_IN_METADATA = ("creationTimestamp", "generation", "managedFields", "resourceVersion", "selfLink", "uid")


def covers(live, wanted):
    """Whether everything wanted is there already; what others have added does not count."""
    if isinstance(wanted, dict):
        return isinstance(live, dict) and all(key in live and covers(live[key], value) for key, value in wanted.items())
    if isinstance(wanted, list):
        same_length = isinstance(live, list) and len(live) == len(wanted)
        return same_length and all(covers(one, other) for one, other in zip(live, wanted))
    return live == wanted


def kinds_of(objects):
    """[{apiVersion, kind}] of these objects, each once, in their order."""
    return [{"apiVersion": version, "kind": kind} for version, kind in dict.fromkeys((one["apiVersion"], one["kind"]) for one in objects)]


def all_covered(results, wanted):
    """Whether each wanted object is, as wanted, among what a loop over kinds has found."""
    live = {_identity(one): one for result in results or [] for one in result.get("resources") or []}
    return all(_identity(one) in live and covers(live[_identity(one)], one) for one in wanted)


def restorable(live, now=()):
    """An object as it can be written again; now: the object as it is there at present, if it is."""
    metadata = {key: value for key, value in live["metadata"].items() if key not in NOT_OURS_IN_METADATA}
    metadata.update({"resourceVersion": one["metadata"]["resourceVersion"] for one in now})
    rest = {key: value for key, value in live.items() if key not in NOT_OURS and key != "metadata"}
    return {**rest, "metadata": metadata}


def shows(found, condition):
    """Whether the object that was found, if one was, says of itself that this condition is true."""
    status = (found[0].get("status") or {}) if found else {}
    return any(one.get("type") == condition and one.get("status") == "True" for one in status.get("conditions") or [])


def in_namespace(objects, namespace):
    """The same objects and references to accounts, moved into this namespace; what has none stays without."""
    return [_moved(one, namespace) for one in objects if one]


def _identity(one):
    return (one["kind"], one["metadata"].get("namespace"), one["metadata"]["name"])


def _moved(one, namespace):
    metadata = {**one["metadata"], **({"namespace": namespace} if "namespace" in one["metadata"] else {})}
    subjects = [{**subject, "namespace": namespace} for subject in one.get("subjects") or []]
    return {**one, "metadata": metadata, **({"subjects": subjects} if subjects else {})}


class FilterModule:
    """Filters about objects."""

    def filters(self):
        return {
            "covers": covers,
            "kinds_of": kinds_of,
            "all_covered": all_covered,
            "restorable": restorable,
            "shows": shows,
            "in_namespace": in_namespace,
        }
