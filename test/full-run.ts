/**
 * Whether to run everything, as CI and `npm run test:all` do. Otherwise long tests use fewer random cases and
 * processes, so that `npm test` is quick.
 */
export const isFullRun = process.env.CI === "true" || process.env.PICOGRANT_ALL === "1";
