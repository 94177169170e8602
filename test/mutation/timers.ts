// Timers as the tests and what they test have them: those that a mutant leaves behind can be cleared. The bundle has
// these in the place of the global ones (mutant-bundle.ts).

const left = new Set<NodeJS.Timeout>();
const { setTimeout: start, setInterval: startAgainAndAgain } = globalThis;

function noting<Parameters extends unknown[]>(
  begin: (...parameters: Parameters) => NodeJS.Timeout,
): (...parameters: Parameters) => NodeJS.Timeout {
  return (...parameters) => {
    const timer = begin(...parameters);
    left.add(timer);
    return timer;
  };
}

const timeout = noting(start);
const interval = noting(startAgainAndAgain);

export { interval as setInterval, timeout as setTimeout };

/** Clears all that were set until now. */
export function clearTimers(): void {
  for (const timer of left) clearTimeout(timer);
  left.clear();
}
