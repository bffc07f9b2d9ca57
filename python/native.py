"""Makes assetc/_native.py, the declarations of assetc/runtime.h for ctypes, from the header itself.

    python3 native.py include/assetc/runtime.h OUT

The header is the only description of the interface, so nothing is declared by hand. A declaration that this program
does not understand is an error.
"""
import re
import sys

BASE = {"uint8_t": "c.c_uint8", "uint32_t": "c.c_uint32", "int32_t": "c.c_int32", "uint64_t": "c.c_uint64",
        "size_t": "c.c_size_t", "float": "c.c_float", "char": "c.c_char"}


def statements(text):
    """The declarations of a header, each as one line, without comments and lines of the preprocessor."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r'^\s*#.*$|extern "C" \{', "", text, flags=re.M)
    depth, start = 0, 0
    for i, letter in enumerate(text):
        depth += (letter == "{") - (letter == "}")
        if letter == ";" and depth == 0:
            yield " ".join(text[start:i].split())
            start = i + 1


class Native:
    def __init__(self):
        self.types = dict(BASE)  # name in C -> expression
        self.structs, self.opaque = set(), set()
        self.lines = []

    def type_of(self, text):
        """The expression of a type, such as `const assetc_handle*`."""
        stars = text.count("*")
        name = re.sub(r"\bconst\b|\*", " ", text).split()
        if len(name) != 1:
            raise SystemExit(f"native.py: found the type '{text}', which is not understood")
        name = name[0]
        if name == "void":
            if stars == 0:
                return "None"
            found, stars = "c.c_void_p", stars - 1
        elif name in self.opaque:
            if stars == 0:
                raise SystemExit(f"native.py: '{text}' is a value of a type without members")
            found, stars = "c.c_void_p", stars - 1
        elif name == "char" and stars > 0:
            found, stars = "c.c_char_p", stars - 1
        elif name in self.types:
            found = self.types[name]
        else:
            raise SystemExit(f"native.py: found the type '{name}', which is not declared before its use")
        for _ in range(stars):
            found = f"c.POINTER({found})"
        return found

    def parameter(self, text):
        """(name, type) of `const char* path`, or of a pointer to a function."""
        pointer = re.fullmatch(r"(.+?) ?\(\*(\w+)\)\((.*)\)", text)
        if pointer:
            inner = [self.parameter(one.strip())[1] for one in pointer[3].split(",")]
            return pointer[2], f"c.CFUNCTYPE({', '.join([self.type_of(pointer[1]), *inner])})"
        found = re.fullmatch(r"(.*?[\s*])(\w+)((?:\[\w+\])?)", text)
        if not found:
            raise SystemExit(f"native.py: found '{text}', expected a type and a name")
        kind = self.type_of(found[1])
        return found[2], f"{kind} * {found[3][1:-1]}" if found[3] else kind

    def members(self, text):
        for one in text.split(";"):
            one = one.strip()
            if not one:
                continue
            if "(*" in one:
                yield self.parameter(one)
                continue
            first, *others = one.split(",")
            name, kind = self.parameter(first.strip())
            base = re.match(r"(.*?)\w+(?:\[\w+\])?$", first.strip())[1].rstrip()
            yield name, kind
            for other in others:
                yield self.parameter(f"{base} {other.strip()}")

    def add(self, text):
        struct = re.fullmatch(r"typedef struct (\w+) \{(.*)\} (\w+)", text)
        enum = re.fullmatch(r"enum \{(.*)\}", text)
        opaque = re.fullmatch(r"typedef struct (\w+) (\w+)", text)
        alias = re.fullmatch(r"typedef (\w+) (\w+)", text)
        function = re.fullmatch(r"ASSETC_API (.+?[\s*])(assetc_\w+)\((.*)\)", text)
        if struct:
            members = list(self.members(struct[2]))
            if struct[3] == "assetc_text":  # it does not end with a zero byte
                members[0] = (members[0][0], "c.c_void_p")
            fields = "".join(f'\n        ("{name}", {kind}),' for name, kind in members)
            self.lines.append(f"class {struct[3]}(c.Structure):\n    _fields_ = [{fields}\n    ]\n")
            self.types[struct[3]] = struct[3]
        elif enum:
            for one in enum[1].split(","):
                if one.strip():
                    name, value = (part.strip() for part in one.split("="))
                    self.lines.append(f"{name} = {int(value, 0)}")
        elif opaque:
            self.opaque.add(opaque[2])
        elif alias:
            self.types[alias[2]] = self.type_of(alias[1])
        elif function:
            parameters = [] if function[3].strip() == "void" else [self.parameter(one.strip()) for one in function[3].split(",")]
            kinds = "".join(f"{kind}, " for _, kind in parameters)
            self.lines.append(f'FUNCTIONS["{function[2]}"] = ({self.type_of(function[1])}, ({kinds}))')
        elif text != "}":
            raise SystemExit(f"native.py: found '{text}', which is not understood")


def main(header, out):
    text = open(header, encoding="utf-8").read()
    native = Native()
    native.lines += ['"""Declarations of assetc/runtime.h, made from it by native.py."""', "import ctypes as c\n",
                     "FUNCTIONS = {}  # name -> (type of the result, types of the parameters)\n"]
    for name, value in re.findall(r"#define (ASSETC_ABI_VERSION|ASSETC_NONE) (\w+?)u?\b", text):
        native.lines.append(f"{name} = {int(value, 0)}")
    for one in statements(text):
        native.add(one)
    with open(out, "w", encoding="utf-8") as file:
        file.write("\n".join(native.lines) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
