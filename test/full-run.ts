/**
 * Whether everything is run, as in CI and with `npm run test:all`. Otherwise long tests use fewer random cases and kill
 * fewer processes, so that `npm test` is quick.
 */
export const isFullRun = process.env.CI === "true" || process.env.PICOGRANT_ALL === "1";
