// picogrant-tools/display: texts for displays. Programs that only sign in do not load it.

export { type RomName, romCharacter, romText } from "./display-rom.ts";
export { type Language, languages, messagesFor, reasonsFor, usualRom } from "./languages.ts";
