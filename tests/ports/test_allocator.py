"""What a C library kept of freed memory is given back: in a process of its own, whose memory nothing else moves."""

import subprocess
import sys

FILLED_AND_FREED = """
import ctypes
from apps.stack.memory_use import summed_pss
from memory_platform.adapters.allocator import return_freed_memory
import os
library = ctypes.CDLL(None)
library.malloc.restype = ctypes.c_void_p
library.free.argtypes = [ctypes.c_void_p]
blocks = [library.malloc(8192) for _ in range(8192)]
for block in blocks:
    ctypes.memset(block, 1, 8192)
# The last one keeps the heap from shrinking by itself.
for block in blocks[:-1]:
    library.free(block)
kept = summed_pss([os.getpid()])
return_freed_memory()
print(kept - summed_pss([os.getpid()]))
"""


def test_what_was_freed_below_what_is_used_goes_back_to_the_system():
    ran = subprocess.run([sys.executable, "-c", FILLED_AND_FREED], capture_output=True, text=True, check=True)

    assert int(ran.stdout) > 48 * 2**20
