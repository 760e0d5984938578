"""Stands in for `uv run ... -m MODULE ARGUMENTS`, by which SkyRL's server starts its engine: runs the module in this very process, so
that its id is the module's. Before Python 3.12 pydantic asks for the TypedDict of typing_extensions."""
import runpy
import sys

if sys.version_info < (3, 12):
    import typing

    import typing_extensions

    typing.TypedDict = typing_extensions.TypedDict
sys.argv = sys.argv[sys.argv.index("-m") + 1 :]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
