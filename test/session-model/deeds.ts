// What can happen in a life of programs with a session: as often as it stands here.

export const DEEDS = [
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
export const DEEDS_WITH_UPDATES = [...DEEDS, "another program", "another program"] as const;
export type Deed = (typeof DEEDS_WITH_UPDATES)[number];
