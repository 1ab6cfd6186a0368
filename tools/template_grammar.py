"""Random Jinja snippets: mostly well-formed, over a small set of variables of every type."""

NAMES = ["a", "b", "s", "n", "f", "xs", "ds", "d", "t", "nul", "empty", "missing", "i", "k", "v", "ns", "loop"]
STRINGS = ["", "a", "Hello World", "  pad  ", "x,y,,z", "line\\nnext\\n", "É ß ﬁ Σας", "tab\\there", "1", "-3.5", "a'b",
           "<b>&\\\"", "\\u4f60\\u597d", "aXbXc", "0x1f", "%s-%s", "{} {}", "upper", "role", "ÀB cd-ef(gh", "\\x1f \\u00a0z"]
FILTERS = ["trim", "upper", "lower", "title", "capitalize", "length", "count", "first", "last", "tojson", "list", "string",
           "int", "float", "abs", "round", "sort", "dictsort", "reverse", "sum", "min", "max", "items", "e", "safe",
           "default", "unique|list", "wordcount", "tojson(indent=2)", "join", "join(', ')", "join('-', 'k')", "indent",
           "indent(2, true)", "indent('> ', blank=true)", "default('z')", "d('z', true)", "replace('a', 'bb')",
           "replace('', '-')", "replace('a', 'b', 1)", "map('upper')|list", "map(attribute='k')|list",
           "map(attribute='k', default='q')|join('|')", "select|list", "reject|list", "select('string')|list",
           "reject('number')|list", "selectattr('k')|list", "selectattr('k', 'eq', 1)|list", "rejectattr('k', 'defined')|list",
           "selectattr('k', 'in', [1, 2])|list", "sort(reverse=true)", "sort(attribute='k')", "sort(case_sensitive=true)",
           "dictsort(by='value')", "dictsort(false, 'key', true)", "batch(2)|list", "batch(2, 'x')|list", "round(1)",
           "round(-1)", "round(1, 'floor')", "round(method='ceil')", "int(7)", "int(base=16)", "int(default=3)", "float(1.5)",
           "tojson(ensure_ascii=true)", "tojson(separators=(',', ':'))", "tojson(sort_keys=true)", "trim('a ')", "center(9)",
           "map('int')|sum", "min(attribute='k')", "max(attribute='k')", "sum(attribute='k')", "sum(start=2)", "attr('k')",
           "attr('keys')", "map('trim')|map('title')|join", "string|length", "format(1, 2)", "map('nofilter')|list"]
TESTS = ["defined", "undefined", "none", "string", "number", "integer", "float", "boolean", "mapping", "iterable", "sequence",
         "true", "false", "odd", "even", "upper", "lower", "callable", "divisibleby 2", "divisibleby(3)", "eq 1", "equalto('a')",
         "ne 2", "lt 3", "gt 1", "le(2)", "ge 2", "in [1, 'a', none]", "in 'abc'", "in d", "sameas none", "escaped", "filter",
         "test"]
METHODS = ["strip()", "lstrip()", "rstrip()", "strip('a ')", "split()", "split(',')", "split('X', 1)", "rsplit(',', 1)",
           "rsplit(none, 1)", "split(none, 1)", "splitlines()", "splitlines(true)", "startswith('a')", "endswith(('z', ' '))",
           "startswith('e', 1)", "replace('a', 'Q')", "replace('l', '', 1)", "upper()", "lower()", "title()", "capitalize()",
           "join(['p', 'q'])", "join(xs)", "find('X')", "rfind('X')", "index('X')", "count('')", "count('a')", "isdigit()",
           "isalpha()", "isspace()", "isupper()", "islower()", "isalnum()", "zfill(6)", "ljust(8, '.')", "rjust(8)", "center(8, '*')",
           "center(9)", "partition('X')", "rpartition(',')", "removeprefix('a')", "removesuffix('c')", "swapcase()",
           "format(1, 'two')", "format('q', b='w')", "items()", "keys()", "values()", "get('k')", "get('q', 5)", "get('k').x",
           "items()|list", "keys()|list", "append(1)", "index(1)", "count(1)", "copy()", "k", "items", "0", "x.y"]
