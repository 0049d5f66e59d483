"""The NumPy programs of the examples with PyTorch in the place of NumPy: arrays on the device, one kernel for each operation. Only programs
whose functions PyTorch has under NumPy's names run; the others are left out. Arguments are put on the device before the measurement, and a
result is waited for."""

from pathlib import Path

import numpy as np
import torch

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"
DEVICE = "cuda"


class Placed:
    """A module whose functions make their arrays on the device."""

    MAKERS = {"arange", "zeros", "ones", "empty", "full", "linspace", "eye"}

    def __getattr__(self, name):
        found = getattr(torch, name)
        return (lambda *args, **named: found(*args, device=DEVICE, **named)) if name in self.MAKERS else found


class Result:
    """What the worker fetches."""

    def __init__(self, value):
        self.value = value

    def get(self):
        return self.value.cpu().numpy() if isinstance(self.value, torch.Tensor) else np.asarray(self.value)


def wait(values):
    torch.cuda.synchronize()
    return tuple(map(Result, values)) if isinstance(values, tuple) else Result(values)


def prepare(name, arguments):
    """The function, its arguments, and what has to be done to its result before it is there."""
    import worker

    module = worker.load(EXAMPLES / name / f"{name}.py")
    module.np = Placed()
    placed = [torch.from_numpy(np.ascontiguousarray(value)).to(DEVICE) if np.ndim(value) else value for value in arguments]
    return module.reference, placed, wait
