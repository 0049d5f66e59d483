"""`lib/signal` against formulas written with NumPy."""

import numpy as np
from case import Case, Fails, edges

LIBRARY = "lib/signal"
COMPLETE = True
MODULES = {"f64": "signal"}
CASES = []


def case(name, parameters, inputs, oracle, tolerance=1e-9, body=None, **more):
    names = " ".join(p.split(":")[0] for p in parameters)
    declared = " ".join(f"({p})" for p in parameters)
    sizes = "".join(f"[{s}] " for s in "nmk" if f"[{s}]" in declared)
    CASES.append(Case(name, f"entry {{name}} {sizes}{declared} = {body or f'signal.{name} {names}'}", inputs, oracle, types={"f64": tolerance}, **more))


some = lambda g, lo, hi: float(np.exp(g.rng.uniform(np.log(lo), np.log(hi))))
# Windows of two points are 0 but for rounding.
POINTS = lambda g: (g.pick(0, 1) if g.number < 6 else g.size(3, 40),)
angles = lambda n: np.linspace(0, 2 * np.pi, n)
one = lambda w: lambda n, *rest: np.ones(n) if n < 2 else w(n, *rest)
cosines = lambda *a: one(lambda n: sum((-1) ** j * c * np.cos(j * angles(n)) for j, c in enumerate(a)))
case("general_cosine", ["n: i64", "a: [k]f64"], lambda g: (*POINTS(g), g.array(g.size(1, 5))), lambda n, a: cosines(*a)(n))
case("hann", ["n: i64"], POINTS, np.hanning)
case("hann_periodic", ["n: i64"], POINTS, lambda n: np.hanning(n + 1)[:-1] if n > 1 else np.ones(n))
case("hamming", ["n: i64"], POINTS, np.hamming)
case("blackman", ["n: i64"], POINTS, np.blackman)
case("nuttall", ["n: i64"], POINTS, cosines(0.3635819, 0.4891775, 0.1365995, 0.0106411))
case("flattop", ["n: i64"], POINTS, cosines(0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368))
case("bartlett", ["n: i64"], POINTS, np.bartlett)
case("cosine", ["n: i64"], POINTS, lambda n: np.sin(np.pi / n * (np.arange(n) + 0.5)) if n else np.ones(0))
case("gaussian", ["n: i64", "d: f64"], lambda g: (*POINTS(g), some(g, 0.5, 20)), lambda n, d: np.exp(-(((np.arange(n) - (n - 1) / 2) / d) ** 2) / 2))


def tukey(n, alpha):
    if n < 2 or alpha <= 0:
        return np.ones(n)
    x = np.arange(n) / (n - 1)
    x = np.minimum(x, 1 - x)
    return np.where(x < alpha / 2, 0.5 * (1 - np.cos(2 * np.pi * x / alpha)), 1.0)


case("tukey", ["n: i64", "a: f64"], lambda g: (*POINTS(g), g.pick(0.0, 1.0, float(g.rng.random()))), tukey)
case("kaiser", ["n: i64", "b: f64"], lambda g: (*POINTS(g), float(g.integer(0, 20))), np.kaiser, 1e-7)
case("sawtooth", ["x: f64"], lambda g: (float(g.rng.normal() * 20),), lambda x: np.mod(x, 2 * np.pi) / np.pi - 1)
case("square", ["x: f64", "d: f64"], lambda g: (float(g.rng.normal() * 20), float(g.rng.random())), lambda x, d: 1.0 if np.mod(x, 2 * np.pi) < 2 * np.pi * d else -1.0)
case("chirp", ["t: f64", "f: f64", "u: f64", "h: f64"], lambda g: tuple(g.array(4, lo=0.1)), lambda t, f0, t1, f1: np.cos(2 * np.pi * (f0 * t + 0.5 * (f1 - f0) / t1 * t**2)), 1e-8)


# Filters


