// picogrant-tools/display: what a maker puts on displays and paper. Nothing of it is in a program that only signs in.

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
