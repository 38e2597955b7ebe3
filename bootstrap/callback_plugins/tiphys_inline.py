"""Runs in Ansible's own process what only Ansible itself has a part in, instead of in a copy for each task."""

from __future__ import annotations

from ansible import constants
from ansible.errors import AnsibleError
from ansible.plugins.callback import CallbackBase
from ansible.release import __version__

DOCUMENTATION = r"""
name: tiphys_inline
type: aggregate
short_description: Runs tasks without a module in the process of Ansible
description:
  - Ansible makes a copy of itself for each task, also for one that sets a fact or is skipped. Such a copy costs more than the task.
  - Here assertions, facts, includes and messages, and whatever is skipped, run where Ansible decides on them. Modules run in copies as ever.
  - With an Ansible of another series than 2.19 everything goes the usual way.
"""

ALONE = {f"ansible.builtin.{name}" for name in ("assert", "debug", "fail", "include_role", "include_tasks", "set_fact")}


class CallbackModule(CallbackBase):
    """Listens for the beginning only."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "tiphys_inline"
    CALLBACK_NEEDS_ENABLED = True

    def v2_playbook_on_start(self, playbook):
        # What is used below is nobody's promise: with another series it was never tried.
        if __version__.startswith("2.19."):
            run_inline()


def run_inline():
    """From here on, whoever starts a worker for a task that needs none gets the task's result without one."""
    from ansible.executor.process.worker import WorkerProcess

    start = WorkerProcess.start
    if start.__module__ == __name__:
        return

    def start_or_run(worker):
        is_alone = needs_no_copy(worker._task, worker._task_vars)
        # How often Ansible looks for a result (seconds): one of ours is there already, while a thousand looks a second at a Helm that waits cost a tenth of a core.
        constants.DEFAULT_INTERNAL_POLL_INTERVAL = 0.001 if is_alone else 0.01
        (run if is_alone else start)(worker)

    WorkerProcess.start = start_or_run


def needs_no_copy(task, variables):
    """Whether nothing but Ansible takes part: no module, no connection, no waiting."""
    if task.until or task.delegate_to or task.async_val or task.timeout:
        return False
    return task.action in ALONE or is_skipped(task, variables)


def is_skipped(task, variables):
    """Whether its condition is false. One that speaks of a loop's variable cannot be told before, and is told by whoever runs the task."""
    if not task.when:
        return False
    try:
        return not task._resolve_conditional(task.when, variables)
    except AnsibleError:
        return False


def run(worker):
    """What a worker does, on copies of what it would change."""
    from ansible._internal._task import TaskContext
    from ansible.executor.task_executor import TaskExecutor
    from ansible.executor.task_result import _RawTaskResult

    task = worker._task.copy(exclude_parent=True, exclude_tasks=True)
    task._parent = worker._task._parent
    context = worker._play_context.copy()
    with TaskContext(task):
        executor = TaskExecutor(
            worker._host,
            task,
            dict(worker._task_vars),
            context,
            worker._loader,
            worker._shared_loader_obj,
            worker._final_q,
            worker._variable_manager,
        )
        told = executor.run()
        # Through the queue as from a worker, so that nobody keeps what somebody else holds.
        worker._final_q.send_task_result(_RawTaskResult(host=worker._host, task=task, return_data=told, task_fields=task.dump_attrs()))
