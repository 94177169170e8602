// Reads what the conformance script prints (TAP) and judges it.

export interface Verdict {
  readonly passed: number;
  readonly failed: number;
  /** Names of what failed, each with the notes behind it; or why there is no result at all. */
  readonly failures: readonly string[];
}

/** @param output everything that the engine printed, on both its channels */
export function readTap(output: string): Verdict {
  let passed = 0;
  const failures: string[] = [];
  let plan = -1;
  const strange: string[] = [];
  for (const line of output.split(/\r?\n/)) {
    if (line.startsWith("ok ")) passed++;
    else if (line.startsWith("not ok ")) failures.push(line.replace(/^not ok \d+ - /, ""));
    else if (line.startsWith("#   ") || /^# (got|expected) /.test(line)) {
      failures[failures.length - 1] += `\n    ${line}`;
    } else if (line.startsWith("1..")) plan = Number(line.slice(3));
    else if (line !== "" && !line.startsWith("#")) strange.push(line);
  }
  const failed = failures.length;
  if (plan !== passed + failed) {
    failures.push(
      plan < 0
        ? `the script did not come to its end: ${strange.slice(-3).join(" / ") || "no output"}`
        : `${plan} were planned, ${passed + failed} ran`,
    );
  }
  return { passed, failed: failures.length, failures };
}
