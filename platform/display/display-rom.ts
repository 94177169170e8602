// The characters and bytes of HD44780 displays, for each character ROM. Converts display texts to the bytes of the device's
// display (Config.messages: one character per byte).

/** A00 is the Japanese standard ROM, with katakana. A02 is the European ROM. */
export type RomName = "A00" | "A02";

/** The half-width katakana from 0xA1 on (JIS X 0201). */
const KATAKANA = "｡｢｣､･ｦｧｨｩｪｫｬｭｮｯｰｱｲｳｴｵｶｷｸｹｺｻｼｽｾｿﾀﾁﾂﾃﾄﾅﾆﾇﾈﾉﾊﾋﾌﾍﾎﾏﾐﾑﾒﾓﾔﾕﾖﾗﾘﾙﾚﾛﾜﾝﾞﾟ";

/** ROM A00 from 0xE0 on. Some letters occur twice. ẋ stands for an x with a bar, which Unicode does not have. */
const A00_LAST = "αäβεμσρg√⁻jˣ¢£ñöpqθ∞ΩüΣπẋy千万円÷ █";

/** ROM A02 from 0x80 on. From 0xC0 on, the ROM is Latin-1 except for two characters. */
const A02_MIDDLE =
  "БДЖЗИЙЛПУЦЧШЩЪЫЭ" + // 0x80
  "α♪ΓπΣσ♬τ⍾ΘΩδ∞♥ε∩" + // 0x90
  "‖¡¢£¤¥¦§ƒ©ªʺЮЯ®‘" + // 0xA0
  "°±²³₧µ¶·ω¹º»¼½¾¿"; // 0xB0

/** The character of each byte from 0x20 on; "" if the ROM has none. */
const TABLES: Readonly<Record<RomName, readonly string[]>> = { A00: a00(), A02: a02() };

function ascii(): string[] {
  return Array.from({ length: 96 }, (_, at) => (at === 95 ? "" : String.fromCharCode(32 + at)));
}

function a00(): string[] {
  const table = ascii();
  table[0x5c - 32] = "¥";
  table[0x7e - 32] = "→";
  table[0x7f - 32] = "←";
  const nothing = Array.from({ length: 0xa1 - 0x80 }, () => "");
  return [...table, ...nothing, ...KATAKANA, ...A00_LAST];
}

function a02(): string[] {
  const latin = Array.from({ length: 64 }, (_, at) => String.fromCharCode(0xc0 + at));
  latin[0xd8 - 0xc0] = "Φ";
  latin[0xf8 - 0xc0] = "φ";
  return [...ascii(), ...A02_MIDDLE, ...latin];
}

/** Returns the character that a byte displays; a blank if the ROM has none, such as for 0 to 15 (custom characters). */
export function romCharacter(rom: RomName, byte: number): string {
  return TABLES[rom][byte - 32] || " ";
}

const NEARLY: Readonly<Record<string, string>> = { ß: "β", "·": "･", μ: "µ", Φ: "Φ" };

/** Returns the byte of a character, or of a similar one; -1 if the ROM has neither. Letters may lose their accents. */
function romByte(rom: RomName, character: string): number {
  const table = TABLES[rom];
  const plain = character.normalize("NFD").replace(/\p{M}/gu, "");
  for (const required of [character, NEARLY[character] ?? "", plain]) {
    const at = required === "" ? -1 : table.indexOf(required);
    if (at >= 0) return at + 32;
  }
  return -1;
}

/** Returns a string with a character (32 to 255) for each byte. @throws RangeError that names a missing character */
export function romText(rom: RomName, text: string): string {
  let bytes = "";
  for (const character of text) {
    const byte = romByte(rom, character);
    if (byte < 0) throw new RangeError(`the ROM ${rom} has no "${character}", as in "${text}"`);
    bytes += String.fromCharCode(byte);
  }
  return bytes;
}
