// picogrant-tools/display: texts for displays and paper. Programs that only sign in do not load it.

export { type RomName, romCharacter, romText } from "./display-rom.ts";
export {
  type PrinterSettings,
  printerFor,
  type Slip,
  type SlipPrompt,
  slipBytes,
  slipIn,
  usualPrinter,
} from "./escpos.ts";
export { type Language, languages, messagesFor, reasonsFor, usualRom } from "./languages.ts";
