// What the device is at: why it sends a request, and who has the room that all of them share.

/** What a request is for. */
export enum Purpose {
  NONE = 0,
  CODE = 1,
  POLL = 2,
  REFRESH = 3,
  REVOCATION = 4,
  CALL = 5,
  /** No request: storage is offered the tokens again that it refused. */
  SAVE = 6,
  /** Nor this: it is asked again to erase what should be gone. */
  ERASE = 7,
}

/** Who has the room in which requests and records are made and answers to calls are kept. */
export enum Holder {
  NOBODY = 0,
  /** A request of the grant, until it has ended or ABORT was given. */
  REQUEST = 1,
  /** A record, from LOAD or STORE until the host has done it. */
  RECORD = 2,
  /** The answer to a call, until the host has had the time to read it: until tick has answered NONE. */
  ANSWER = 3,
  /** One that the host has had the time to read. */
  READ = 4,
}
