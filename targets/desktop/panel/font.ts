// The display's own character set: 5x8 dots for each printable ASCII character, for small letters with accents
// and for katakana, as the controllers of such displays have them in their ROMs. Five columns a character, the
// lowest bit on top.

// What the Japanese ROM of character displays has beyond ASCII, and in the place of three of its characters: dots, row
// by row, below each row of letters. The eighth row of each is blank.

export const JAPANESE_DOTS = `
｡     ｢     ｣     ､     ･     ｦ     ｧ     ｨ     ｩ
..... ..### ..... ..... ..... ##### ..... ..... .....
..... ..#.. ..... ..... ..... ....# ..... ..... .....
..... ..#.. ..... ..... ..... ##### ##### ...#. ..#..
..... ..#.. ..#.. ..... .##.. ....# ....# ..#.. #####
###.. ..... ..#.. #.... .##.. ...#. ..##. .##.. #...#
#.#.. ..... ..#.. .#... ..... ..#.. ..#.. #.#.. ....#
###.. ..... ###.. ..#.. ..... .#... .#... ..#.. ..##.

ｪ     ｫ     ｬ     ｭ     ｮ     ｯ     ｰ     ｱ     ｲ
..... ..... ..... ..... ..... ..... ..... ##### ....#
..... ..... ..... ..... ..... ..... ..... ....# ...#.
..... ...#. .#... ..... ####. ..... ..... ..#.# ..#..
##### ##### ##### .###. ...#. #.#.# ##### ..##. .##..
..#.. ..##. .#..# ...#. ####. #.#.# ..... ..#.. #.#..
..#.. .#.#. .#.#. ...#. ...#. ....# ..... ..#.. ..#..
##### #..#. .#... ##### ####. ..##. ..... .#... ..#..

ｳ     ｴ     ｵ     ｶ     ｷ     ｸ     ｹ     ｺ     ｻ
..#.. ..... ...#. .#... ..#.. ..... .#... ..... .#.#.
##### ##### ##### ##### ##### .#### .#### ##### #####
#...# ..#.. ...#. .#..# ..#.. .#..# #..#. ....# .#.#.
#...# ..#.. ..##. .#..# ##### #...# ...#. ....# .#.#.
....# ..#.. .#.#. .#..# ..#.. ....# ...#. ....# ...#.
...#. ..#.. #..#. .#..# ..#.. ...#. ...#. ....# ..#..
..#.. ##### ...#. #..#. ..#.. .##.. ..#.. ##### .#...

ｼ     ｽ     ｾ     ｿ     ﾀ     ﾁ     ﾂ     ﾃ     ﾄ
..... ..... .#... ..... ..... ...#. ..... .###. .#...
##... ##### ##### #...# .#### ###.. #.#.# ..... .#...
....# ....# .#..# #...# .#..# ..#.. #.#.# ##### .#...
##..# ...#. .#.#. .#..# #.#.# ##### #.#.# ..#.. .##..
....# ..#.. .#... ....# ...## ..#.. ....# ..#.. .#.#.
...#. .#.#. .#... ...#. ...#. ..#.. ...#. ..#.. .#...
###.. #...# ..### .##.. .##.. .#... ..#.. .#... .#...

ﾅ     ﾆ     ﾇ     ﾈ     ﾉ     ﾊ     ﾋ     ﾌ     ﾍ
..#.. ..... ..... ..#.. ...#. ..... #.... ..... .....
..#.. .###. ##### ##### ...#. ..#.. #.... ##### .#...
##### ..... ....# ...#. ...#. ...#. ##### ....# #.#..
..#.. ..... .#.#. ..#.. ...#. #...# #.... ....# ...#.
..#.. ..... ..#.. .###. ...#. #...# #.... ....# ....#
.#... ..... .#.#. #.#.# ..#.. #...# #.... ...#. ....#
#.... ##### #.... ..#.. .#... #...# .#### .##.. .....

ﾎ     ﾏ     ﾐ     ﾑ     ﾒ     ﾓ     ﾔ     ﾕ     ﾖ
..#.. ..... ..... ..... ..... ..... .#... ..... .....
##### ##### .###. ..#.. ....# ##### .#... .###. #####
..#.. ....# ..... .#... ....# .#... ##### ...#. ....#
..#.. ....# .###. #.... .#.#. ##### .#..# ...#. #####
#.#.# .#.#. ..... #...# ..#.. .#... .#.#. ...#. ....#
#.#.# ..#.. .###. ##### .#.#. .#... .#... ...#. ....#
..#.. ...#. ....# ....# #.... ..### .#... ##### #####

ﾗ     ﾘ     ﾙ     ﾚ     ﾛ     ﾜ     ﾝ     ﾞ     ﾟ
.###. #..#. ..... ..... ..... ..... ..... ..#.. ###..
..... #..#. ..#.. #.... ##### ##### ##... #..#. #.#..
##### #..#. #.#.. #.... #...# #...# ....# .#... ###..
....# #..#. #.#.. #...# #...# #...# ....# ..... .....
....# ...#. #.#.# #..#. #...# ....# ....# ..... .....
...#. ..#.. #.#.# #.#.. #...# ...#. ...#. ..... .....
..#.. .#... #.##. ##... ##### ..#.. ###.. ..... .....

¥     →     ←
#...# ..... .....
.#.#. ..#.. ..#..
##### ...#. .#...
..#.. ##### #####
##### ...#. .#...
..#.. ..#.. ..#..
..#.. ..... .....
`;

