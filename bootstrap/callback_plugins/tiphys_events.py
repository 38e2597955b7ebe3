"""Tells what the roles do, one JSON object a line, on the file descriptor that TIPHYS_EVENTS_FD names."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import stat
import threading
from datetime import datetime, timezone

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = r"""
name: tiphys_events
type: notification
short_description: Tells Tiphys what the bootstrap does
description:
  - Writes role-started, phase, retrying, task-failed, role-result and finished, one JSON object a line.
  - Does nothing without TIPHYS_EVENTS_FD. A reader that goes away does not disturb the run, unless TIPHYS_ENDS_WITH_READER is 1.
"""

PHASES = ("pre-check", "apply", "test", "validate", "rollback", "result")
STATUSES = ("success", "failed", "rolled_back")
LONGEST = 2000
HIDDEN = "hidden, because it could contain a secret"


class CallbackModule(CallbackBase):
    """The callback; it only listens."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "notification"
    CALLBACK_NAME = "tiphys_events"
    CALLBACK_NEEDS_ENABLED = True

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._fd = channel()
        self._roles = set()
        self._names = {}
        if self._fd is not None and os.environ.get("TIPHYS_ENDS_WITH_READER") == "1":
            threading.Thread(target=end_with_reader, args=(self._fd,), daemon=True).start()

    def v2_playbook_on_task_start(self, task, is_conditional):
        role, phase = place(task)
        # Only here the name has its variables filled in.
        self._names[task._uuid] = str(task.name or task.action)
        if role is None:
            return
        if role not in self._roles:
            self._roles.add(role)
            self._tell({"event": "role-started", "role": role, "at": now()})
        if phase is not None:
            self._tell({"event": "phase", "role": role, "phase": phase, "task": self._name(task)})

    def v2_runner_retry(self, result):
        task, told = task_of(result), told_by(result)
        role, _phase = place(task)
        if role is not None:
            attempts = {"attempt": told.get("attempts", 1), "of": told.get("retries", 1)}
            self._tell({"event": "retrying", "role": role, "task": self._name(task), **attempts})

    def v2_runner_on_failed(self, result, ignore_errors=False):
        task = task_of(result)
        role, phase = place(task)
        if role is None:
            return
        event = {"event": "task-failed", "role": role, "task": self._name(task), "message": message_of(task, told_by(result))}
        self._tell(event if phase is None else {**event, "phase": phase})

    def v2_runner_on_ok(self, result):
        task = task_of(result)
        role, _phase = place(task)
        if role is None:
            return
        facts = told_by(result).get("ansible_facts") or {}
        outcome = facts.get("%s_result" % role.replace("-", "_"))
        if isinstance(outcome, dict) and outcome.get("status") in STATUSES:
            self._tell({"event": "role-result", "role": role, **readable(outcome)})

    def v2_playbook_on_stats(self, stats):
        counts = {"ok": stats.ok, "changed": stats.changed, "failed": stats.failures, "skipped": stats.skipped, "rescued": stats.rescued}
        self._tell({"event": "finished", **{name: sum(count.values()) for name, count in counts.items()}})

    def _name(self, task):
        return self._names.get(task._uuid) or str(task.name or task.action)

    def _tell(self, event):
        """A line that nobody takes must not stop the run: after the first trouble there are no more lines."""
        if self._fd is None:
            return
        line = (json.dumps(event, default=str) + "\n").encode()
        try:
            if not select.select([], [self._fd], [], 5)[1]:
                raise OSError("nobody reads")
            while line:
                line = line[os.write(self._fd, line):]
        except (OSError, ValueError):
            self._fd = None


def channel():
    """The descriptor to write on; None without one, or if it is nothing that can be written on."""
    text = os.environ.get("TIPHYS_EVENTS_FD", "")
    if not text.isdigit():
        return None
    try:
        mode = os.fstat(int(text)).st_mode
    except OSError:
        return None
    return int(text) if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or stat.S_ISREG(mode) else None


def end_with_reader(fd):
    """Whoever reads supervises. If it was killed, nobody could stop us any more, and its successor would meet us at work."""
    poll = select.poll()
    poll.register(fd, 0)
    poll.poll()
    # A group of our own: Helm, which may be waiting for minutes, ends, too. Never somebody else's shell.
    if os.getpgid(0) == os.getpid():
        os.killpg(os.getpid(), signal.SIGTERM)
    else:
        os.kill(os.getpid(), signal.SIGTERM)


def place(task):
    """The outermost role of a task, and the phase it belongs to: shared tasks belong to who includes them."""
    role, phase, node = None, None, task
    while node is not None:
        role = getattr(node, "_role", None) or role
        phase = phase_of(node) or phase
        node = getattr(node, "_parent", None)
    return (None if role is None else role.get_name(), phase)


def phase_of(node):
    path = node.get_path() if hasattr(node, "get_path") else None
    found = re.search(r"([^/]+)\.yml:\d+$", path or "")
    return found.group(1) if found and found.group(1) in PHASES else None


def task_of(result):
    return getattr(result, "task", None) or result._task


def told_by(result):
    told = getattr(result, "result", None)
    return told if isinstance(told, dict) else result._result


def message_of(task, told):
    if task.no_log or told.get("_ansible_no_log") or "censored" in told:
        return HIDDEN
    items = [one for one in told.get("results") or [] if isinstance(one, dict) and one.get("failed")]
    if items:
        return message_of(task, items[0])
    text = str(told.get("msg") or "")
    helm = re.search(r"stderr: (.*)$", text, re.DOTALL)
    text = " ".join((helm.group(1) if helm and helm.group(1).strip() else text).split())
    if not text and "attempts" in told:
        text = "not so after %s attempts" % told["attempts"]
    return (text or "failed without a message")[:LONGEST]


def readable(outcome):
    """The result of a role with the types that were agreed on, without what it does not know."""
    told = {"status": str(outcome["status"]), "changed": str(outcome.get("changed")).lower() == "true"}
    for name, kind in (("seconds", float), ("chart", str), ("version", str), ("appVersion", str), ("revision", int), ("error", str)):
        value = outcome.get(name)
        if value not in (None, "", 0, "0"):
            told[name] = kind(value)
    return told


def now():
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
