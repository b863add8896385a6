"""The errors a user can cause. Each message names the value, the rule and the fix, in one sentence."""


class InputError(ValueError):
    """Something the user passed cannot be used: a graph, a file, a setting or a name."""


class DatasetUnavailable(InputError):
    """A known dataset is not on this machine and cannot be downloaded."""


class TrainingDiverged(InputError):
    """No epoch of a training run had, or could have had, a finite validation loss; with other settings some may."""


class LSGNNWarning(UserWarning):
    """The input was accepted, but the user should know something about it."""
