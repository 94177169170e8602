// What the kernel shows every user of the processes that a test has started, and of theirs. Other
// processes of the machine are not looked at: they are not the device's doing, and may be another test's.

import { readdirSync, readFileSync } from "node:fs";

interface Sightings {
  /** Each distinct command line and environment, NUL as space. */
  readonly texts: Set<string>;
  /** Process ids of curl. */
  readonly curls: Set<number>;
  stop(): void;
}

/** Reads them again and again. A process counts from its first moment: it is seen before it runs curl. */
export function watchDescendants(roots: () => readonly number[]): Sightings {
  const texts = new Set<string>();
  const curls = new Set<number>();
  const look = (): void => {
    for (const pid of descendantsOf(roots())) {
      const command = textOf(pid, "cmdline");
      for (const text of [command, textOf(pid, "environ")]) if (text !== "") texts.add(text);
      if (command.startsWith("curl ")) curls.add(pid);
    }
  };
  const timer = setInterval(look, 15);
  return { texts, curls, stop: () => clearInterval(timer) };
}

/** The processes, their children, and so on. */
export function descendantsOf(roots: readonly number[]): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const parent = parentOf(Number(name));
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const found = [...roots];
  // Grows while it is walked through.
  for (const pid of found) found.push(...(children.get(pid) ?? []));
  return found;
}

/** undefined where the process has ended. */
function parentOf(pid: number): number | undefined {
  const stat = textOf(pid, "stat");
  // The name in parentheses may have spaces and parentheses itself.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields[1] === undefined ? undefined : Number(fields[1]);
}

function textOf(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1").replaceAll("\0", " ");
  } catch {
    return "";
  }
}
