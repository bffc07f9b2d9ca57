"""Compares .hfont files with fontTools: characters, advances, metrics and kerning are those of the source.

    fonts.py ASSETC

The reader of .hfont below follows docs/formats/hfont.md and shares no code with assetc.
"""
import os
import struct
import subprocess
import sys
import tempfile

sys.path.append("/usr/lib/python3/dist-packages")  # of Debian, for another Python
try:
    from fontTools.ttLib import TTFont
except ImportError:
    print("skipped: python3-fonttools is not installed")
    sys.exit(77)

ASSETC = os.path.abspath(sys.argv[1])
HERE = os.path.dirname(os.path.abspath(__file__))
FONTS = [os.path.join(HERE, "..", "data", "corpus", "fonts", name) for name in ("blocks.ttf", "blocks.otf")]
FONTS += [path for path in ("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
                            "/usr/share/fonts/truetype/dejavu/DejaVuSerif-Bold.ttf") if os.path.exists(path)]


class Hfont:
    def __init__(self, data):
        magic, version, count = struct.unpack_from("<4sII", data)
        assert (magic, version) == (b"HFNT", 1), (magic, version)
        chunks = {}
        for i in range(count):
            name, _, offset, size = struct.unpack_from("<4sIQQ", data, 32 + 24 * i)
            chunks[name] = data[offset:offset + size]
        desc = struct.unpack("<QII7fII12s", chunks[b"DESC"])
        self.ascender, self.descender, self.line_height = desc[5:8]
        self.underline_position, self.underline_thickness = desc[8:10]
        self.units = desc[11]
        self.glyphs = list(struct.iter_unpack("<If4f4H", chunks[b"GLYF"]))
        self.characters = dict(struct.iter_unpack("<II", chunks[b"CMAP"]))
        self.kerning = {(a, b): v for a, b, v in struct.iter_unpack("<IIf", chunks.get(b"KERN", b""))}


def pair_value(subtable, first, second):
    """The XAdvance of a PairPos subtable for two glyphs, or None if it does not decide."""
    if first not in subtable.Coverage.glyphs:
        return None
    if subtable.Format == 1:
        records = subtable.PairSet[subtable.Coverage.glyphs.index(first)].PairValueRecord
        for record in records:
            if record.SecondGlyph == second:
                return getattr(record.Value1, "XAdvance", 0) if record.Value1 else 0
        return None
    first_class = subtable.ClassDef1.classDefs.get(first, 0)
    second_class = subtable.ClassDef2.classDefs.get(second, 0)
    value = subtable.Class1Record[first_class].Class2Record[second_class].Value1
    return getattr(value, "XAdvance", 0) if value else 0


def kerning_of(font):
    """A function from two glyph names to the kerning of Latin text, from GPOS or the table kern."""
    if "GPOS" in font:
        table = font["GPOS"].table
        scripts = {r.ScriptTag: r.Script for r in table.ScriptList.ScriptRecord}
        script = scripts.get("latn") or scripts["DFLT"]
        indices = script.DefaultLangSys.FeatureIndex
        features = [table.FeatureList.FeatureRecord[i] for i in indices]
        numbers = sorted({n for f in features if f.FeatureTag == "kern" for n in f.Feature.LookupListIndex})
        lookups = []
        for n in numbers:
            subtables = [getattr(s, "ExtSubTable", s) for s in table.LookupList.Lookup[n].SubTable]
            lookups.append([s for s in subtables if s.LookupType == 2])

        def value(first, second):
            total = 0
            for subtables in lookups:
                for subtable in subtables:
                    found = pair_value(subtable, first, second)
                    if found is not None:
                        total += found
                        break
            return total
        if numbers:
            return value
    if "kern" in font:
        pairs = font["kern"].kernTables[0].kernTable
        return lambda first, second: pairs.get((first, second), 0)
    return lambda first, second: 0


def close(a, b):
    return abs(a - b) < 1e-6


checks = 0
for path in FONTS:
    font = TTFont(path, recalcTimestamp=False)
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "assets"))
        name = "font" + os.path.splitext(path)[1]
        with open(path, "rb") as source, open(os.path.join(folder, "assets", name), "wb") as copy:
            copy.write(source.read())
        subprocess.run([ASSETC, "-q"], cwd=folder, check=True, env=dict(os.environ, ASSETC_CACHE="off"))
        with open(os.path.join(folder, "runtime", "font.hfont"), "rb") as file:
            ours = Hfont(file.read())
    units = font["head"].unitsPerEm
    cmap = font.getBestCmap()
    asked = [c for c in list(range(0x20, 0x7F)) + list(range(0xA0, 0x100)) if c in cmap]
    assert ours.units == units, path
    assert sorted(ours.characters) == asked, path
    hhea = font["hhea"]
    assert close(ours.ascender, hhea.ascent / units) and close(ours.descender, hhea.descent / units), path
    assert close(ours.line_height, (hhea.ascent - hhea.descent + hhea.lineGap) / units), path
    assert close(ours.underline_thickness, font["post"].underlineThickness / units), path
    for c in asked:
        glyph = ours.glyphs[ours.characters[c]]
        assert font.getGlyphName(glyph[0]) == cmap[c], (path, c)
        assert close(glyph[1], font["hmtx"][cmap[c]][0] / units), (path, c)
        checks += 1
    value = kerning_of(font)
    letters = [c for c in asked if chr(c).isascii() and chr(c).isalpha()]
    for a in letters:
        for b in letters:
            expected = value(cmap[a], cmap[b]) / units
            found = ours.kerning.get((ours.characters[a], ours.characters[b]), 0)
            assert close(found, expected), (path, chr(a), chr(b), found, expected)
            checks += 1
print(f"{len(FONTS)} fonts, {checks} values equal those of fontTools")
