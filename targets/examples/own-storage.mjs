// Stores tokens together with a program's other data. A storage is an object with three functions. Pass one of these
// objects to signIn as `storage`, instead of `state`. With a `deviceKey`, the stored text is useless without the key.

import { spawnSync } from "node:child_process";

/** In memory: the user signs in at each start. For tests, and for programs that must not store anything. */
export function memory() {
  let stored;
  return {
    load: () => stored,
    save: (value) => {
      stored = value;
    },
    erase: () => {
      stored = undefined;
    },
  };
}

/**
 * One row of a database for each account: CREATE TABLE sessions (account TEXT PRIMARY KEY, value TEXT NOT NULL). A
 * single statement is atomic.
 * @param query sends SQL and returns the rows, such as pg's `async (text, values) => (await pool.query(text, values)).rows`
 */
export function row(query, account) {
  return {
    load: async () => {
      const rows = await query("SELECT value FROM sessions WHERE account = $1", [account]);
      return rows[0]?.value;
    },
    save: (value) =>
      query(
        "INSERT INTO sessions (account, value) VALUES ($1, $2) " +
          "ON CONFLICT (account) DO UPDATE SET value = excluded.value",
        [account, value],
      ),
    erase: () => query("DELETE FROM sessions WHERE account = $1", [account]),
  };
}

/** The system's keychain: secret-tool on Linux (GNOME Keyring, KWallet), security on macOS. Passes the value on
 * standard input, because other users of the machine can see a process's arguments. */
export function keychain(service, account, platform = process.platform) {
  const run = (command, args, input = "") => {
    const { status, stdout, error } = spawnSync(command, args, { input, encoding: "utf8" });
    if (error) throw error;
    return { isFound: status === 0, text: stdout };
  };
  const must = ({ isFound }) => {
    if (!isFound) throw new Error("the keychain refuses");
  };
  if (platform === "darwin") {
    const entry = ["-s", service, "-a", account];
    return {
      load: () => {
        const { isFound, text } = run("security", ["find-generic-password", ...entry, "-w"]);
        return isFound ? text.trimEnd() : undefined;
      },
      save: (value) => {
        const words = ["add-generic-password", "-U", ...entry, "-w", value];
        must(run("security", ["-i"], `${words.map((word) => `"${word}"`).join(" ")}\n`));
      },
      erase: () => void run("security", ["delete-generic-password", ...entry]),
    };
  }
  const entry = ["service", service, "account", account];
  return {
    load: () => {
      const { isFound, text } = run("secret-tool", ["lookup", ...entry]);
      return isFound ? text : undefined;
    },
    save: (value) => must(run("secret-tool", ["store", "--label", service, ...entry], value)),
    erase: () => void run("secret-tool", ["clear", ...entry]),
  };
}
