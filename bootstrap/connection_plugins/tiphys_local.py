"""This machine, without a new Python for every module."""

from __future__ import annotations

import atexit
import os
import selectors
import shlex
import signal
import sys
import traceback

from ansible.plugins.connection.local import Connection as Local

try:
    from ansible.module_utils import _internal
except ImportError:
    # Before ansible-core 2.19, with which this was never tried.
    _internal = None

DOCUMENTATION = r"""
name: tiphys_local
short_description: As local, but modules run in a copy of the process that asks for them
description:
  - A module of kubernetes.core spends nine tenths of its time on importing what it needs. A copy of a process that has imported it does not.
  - Whatever is not a module of a collection, or wants another Python, is left to the connection local; with an Ansible older than 2.19 everything.
author: Tiphys
extends_documentation_fragment:
  - connection_pipelining
"""

# What a module of a collection is sent with. Those beside the playbooks belong to a package of which this process knows another part.
MODULE = b"ansible_collections."


class Connection(Local):
    """As local, and faster."""

    transport = "tiphys_local"

    def exec_command(self, cmd, in_data=None, sudoable=True):
        is_usual = _internal is None or in_data is None or MODULE not in in_data or self.become
        if is_usual or not is_plain(cmd):
            return super().exec_command(cmd, in_data=in_data, sudoable=sudoable)
        return run_in_copy(in_data)


def is_plain(cmd):
    """Whether a shell is asked for this very Python and nothing else: no other one, no variables before it."""
    words = shlex.split(cmd)
    return len(words) == 3 and words[1] == "-c" and shlex.split(words[2])[:1] == [sys.executable]


def run_in_copy(source):
    """Runs a module to its end in a copy of this process; gives exit code, output and errors."""
    out, err = os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(out[0])
        os.close(err[0])
        become_module(source, out[1], err[1])
    os.close(out[1])
    os.close(err[1])
    said, complained = read_all(out[0], err[0])
    _, status = os.waitpid(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    # Who was ended by a signal, as a shell says it.
    return code if code >= 0 else 128 - code, said, complained


def become_module(source, out, err):
    """Never returns. What this process would do at its end is not the module's business; what the module leaves for its own end is."""
    code = 1
    try:
        forget_the_worker()
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(out, 1)
        os.dup2(err, 2)
        sys.stdin, sys.stdout, sys.stderr = open(0, closefd=False), open(1, "w", closefd=False), open(2, "w", closefd=False)
        sys.argv = ["module"]
        try:
            code = exit_code_of(source)
        finally:
            # The client of Kubernetes keeps keys in files until then.
            atexit._run_exitfuncs()
            sys.stdout.flush()
            sys.stderr.flush()
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def forget_the_worker():
    """What is Ansible's own: what it does at its end and at a signal, and that warnings go to its display instead of into the result."""
    atexit._clear()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _internal.is_controller = False


def exit_code_of(source):
    """Modules end by SystemExit."""
    try:
        exec(compile(source, "module", "exec"), {"__name__": "__main__", "__file__": "module"})
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


def read_all(*descriptors):
    """Everything that comes through these pipes, until all of them are closed."""
    chunks = {one: [] for one in descriptors}
    with selectors.DefaultSelector() as selector:
        for one in descriptors:
            selector.register(one, selectors.EVENT_READ)
        while selector.get_map():
            for key, _ in selector.select():
                data = os.read(key.fd, 65536)
                if data:
                    chunks[key.fd].append(data)
                else:
                    selector.unregister(key.fd)
                    os.close(key.fd)
    return [b"".join(chunks[one]) for one in descriptors]