def lfilter(b, a, x, zi=None):
    """By the difference equation, or by its transposed form with a state before the first element."""
    n = max(len(a), len(b))
    b, a = np.pad(b, (0, n - len(b))) / a[0], np.pad(a, (0, n - len(a))) / a[0]
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = sum(b[j] * x[i - j] for j in range(n) if j <= i) - sum(a[j] * y[i - j] for j in range(1, n) if j <= i) + (zi[i] if zi is not None and i < n - 1 else 0)
        # What the state adds to later elements comes back through the denominator only.
    return y


def filters(g, least=0):
    """Stable ones: the poles are within the circle."""
    poles = g.rng.uniform(-0.8, 0.8, g.integer(0, 4))
    return g.array(g.size(1, 5)), np.real(np.poly(poles)) * g.pick(1.0, 2.0) if len(poles) else np.array([g.pick(1.0, 2.0)]), g.array(g.size(least, 40))


def steady(b, a):
    """The state of the transposed form under a constant 1, from the equations of the state."""
    n = max(len(a), len(b))
    b, a = np.pad(b, (0, n - len(b))) / a[0], np.pad(a, (0, n - len(a))) / a[0]
    if n == 1:
        return np.zeros(0)
    shift = np.eye(n - 1, k=1)
    shift[:, 0] -= a[1:]
    return np.linalg.solve(np.eye(n - 1) - shift, b[1:] - a[1:] * b[0])


def filtfilt(b, a, x):
    edge = 3 * max(len(a), len(b))
    if len(x) <= edge:
        return Fails(506)
    extended = np.concatenate((2 * x[0] - x[edge:0:-1], x, 2 * x[-1] - x[-2 : -edge - 2 : -1]))
    z = steady(b, a)
    once = lambda y: lfilter(b, a, y, z * y[0])
    return once(once(extended)[::-1])[::-1][edge:-edge]


FILTER = ["b: [k]f64", "a: [m]f64", "xs: [n]f64"]
case("lfilter", FILTER, filters, lfilter, 1e-8)
case("lfilter_zi", FILTER[:2], lambda g: filters(g)[:2], steady, 1e-8)
case("filtfilt", FILTER, lambda g: filters(g, 14), filtfilt, 1e-6)
case("sosfilt", ["s: [k][6]f64", "xs: [n]f64"], lambda g: (np.array([[*g.array(3, lo=-1, hi=1), *np.poly(g.rng.uniform(-0.8, 0.8, 2))] for _ in range(g.size(1, 3))]), g.array(g.size(0, 40))), lambda s, x: [x := lfilter(r[:3], r[3:], x) for r in s][-1], 1e-8)


def freqz(b, a, w):
    z = np.exp(-1j * w)
    return np.polyval(b[::-1], z) / np.polyval(a[::-1], z)


PARTS = "let zs = signal.{name} {names} in (map (.0) zs, map (.1) zs)"
case("freqz", ["b: [k]f64", "a: [m]f64", "ws: [n]f64"], lambda g: (*filters(g)[:2], g.rng.uniform(0, np.pi, g.size())), freqz, 1e-8, body=PARTS.format(name="freqz", names="b a ws"))


def ideal(n, lo, hi):
    x = np.arange(n) - (n - 1) / 2
    return hi * np.sinc(hi * x) - lo * np.sinc(lo * x)


def normalised(h, middle):
    return h / np.sum(h * np.cos(np.pi * (np.arange(len(h)) - (len(h) - 1) / 2) * middle))


WINDOW = lambda g: np.hamming(g.size(2, 20) * 2 + 1)
case("firwin", ["w: [n]f64", "c: f64"], lambda g: (np.hamming(g.size(5, 40)), float(g.rng.uniform(0.05, 0.95))), lambda w, c: normalised(ideal(len(w), 0, c) * w, 0))
case("firwin_highpass", ["w: [n]f64", "c: f64"], lambda g: (WINDOW(g), float(g.rng.uniform(0.05, 0.95))), lambda w, c: normalised(ideal(len(w), c, 1) * w, 1))
case("firwin_bandpass", ["w: [n]f64", "a: f64", "b: f64"], lambda g: (lambda a: (WINDOW(g), a, a + float(g.rng.uniform(0.1, 0.4))))(float(g.rng.uniform(0.05, 0.5))), lambda w, a, b: normalised(ideal(len(w), a, b) * w, (a + b) / 2))


