"""Texts that tokenizers get wrong: a seeded mixture, and a walk through all of Unicode."""

import random
import sys
import unicodedata

SPACES = [chr(c) for c in (0x20, 0x20, 0x20, 0x20, 0x09, 0x0A, 0x0A, 0x0D, 0x0B, 0x0C, 0x1C, 0x1F, 0x85, 0xA0, 0x1680,
                           0x180E, 0x2000, 0x2003, 0x200A, 0x200B, 0x2028, 0x2029, 0x202F, 0x205F, 0x2060, 0x3000,
                           0xFEFF)]
CLITICS = ["'s", "'t", "'re", "'ve", "'m", "'ll", "'d", "'S", "'T", "'RE", "'vE", "'Ll", "'\u017f", "\u2019s", "''s",
           "'", "' s", "I'm", "don't", "they'LL", "o'clock", "'90s", "rock'n'roll"]
EMOJI = ["😀", "👩‍👩‍👧‍👦", "🏳️‍🌈", "👍🏽", "🇩🇪🇫🇷", "1️⃣", "❤️", "🧑🏿‍🚀", "\u200d", "\ufe0f", "🫠", "🪿"]
SCRIPTS = [(0x41, 0x5A), (0x61, 0x7A), (0xC0, 0x24F), (0x300, 0x36F), (0x370, 0x3FF), (0x400, 0x52F), (0x5D0, 0x5EA),
           (0x600, 0x6FF), (0x900, 0x97F), (0x0E00, 0x0E7F), (0x10A0, 0x10FF), (0x1100, 0x11FF), (0x3040, 0x30FF),
           (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0xFF00, 0xFFEF), (0x10400, 0x1044F), (0x1D400, 0x1D7FF),
           (0x20000, 0x2A6DF)]
DIGITS = ["0123456789", "٠١٢٣٤٥٦٧٨٩", "०१२३४५६७८९", "０１２３４５６７８９", "ⅠⅡⅢⅣ", "①②③⑩", "½¾²³", "𝟎𝟏𝟐", "一二三"]
CODE = ["for (int i = 0; i < n; ++i) {\n\tx[i] += y[i];\n}\n", "def f(x):\n    return x  # ok\r\n",
        "<div class=\"a\">\n  <p>Hi</p>\n</div>", "a->b::c<d>(e) && !f || g ^ ~h | 0x1F;", "SELECT * FROM t WHERE a='b';",
        "{\"k\": [1, 2.5e-3, null]}", "if [ -f \"$x\" ]; then echo $((1+2)); fi\n\n\n", "\\alpha_{i}^{2} $$x$$ `y` ~~z~~",
        "https://a.b/c?d=e&f=%20#g", "--------\n========\n", "\t\t\t}\n\t\t}\n\t}\n}\n", "<0x0A><0x-1><s></s><tag>▁"]
WORDS = ("the of and language models tokenization Donaudampfschifffahrt naïve café ÜBER straße Ελλάδα Москва שלום "
         "مرحبا नमस्ते สวัสดี こんにちは 世界 안녕 hello HELLO camelCase snake_case x1y2 3rd iPhone15").split()


def random_character(rng):
    while True:
        code = rng.choice((rng.randrange(0x80), rng.randrange(0x800), rng.randrange(0x10000), rng.randrange(0x110000)))
        if not 0xD800 <= code <= 0xDFFF:
            return chr(code)


def fragment(rng):
    """One ingredient of a text."""
    kind = rng.randrange(10)
    if kind == 0:
        return "".join(rng.choice(SPACES) for _ in range(rng.choice((1, 2, 3, 7, 40))))
    if kind == 1:
        return rng.choice((" ", "\n", "\t", "\r\n")) * rng.choice((1, 2, 3, 4, 8, 16, 31, 32, 33, 70))
    if kind == 2:
        return rng.choice(CLITICS)
    if kind == 3:
        return "".join(rng.choice(EMOJI) for _ in range(rng.randrange(1, 4)))
    if kind == 4:
        low, high = rng.choice(SCRIPTS)
        return "".join(chr(rng.randint(low, high)) for _ in range(rng.randrange(1, 12)))
    if kind == 5:
        return "".join(rng.choice(rng.choice(DIGITS)) for _ in range(rng.choice((1, 2, 3, 4, 5, 9, 17))))
    if kind == 6:
        return rng.choice(CODE)
    if kind == 7:
        return "".join(random_character(rng) for _ in range(rng.randrange(1, 8)))
    if kind == 8:
        return "".join(chr(rng.randrange(0x20, 0x7F)) for _ in range(rng.randrange(1, 12)))
    return rng.choice((" ", "", " ")).join(rng.choice(WORDS) for _ in range(rng.randrange(1, 8)))


def walk():
    """Every code point, 64 in a text, bare and between letters, spaces and digits."""
    codes = [c for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF]
    assigned = [c for c in codes if unicodedata.category(chr(c)) not in ("Cn", "Co") and not 0xAC40 <= c <= 0xD770]
    for codes_of_text in (assigned[i:i + 64] for i in range(0, len(assigned), 64)):
        characters = [chr(c) for c in codes_of_text]
        yield "".join(characters)
        yield "".join(f"a{c}b {c} 1{c}'s{c}\n" for c in characters)


def make(seed, count, special):
    """`count` random texts, some with the spelling of a special token, and, if they are many, all of Unicode."""
    rng = random.Random(seed)
    texts = ["", " ", "\n", "a", " a", "a ", "\u2581", "\u2581 \u2581"]
    for _ in range(count):
        parts = [fragment(rng) for _ in range(rng.randrange(1, 9))]
        if special and rng.randrange(4) == 0:
            parts.insert(rng.randrange(len(parts) + 1), rng.choice(special))
        texts.append("".join(parts))
    if count >= 10000:
        texts.extend(walk())
    return texts


if __name__ == "__main__":
    for line in make(int(sys.argv[1]), int(sys.argv[2]), []):
        print(repr(line))
