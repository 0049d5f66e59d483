"""The model of ten Tusscher and Panfilov (2006), one cell: prints what the entry points return."""

from math import exp, log, sqrt

RTF = 8314.472 * 310 / 96485.3415
FARADAY, CAP, VC, VSR, VSS = 96485.3415, 0.185, 0.016404, 0.001094, 0.00005468
KO, NAO, CAO = 5.4, 140.0, 2.0
REST = dict(v=-85.23, k=136.89, na=8.604, ca=0.000126, sr=3.64, ss=0.00036, rr=0.9073, m=0.00172, h=0.7444, j=0.7045,
            xr1=0.00621, xr2=0.4712, xs=0.0095, r=2.42e-8, s=0.999998, d=3.373e-5, f=0.7888, f2=0.9755, fca=0.9953)


def sigmoid(x):
    return 1 / (1 + exp(x))


def gates(v, ss, endo):
    """Steady states and time constants."""
    if v >= -40:
        ah, bh = 0, 0.77 / 0.13 * sigmoid(-(v + 10.66) / 11.1)
        aj, bj = 0, 0.6 * exp(0.057 * v) * sigmoid(-0.1 * (v + 32))
    else:
        ah, bh = 0.057 * exp(-(v + 80) / 6.8), 2.7 * exp(0.079 * v) + 3.1e5 * exp(0.3485 * v)
        aj = (-2.5428e4 * exp(0.2444 * v) - 6.948e-6 * exp(-0.04391 * v)) * (v + 37.78) * sigmoid(0.311 * (v + 79.23))
        bj = 0.02424 * exp(-0.01052 * v) * sigmoid(-0.1378 * (v + 40.14))
    block = 1 + (ss / 0.05) ** 2
    return dict(
        m=(sigmoid((-56.86 - v) / 9.03) ** 2, sigmoid((-60 - v) / 5) * 0.1 * (sigmoid((v + 35) / 5) + sigmoid((v - 50) / 200))),
        h=(sigmoid((v + 71.55) / 7.43) ** 2, 1 / (ah + bh)),
        j=(sigmoid((v + 71.55) / 7.43) ** 2, 1 / (aj + bj)),
        xr1=(sigmoid((-26 - v) / 7), 2700 * sigmoid((-45 - v) / 10) * sigmoid((v + 30) / 11.5)),
        xr2=(sigmoid((v + 88) / 24), 3.36 * sigmoid((-60 - v) / 20) * sigmoid((v - 60) / 20)),
        xs=(sigmoid((-5 - v) / 14), 1400 / sqrt(1 + exp((5 - v) / 6)) * sigmoid((v - 35) / 15) + 80),
        r=(sigmoid((20 - v) / 6), 9.5 * exp(-(v + 40) ** 2 / 1800) + 0.8),
        s=(sigmoid((v + 28) / 5), 1000 * exp(-(v + 67) ** 2 / 1000) + 8) if endo else
        (sigmoid((v + 20) / 5), 85 * exp(-(v + 45) ** 2 / 320) + 5 * sigmoid((v - 20) / 5) + 3),
        d=(sigmoid((-8 - v) / 7.5), (1.4 * sigmoid((-35 - v) / 13) + 0.25) * 1.4 * sigmoid((v + 5) / 5) + sigmoid((50 - v) / 20)),
        f=(sigmoid((v + 20) / 7), 1102.5 * exp(-(v + 27) ** 2 / 225) + 200 * sigmoid((13 - v) / 10) + 180 * sigmoid((v + 30) / 10) + 20),
        f2=(0.67 * sigmoid((v + 35) / 7) + 0.33, 600 * exp(-(v + 25) ** 2 / 170) + 31 * sigmoid((25 - v) / 10) + 16 * sigmoid((v + 30) / 10)),
        fca=(0.6 / block + 0.4, 80 / block + 2))


