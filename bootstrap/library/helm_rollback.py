#!/usr/bin/python
"""Takes a Helm release back to a revision, or away."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: helm_rollback
short_description: Takes a Helm release back to an earlier revision, or away
description:
  - Makes an earlier revision of a release the present one again, and waits until it is ready.
  - Does nothing when it already is, also when C(helm --atomic) has gone back by itself.
  - Built on the parts that the modules of kubernetes.core are made of; that collection has no such module.
options:
  release_name:
    description: The release.
    type: str
    required: true
    aliases: [name]
  release_namespace:
    description: Its namespace.
    type: str
    required: true
    aliases: [namespace]
  revision:
    description: The revision to go back to. 0 means that there shall be no such release.
    type: int
    required: true
  again:
    description: Apply the revision again even if it is the present one, so that what somebody has deleted is there again.
    type: bool
    default: false
  timeout:
    description: How long it may take, as Go writes durations.
    type: str
    default: 10m
extends_documentation_fragment:
  - kubernetes.core.helm_common_options
author:
  - Tiphys
"""

EXAMPLES = r"""
- name: Go back to the third revision
  helm_rollback:
    name: argocd
    namespace: argocd
    revision: 3

- name: Remove what was not there before
  helm_rollback:
    name: argocd
    namespace: argocd
    revision: 0
"""

RETURN = r"""
before:
  description: The newest revision that was found; empty if there was no release.
  type: dict
  returned: success
after:
  description: The newest revision afterwards; empty if there is no release.
  type: dict
  returned: success
"""

import copy
import json

from ansible_collections.kubernetes.core.plugins.module_utils.helm import AnsibleHelmModule
from ansible_collections.kubernetes.core.plugins.module_utils.helm_args_common import (
    HELM_AUTH_ARG_SPEC,
    HELM_AUTH_MUTUALLY_EXCLUSIVE,
)


def main():
    module = AnsibleHelmModule(
        argument_spec=argument_spec(),
        mutually_exclusive=HELM_AUTH_MUTUALLY_EXCLUSIVE,
        supports_check_mode=True,
    )
    wanted = module.params["revision"]
    before = newest(module)
    if is_there(before, wanted) and not module.params["again"]:
        module.exit_json(changed=False, before=before, after=before)
    if module.check_mode:
        module.exit_json(changed=True, before=before, after=before)
    if not before:
        module.fail_json(msg="There is no release %(release_name)s in namespace %(release_namespace)s to go back with" % module.params)

    command = ["uninstall"] if wanted == 0 else ["rollback"]
    target = [] if wanted == 0 else [str(wanted)]
    helm(module, command + [module.params["release_name"]] + target + ["--wait", "--timeout", module.params["timeout"]])

    after = newest(module)
    if not is_there(after, wanted):
        module.fail_json(msg="Helm says that it has gone back, but revision %s is %s" % (after.get("revision", 0), after.get("status", "gone")), before=before, after=after)
    module.exit_json(changed=True, before=before, after=after)


def argument_spec():
    spec = copy.deepcopy(HELM_AUTH_ARG_SPEC)
    spec.update(
        release_name={"type": "str", "required": True, "aliases": ["name"]},
        release_namespace={"type": "str", "required": True, "aliases": ["namespace"]},
        revision={"type": "int", "required": True},
        again={"type": "bool", "default": False},
        timeout={"type": "str", "default": "10m"},
    )
    return spec


def newest(module):
    """The newest revision as Helm tells it: revision, status, chart, app_version, description; empty without a release."""
    code, out, err = helm(module, ["history", module.params["release_name"], "--output", "json", "--max", "1"], may_fail=True)
    if code == 0:
        return json.loads(out)[-1]
    if "not found" in err:
        return {}
    return module.fail_json(msg="helm history failed: %s" % err.strip())


def is_there(found, wanted):
    if wanted == 0 or not found:
        return wanted == 0 and not found
    # Going back makes a new revision; Helm notes in it where it comes from.
    is_wanted = found["revision"] == wanted or found.get("description") == "Rollback to %d" % wanted
    return found["status"] == "deployed" and is_wanted


def helm(module, arguments, may_fail=False):
    return module.run_helm_command([module.get_helm_binary(), *arguments], fails_on_error=not may_fail)


if __name__ == "__main__":
    main()
