"""Becomes the program of the command line, bound to the life of the process that asked for it.

Run as a script by `process.py`: `die_with_parent.py SIGNAL PARENT UID GID PROGRAM ARGUMENT…`. It gives up root when UID
is not `-`, asks Linux to send SIGNAL when the parent's starting thread ends, and replaces itself with PROGRAM. A script
of its own rather than a `preexec_fn`, which may deadlock in a process with threads. Imports the standard library only.
"""

import ctypes
import os
import sys

PR_SET_PDEATHSIG = 1


def main(arguments: list[str]) -> None:
    death_signal, parent, uid, gid, *command = arguments
    if uid != "-":
        os.setgroups([])
        os.setgid(int(gid))
        os.setuid(int(uid))
    if sys.platform == "linux":
        # After setuid, which clears the request.
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(death_signal), 0, 0, 0)
        if os.getppid() != int(parent):
            sys.exit("the parent ended before its child had started")
    os.execv(command[0], command)  # noqa: S606 - no shell is wanted


if __name__ == "__main__":
    main(sys.argv[1:])
