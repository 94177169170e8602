// What can happen in a life of programs with a session: as often as it stands here.

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
  "ask for the token",
  "ask an API",
  "ask an API",
  "the access token ends",
  "who has signed in",
  "who has signed in",
  "who has signed in",
  "the older slot is damaged",
  "the newer slot is damaged",
  "the server ends the session",
  "the user refuses",
  "a callback throws",
  "asleep",
] as const;
export const ACTIONS_WITH_UPDATES = [...ACTIONS, "another program", "another program"] as const;
export type Action = (typeof ACTIONS_WITH_UPDATES)[number];
