// Colours of the terminal, or none where the user does not want them (NO_COLOR, no-color.org).

export interface Paint {
  bold(text: string): string;
  faint(text: string): string;
  good(text: string): string;
  warn(text: string): string;
  /** A display with its backlight on, and off. */
  lit(text: string): string;
  dark(text: string): string;
  /** White ground with black ink. */
  paper(text: string): string;
}

function code(codes: string): (text: string) => string {
  return (text) => `\x1b[${codes}m${text}\x1b[0m`;
}

const plain = (text: string): string => text;

export const coloured: Paint = {
  bold: code("1"),
  faint: code("2"),
  good: code("32"),
  warn: code("33"),
  lit: code("30;102"),
  dark: code("90;40"),
  paper: code("30;107"),
};

export const colourless: Paint = {
  bold: plain,
  faint: plain,
  good: plain,
  warn: plain,
  lit: plain,
  dark: plain,
  paper: plain,
};

/** As the environment asks for: NO_COLOR with any value but the empty one means none. */
export function paintFor(env: NodeJS.ProcessEnv): Paint {
  return env.NO_COLOR ? colourless : coloured;
}

const ESCAPE = String.fromCharCode(27);
/** A colour in a text; in a group, so that `split` keeps it. */
export const COLOUR = new RegExp(`(${ESCAPE}\\[[\\d;]*m)`, "g");

/** Length without colours. */
export function visibleLength(text: string): number {
  return text.replace(COLOUR, "").length;
}
