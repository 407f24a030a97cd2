"""Golden shardings in a test: the program is sharded as the committed file says, or the test fails and says what changed.

    def test_step():
        tessera.assert_shardings(jax.jit(step).lower(*arguments), "step.golden.txt")

`pytest --tessera-update` (without pytest: TESSERA_UPDATE=1) writes the files anew.
"""

from __future__ import annotations

import os
import pathlib
import re
import sys
from typing import Any

from tessera import comparison
from tessera.sharded import Sharded, shard

# Set by the plugin.
update = False


def assert_shardings(module: Any, golden: str | os.PathLike[str], **settings: Any) -> None:
    """AssertionError with each tensor that lost or gained an axis, and the bytes that it costs.

    module: what `tessera.shard` takes, with its `settings`, or what it returned.
    golden: the file; a relative path counts from the folder of the calling file.
    TypeError for `settings` of a module that was sharded already: they would change nothing.
    ShardingError where the file is of another mesh or another reference: nothing to be compared then.
    """
    __tracebackhide__ = True
    if isinstance(module, Sharded) and settings:
        raise TypeError(f"the module is sharded already, {', '.join(settings)}= would change nothing: give t.with_mesh(..), "
                        "t.with_annotations(..), or the module itself")
    sharded = module if isinstance(module, Sharded) else shard(module, **settings)
    path = pathlib.Path(sys._getframe(1).f_globals.get("__file__", ".")).parent / golden
    if update or os.environ.get("TESSERA_UPDATE", "0") not in ("", "0"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_without_folders(sharded.record()), encoding="utf-8")
        return
    if not path.exists():
        raise AssertionError(f"there is no golden file {path}: write it with pytest --tessera-update, look at it and commit it")
    changed = comparison.check(sharded, path)
    if changed:
        raise AssertionError(f"not sharded as in {path}\n\n{changed}\n\nif that is meant: pytest --tessera-update")


def _without_folders(record: str) -> str:
    """source="/home/me/model.py:41" -> source="model.py:41": the same file wherever the program stands. Nothing is compared with it."""
    return re.sub(r'(, source=")[^"]*/([^"/]+"$)', r"\1\2", record, flags=re.MULTILINE)
