// A mistake that the person at the command line can put right.

/** Its message is one line: what, where, what to do. The program ends with exit code 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message.replace(/\s+/g, " ").trim());
    this.name = "UsageError";
  }
}