def butter(order, cutoff, high):
    """Poles of the analogue filter for frequency 1, scaled, by the bilinear transform at rate 2."""
    k = np.arange(-order + 1, order, 2)
    poles = -np.exp(1j * np.pi * k / (2 * order))
    warped = 4 * np.tan(np.pi * cutoff / 2)
    poles = warped / poles if high else warped * poles
    poles = (4 + poles) / (4 - poles)
    a = np.real(np.poly(poles))
    b = np.real(np.poly(np.full(order, 1.0 if high else -1.0)))
    at = -1.0 if high else 1.0
    return b * np.polyval(a, at) / np.polyval(b, at), a


case("butter_lowpass", ["k: i64", "c: f64"], lambda g: (g.integer(1, 8), float(g.rng.uniform(0.1, 0.9))), lambda k, c: butter(k, c, False), 1e-7)
case("butter_highpass", ["k: i64", "c: f64"], lambda g: (g.integer(1, 8), float(g.rng.uniform(0.1, 0.9))), lambda k, c: butter(k, c, True), 1e-7)

# Smoothing
windows = np.lib.stride_tricks.sliding_window_view
ODD = lambda g: 2 * g.integer(0, 4) + 1
case("medfilt", ["k: i64", "xs: [n]f64"], lambda g: (ODD(g), np.round(g.array(g.size(1, 30)))), lambda k, x: np.median(windows(np.pad(x, k // 2), k), axis=1))


def savgol(k, degree, x):
    """A least-squares fit for each element."""
    out = []
    for i in range(len(x)):
        start = max(0, min(len(x) - k, i - k // 2))
        at = np.arange(k) - k // 2
        out.append(np.polyval(np.polyfit(at, x[start : start + k], degree), i - start - k // 2))
    return np.array(out)


case("savgol_filter", ["k: i64", "d: i64", "xs: [n]f64"], lambda g: (lambda k: (k, g.integer(0, min(4, k - 1)), g.array(g.size(k, 30))))(ODD(g)), savgol, 1e-7)
case("detrend_constant", ["xs: [n]f64"], lambda g: (g.array(g.size(1)),), lambda x: x - x.mean() if len(x) > 1 else np.zeros(1))
case("detrend", ["xs: [n]f64"], lambda g: (g.array(g.size(3)),), lambda x: x - np.polyval(np.polyfit(np.arange(len(x)), x, 1), np.arange(len(x))), 1e-7)


def peaks(x):
    found, i = [], 1
    while i < len(x) - 1:
        j = i
        while j < len(x) - 1 and x[j + 1] == x[i]:
            j += 1
        if x[i - 1] < x[i] and j < len(x) - 1 and x[j + 1] < x[i]:
            found.append((i + j) // 2)
        i = j + 1
    return np.array(found, np.int64)


case("find_peaks", ["xs: [n]f64"], lambda g: (np.round(g.array(g.size(0, 40), lo=0, hi=4)),), peaks)


# Spectra


def hilbert(x):
    z = np.fft.fft(x)
    n = len(x)
    z[1 : (n + 1) // 2] *= 2
    z[n // 2 + 1 :] = 0
    return np.fft.ifft(z)


case("hilbert", ["xs: [n]f64"], lambda g: (g.array(g.size(1, 40)),), hilbert, body=PARTS.format(name="hilbert", names="xs"))
FRAMES = lambda g: (lambda w: (g.integer(1, 8), np.hanning(w + 2)[1:-1], g.array(g.size(0, 60))))(g.size(1, 16))
framed = lambda step, w, x: windows(x, len(w))[::step] if len(x) >= len(w) else np.zeros((0, len(w)))
case("stft_frames", ["s: i64", "w: [m]f64", "xs: [n]f64"], FRAMES, lambda s, w, x: np.fft.rfft(framed(s, w, x) * w, axis=1), body="let zs = signal.stft_frames s w xs in (map (map (.0)) zs, map (map (.1)) zs)")


def spectrogram(fs, step, w, x):
    f = framed(step, w, x)
    z = np.abs(np.fft.rfft((f - f.mean(1, keepdims=True)) * w, axis=1)) ** 2 / (fs * (w**2).sum())
    z[:, 1 : (len(w) + 1) // 2] *= 2
    return z


SPECTRUM = lambda g: (some(g, 0.5, 1000), *FRAMES(g))
case("spectrogram", ["f: f64", "s: i64", "w: [m]f64", "xs: [n]f64"], lambda g: (lambda w: (some(g, 0.5, 1000), g.integer(1, 8), w, g.array(g.size(0, 60))))(np.hanning(g.size(2, 16) + 2)[1:-1]), spectrogram, 1e-8)
case("periodogram", ["f: f64", "xs: [n]f64"], lambda g: (some(g, 0.5, 1000), g.array(g.size(2, 40))), lambda f, x: spectrogram(f, 1, np.ones(len(x)), x)[0], 1e-8)
case("welch", ["f: f64", "w: [m]f64", "xs: [n]f64"], lambda g: (lambda w: (some(g, 0.5, 1000), w, g.array(g.size(len(w), 60))))(np.hanning(g.size(2, 16) + 2)[1:-1]), lambda f, w, x: spectrogram(f, len(w) - len(w) // 2, w, x).mean(0), 1e-8)
case("frequencies", ["n: i64", "f: f64"], lambda g: (g.size(1, 30), some(g, 1, 100)), lambda n, f: np.fft.rfftfreq(n, 1 / f))


# Resampling


def resample(count, x):
    """The sum of the waves that both rates have, at the new times."""
    n, t = len(x), np.arange(count) / count
    z = np.fft.fft(x) / n
    least = min(n, count)
    y = np.zeros(count, complex)
    for k in range(-(least // 2), least // 2 + 1):
        # The highest frequency that is its own mirror image counts half from each side.
        if 2 * abs(k) == least:
            weight = z[k] / 2 if n <= count else (z[k] + z[-k]) / 2
        else:
            weight = z[k]
        y += weight * np.exp(2j * np.pi * k * t)
    return y.real


case("resample", ["c: i64", "xs: [n]f64"], lambda g: (g.size(1, 30), g.array(g.size(1, 30))), resample, 1e-8)


def upfirdn(h, up, down, x):
    wide = np.zeros(max(0, (len(x) - 1) * up + 1)) if len(x) else np.zeros(0)
    wide[::up] = x
    return np.convolve(wide, h)[::down] if len(x) else np.zeros(0)


case("upfirdn", ["h: [k]f64", "u: i64", "d: i64", "xs: [n]f64"], lambda g: (g.array(g.size(1, 6)), g.integer(1, 4), g.integer(1, 4), g.array(g.size(0, 20))), upfirdn)


def resample_poly(up, down, x):
    up, down = up // np.gcd(up, down), down // np.gcd(up, down)
    if up == down == 1:
        return x
    most = max(up, down)
    h = normalised(ideal(20 * most + 1, 0, 1 / most) * np.kaiser(20 * most + 1, 5.0), 0) * up
    wide = np.zeros(len(x) * up)
    wide[::up] = x
    return np.convolve(wide, h)[10 * most :: down][: -(-len(x) * up // down)]


case("resample_poly", ["u: i64", "d: i64", "xs: [n]f64"], lambda g: (g.integer(1, 5), g.integer(1, 5), g.array(g.size(1, 30))), resample_poly, 1e-7)

# Where values were wrong.
CASES.append(edges("nan.square", {"signal.square f64.nan 0.5": np.nan, "signal.square 1 f64.nan": np.nan, "(signal.tukey 5 f64.nan)[2]": np.nan}))
CASES.append(Case("refused.firwin", "entry {name} (cutoff: f64) = signal.firwin [1, 1, 1] cutoff", lambda g: (g.pick(2.0, 0.0, -1.0, np.nan),), lambda cutoff: Fails(506), count=4))
