/**
 * Whether everything is run, as the gate and `npm run test:all` do. Otherwise a long test may try fewer random cases or
 * kill fewer processes, so that people run `npm test` often.
 */
export const isFullRun = process.env.CI === "true" || process.env.PICOGRANT_ALL === "1";