export const GLYPH_COLUMNS = 5;
export const GLYPH_ROWS = 8;

const COLUMNS =
  "0000000000 00005f0000 0007000700 147f147f14 242a7f2a12 2313086462 3649562050 0008070300 " +
  "001c224100 0041221c00 2a1c7f1c2a 08083e0808 0080703000 0808080808 0000606000 2010080402 " +
  "3e5149453e 00427f4000 7249494946 2141494d33 1814127f10 2745454539 3c4a494931 4121110907 " +
  "3649494936 464949291e 0000140000 0040340000 0008142241 1414141414 0041221408 0201590906 " +
  "3e415d594e 7c1211127c 7f49494936 3e41414122 7f4141413e 7f49494941 7f09090901 3e41415173 " +
  "7f0808087f 00417f4100 2040413f01 7f08142241 7f40404040 7f021c027f 7f0408107f 3e4141413e " +
  "7f09090906 3e4151215e 7f09192946 2649494932 03017f0103 3f4040403f 1f2040201f 3f4038403f " +
  "6314081463 0304780403 6159494d43 007f414141 0204081020 004141417f 0402010204 4040404040 " +
  "0003070800 2054547840 7f28444438 3844444428 384444287f 3854545418 00087e0902 18a4a49c78 " +
  "7f08040478 00447d4000 2040403d00 7f10284400 00417f4000 7c04780478 7c08040478 3844444438 " +
  "fc18242418 18242418fc 7c08040408 4854545424 04043f4424 3c4040207c 1c2040201c 3c4030403c " +
  "4428102844 4c9090907c 4464544c44 0008364100 0000770000 0041360800 0201020402";

const GLYPHS: readonly (readonly number[])[] = COLUMNS.split(" ").map((text) =>
  Array.from({ length: GLYPH_COLUMNS }, (_, at) =>
    Number.parseInt(text.slice(2 * at, 2 * at + 2), 16),
  ),
);

/** Small letters leave the two uppermost rows and the lowest one free: what belongs above or below them. */
const MARKS: Readonly<Record<string, readonly string[]>> = {
  "\u0300": [".#...", "..#.."], // grave
  "\u0301": ["...#.", "..#.."], // acute
  "\u0302": ["..#..", ".#.#."], // circumflex
  "\u0303": [".##.#", "#..#."], // tilde
  "\u0308": [".#.#.", "....."], // diaeresis
  "\u030a": [".##..", ".##.."], // ring
  "\u0327": [".....", ".....", ".....", ".....", ".....", ".....", ".....", "..#.."], // cedilla
};
const MARKED = "àáâãäåçèéêëìíîïñòóôõöùúûüýÿ";
/** Where an i has its dot, which a mark takes the place of. */
const TOP_ROWS = 0b11;

const FURTHER: ReadonlyMap<number, readonly number[]> = new Map([...japanese(), ...marked()]);

/** Five columns of rows of dots, the first one on top. */
function columnsOf(rows: readonly string[]): number[] {
  return Array.from({ length: GLYPH_COLUMNS }, (_, column) =>
    rows.reduce((bits, row, at) => bits | (row[column] === "#" ? 1 << at : 0), 0),
  );
}

/** Blocks of a row of letters and their rows of dots, each letter above its own. */
function japanese(): [number, number[]][] {
  return JAPANESE_DOTS.trim()
    .split("\n\n")
    .flatMap((block) => {
      const [letters = "", ...rows] = block.split("\n");
      return letters
        .split(/ +/)
        .map((letter, at): [number, number[]] => [
          letter.charCodeAt(0),
          columnsOf(rows.map((row) => row.split(" ")[at]!)),
        ]);
    });
}

/** Letter and mark, dot by dot. */
function marked(): [number, number[]][] {
  return [...MARKED].map((letter) => {
    const [plain = "", mark = ""] = letter.normalize("NFD");
    const above = columnsOf(MARKS[mark]!);
    const body = GLYPHS[plain.charCodeAt(0) - 32]!.map((column) =>
      plain === "i" ? column & ~TOP_ROWS : column,
    );
    return [letter.charCodeAt(0), body.map((column, at) => column | above[at]!)];
  });
}

/** Whether the dots of a character are known; of few that the ROMs have they are not. */
export function hasGlyph(code: number): boolean {
  return GLYPHS[code - 32] !== undefined || FURTHER.has(code);
}

/** The five columns of a character; a blank for what the display has no character for. */
export function glyphOf(code: number): readonly number[] {
  return GLYPHS[code - 32] ?? FURTHER.get(code) ?? GLYPHS[0]!;
}
