// A device that the bench judges (bench.test.ts): `signIn` of the package with a device.json, and lines on its standard
// input: a calls the resource, o signs out.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { signIn } from "../../platform/node/sign-in.ts";

const config = JSON.parse(readFileSync(process.argv[2]!, "utf8"));
const { clientId, scope, endpoints, storage, http } = config;
const [resource] = endpoints.resources;

const session = signIn({
  ...{ clientId, scope, server: endpoints, resources: [resource], state: storage.directory },
  http: { ca: readFileSync(http.certificates, "utf8") },
  onCode: () => {},
  onTrouble: ({ message }: Error) => console.error(message),
  onEnd: ({ message }: Error) => console.error(message),
});
session.catch((error: Error) => console.error(error.message));

createInterface({ input: process.stdin }).on("line", async (line) => {
  try {
    const one = await session;
    await (line === "o" ? one.signOut() : one.fetch(resource));
  } catch (error) {
    console.error((error as Error).message);
  }
});
