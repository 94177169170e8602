// What the display says, from the core's own texts (MESSAGES) and its table of errors: nothing of it is typed twice.
import { MESSAGES, Message } from "../../../../core/device/errors.ts";
import { errorRows } from "../../../../core/tables/errors.ts";

const TEXTS = MESSAGES.split("\n");

/** The text in English. */
export function textOf(message: Message): string {
  return TEXTS[message]!.trimEnd();
}

/** What stands on the display for an error of a server, by the name that it gives it. */
export function textOfError(name: string): string {
  const row = errorRows().find(({ names }) => names.includes(name));
  return textOf(row?.message ?? Message.FAILED);
}
