// `picogrant check-server`: the server for whoever writes a port in C and runs its check (targets/host/ports/template).
import { integer, UsageError } from "../desktop/command-line.ts";
import { describeListenError } from "../service/server.ts";
import { commandLine } from "./option-parser.ts";
import { startCheckServer } from "./port-check-server.ts";

/** Where check-connection.c looks for it. */
const PORT = 8099;

const HELP = `
With picogrant-firmware installed, in another terminal (targets/docs/firmware-in-c.md there has all of it):
  make -f node_modules/picogrant-firmware/targets/host/ports/template/Makefile PORT=my-port OUT=build check
  build/check

Another address than http://127.0.0.1:${PORT}/ is told to make: CHECK_FLAGS=-DCHECK_SERVER='"http://192.168.1.20:${PORT}/"'`;

export async function checkServer(argv: readonly string[]): Promise<number> {
  const flags = commandLine("check-server", "The server that the check of a port in C talks to.")
    .option("-p, --port <number>", "port to listen on; 0: any", integer(0, 65_535), PORT)
    .option("-H, --host <address>", "address to listen on; 0.0.0.0 lets a board in", "127.0.0.1")
    .addHelpText("after", HELP)
    .parse(argv, { from: "user" })
    .opts<{ port: number; host: string }>();
  const server = await startCheckServer(flags.host, flags.port).catch((error) => {
    throw new UsageError(describeListenError(error, flags));
  });
  console.log(`picogrant check-server: listening on ${server.url}`);
  await new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
  await server.close();
  return 0;
}
