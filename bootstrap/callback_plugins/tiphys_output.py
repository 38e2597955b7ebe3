"""What Ansible prints for people, without what a task must not show."""

from __future__ import annotations

from ansible.plugins.callback.default import CallbackModule as Default

DOCUMENTATION = r"""
name: tiphys_output
type: stdout
short_description: The usual output, in which no_log hides everything
description:
  - Since ansible-core 2.19 a failed task prints its error and its warnings even with no_log, and modules repeat there what they were given.
  - Here such a task prints that it has failed, and nothing else. Everything besides is as with the callback default.
extends_documentation_fragment:
  - default_callback
  - result_format_callback
"""

HIDDEN = ("exception", "warnings", "deprecations")


class CallbackModule(Default):
    """The output; it differs in one thing."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "tiphys_output"

    def _handle_warnings_and_exception(self, result):
        told = result.result
        if "censored" in told or told.get("_ansible_no_log"):
            for name in HIDDEN:
                told.pop(name, None)
        super()._handle_warnings_and_exception(result)
