"""An analysis of measurements with ten planted mistakes; the comments say which rule should find them."""

import numpy as np

n_samples = 200
n_features = 8
n_classes = 8


def load(seed):
    """Samples, labels and weights."""
    rng = np.random.default_rng(seed)
    x = rng.normal(0.0, 1.0, (n_samples, n_features))
    labels = rng.integers(0, n_classes, n_samples)
    weights = rng.random(n_samples)
    return x, labels, weights


def standardise(x):
    """Columns with mean 0 and deviation 1."""
    centre = x.mean(axis=0)
    spread = x.std(axis=0)
    return (x - centre) / spread


def standardise_rows(x):
    """Rows with mean 0."""
    centre = x.mean(axis=1)
    return x - centre  # L01


def softmax(scores):
    """Rows that sum to one."""
    top = scores.max(axis=1, keepdims=True)
    e = np.exp(scores - top)
    return e / e.sum(axis=1, keepdims=True)


def transition(counts):
    """Rows of probabilities from counts of transitions between classes."""
    totals = counts.sum(axis=1)
    return counts / totals  # L03


def one_hot(labels):
    """A row for each label."""
    out = np.zeros((n_samples, n_classes))
    out[np.arange(n_samples), labels] = 1.0
    return out


def residuals(x, w, y):
    """What a linear model does not explain."""
    prediction = x @ w.reshape(-1, 1)
    return y - prediction  # L02


def smooth(signal):
    """Means of three neighbours; the ends stay."""
    inner = signal[1:-1]
    inner[:] = (signal[2:] + signal[1:-1] + signal[:-2]) / 3  # L06
    return signal


def clean_nans(values):
    """Without what was not measured."""
    return values[values != np.nan]  # L07


def rounded_means(x):
    """Means as whole numbers."""
    out = np.zeros(n_features, dtype=int)
    for j in range(n_features):
        out[j] = x[:, j].mean()  # L05
    return out


def edges(image):
    """Differences of neighbouring pixels."""
    pixels = image.astype(np.uint8)
    return pixels[:, 1:] - pixels[:, :-1]  # L05


def spectrum(x):
    """The power of the last axis but one."""
    power = np.abs(x) ** 2
    return power.sum(axis=2)  # L04


def main():
    """Everything."""
    x, labels, weights = load(1)
    x = np.random.randn(n_samples, n_features)
    z = standardise(x)
    standardise_rows(z)
    w = np.zeros(n_features)
    y = np.zeros(n_samples)
    p = softmax(z)
    bias = np.ones(n_classes)
    shifted = x + bias  # L03
    residuals(x, w, y)
    t = transition(np.ones((n_classes, n_classes)))
    smooth(np.linspace(0.0, 1.0, 50))
    clean_nans(y)
    rounded_means(x)
    edges(np.zeros((20, 30)))
    spectrum(z)
    gram = x.T @ x
    projected = x @ gram
    weighted = projected * np.ones((n_samples, 1))
    total = np.concatenate((weighted, shifted), axis=1)
    return total, t, p, one_hot(labels), np.dot(gram, x)  # L01


if __name__ == "__main__":
    main()
