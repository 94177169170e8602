// The actions of a random run. The run picks one at random, so an action that is listed several times is more frequent.

export const ACTIONS = [
  "start",
  "start",
  "start",
  "start",
  "kill",
  "power cut while writing",
  "sign out",
  "close",
  "abort",
  "access token",
  "fetch",
  "fetch",
  "the access token expires",
  "claims",
  "claims",
  "claims",
  "the older slot is damaged",
  "the newer slot is damaged",
  "the server ends the session",
  "a thief has the tokens",
  "another clock and kind of token",
  "the user refuses",
  "a callback throws",
  "asleep",
] as const;
export const ACTIONS_WITH_UPDATES = [...ACTIONS, "another program", "another program"] as const;
export type Action = (typeof ACTIONS_WITH_UPDATES)[number];
