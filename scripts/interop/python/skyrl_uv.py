"""Stands in for `uv run ... -m MODULE ARGUMENTS`, with which SkyRL's server is started, looks at how it was started, and starts its
engine: runs the module in a process below. Before Python 3.12 pydantic asks for the TypedDict of typing_extensions."""
import runpy
import subprocess
import sys

if sys.argv[1] != "--module":
    sys.exit(subprocess.call([sys.executable, __file__, "--module", *sys.argv[sys.argv.index("-m") + 1 :]]))
if sys.version_info < (3, 12):
    import typing

    import typing_extensions

    typing.TypedDict = typing_extensions.TypedDict
sys.argv = sys.argv[2:]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
