"""Imports once what every module needs, before Ansible makes a copy of itself for each task."""

from __future__ import annotations

import importlib

import yaml
from ansible.plugins.callback import CallbackBase

DOCUMENTATION = r"""
name: tiphys_warm
type: aggregate
short_description: Imports what the modules of kubernetes.core need
description:
  - With the connection tiphys_local modules find it imported, which takes them most of a second otherwise; YAML they read with libyaml.
  - What is not there is not imported; the module that misses it says so in its own words.
"""

CORE = "ansible_collections.kubernetes.core.plugins.module_utils"
NEEDED = ("kubernetes.client.api_client", "kubernetes.dynamic", f"{CORE}.k8s.service", f"{CORE}.k8s.core", f"{CORE}.helm")


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
