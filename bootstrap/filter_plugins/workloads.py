"""What of a release must run, and what of it does not."""

from __future__ import annotations

KINDS = ("Deployment", "StatefulSet")


def workloads_of(manifest):
    """The workloads of a rendered release: [{kind, name}], sorted."""
    objects = [one for one in manifest or [] if isinstance(one, dict) and one.get("kind") in KINDS]
    named = {(one["kind"], one["metadata"]["name"]) for one in objects}
    return [{"kind": kind, "name": name} for kind, name in sorted(named)]


def unready(found, kind, workloads):
    """A sentence for each workload of this kind that is missing or not ready; found: the objects of that kind."""
    objects = {one["metadata"]["name"]: one for one in found or []}
    wanted = [one["name"] for one in workloads if one["kind"] == kind]
    sentences = [(name, _trouble(objects.get(name))) for name in wanted]
    return ["%s %s %s" % (kind, name, trouble) for name, trouble in sentences if trouble]


def unready_in(results, kind_name, workloads):
    """The same for what a loop over kinds has found; kind_name: the name of its variable."""
    return [line for one in results or [] for line in unready(one.get("resources"), one[kind_name], workloads)]


def missing_in(results, kind_name, workloads):
    """The workloads that are not there at all."""
    there = {(one[kind_name], found["metadata"]["name"]) for one in results or [] for found in one.get("resources") or []}
    return ["%(kind)s %(name)s" % one for one in workloads if (one["kind"], one["name"]) not in there]


def _trouble(workload):
    if workload is None:
        return "is missing"
    status = workload.get("status") or {}
    # Until its controller has seen the newest spec, the numbers speak of an older one.
    if (status.get("observedGeneration") or 0) < (workload["metadata"].get("generation") or 0):
        return "has not been looked at by its controller since it changed"
    wanted = (workload.get("spec") or {}).get("replicas", 1)
    ready = status.get("readyReplicas") or 0
    updated = status.get("updatedReplicas") or 0
    if ready < wanted:
        return "has %d of %d replicas ready" % (ready, wanted)
    if updated < wanted:
        return "has %d of %d replicas updated" % (updated, wanted)
    return None


class FilterModule:
    """Filters about workloads."""

    def filters(self):
        return {"workloads_of": workloads_of, "unready": unready, "unready_in": unready_in, "missing_in": missing_in}
