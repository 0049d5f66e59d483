#!/usr/bin/env python3
"""An interpreter of APL without types, for the tests: an array is a shape and a list of items, and an item may be an array.

It shares no code with the compiler. `oracle.py FILE.apl` prints what the script prints; `--examples FILE..` compares with NAME.out beside each; `oracle.py --cases FILE` compares with the expected
texts of a file of cases, `--bless` writes them.
"""
import cmath
import itertools
import math
import sys


class A:
    """An array: its shape and its items in row-major order."""

    def __init__(self, shape, items, fill=0):
        self.shape, self.items = tuple(shape), list(items)
        self.fill = self.items[0] if self.items else fill

    @property
    def rank(self):
        return len(self.shape)


class Fail(Exception):
    pass


def scalar(x):
    return x if isinstance(x, A) and x.rank == 0 else A((), [x])


def vec(items, fill=0):
    items = list(items)
    return A((len(items),), items, fill)


def enclose(a):
    return a if a.rank == 0 and not isinstance(a.items[0], A) else A((), [a])


def disclose(item):
    return item if isinstance(item, A) else A((), [item])


def item_of(a):
    """An array as an item of another."""
    return a.items[0] if a.rank == 0 else a


def prod(xs):
    return math.prod(xs)


def fill_of(a):
    x = a.items[0] if a.items else a.fill
    while isinstance(x, A):
        if x.rank:
            return A(x.shape, [fill_of(x)] * len(x.items))
        x = x.items[0]
    return " " if isinstance(x, str) else 0


# ---- Words.
ALIASES = {"rho": "⍴", "iota": "⍳", "times": "×", "div": "÷", "gets": "←", "neg": "¯", "max": "⌈", "min": "⌊", "omega": "⍵", "alpha": "⍺",
           "each": "¨", "reverse": "⌽", "lamp": "⍝", "take": "↑", "drop": "↓", "r": "⍴", "i": "⍳", "w": "⍵", "a": "⍺"}


def words(text):
    out, at = [], 0
    while at < len(text):
        c = text[at]
        if c in " \t\r":
            at += 1
        elif c == "⍝":
            while at < len(text) and text[at] != "\n":
                at += 1
        elif c in "'\"":
            chars, at = [], at + 1
            while True:
                if text[at] == c:
                    if text[at + 1:at + 2] == c:
                        chars.append(c)
                        at += 2
                        continue
                    break
                chars.append(text[at])
                at += 1
            at += 1
            out.append(("lit", A((), chars) if len(chars) == 1 and c == "'" else vec(chars, " ")))
        elif c.isdigit() or c == "¯" or c == "." and text[at + 1:at + 2].isdigit():
            end = at
            while end < len(text) and (text[end].isalnum() and text[end].isascii() or text[end] in "¯."):
                end += 1
            out.append(("lit", A((), [number(text[at:end])])))
            at = end
        elif c == "`":
            end = at + 1
            while end < len(text) and text[end].isalpha():
                end += 1
            while text[at + 1:end] not in ALIASES:
                end -= 1
            text = text[:at] + ALIASES[text[at + 1:end]] + text[end:]
        elif c.isalpha() and c.isascii() or c == "_" or c in "⍺⍵" or c == "⎕":
            end = at + 1
            if c in "⍺⍵":
                if text[end:end + 1] == c:
                    end += 1
            else:
                while end < len(text) and (text[end].isalnum() and text[end].isascii() or text[end] == "_"):
                    end += 1
            out.append(("name", text[at:end]))
            at = end
        else:
            out.append(("glyph", "⋄" if c == "\n" else c))
            at += 1
    return out


def number(text):
    text = text.replace("¯", "-")
    for j in "Jj":
        if j in text:
            re, im = text.split(j)
            z = complex(float(re), float(im))
            return z if z.imag else float(re)
    try:
        return int(text)
    except ValueError:
        x = float(text)
        return int(x) if x == int(x) and "." not in text else x


def group(tokens, at, close):
    """Statements, each a list of nodes, up to a closing bracket."""
    out, now = [], []
    while True:
        if at >= len(tokens):
            out.append(now)
            return [s for s in out if s] if close in ("}", None) else out, at
        kind, value = tokens[at]
        at += 1
        if kind == "glyph" and value == close:
            out.append(now)
            return [s for s in out if s] if close == "}" else out, at
        if kind == "glyph" and value == (";" if close == "]" else "⋄"):
            out.append(now)
            now = []
        elif kind == "glyph" and value in "([{":
            inner, at = group(tokens, at, {"(": ")", "[": "]", "{": "}"}[value])
            now.append((value, inner[0] if value == "(" else inner))
        else:
            now.append((kind, value))


FUNCTIONS = set("+-×÷*⍟○|⌈⌊!?<≤=≥>≠∧∨⍲⍱~⍴≢≡,⍪⍳↑↓⌽⊖⍉⊂⊃⊆∊⍷⍸∪∩⍋⍒⌷⌹⊥⊤⊢⊣⍕")
MONADIC, DYADIC, SLASH = set("¨⍨⌸"), set(".∘⍤⍥⍣⌺@"), set("/⌿\\⍀")


class Fn:
    def __init__(self, call, glyph=None):
        self.call, self.glyph = call, glyph

    def __call__(self, left, right):
        return self.call(left, right)


class Op:
    def __init__(self, make, arity):
        self.make, self.arity = make, arity


class Env(dict):
    def __init__(self, outer=None):
        super().__init__()
        self.outer = outer

    def find(self, name):
        if name in self:
            return self[name]
        if name in ("⍺", "⍵") and "⍵" in self:
            return None
        return self.outer.find(name) if self.outer else None


