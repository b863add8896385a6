"""What a result was made with."""

from __future__ import annotations

import platform


def environment() -> dict[str, str]:
    """Versions, machine and, in a checkout of the repository, its commit, for the record."""
    from importlib.metadata import version

    import numpy
    import scipy
    import torch

    import lsgnn
    from lsgnn.train.commit import commit

    made_at = commit()
    return {
        "lsgnn": lsgnn.__version__,
        **({"commit": made_at} if made_at else {}),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": numpy.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": version("scikit-learn"),
        "machine": f"{platform.system()} {platform.machine()}",
    }
