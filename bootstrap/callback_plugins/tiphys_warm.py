"""Imports once what every module needs, before Ansible makes a copy of itself for each task."""

from __future__ import annotations

import gc
import importlib

import yaml
from ansible.plugins.callback import CallbackBase
from ansible.plugins.loader import filter_loader, test_loader

DOCUMENTATION = r"""
name: tiphys_warm
type: aggregate
short_description: Imports what the modules of kubernetes.core need
description:
  - With the connection tiphys_local modules find it imported, which takes them most of a second otherwise; YAML they read with libyaml.
  - What is not there is not imported; the module that misses it says so in its own words.
  - The filters and tests of templates are read as well, which each copy would do again for its first template.
"""

CORE = "ansible_collections.kubernetes.core.plugins.module_utils"
NEEDED = (
    "kubernetes.client.api_client",
    "kubernetes.dynamic",
    "jsonpatch",
    *(f"{CORE}.{name}" for name in ("ansiblemodule", "args_common", "helm", "helm_args_common", "k8s.client", "k8s.core", "k8s.service")),
)


class CallbackModule(CallbackBase):
    """Listens for the beginning only."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "tiphys_warm"
    CALLBACK_NEEDS_ENABLED = True

    def v2_playbook_on_start(self, playbook):
        # What Helm says of a large release takes seconds to read without libyaml; what is read is the same.
        yaml.SafeLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        for name in NEEDED:
            try:
                importlib.import_module(name)
            except ImportError:
                continue
        # The first of each reads all of them.
        filter_loader.get("ansible.builtin.combine")
        test_loader.get("ansible.builtin.search")
        # Whoever looks for garbage writes to every object, and so copies what a fork had shared: what is here by now stays, and is left alone.
        gc.collect()
        gc.freeze()
        gc.set_threshold(10_000, 20, 20)