class Apl:
    def __init__(self):
        self.io, self.out, self.pp = 1, [], 10

    # ---- Sentences.
    def run(self, text):
        env = Env()
        statements, _ = group(words(text), 0, None)
        for s in statements:
            value, assigned = self.sentence(s, env)
            if isinstance(value, A) and not assigned:
                self.out.append((value, self.pp))
        return "".join(line + "\n" for value, pp in self.out for line in show(value, pp))

    def items(self, nodes, env):
        out = []
        for at, (kind, value) in enumerate(nodes):
            follows = nodes[at + 1] if at + 1 < len(nodes) else None
            target = follows == ("glyph", "←")
            if kind == "lit":
                out.append(("A", lambda v=value: v))
            elif kind == "name":
                if value.startswith("⎕"):
                    out.append(("Q", value) if target else ("F", Fn(self.ucs)) if value == "⎕UCS" else ("A", lambda v=value: self.quad(v)))
                    continue
                found = env.find(value)
                if target or found is None or isinstance(found, A):
                    out.append(("N", value))
                else:
                    out.append(("O" if isinstance(found, Op) else "F", found))
            elif kind == "(":
                inner = self.items(value, env)
                if target:
                    out.append(("T", [name for _, name in value]))
                elif inner and inner[-1][0] == "F":
                    out.append(("F", self.train(inner, env)))
                elif inner and inner[-1][0] == "O":
                    out.append(inner[0])
                else:
                    out.append(("A", lambda i=inner: self.evaluate(list(i), env)[0]))
            elif kind == "[":
                index = lambda parts=value: [None if not p else self.value(p, env) for p in parts]
                if out and out[-1][0] in "AN":
                    before = out.pop()
                    if follows == ("glyph", "←") or follows and nodes[at + 2:at + 3] == [("glyph", "←")] and follows[1] in FUNCTIONS:
                        out.append(("I", (before[1], index)))
                    else:
                        array = self.thunk(before, env)
                        out.append(("A", lambda a=array, i=index: self.index(a(), i())))
                else:
                    out.append(("[", index))
            elif kind == "{":
                out.append(self.dfn(value, env))
            elif value == "⍬":
                out.append(("A", lambda: vec([])))
            elif value == "∇":
                out.append(("F", env.find("∇")))
            elif value == "←":
                out.append(("←", None))
            elif value in FUNCTIONS:
                out.append(("F", Fn(lambda l, r, g=value: self.prim(g, l, r), value)))
            elif value in MONADIC | DYADIC | SLASH:
                out.append(("O", value))
            else:
                raise Fail("word " + value)
        return self.bind(self.strands(out, env), env)

    def thunk(self, item, env):
        if item[0] == "A":
            return item[1]

        def get():
            found = env.find(item[1])
            if not isinstance(found, A):
                raise Fail("no value " + item[1])
            return found
        return get

    def strands(self, items, env):
        out, at = [], 0
        while at < len(items):
            run = []
            while at < len(items) and items[at][0] in "AN" and not (at + 1 < len(items) and items[at + 1][0] == "←"):
                run.append(self.thunk(items[at], env))
                at += 1
            if len(run) == 1:
                out.append(("A", run[0]) if items[at - 1][0] == "A" else items[at - 1])
            elif run:
                out.append(("A", lambda r=run: vec([item_of(x) for x in [f() for f in reversed(r)][::-1]])))
            else:
                out.append(items[at])
                at += 1
        return out

    def bind(self, items, env):
        out, at = [], 0

        def operand(item):
            if item[0] == "F":
                return item[1]
            if item[0] == "O" and item[1] in SLASH:
                return self.slash(item[1], None)
            return self.thunk(item, env)()
        while at < len(items):
            kind, value = items[at]
            at += 1
            if kind == "O" and value == "∘" and items[at:at + 1] == [("O", ".")]:
                out.append(("F", self.outer(operand(items[at + 1]))))
                at += 2
            elif kind == "O" and isinstance(value, Op) and out and out[-1][0] == "←" and at == len(items):
                out.append((kind, value))
            elif kind == "O" and isinstance(value, Op):
                left = operand(out.pop())
                right = None
                if value.arity == 2:
                    right = operand(items[at])
                    at += 1
                out.append(("F", value.make(left, right)))
            elif kind == "O":
                axis = None
                if value in SLASH and at < len(items) and items[at][0] == "[":
                    axis = items[at][1]()[0].items[0] - self.io
                    at += 1
                if value in SLASH:
                    if out and out[-1][0] == "F":
                        f = out.pop()[1]
                        out.append(("F", self.reduction(f, value, axis)))
                    else:
                        out.append(("F", self.slash(value, axis)))
                elif value in MONADIC:
                    out.append(("F", self.monadic_operator(value, operand(out.pop()))))
                else:
                    left = operand(out.pop())
                    out.append(("F", self.dyadic_operator(value, left, operand(items[at]))))
                    at += 1
            elif kind == "[":
                f = out.pop()[1]
                axes = [x - self.io for x in value()[0].items]
                if f.glyph in "+-×÷*⍟|⌈⌊!<≤=≥>≠∧∨⍲⍱":
                    out.append(("F", Fn(lambda l, r, g=f.glyph, k=axes: self.along(g, l, r, k))))
                else:
                    out.append(("F", Fn(lambda l, r, g=f.glyph, k=axes[0]: self.prim(g, l, r, k))))
            else:
                out.append((kind, value))
        return out

    def train(self, items, env):
        items = list(items)
        f = items.pop()[1]
        while items:
            g = items.pop()[1]
            if not items:
                f = Fn(lambda l, r, g=g, f=f: g(None, f(l, r)))
            else:
                kind, value = items.pop()
                if kind == "F":
                    def fork(l, r, h=value, g=g, f=f):
                        after = f(l, r)
                        return g(h(l, r), after)
                    f = Fn(fork)
                else:
                    const = self.thunk((kind, value), env)()
                    f = Fn(lambda l, r, c=const, g=g, f=f: g(c, f(l, r)))
        return f

    def dfn(self, body, env):
        text = repr(body)

        def uses(nodes, name):
            return any(v == name if k in ("name", "glyph") else k in "([" and (uses(v, name) if k == "(" else any(uses(p, name) for p in v)) for k, v in nodes)
        arity = 2 if any(uses(s, "⍵⍵") for s in body) else 1 if any(uses(s, "⍺⍺") for s in body) else 0
        del text

        def make(left, right):
            def call(l, r):
                mine = Env(env)
                mine["⍵"] = r
                if l is not None:
                    mine["⍺"] = l
                if left is not None:
                    mine["⍺⍺"] = left
                if right is not None:
                    mine["⍵⍵"] = right
                mine["∇"] = f
                return self.body(body, mine)
            f = Fn(call)
            return f
        return ("F", make(None, None)) if arity == 0 else ("O", Op(make, arity))

    def body(self, statements, env):
        value = None
        for s in statements:
            if ("glyph", ":") in s:
                at = s.index(("glyph", ":"))
                if item_of(self.value(s[:at], env)) if not isinstance(self.value(s[:at], env).items[0], A) and self.value(s[:at], env).items[0] == 1 else False:
                    return self.value(s[at + 1:], env)
                continue
            if s[:2] == [("name", "⍺"), ("glyph", "←")]:
                if "⍺" not in env:
                    env["⍺"] = self.sentence(s[2:], env)[0]
                continue
            value, assigned = self.sentence(s, env)
            if isinstance(value, A) and not assigned:
                return value
        return value

    def value(self, nodes, env):
        return self.sentence(nodes, env)[0]

    def sentence(self, nodes, env):
        items = self.items(nodes, env)
        if len(items) >= 3 and items[0][0] == "N" and items[1][0] == "←":
            if items[-1][0] == "F":
                env[items[0][1]] = self.train(items[2:], env)
                return env[items[0][1]], True
            if items[-1][0] == "O" and isinstance(items[-1][1], Op):
                env[items[0][1]] = items[-1][1]
                return items[-1][1], True
        if items[-1][0] == "F":
            return self.train(items, env), False
        return self.evaluate(items, env)

    def evaluate(self, items, env):
        value = self.thunk(items.pop(), env)()
        assigned = False
        while items:
            kind, what = items.pop()
            if kind == "←":
                self.assign(items, value, env)
                assigned = True
            elif kind == "F":
                left = None
                if items and items[-1][0] in "AN":
                    left = self.thunk(items.pop(), env)()
                value = what(left, value)
                assigned = False
            else:
                raise Fail("syntax")
        return value, assigned

    def assign(self, items, value, env):
        kind, what = items.pop()
        change = None
        if kind == "F":
            change = what
            kind, what = items.pop()
        if kind == "Q":
            if what == "⎕IO":
                self.io = value.items[0]
            elif what == "⎕PP":
                self.pp = value.items[0]
            else:
                self.out.append((value, self.pp))
        elif kind == "N":
            env[what] = change(env.find(what), value) if change else value
        elif kind == "T":
            parts = value.items if value.rank else [value.items[0]] * len(what)
            for name, item in zip(what, parts):
                env[name] = disclose(item)
        else:
            name, index = what
            name = name
            before = env.find(name)
            index = index()
            places = self.places(before, index)
            if change:
                value = change(self.index(before, index), value)
            items_ = list(before.items)
            for k, place in enumerate(places.items):
                items_[place] = value.items[0 if len(value.items) == 1 else k]
            env[name] = A(before.shape, items_)

    def along(self, g, left, right, axes):
        """A scalar function whose smaller argument goes with these axes of the larger one."""
        large, small = (right, left) if left.rank < right.rank else (left, right)
        if [large.shape[k] for k in axes] != list(small.shape):
            raise Fail("length")
        items = []
        for x, place in zip(large.items, itertools.product(*map(range, large.shape))):
            y = small.items[self.offset(small.shape, [place[k] for k in axes])]
            x, y = (y, x) if left.rank < right.rank else (x, y)
            items.append(self.prim(g, A((), [x]), A((), [y])).items[0])
        return A(large.shape, items)

    def places(self, a, index):
        if len(index) == 1 and index[0] is not None and index[0].items and isinstance(index[0].items[0], A):
            out = []
            for at in index[0].items:
                place = [x - self.io for x in at.items]
                if len(place) != a.rank or not all(0 <= k < n for k, n in zip(place, a.shape)):
                    raise Fail("index")
                out.append(self.offset(a.shape, place))
            return A(index[0].shape, out)
        if len(index) != a.rank:
            raise Fail("rank")
        numbers = A(a.shape, range(len(a.items)))
        return self.index(numbers, index)

    def index(self, a, index):
        if len(index) == 1 and index[0] is not None and index[0].items and isinstance(index[0].items[0], A):
            places = self.places(a, index)
            return A(places.shape, [a.items[k] for k in places.items])
        if len(index) != a.rank:
            raise Fail("rank")
        axes = [vec(range(n)) if i is None else A(i.shape, [x - self.io for x in i.items]) for i, n in zip(index, a.shape)]
        for axis, n in zip(axes, a.shape):
            if any(not 0 <= x < n for x in axis.items):
                raise Fail("index")
        shape = sum((x.shape for x in axes), ())
        items = [a.items[self.offset(a.shape, place)] for place in itertools.product(*[x.items for x in axes])]
        return A(shape, items, fill_of(a))

    @staticmethod
    def offset(shape, place):
        at = 0
        for n, k in zip(shape, place):
            at = at * n + k
        return at

    def quad(self, name):
        return {"⎕A": vec("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), "⎕D": vec("0123456789"), "⎕IO": A((), [self.io])}[name]

    def ucs(self, _, r):
        return A(r.shape, [ord(x) if isinstance(x, str) else chr(x) for x in r.items])

    # ---- Scalar functions.
    def pervade(self, f, *args):
        if len(args) == 1:
            (a,) = args
            return A(a.shape, [item_of(self.pervade(f, x)) if isinstance(x, A) else f(x) for x in a.items], a.fill)
        a, b = args

        def one(x, y):
            if isinstance(x, A) or isinstance(y, A):
                return item_of(self.pervade(f, disclose(x), disclose(y)))
            return f(x, y)
        if len(a.items) == 1 and a.rank <= b.rank:
            return A(b.shape, [one(a.items[0], y) for y in b.items])
        if len(b.items) == 1:
            return A(a.shape, [one(x, b.items[0]) for x in a.items])
        if len(a.items) == 1:
            return A(b.shape, [one(a.items[0], y) for y in b.items])
        if a.shape == b.shape:
            return A(a.shape, [one(x, y) for x, y in zip(a.items, b.items)])
        # The shorter shape begins the longer one.
        if a.shape[:b.rank] == b.shape:
            per = prod(a.shape[b.rank:])
            return A(a.shape, [one(x, b.items[k // per]) for k, x in enumerate(a.items)])
        if b.shape[:a.rank] == a.shape:
            per = prod(b.shape[a.rank:])
            return A(b.shape, [one(a.items[k // per], y) for k, y in enumerate(b.items)])
        raise Fail("length")

    def monad(self, g):
        def fact(x):
            return float(math.factorial(x)) if isinstance(x, int) else math.gamma(x + 1)
        return {"+": lambda x: x.conjugate() if isinstance(x, complex) else x, "-": lambda x: -x,
                "×": lambda x: (x / abs(x) if x else 0) if isinstance(x, complex) else (x > 0) - (x < 0), "÷": lambda x: 1 / x,
                "*": lambda x: cmath.exp(x) if isinstance(x, complex) else math.exp(x), "⍟": lambda x: cmath.log(x) if isinstance(x, complex) else math.log(x),
                "○": lambda x: math.pi * x, "|": abs, "⌈": math.ceil, "⌊": math.floor, "!": fact, "~": lambda x: 1 - x}[g]

    def dyad(self, g):
        def residue(x, y):
            return y if x == 0 else y - x * math.floor(y / x) if isinstance(x, float) or isinstance(y, float) else y % x

        def circle(k, x):
            c = isinstance(x, complex)
            m = cmath if c else math
            return {0: lambda: (1 - x * x) ** .5, 1: lambda: m.sin(x), 2: lambda: m.cos(x), 3: lambda: m.tan(x), 4: lambda: (1 + x * x) ** .5,
                    5: lambda: m.sinh(x), 6: lambda: m.cosh(x), 7: lambda: m.tanh(x), -1: lambda: m.asin(x), -2: lambda: m.acos(x),
                    -3: lambda: m.atan(x), -4: lambda: (x * x - 1) ** .5, -5: lambda: m.asinh(x), -6: lambda: m.acosh(x), -7: lambda: m.atanh(x),
                    9: lambda: x.real, 10: lambda: abs(x), 11: lambda: x.imag, 12: lambda: cmath.phase(x), -9: lambda: x, -10: lambda: x.conjugate(),
                    -11: lambda: x * 1j, -12: lambda: cmath.exp(1j * x)}[k]()

        def gcd(x, y):
            return math.gcd(x, y)

        def lcm(x, y):
            return x * y // math.gcd(x, y) if x and y else 0
        num = lambda f: lambda x, y: int(f(x, y))
        return {"+": lambda x, y: x + y, "-": lambda x, y: x - y, "×": lambda x, y: x * y, "÷": lambda x, y: x / y, "*": lambda x, y: x ** y,
                "⍟": lambda x, y: math.log(y) / math.log(x), "|": residue, "⌈": max, "⌊": min, "<": num(lambda x, y: x < y), "≤": num(lambda x, y: x <= y),
                "=": num(lambda x, y: x == y), "≥": num(lambda x, y: x >= y), ">": num(lambda x, y: x > y), "≠": num(lambda x, y: x != y),
                "∧": lcm, "∨": gcd, "⍲": lambda x, y: 1 - (x & y), "⍱": lambda x, y: 1 - (x | y), "○": circle,
                "!": lambda k, n: float(math.comb(n, k)) if isinstance(k, int) and isinstance(n, int) else
                math.gamma(n + 1) / math.gamma(k + 1) / math.gamma(n - k + 1)}[g]

    # ---- Functions.
    def prim(self, g, left, right, axis=None):
        if left is None:
            if g in "+-×÷*⍟○|⌈⌊!~":
                return self.pervade(self.monad(g), right)
            return self.one(g, right, axis)
        if g in "+-×÷*⍟○|⌈⌊!<≤=≥>≠∧∨⍲⍱":
            return self.pervade(self.dyad(g), left, right)
        return self.two(g, left, right, axis)

    def one(self, g, r, axis):
        if g in "⊢⊣⌷":
            return r
        if g == "⍴":
            return vec(r.shape)
        if g == "≢":
            return A((), [r.shape[0] if r.rank else 1])
        if g == "≡":
            return A((), [self.depth(r)])
        if g == ",":
            return vec(r.items, r.fill)
        if g == "⍪":
            return A((r.shape[0] if r.rank else 1, prod(r.shape[1:])), r.items, r.fill)
        if g == "⍳":
            if r.rank == 0 or len(r.items) == 1:
                return vec(range(self.io, r.items[0] + self.io))
            places = [vec(k + self.io for k in place) for place in itertools.product(*[range(n) for n in r.items])]
            return A(r.items, places, vec([0] * len(r.items)))
        if g in "⌽⊖":
            if r.rank == 0:
                return r
            k = axis if axis is not None else r.rank - 1 if g == "⌽" else 0
            return self.gather(r, r.shape, lambda p: p[:k] + (r.shape[k] - 1 - p[k],) + p[k + 1:])
        if g == "⍉":
            return self.gather(r, r.shape[::-1], lambda p: p[::-1])
        if g == "⊂":
            return enclose(r)
        if g == "⊆":
            return r if any(isinstance(x, A) for x in r.items) else enclose(r)
        if g == "⊃":
            return disclose(r.items[0]) if r.items else disclose(fill_of(r))
        if g == "↑":
            return self.mix(r)
        if g == "↓":
            n = r.shape[-1]
            return A(r.shape[:-1], [vec(r.items[k * n:(k + 1) * n]) for k in range(prod(r.shape[:-1]))])
        if g == "∊":
            flat = []

            def walk(a):
                for x in a.items:
                    walk(x) if isinstance(x, A) else flat.append(x)
            walk(r)
            return vec(flat)
        if g == "⍸":
            if any(n < 0 for n in r.items):
                raise Fail("domain")
            places = [p for p, n in zip(itertools.product(*[range(n) for n in r.shape]), r.items) for _ in range(n)]
            if r.rank <= 1:
                return vec(p[0] + self.io if p else self.io for p in places)
            return vec(vec(k + self.io for k in p) for p in places)
        if g == "∪":
            out = []
            for x in r.items:
                if x not in out:
                    out.append(x)
            return vec(out, r.fill)
        if g == "≠":
            return vec(int(x not in r.items[:k]) for k, x in enumerate(r.items))
        if g in "⍋⍒":
            n = r.shape[0]
            per = prod(r.shape[1:])
            rows = [r.items[k * per:(k + 1) * per] for k in range(n)]
            order = sorted(range(n), key=lambda k: rows[k]) if g == "⍋" else sorted(range(n - 1, -1, -1), key=lambda k: rows[k])[::-1]
            return vec(k + self.io for k in order)
        if g == "?":
            if any(x != 1 for x in r.items):
                raise Fail("random numbers")
            return A(r.shape, [self.io] * len(r.items))
        if g == "⍕":
            if any(isinstance(x, A) for x in r.items):
                raise Fail("text of nested arrays")
            if any(isinstance(x, str) for x in r.items):
                return r
            lines = show(r, self.pp)
            return vec(lines[0], " ") if r.rank <= 1 else A((len(lines), len(lines[0]) if lines else 0), "".join(lines), " ")
        if g == "⌹":
            import numpy
            m = numpy.array(r.items, float).reshape(r.shape)
            if r.rank == 1:
                return A(r.shape, (m / (m @ m)).tolist())
            if m.shape[0] < m.shape[1]:
                raise Fail("length")
            made = numpy.linalg.inv(m) if m.shape[0] == m.shape[1] else numpy.linalg.pinv(m)
            return A(r.shape[::-1], made.ravel().tolist())
        raise Fail("monadic " + g)

    def two(self, g, l, r, axis):
        if g == "⊢":
            return r
        if g == "⊣":
            return l
        if g == "⍴":
            if any(k < 0 for k in l.items):
                raise Fail("domain")
            n = prod(l.items)
            source = r.items or [fill_of(r)]
            return A(l.items, [source[k % len(source)] for k in range(n)], fill_of(r))
        if g == "⍕":
            width, decimals = l.items

            def places(x):
                text = f"{abs(x):.{decimals}f}"
                text = ("¯" if x < 0 and text.strip("0.") else "") + text
                return text.rjust(width) if len(text) <= width else "*" * width
            text = "".join(places(x) for x in r.items)
            return vec(text, " ") if r.rank <= 1 else A((r.shape[0], r.shape[1] * width), text, " ")
        if g == "≡":
            return A((), [int(self.match(l, r))])
        if g == "≢":
            return A((), [int(not self.match(l, r))])
        if g in ",⍪":
            return self.catenate(l, r, (max(l.rank, r.rank, 1) - 1 if g == "," else 0) if axis is None else axis)
        if g == "⍸":
            if l.rank != 1 or any(not x <= y for x, y in zip(l.items, l.items[1:])):
                raise Fail("domain")
            return A(r.shape, [sum(x <= y for x in l.items) - 1 + self.io for y in r.items])
        if g == "⍳" and l.rank > 1:
            frame, rows = self.cells(l, 1)
            if r.shape[r.rank - l.rank + 1:] != l.shape[1:]:
                raise Fail("length")
            frame, wanted = self.cells(r, r.rank - l.rank + 1)
            rows = [x.items for x in rows]
            return A(frame, [(rows.index(x.items) if x.items in rows else len(rows)) + self.io for x in wanted])
        if g == "⍳":
            return A(r.shape, [(l.items.index(x) if x in l.items else len(l.items)) + self.io for x in r.items])
        if g == "∊":
            return A(l.shape, [int(x in r.items) for x in l.items])
        if g in "↑↓":
            if r.rank == 0:
                r = A((1,) * len(l.items), r.items)
            ns = list(l.items) + ([None] * (r.rank - len(l.items)))
            if axis is not None:
                ns = [None] * r.rank
                ns[axis] = l.items[0]
            if g == "↑":
                shape = [d if n is None else abs(n) for n, d in zip(ns, r.shape)]
                start = [0 if n is None or n >= 0 else d + n for n, d in zip(ns, r.shape)]
            else:
                shape = [d if n is None else max(0, d - abs(n)) for n, d in zip(ns, r.shape)]
                start = [0 if n is None or n < 0 else n for n in ns]
            return self.gather(r, shape, lambda p: tuple(k + s for k, s in zip(p, start)))
        if g in "⌽⊖":
            k = axis if axis is not None else r.rank - 1 if g == "⌽" else 0

            def source(p):
                rest = p[:k] + p[k + 1:]
                by = l.items[0] if len(l.items) == 1 else l.items[self.offset(l.shape, rest)]
                return p[:k] + ((p[k] + by) % r.shape[k],) + p[k + 1:]
            return self.gather(r, r.shape, source)
        if g == "⍉":
            order = [k - self.io for k in l.items]
            shape = [min(d for d, o in zip(r.shape, order) if o == k) for k in range(max(order) + 1)]
            return self.gather(r, shape, lambda p: tuple(p[o] for o in order))
        if g == "⌷":
            parts = [disclose(x) for x in l.items]
            return self.index(r, parts + [None] * (r.rank - len(parts)))
        if g == "⊃":
            for k in l.items:
                r = disclose(r.items[k - self.io])
            return r
        if g == "~":
            return vec(x for x in r_items(l) if x not in r.items)
        if g == "∩":
            return vec(x for x in l.items if x in r.items)
        if g == "∪":
            return vec(l.items + [x for x in r.items if x not in l.items])
        if g == "⍷":
            shape = (1,) * (r.rank - l.rank) + l.shape
            out = []
            for p in itertools.product(*[range(n) for n in r.shape]):
                ok = True
                for k, q in enumerate(itertools.product(*[range(n) for n in shape])):
                    place = tuple(a + b for a, b in zip(p, q))
                    if any(a >= n for a, n in zip(place, r.shape)) or r.items[self.offset(r.shape, place)] != l.items[k]:
                        ok = False
                        break
                out.append(int(ok))
            return A(r.shape, out)
        if g == "⊥":
            if r.rank == 0:
                r = vec(r.items * max(1, len(l.items)))
            n, per = r.shape[0], prod(r.shape[1:])
            out = []
            for c in range(per):
                total = 0
                for k in range(n):
                    total = total * (l.items[0] if len(l.items) == 1 else l.items[k]) + r.items[k * per + c]
                out.append(total)
            return A(r.shape[1:], out)
        if g == "⊤":
            if l.rank == 0:
                return self.pervade(self.dyad("|"), l, r)
            rows = []
            rest = r.items
            for base in reversed(l.items):
                digits = [self.dyad("|")(base, x) for x in rest]
                rest = [0 if base == 0 else (x - d) // base if isinstance(x, int) else (x - d) / base for x, d in zip(rest, digits)]
                rows.append(digits)
            return A((len(l.items),) + r.shape, [x for row in reversed(rows) for x in row])
        if g == "⌹":
            import numpy
            m = numpy.array(r.items, float).reshape(r.shape)
            v = numpy.array(l.items, float).reshape(l.shape)
            if r.rank == 1:
                made = numpy.linalg.lstsq(m[:, None], v, rcond=None)[0][0]
                return A(l.shape[1:], numpy.ravel(made).tolist())
            if m.shape[0] < m.shape[1]:
                raise Fail("length")
            made = numpy.linalg.solve(m, v) if m.shape[0] == m.shape[1] else numpy.linalg.lstsq(m, v, rcond=None)[0]
            return A((r.shape[1],) + l.shape[1:], made.ravel().tolist())
        if g in "⊂⊆":
            parts, before = [], 0
            for k, x in zip(l.items, r.items):
                if g == "⊆":
                    if k > 0 and (k > before or not parts):
                        parts.append([])
                    if k > 0:
                        parts[-1].append(x)
                    before = k
                else:
                    if k:
                        parts.append([])
                    if parts:
                        parts[-1].append(x)
            return vec([vec(p) for p in parts])
        raise Fail("dyadic " + g)

    def gather(self, a, shape, source):
        fill = fill_of(a)
        items = []
        for p in itertools.product(*[range(n) for n in shape]):
            q = source(p)
            items.append(a.items[self.offset(a.shape, q)] if all(0 <= k < n for k, n in zip(q, a.shape)) else fill)
        return A(shape, items, fill)

    def catenate(self, a, b, axis):
        if axis != int(axis):
            k = math.ceil(axis)
            shape = a.shape if a.rank else b.shape
            a = A(shape[:k] + (1,) + shape[k:], a.items * (1 if a.rank else prod(shape)))
            b = A(shape[:k] + (1,) + shape[k:], b.items * (1 if b.rank else prod(shape)))
            axis = k
        axis = int(axis)
        rank = max(a.rank, b.rank, 1)

        def fit(x, other):
            if x.rank == rank:
                return x
            if x.rank == 0:
                shape = list(other.shape) or [1]
                shape[axis] = 1
                return A(shape, x.items * prod(shape))
            return A(x.shape[:axis] + (1,) + x.shape[axis:], x.items)
        a, b = fit(a, b), fit(b, a)
        if a.shape[:axis] + a.shape[axis + 1:] != b.shape[:axis] + b.shape[axis + 1:]:
            raise Fail("length")
        n = a.shape[axis]
        shape = a.shape[:axis] + (n + b.shape[axis],) + a.shape[axis + 1:]
        items = []
        for p in itertools.product(*[range(m) for m in shape]):
            if p[axis] < n:
                items.append(a.items[self.offset(a.shape, p)])
            else:
                items.append(b.items[self.offset(b.shape, p[:axis] + (p[axis] - n,) + p[axis + 1:])])
        return A(shape, items, fill_of(a))

    def mix(self, r):
        cells = [disclose(x) for x in r.items]
        rank = max(c.rank for c in cells)
        cells = [A((1,) * (rank - c.rank) + c.shape, c.items) for c in cells]
        shape = [max(c.shape[k] for c in cells) for k in range(rank)]
        items = []
        for c in cells:
            items += self.gather(c, shape, lambda p: p).items if rank else c.items
        return A(r.shape + tuple(shape), items)

    def assembled(self, frame, results):
        """The array of the results for the cells of a frame."""
        if not results:
            raise Fail("the shape of no results")
        if all(x.rank == 0 for x in results):
            return A(frame, [x.items[0] for x in results])
        mixed = self.mix(vec([item_of(x) for x in results]))
        return A(frame + mixed.shape[1:], mixed.items)

    def depth(self, a):
        inner = [self.depth(x) if isinstance(x, A) else 0 for x in a.items or [a.fill]]
        if a.rank == 0 and not any(isinstance(x, A) for x in a.items):
            return 0
        most = max((abs(d) for d in inner), default=0) + 1
        return most if all(d == inner[0] and d >= 0 for d in inner) else -most

    def match(self, a, b):
        return a.shape == b.shape and all(
            self.match(disclose(x), disclose(y)) if isinstance(x, A) or isinstance(y, A) else x == y for x, y in zip(a.items, b.items))

    # ---- Operators.
    def slash(self, c, axis):
        def call(l, r):
            if r.rank == 0:
                r = vec(r.items)
            k = axis if axis is not None else r.rank - 1 if c in "/\\" else 0
            n = r.shape[k]
            if c in "/⌿":
                counts = l.items * n if len(l.items) == 1 else l.items
                if n == 1:
                    source = [0 if x > 0 else -1 for x in counts for _ in range(abs(x))]
                else:
                    if len(counts) != n:
                        raise Fail("length")
                    source = [j if x > 0 else -1 for j, x in enumerate(counts) for _ in range(abs(x))]
            else:
                source, at = [], 0
                for x in l.items:
                    source += [at if n > 1 else 0] * x if x > 0 else [-1] * max(1, -x)
                    at += x > 0
                if at != n and n != 1:
                    raise Fail("length")
            shape = r.shape[:k] + (len(source),) + r.shape[k + 1:]
            return self.gather(r, shape, lambda p: p[:k] + (source[p[k]],) + p[k + 1:])
        return Fn(call)

    NEUTRAL = {"+": 0, "-": 0, "×": 1, "÷": 1, "∧": 1, "∨": 0, "=": 1, "≠": 0, "≤": 1, "≥": 1, "<": 0, ">": 0, "*": 1, "|": 0, "!": 1}

    def reduce_items(self, f, items):
        if not items:
            if f.glyph not in self.NEUTRAL:
                raise Fail("neutral")
            return self.NEUTRAL[f.glyph]
        out = disclose(items[-1])
        for x in reversed(items[:-1]):
            out = f(disclose(x), out)
        return item_of(out)

    def reduction(self, f, c, axis):
        def call(l, r):
            if r.rank == 0:
                return r
            k = axis if axis is not None else r.rank - 1 if c in "/\\" else 0
            n = r.shape[k]
            rest = r.shape[:k] + r.shape[k + 1:]
            rows = [[r.items[self.offset(r.shape, p[:k] + (j,) + p[k:])] for j in range(n)] for p in itertools.product(*[range(m) for m in rest])]
            if c in "/⌿" and l is None:
                return A(rest, [self.reduce_items(f, row) for row in rows])
            if c in "/⌿":
                w = l.items[0]
                if abs(w) > n + 1:
                    raise Fail("length")
                made = [[self.reduce_items(f, row[j:j + abs(w)][::1 if w > 0 else -1]) for j in range(n - abs(w) + 1)] for row in rows]
            else:
                made = [[self.reduce_items(f, row[:j + 1]) for j in range(n)] for row in rows]
            m = n - abs(l.items[0]) + 1 if l is not None else n
            shape = r.shape[:k] + (m,) + r.shape[k + 1:]
            index = {p: q for q, p in enumerate(itertools.product(*[range(d) for d in rest]))}
            return A(shape, [made[index[p[:k] + p[k + 1:]]][p[k]] for p in itertools.product(*[range(d) for d in shape])])
        return Fn(call)

    def each(self, f, l, r):
        if l is None:
            return A(r.shape, [item_of(f(None, disclose(x))) for x in r.items])
        if len(l.items) == 1 and l.rank == 0:
            return A(r.shape, [item_of(f(disclose(l.items[0]), disclose(y))) for y in r.items])
        if len(r.items) == 1 and r.rank == 0:
            return A(l.shape, [item_of(f(disclose(x), disclose(r.items[0]))) for x in l.items])
        if l.shape != r.shape:
            raise Fail("length")
        return A(l.shape, [item_of(f(disclose(x), disclose(y))) for x, y in zip(l.items, r.items)])

    def outer(self, f):
        return Fn(lambda l, r: A(l.shape + r.shape, [item_of(f(disclose(x), disclose(y))) for x in l.items for y in r.items]))

    def monadic_operator(self, c, f):
        if c == "¨":
            return Fn(lambda l, r: self.each(f, l, r))
        if c == "⍨":
            if isinstance(f, A):
                return Fn(lambda l, r: f)
            return Fn(lambda l, r: f(r, r) if l is None else f(r, l))

        def key(l, r):
            keys, values = (r, None) if l is None else (l, r)
            out = []
            for k in self.one("∪", keys, None).items:
                places = [j for j, x in enumerate(keys.items) if x == k]
                members = vec(j + self.io for j in places) if values is None else self.index(values, [vec(j + self.io for j in places)] + [None] * (values.rank - 1))
                out.append(f(disclose(k), members))
            return self.assembled((len(out),), out)
        return Fn(key)

    def cells(self, a, k):
        frame, cell = a.shape[:k], a.shape[k:]
        n = prod(cell)
        return frame, [A(cell, a.items[j * n:(j + 1) * n], a.fill) for j in range(prod(frame))]

    def dyadic_operator(self, c, f, g):
        if c == "∘":
            if isinstance(f, A):
                return Fn(lambda l, r: g(f, r))
            if isinstance(g, A):
                return Fn(lambda l, r: f(r, g))
            return Fn(lambda l, r: f(l, g(None, r)))
        if c == "⍥":
            return Fn(lambda l, r: f(None if l is None else g(None, l), g(None, r)))
        if c == "⍤":
            if isinstance(g, Fn):
                return Fn(lambda l, r: f(None, g(l, r)))
            ranks = g.items
            m, p, q = (ranks * 3 if len(ranks) == 1 else [ranks[1], ranks[0], ranks[1]] if len(ranks) == 2 else ranks)

            def ranked(l, r):
                depth = lambda a, k: max(0, a.rank - k) if k >= 0 else min(a.rank, -k)
                if l is None:
                    frame, cells = self.cells(r, depth(r, m))
                    made = [f(None, x) for x in cells]
                else:
                    fl, xs = self.cells(l, depth(l, p))
                    fr, ys = self.cells(r, depth(r, q))
                    frame = fl if len(fl) > len(fr) else fr
                    short = fl if len(fl) <= len(fr) else fr
                    if frame[:len(short)] != short:
                        raise Fail("length")
                    n = prod(frame)
                    made = [f(xs[j * len(xs) // n], ys[j * len(ys) // n]) for j in range(n)]
                return self.assembled(frame, made)
            return Fn(ranked)
        if c == "⍣":
            def power(l, r):
                if isinstance(g, A):
                    for _ in range(g.items[0]):
                        r = f(l, r)
                    return r
                while True:
                    s = f(l, r)
                    if g(s, r).items[0]:
                        return s
                    r = s
            return Fn(power)
        if c == ".":
            def inner(l, r):
                if l.rank == 0 and r.rank == 0:
                    return f_reduce(self, f, [item_of(g(l, r))])
                n = l.shape[-1] if l.rank else r.shape[0]
                m = r.shape[0] if r.rank else n
                rows = [l.items[k * n:(k + 1) * n] for k in range(prod(l.shape[:-1]))] if l.rank else [l.items * m]
                per = prod(r.shape[1:]) if r.rank else 1
                columns = [[r.items[k * per + j] for k in range(m)] for j in range(per)] if r.rank else [r.items * n]
                if len(rows[0]) != len(columns[0]):
                    raise Fail("length")
                items = [self.reduce_items(f, [item_of(g(disclose(x), disclose(y))) for x, y in zip(row, col)]) for row in rows for col in columns]
                return A(l.shape[:-1] + r.shape[1:], items)
            return Fn(inner)
        if c == "⌺":
            sizes, steps = (g.items[:g.shape[1]], g.items[g.shape[1]:]) if g.rank == 2 else (g.items, [1] * len(g.items))

            def stencil(l, r):
                out = []
                # Around each element, or around each gap where the size is even.
                counts = [-(-(n - (1 - s % 2)) // k) for n, s, k in zip(r.shape, sizes, steps)]
                for p in itertools.product(*[range(n) for n in counts]):
                    starts = [k * step - (s - 1) // 2 for k, s, step in zip(p, sizes, steps)]
                    window = self.gather(r, tuple(sizes) + r.shape[len(sizes):],
                                         lambda q: tuple(k + s for k, s in zip(q, starts)) + q[len(sizes):])
                    pad = [max(0, -s) - max(0, s + w - n) for s, w, n in zip(starts, sizes, r.shape)]
                    out.append(f(vec(pad), window))
                return self.assembled(tuple(counts), out)
            return Fn(stencil)
        if c == "@":
            def at(l, r):
                places = self.one("⍸", g(None, r), None) if isinstance(g, Fn) else g
                if r.rank > 1 and any(isinstance(x, A) for x in places.items):
                    ks = [self.offset(r.shape, [k - self.io for k in x.items]) for x in places.items]
                    cells = 1
                else:
                    cells = prod(r.shape[1:])
                    ks = [(x - self.io) * cells + j for x in places.items for j in range(cells)]
                shape = places.shape + (r.shape[1:] if cells != 1 or r.rank == 1 else ())
                new = f if isinstance(f, A) else f(l, A(shape, [r.items[k] for k in ks]))
                items = list(r.items)
                for j, k in enumerate(ks):
                    items[k] = new.items[0 if len(new.items) == 1 else j]
                return A(r.shape, items)
            return Fn(at)
        raise Fail("operator " + c)


def f_reduce(apl, f, items):
    return disclose(apl.reduce_items(f, items))


def r_items(a):
    return a.items


# ---- Printing.
def show_number(x, pp):
    if isinstance(x, bool):
        x = int(x)
    if isinstance(x, complex):
        return show_number(x.real, pp) if x.imag == 0 else show_number(x.real, pp) + "J" + show_number(x.imag, pp)
    if isinstance(x, int):
        return str(x).replace("-", "¯")
    if x != x or abs(x) == math.inf:
        return "NaN" if x != x else "∞" if x > 0 else "¯∞"
    if x == 0:
        return "0"
    sign = "¯" if x < 0 else ""
    digits, exponent = f"{abs(x):.{pp - 1}e}".split("e")
    exponent = int(exponent)
    digits = digits.replace(".", "").rstrip("0") or "0"
    if exponent < -6 or exponent >= pp:
        return sign + digits[0] + ("." + digits[1:] if digits[1:] else "") + "E" + str(exponent).replace("-", "¯")
    if exponent < 0:
        return sign + "0." + "0" * (-exponent - 1) + digits
    whole = exponent + 1
    return sign + (digits[:whole] + "." + digits[whole:] if len(digits) > whole else digits + "0" * (whole - len(digits)))


def show(a, pp):
    """The lines of an array."""
    if any(isinstance(x, A) for x in a.items):
        blocks = [show(x, pp) if isinstance(x, A) else [x if isinstance(x, str) else show_number(x, pp)] for x in a.items]
        width = a.shape[-1] if a.rank else 1
        plane = prod(a.shape[-2:]) if a.rank >= 2 else width
        out = []
        for start in range(0, len(blocks), plane):
            if start and a.rank > 2:
                out.append("")
            out += boxes(blocks[start:start + plane], width)
        return out
    if len({isinstance(x, str) for x in a.items}) > 1:
        return [" ".join(x if isinstance(x, str) else show_number(x, pp) for x in a.items)]
    text = bool(a.items) and isinstance(a.items[0], str) or not a.items and isinstance(fill_of(a), str)
    if a.rank <= 1:
        return ["".join(a.items)] if text else [" ".join(show_number(x, pp) for x in a.items)]
    width, plane = a.shape[-1], prod(a.shape[-2:])
    if not plane or not a.items:
        return []
    # The columns of all planes have the same widths.
    numbers = [] if text else [show_number(x, pp) for x in a.items]
    halves = [(n.split(".")[0], n[len(n.split(".")[0]):]) for n in numbers]
    left = [max((len(h[0]) for h in halves[j::width]), default=0) for j in range(width)]
    right = [max((len(h[1]) for h in halves[j::width]), default=0) for j in range(width)]
    out = []
    for start in range(0, len(a.items), plane):
        if start and a.rank > 2:
            out.append("")
        for k in range(start, start + plane, width):
            if text:
                out.append("".join(a.items[k:k + width]))
            else:
                out.append(" ".join(halves[k + j][0].rjust(left[j]) + halves[k + j][1].ljust(right[j]) for j in range(width)))
    return out


def boxes(blocks, width):
    widths = [max(max(len(line) for line in b) if b else 0 for b in blocks[j::width]) for j in range(width)]
    rule = lambda a, b, c: a + b.join("─" * w for w in widths) + c
    out = [rule("┌", "┬", "┐")]
    for k in range(0, len(blocks), width):
        if k:
            out.append(rule("├", "┼", "┤"))
        row = blocks[k:k + width]
        for line in range(max(1, max(len(b) for b in row))):
            out.append("│" + "│".join((b[line] if line < len(b) else "").ljust(w) for b, w in zip(row, widths)) + "│")
    return out + [rule("└", "┴", "┘")]


def cases(text):
    """The cases of a file: name, program, expected text."""
    out = []
    for part in text.split("\n== ")[1:]:
        name, rest = part.split("\n", 1)
        program, expected = rest.split("\n--\n", 1) if "\n--\n" in rest else (rest, "")
        out.append((name, program + "\n", expected if expected.endswith("\n") or not expected else expected + "\n"))
    return out


def main():
    sys.setrecursionlimit(20000)
    if sys.argv[1] == "--examples":
        differ = [path for path in sys.argv[2:] if Apl().run(open(path, encoding="utf-8").read()) != open(path[:-4] + ".out", encoding="utf-8").read()]
        print(f"{len(sys.argv) - 2} examples of APL, {len(differ)} differ {' '.join(differ)}")
        return int(bool(differ))
    if sys.argv[1] != "--cases":
        sys.stdout.write(Apl().run(open(sys.argv[1], encoding="utf-8").read()))
        return 0
    path, bless = sys.argv[2], "--bless" in sys.argv
    text = open(path, encoding="utf-8").read()
    head = text.split("\n== ")[0]
    wrong, out = 0, [head]
    for name, program, expected in cases(text):
        if name.startswith("own "):
            # Something that other systems do not have.
            out.append(f"{name}\n{program.rstrip()}\n--\n{expected.rstrip()}\n")
            continue
        try:
            made = Apl().run(program)
        except Exception as error:  # the oracle itself does not understand the case
            made = f"{type(error).__name__}: {error}\n"
        if made.rstrip("\n") != expected.rstrip("\n"):
            wrong += 1
            if not bless:
                print(f"{name}:\n{program}expected\n{expected}the oracle says\n{made}")
        out.append(f"{name}\n{program.rstrip()}\n--\n{made.rstrip()}\n")
    if bless:
        open(path, "w", encoding="utf-8").write("\n== ".join(out))
    else:
        print(f"{len(cases(text))} cases, {wrong} differ")
    return int(bool(wrong) and not bless)


if __name__ == "__main__":
    sys.exit(main())