BINARY = ["+", "-", "*", "/", "//", "%", "~", "==", "!=", "<", "<=", ">", ">=", "and", "or", "in", "not in", "**"]
VARIABLES = {
    "a": "Apple pie", "b": True, "s": "aXbXc", "n": 7, "f": 2.5, "xs": [3, 1, 2, 1], "nul": None, "empty": [], "t": ["b", "A", "c"],
    "ds": [{"k": 2, "v": "two"}, {"k": 1, "v": "One"}, {"v": None}], "d": {"k": "val", "z": [1, {"y": "é"}], "b": 1.0},
}


class Grammar:
    def __init__(self, rng):
        self.rng = rng

    def case(self):
        template = "".join(self.piece(self.rng.randint(0, 3)) for _ in range(self.rng.randint(1, 2)))
        return {"template": template, "variables": VARIABLES}

    def pick(self, *choices):
        return self.rng.choice(choices)

    # Expressions.
    def atom(self):
        r = self.rng
        return self.pick(
            lambda: r.choice(NAMES), lambda: r.choice(NAMES), lambda: r.choice(NAMES),
            lambda: "'%s'" % r.choice(STRINGS).replace("'", "\\'"),
            lambda: str(r.randint(0, 12)), lambda: r.choice(["0.5", "2.0", "1e20", "1.5e-7", "3.14159", "1_0"]),
            lambda: r.choice(["true", "false", "none", "True", "None"]),
            lambda: "range(%d)" % r.randint(0, 5))()

    def expression(self, depth):
        if depth <= 0:
            return self.atom()
        sub = lambda: self.expression(depth - 1)  # noqa: E731
        r = self.rng
        return self.pick(
            self.atom,
            lambda: f"{sub()}|{r.choice(FILTERS)}", lambda: f"{sub()}|{r.choice(FILTERS)}",
            lambda: f"({sub()})|{r.choice(FILTERS)}",
            lambda: f"{sub()} is {self.pick('', 'not ')}{r.choice(TESTS)}",
            lambda: f"{sub()} {r.choice(BINARY)} {sub()}", lambda: f"({sub()} {r.choice(BINARY)} {sub()})",
            lambda: f"({sub()}).{r.choice(METHODS)}", lambda: f"{r.choice(NAMES)}.{r.choice(METHODS)}",
            lambda: f"{r.choice(NAMES)}[{self.subscript(depth)}]",
            lambda: f"{sub()} if {sub()} else {sub()}", lambda: f"({sub()} if {sub()})",
            lambda: f"[{sub()}, {sub()}]", lambda: f"({sub()},)", lambda: f"{{'k': {sub()}, {sub()}: 2}}",
            lambda: f"not {sub()}", lambda: f"-{sub()}", lambda: f"{sub()} < {sub()} <= {sub()}",
            lambda: f"m({self.arguments(depth)})", lambda: f"loop.{self.loop_attribute()}",
            lambda: f"namespace(p={sub()}).p", lambda: f"dict(k={sub()})", lambda: f"'%s|%5d|%.2f' % ({sub()}, n, f)")()

    def loop_attribute(self):
        return self.pick("index", "index0", "first", "last", "length", "revindex", "revindex0", "previtem", "nextitem",
                         "cycle('p', 'q')", "changed(i)", "depth", "nope")

    def subscript(self, depth):
        number = lambda: self.pick("", "0", "1", "-1", "2", "-2", "n", "9")  # noqa: E731
        return self.pick(
            lambda: f"{number()}:{number()}", lambda: f"{number()}:{number()}:{self.pick('1', '2', '-1', '-2', '')}",
            lambda: str(self.rng.randint(-3, 3)), lambda: "'k'", lambda: self.expression(depth - 1))()

    def arguments(self, depth):
        sub = lambda: self.expression(depth - 1)  # noqa: E731
        return self.pick("", sub(), f"{sub()}, {sub()}", f"q={sub()}", f"{sub()}, q={sub()}, w=1", "*xs", "**d", "1, 2, 3, 4")

    # Text and statements.
    def text(self):
        return self.pick("", " ", "x", "\n", "\n\n", "  \n", " y\n  ", "\t", "\r\n", "{ }", "é\n", "  z  ")

    def tag(self, body):
        return f"{{%{self.pick('', '-', '', '+')} {body} {self.pick('', '-', '', '+')}%}}"

    def target(self):
        return self.pick("a", "i", "k", "v", "x", "b", "k, v", "i")

    def body(self, depth):
        return "".join(self.piece(depth - 1) for _ in range(self.rng.randint(1, 3)))

    def piece(self, depth):
        return self.text() + self.statement(depth) + self.text()

    def statement(self, depth):
        e = lambda: self.expression(self.pick(0, 0, 1, 1, 1, 2, 2, 3))  # noqa: E731
        output = lambda: f"{{{{{self.pick('', '-')} {e()} {self.pick('', '-')}}}}}"  # noqa: E731
        if depth <= 0:
            return output()
        body = lambda: self.body(depth)  # noqa: E731
        tag = self.tag
        return self.pick(
            output, output, output,
            lambda: tag(f"if {e()}") + body() + tag("endif"),
            lambda: tag(f"if {e()}") + body() + tag(f"elif {e()}") + body() + tag("else") + body() + tag("endif"),
            lambda: tag(f"for {self.target()} in {e()}") + body() + tag("endfor"),
            lambda: tag(f"for i in {self.pick('xs', 't', 'ds', 's', 'range(3)', 'd')}") + body() + tag("endfor"),
            lambda: tag("for k, v in d.items()") + body() + tag("else") + body() + tag("endfor"),
            lambda: tag(f"for i in xs if {e()}") + body() + tag("else") + body() + tag("endfor"),
            lambda: tag("for i in xs") + body() + tag(f"if {e()}") + tag(self.pick("break", "continue")) + tag("endif") + body()
            + tag("endfor"),
            lambda: tag(f"set {self.target()} = {e()}"), lambda: tag(f"set {self.target()} = {e()}"),
            lambda: tag(f"set ns = namespace(p={e()})") + body() + tag(f"set ns.p = {e()}") + "{{ ns.p }}",
            lambda: tag(f"set {self.pick('a', 'i')}{self.pick('', ' | upper', '|trim|length')}") + body() + tag("endset"),
            lambda: tag(f"macro m({self.pick('', 'p', 'p, q=5', 'q=a, w=q')})") + body()
            + self.pick("", "{{ p }}{{ q }}", "{{ varargs }}", "{{ kwargs }}", "{{ caller() }}") + tag("endmacro"),
            lambda: tag(f"call{self.pick('', '(z)')} m({self.arguments(1)})") + body() + tag("endcall"),
            lambda: tag(f"filter {self.pick('upper', 'trim', 'replace(chr, 1)', 'indent(2)|trim')}") + body() + tag("endfilter"),
            lambda: tag(f"with i = {e()}, v = i") + body() + tag("endwith"),
            lambda: tag("generation") + body() + tag("endgeneration"),
            lambda: "{%- raw %}{{ a }}\n {% if %}{% endraw %}\n", lambda: f"{{#{self.pick('', '-')} note {self.pick('', '-', '+')}#}}",
            lambda: tag("raise_exception('no')"), lambda: "{{ raise_exception('stop ' ~ n) }}", lambda: "{{ strftime_now('%d %b %Y') }}",
            lambda: "{% set c = cycler('p', 'q') %}{{ c.next() }}{{ c.next() }}{{ c.current }}{{ c.reset() }}",
            lambda: "{% set j = joiner() %}{{ j() }}{{ j() }}{{ j() }}")()
