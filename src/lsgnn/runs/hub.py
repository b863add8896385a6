"""Runs on the Hugging Face Hub: the folder that `Run.save` writes, with a model card. Needs the extra `[hub]`."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from lsgnn.errors import InputError
from lsgnn.extras import optional
from lsgnn.files import write_text

if TYPE_CHECKING:
    from lsgnn.runs.run import Run


def push_to_hub(
    run: Run, repo_id: str, *, private: bool = True, token: str | None = None, message: str = "Upload LSGNN run"
) -> str:
    """Uploads a run and returns its address.

    Args:
        repo_id: `user/name`; created if it does not exist.
        private: of a new repository. True by default, because the graph with its ids and labels is part of a run.
        token: as in `huggingface_hub`; by default the one you are logged in with.
        message: of the commit.
    """
    hub = optional("huggingface_hub", "hub")
    api = hub.HfApi(token=token)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        run.save(path)
        write_text(path / "README.md", model_card(run, repo_id))
        try:
            api.create_repo(repo_id, private=private, exist_ok=True)
            api.upload_folder(repo_id=repo_id, folder_path=str(path), commit_message=message)
        except _refusals() as error:
            raise InputError(
                f"the Hub did not take {repo_id!r} ({_first_line(error)}): check name and token"
            ) from error
    return f"https://huggingface.co/{repo_id}"


def from_hub(repo_id: str, *, revision: str | None = None, token: str | None = None) -> Run:
    """Downloads a run that `push_to_hub` uploaded (kept in the Hub's cache); executes no code from it.

    Args:
        revision: branch, tag or commit; pin a commit to get the same run for ever.
    """
    from lsgnn.runs.checkpoint import FILES, load_run

    hub = optional("huggingface_hub", "hub")
    try:
        folder = hub.snapshot_download(repo_id, revision=revision, token=token, allow_patterns=list(FILES))
    except _refusals() as error:
        raise InputError(f"cannot get {repo_id!r} from the Hub ({_first_line(error)}): check name and token") from error
    return load_run(Path(folder))


def model_card(run: Run, repo_id: str) -> str:
    """The README.md of the repository: what it is, how good it is, how to use it."""
    scores = "\n".join(f"| {name} | {value:.4f} |" for name, value in run.metrics.items())
    decision = ""
    if run.decision is not None:
        name, threshold = run.graph.class_names[run.positive], run.decision.threshold
        decision = f"A node is called `{name}` from a probability of {threshold:.4g} on ({run.decision.rule}).\n\n"
    return f"""---
library_name: lsgnn
tags: [graph-neural-network, node-classification, heterophily]
---
# LSGNN on {run.graph.name}

Classifies the {run.graph.num_nodes} nodes of `{run.graph.name}` into {", ".join(run.graph.class_names)}.

{decision}| score | value |
|---|---|
{scores}

```python
from lsgnn.runs.hub import from_hub

run = from_hub({repo_id!r})
run.predict().to_table()
```
"""


def _refusals() -> tuple[type[Exception], ...]:
    """What the Hub raises for wrong names, missing rights and no network."""
    errors: Any = optional("huggingface_hub.errors", "hub")
    # without a network it is an error of the library that talks HTTP, whose errors are bases of the Hub's own
    http = [kind for kind in errors.HfHubHTTPError.__mro__ if issubclass(kind, Exception) and kind is not Exception]
    return (*http, errors.HFValidationError, errors.LocalEntryNotFoundError, OSError)


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).strip().splitlines()[0].rstrip(".:")
