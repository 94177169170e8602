// One person's way through the second device's pages, from a device's code to the decision.
import { Bench, VIDEO_READONLY } from "./harness.ts";
import { type Page, Visitor } from "./visitor.ts";

export class Walk {
  readonly bench: Bench;
  readonly visitor: Visitor;
  readonly device: string;
  readonly code: string;

  constructor(how: { bench?: Bench; scope?: string; client?: string } = {}) {
    this.bench = how.bench ?? new Bench();
    this.visitor = new Visitor(this.bench.service);
    const { scope = `${VIDEO_READONLY} email`, client = "living-room-tv" } = how;
    const { device_code, user_code } = this.bench.requestCodes({ scope, client_id: client }).json;
    this.device = String(device_code);
    this.code = String(user_code);
  }

  async enter(code = this.code, fields: Record<string, string> = {}): Promise<Page> {
    const page = await this.visitor.get("/device");
    return this.visitor.submit(page, "/device", { user_code: code, ...fields });
  }

  async choose(account = "ada"): Promise<Page> {
    // A visitor who chose before is not asked again unless it says so.
    const chooser = await this.enter(this.code, { choose: "another" });
    return this.visitor.submit(chooser, "/device/account", { account });
  }

  async decide(decision: "allow" | "deny", account = "ada", uncheck: string[] = []): Promise<Page> {
    const page = await this.choose(account);
    return this.visitor.submit(page, "/device/decision", { decision, access: "" }, uncheck);
  }

  poll() {
    return this.bench.poll(this.device);
  }
}
