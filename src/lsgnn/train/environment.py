"""What a result was made with."""

from __future__ import annotations

import platform


def environment() -> dict[str, str]:
    """Versions and machine, for the record."""
    import numpy
    import scipy
    import torch

    import lsgnn

    return {
        "lsgnn": lsgnn.__version__,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": numpy.__version__,
        "scipy": scipy.__version__,
        "machine": f"{platform.system()} {platform.machine()}",
    }