def step(kind, dt, stimulus, y):
    v, k, na, ca, sr, ss, rr = (y[x] for x in ("v", "k", "na", "ca", "sr", "ss", "rr"))
    ek, ena = RTF * log(KO / k), RTF * log(NAO / na)
    u, x = v / RTF, exp(2 * (v - 15) / RTF)
    a1 = 0.1 * sigmoid(0.06 * (v - ek - 200))
    b1 = (3 * exp(0.0002 * (v - ek + 100)) + exp(0.1 * (v - ek - 10))) * sigmoid(-0.5 * (v - ek))
    i_na = 14.838 * y["m"] ** 3 * y["h"] * y["j"] * (v - ena) + 0.00029 * (v - ena)
    i_k = (5.405 * a1 / (a1 + b1) + (0.073 if kind == 0 else 0.294) * y["r"] * y["s"] + 0.153 * y["xr1"] * y["xr2"]
           + 0.0146 * sigmoid((25 - v) / 5.98) + 3.9 / (1 + (6800 / (35.8 + 17.9 * 15 ** 0.256)) ** (1.3 + 0.74 * exp(-1.35)))) * (v - ek)
    i_k += (0.098 if kind == 1 else 0.392) * y["xs"] ** 2 * (v - RTF * log((KO + 0.03 * NAO) / (k + 0.03 * na)))
    i_cal = 3.98e-5 * y["d"] * y["f"] * y["f2"] * y["fca"] * 4 * (v - 15) * FARADAY / RTF * (0.25 * x * ss - CAO) / (x - 1)
    i_nak = 2.724 * KO / (KO + 1) * na / (na + 40) / (1 + 0.1245 * exp(-0.1 * u) + 0.0353 * exp(-u))
    i_naca = 1000 * (exp(0.35 * u) * na ** 3 * CAO - 2.5 * exp(-0.65 * u) * NAO ** 3 * ca)
    i_naca /= (87.5 ** 3 + NAO ** 3) * (1.38 + CAO) * (1 + 0.1 * exp(-0.65 * u))
    i_ca = 0.1238 * ca / (0.0005 + ca) + 0.000592 * (v - RTF / 2 * log(CAO / ca))
    factor = 2.5 - 1.5 / (1 + (1.5 / sr) ** 2)
    k1 = 0.15 / factor * ss ** 2
    release = 0.102 * k1 * rr / (0.06 + k1) * (sr - ss)
    leak, up, transfer = 0.00036 * (sr - ca), 0.006375 / (1 + (0.00025 / ca) ** 2), 0.0038 * (ss - ca)

    def free(c, total, half):
        return 1 / (1 + total * half / (c + half) ** 2)

    rates = dict(
        v=-(i_na + i_k + i_cal + i_nak + i_naca + i_ca + stimulus),
        k=-(i_k + stimulus - 2 * i_nak) * CAP / (VC * FARADAY),
        na=-(i_na + 3 * i_nak + 3 * i_naca) * CAP / (VC * FARADAY),
        ca=free(ca, 0.2, 0.001) * (transfer - (up - leak) * VSR / VC - (i_ca - 2 * i_naca) * CAP / (2 * VC * FARADAY)),
        sr=free(sr, 10, 0.3) * (up - release - leak),
        ss=free(ss, 0.4, 0.00025) * (release * VSR / VSS - transfer * VC / VSS - i_cal * CAP / (2 * VSS * FARADAY)),
        rr=0.005 * (1 - rr) - 0.045 * factor * ss * rr)
    new = {name: y[name] + dt * rate for name, rate in rates.items()}
    for name, (steady, tau) in gates(v, ss, kind == 0).items():
        new[name] = steady - (steady - y[name]) * exp(-dt / tau)
    moved = max(abs(new[x] - y[x]) / dict(v=100, k=k, na=na, ca=ca, sr=sr, ss=ss).get(x, 1) for x in y)
    calcium = sum(volume * new[x] * (1 + total / (new[x] + half)) for x, volume, total, half in
                  (("ca", VC, 0.2, 0.001), ("sr", VSR, 10, 0.3), ("ss", VSS, 0.4, 0.00025)))
    return new, moved, calcium


def beat(dt, steps, kind, stimulus):
    y, peak, largest, calcium = REST, REST["v"], 0, 0
    for i in range(steps):
        y, moved, calcium = step(kind, dt, stimulus if i * dt < 1 else 0, y)
        peak, largest = max(peak, y["v"]), max(largest, moved)
    return y, peak, largest, calcium


cells = [beat(0.02, 400, kind, stimulus) for kind, stimulus in ((0, -52), (1, -52), (2, -52), (2, -10))]
for name in ("v", "ca", "na"):
    print([cell[0][name] for cell in cells])
for part in (1, 2, 3):
    print([cell[part] for cell in cells])
print([[beat(0.05 * part, 60, 2, stimulus)[0]["v"] for stimulus in (-52, -26, -13)] for part in (1, 0.5)])
