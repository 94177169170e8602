// Random lives of the session by hand: `npx tsx test/session-model/main.ts [lives] [first seed]`. What fails is printed
// with its seed, and repeats with it.

import { liveOnce } from "./life.ts";

const [lives = 1000, first = Date.now() % 2 ** 31] = process.argv.slice(2).map(Number);

async function main(): Promise<void> {
  process.stdout.write(`${lives} lives from seed ${first}\n`);
  let failed = 0;
  for (let seed = first; seed < first + lives; seed++) {
    const { violations, deeds } = await liveOnce(seed);
    if (violations.length === 0) continue;
    failed++;
    process.stdout.write(`seed ${seed}: ${violations.join("; ")}\n  ${deeds.join(", ")}\n`);
  }
  process.stdout.write(`${failed} of ${lives} failed\n`);
  process.exitCode = failed > 0 ? 1 : 0;
}

void main();
