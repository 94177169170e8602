// A dialogue with the service in memory, written as lines of "request -> response", such as:
//
//   code scope=email,video -> 200 interval=5     requests codes; $device and $user are the newest, $device2 the second
//   allow ada scopes=email -> granted            the user's decision about the last code, and its result
//   poll client=console -> 400 invalid_grant     fields are those of the specification; an empty one is omitted
//   sign-in account=ben -> 200                   code, allow and poll; $access and $refresh are its tokens
//   list mine= -> 400 required                   the API of live broadcasts; token= replaces or removes the token
//   get /userinfo -> 200 sub=ada                 any address, with the last access token
//   poll basic=a:b -> 401 invalid_client         HTTP Basic with this pair as it is
//   wait 4.999                                   seconds
//   enter -> 200 says=$user                      types the last code into the page; then "choose ada", "press allow"
//   submit /account/disable -> 200               sends the form for this address from an earlier page
//   look /account -> 200                         opens a page; send posts fields to an address, without a form
//   browser other 203.0.113.2                    switches to another browser, a new one or one used before
//
// The expected response is its status, its error word, members (`expires_in=60`), absent members (`-refresh_token`),
// the complete list of members (`only=error_code`), a part of its challenge (`challenge=invalid_token`), text of a page
// (`says='Choose~an~account'`) and text that must not be on the page (`lacks=`).

import { expect, test } from "vitest";
import type { FixtureInput, ServiceOptionsInput } from "../../targets/service/index.ts";
import {
  Bench,
  CONSOLE,
  DEVICE_GRANT,
  errorWordOf,
  form,
  type HttpResponse,
  PUBLISHER_CLIENT,
  S256,
  SCOPE_BASE,
  TV,
  VERIFIER,
} from "./harness.ts";
import { type Page, UserAgent } from "./user-agent.ts";

type Pairs = Record<string, string>;

const CLIENTS: Readonly<Record<string, Pairs>> = {
  tv: TV,
  console: CONSOLE,
  publisher: PUBLISHER_CLIENT,
  printer: { client_id: "public-printer", client_secret: "" },
  kiosk: { client_id: "northwind-kiosk", client_secret: "kiosk-secret" },
  impatient: { client_id: "impatient-box", client_secret: "impatient-secret" },
  unlisted: { client_id: "unlisted-box", client_secret: "unlisted-secret" },
  web: { client_id: "web-shop", client_secret: "web-secret" },
  nobody: { client_id: "nobody", client_secret: "x" },
};
const BARE = ["email", "openid", "profile"];
const LISTING = "/video/v3/liveBroadcasts";

const PARENTS: Pairs = {
  packageName: "test.picogrant.player",
  productId: "premium",
  basePlanId: "monthly",
};
const OFFER_ACTIONS: Readonly<Record<string, readonly [method: string, path: string]>> = {
  read: ["GET", ""],
  delete: ["DELETE", ""],
  activate: ["POST", ":activate"],
  deactivate: ["POST", ":deactivate"],
};

function offersOf({ packageName, productId, basePlanId }: Pairs, version: string): string {
  const plan = `${packageName}/subscriptions/${productId}/basePlans/${basePlanId}`;
  return `/publisher/${version}/applications/${plan}/offers`;
}

type Given = string | readonly string[] | ServiceOptionsInput;

/** Declares a test for each name without indentation, with the lines below. An object sets options of the service. */
export const testRows = testRowsWith(undefined);

export function testRowsWith(fixture: FixtureInput | undefined) {
  return (text: TemplateStringsArray, ...given: readonly Given[]): void => {
    const printed = given.map((one) => {
      if (typeof one === "string") return one;
      return Array.isArray(one) ? one.join("\n  ") : `with ${JSON.stringify(one)}`;
    });
    for (const row of String.raw({ raw: text }, ...printed)
      .split(/\n+(?=\S)/)
      .slice(1)) {
      const [name = "", ...lines] = row.split("\n").map((line) => line.trim());
      test(name, async () => {
        const options = lines.find((line) => line.startsWith("with "))?.replace("with ", "");
        const talk = new Talk(options && JSON.parse(options), fixture);
        for (const line of lines) if (!/^(?:with |$)/.test(line)) await talk.print(line);
      });
    }
  };
}

interface Browser {
  readonly userAgent: UserAgent;
  /** The last page with a form for an address. */
  readonly forms: Record<string, Page>;
}

class Talk {
  readonly #bench: Bench;
  readonly #browsers: Record<string, Browser> = {};
  #browser: Browser;
  readonly #known: Pairs = { $verifier: VERIFIER, $challenge: S256 };

  constructor(options: ServiceOptionsInput = {}, fixture?: FixtureInput) {
    this.#bench = new Bench(options, fixture && { fixture });
    this.#browser = this.#openBrowser("", undefined);
  }

  async print(line: string): Promise<void> {
    const [request = "", response] = line.split(" -> ");
    const [verb = "", ...words] = request.split(" ").filter((word) => word !== "");
    const found = await this.#do(verb, words);
    if (response === undefined) return;
    if (typeof found === "string") expect(found, line).toBe(response);
    else this.#compare(line, response, found);
  }

  #compare(line: string, response: string, { status, json, headers, text }: HttpResponse): void {
    const [required, ...words] = response.split(" ");
    const word = errorWordOf(json);
    const found = word === undefined ? `${status}` : `${status} ${word}`;
    const isNamed = words[0] !== undefined && /^\w+$/.test(words[0]);
    expect(found, line).toBe(isNamed ? `${required} ${words.shift()}` : required);
    for (const one of words) {
      const [name = "", ...value] = one.split("=");
      if (name.startsWith("-")) expect(json, line).not.toHaveProperty(name.slice(1));
      else if (name === "says") expect(text, line).toContain(this.#value(name, value.join("=")));
      else if (name === "lacks") expect(text, line).not.toContain(value.join("="));
      else if (name === "challenge")
        expect(headers["www-authenticate"], line).toContain(this.#value(name, value.join("=")));
      else if (name === "only")
        expect(Object.keys(json).sort(), line).toEqual(value.join("=").split(","));
      else if (name === "ids")
        expect((json.items as { id: string }[]).map(({ id }) => id).join(), line).toBe(value[0]);
      else expect(String(json[name]), line).toBe(this.#value(name, value.join("=")));
    }
  }

  /** Replaces variables such as `$access`, scopes by their identifiers, and "~" by a space. */
  #value(name: string, text: string): string {
    if (text.startsWith("$")) return this.#known[text] ?? text;
    if (text.startsWith("'")) return text.slice(1, -1).replaceAll("~", " ");
    if (!/scope|untick/.test(name)) return text;
    const names = text.split(",").filter((one) => one !== "");
    return names
      .map((one) => (BARE.includes(one) || one.includes(":") ? one : `${SCOPE_BASE}/auth/${one}`))
      .join(" ");
  }

  #pairs(words: readonly string[]): Pairs {
    const pairs: Pairs = {};
    for (const word of words) {
      const [name = "", ...value] = word.split("=");
      if (name === "client") Object.assign(pairs, CLIENTS[value[0]!]);
      else pairs[name] = this.#value(name, value.join("="));
    }
    return pairs;
  }

  #remember(names: Readonly<Record<string, unknown>>): void {
    for (const [name, value] of Object.entries(names)) {
      if (value === undefined) continue;
      let count = 1;
      while (`$${name}${count}` in this.#known) count++;
      this.#known[`$${name}${count}`] = this.#known[`$${name}`] = String(value);
    }
  }

  #do(verb: string, words: readonly string[]): HttpResponse | string | Promise<HttpResponse> {
    const bench = this.#bench;
    const { service } = bench;
    const [who = "", ...rest] = words;
    const named = (): Pairs => this.#pairs(words);
    switch (verb) {
      case "wait":
        bench.wait(Number(who));
        return "";
      case "code": {
        const { basic, ...fields } = named();
        const requested = { client_id: TV.client_id, scope: `${SCOPE_BASE}/auth/video.readonly` };
        const response = this.#post("/device/code", { ...requested, ...fields }, basic);
        this.#remember({ device: response.json.device_code, user: response.json.user_code });
        return response;
      }
      case "allow": {
        const { scopes, seconds, user = this.#known.$user! } = this.#pairs(rest);
        return service.approve(user, who, {
          scopes: scopes?.split(" "),
          accessSeconds: seconds === undefined ? undefined : Number(seconds),
        });
      }
      case "deny":
        return service.deny(this.#known.$user!);
      case "poll":
        return this.#tokens(
          this.#token(
            { device_code: this.#known.$device ?? "none", grant_type: DEVICE_GRANT },
            named(),
          ),
        );
      case "refresh":
        return this.#tokens(
          this.#token(
            { refresh_token: this.#known.$refresh ?? "none", grant_type: "refresh_token" },
            named(),
          ),
        );
      case "sign-in": {
        const { account = "ada", seconds, ...fields } = named();
        this.#do(
          "code",
          words.filter((word) => /^(client|scope)=/.test(word)),
        );
        service.approve(this.#known.$user!, account, {
          accessSeconds: seconds === undefined ? undefined : Number(seconds),
        });
        return this.#tokens(
          this.#token({ device_code: this.#known.$device!, grant_type: DEVICE_GRANT }, fields),
        );
      }
      case "revoke": {
        const { token = this.#known.$refresh ?? "", basic, ...fields } = named();
        return this.#post(`/revoke?${form({ token })}`, fields, basic);
      }
      case "list": {
        const { token = this.#known.$access, ...query } = named();
        const target = `${LISTING}?${form({ part: "id", mine: "true", ...query })}`;
        return bench.get(target, token === "" ? undefined : token);
      }
      case "get": {
        const target = who.replace(/\$\w+/, (name) => this.#known[name] ?? name);
        const path = target.startsWith("/") ? target : `${LISTING}?${target}`;
        const response = bench.get(path, this.#known.$access);
        this.#remember({ next: response.json.nextPageToken, prev: response.json.prevPageToken });
        return response;
      }
      case "post": {
        const { basic, ...fields } = this.#pairs(rest);
        return this.#post(who.replace("$access", this.#known.$access ?? ""), fields, basic);
      }
      case "create": {
        const { offerId = "intro", version = "2022/02", path = "v3", ...more } = named();
        const { raw, type, body = "{}", ...given } = more;
        const parents = { ...PARENTS, ...given };
        const query = form({ offerId, "regionsVersion.version": version });
        const sent = raw ?? JSON.stringify({ ...parents, ...(JSON.parse(body) as object) });
        return bench.send("POST", `${offersOf(parents, path)}?${query}`, sent, this.#bearer(type));
      }
      case "offer": {
        const [method, path] = OFFER_ACTIONS[who] ?? ["POST", `:${who}`];
        const [id = "intro"] = rest;
        return bench.send(method, `${offersOf(PARENTS, "v3")}/${id}${path}`, "", this.#bearer());
      }
      case "enter":
        return this.#enter(named());
      case "choose":
        return this.#submit("/device/account", { account: who });
      case "press":
        return this.#submit("/device/decision", {
          decision: who,
          access: "",
          ...this.#pairs(rest),
        });
      case "submit":
        return this.#submit(who, this.#pairs(rest));
      case "send":
        return this.#shown(this.#browser.userAgent.post(who, this.#pairs(rest)));
      case "look":
        return this.#shown(this.#browser.userAgent.get(who.replace("$user", this.#known.$user!)));
      case "browser":
        this.#browser = this.#browsers[who] ?? this.#openBrowser(who, rest[0]);
        return "";
      case "end":
        return `${service.revokeAllFor(who, rest[0])}`;
      case "disable":
        service.disableAccount(who);
        return "";
      case "enable":
        service.enableAccount(who);
        return "";
      case "block":
        service.setPolicy(who, rest);
        return "";
      default:
        throw new Error(`unknown verb "${verb}"`);
    }
  }

  #openBrowser(name: string, address: string | undefined): Browser {
    const browser = { userAgent: new UserAgent(this.#bench.service, address), forms: {} };
    this.#browsers[name] = browser;
    return browser;
  }

  async #shown(coming: Promise<Page>): Promise<HttpResponse> {
    const page = await coming;
    for (const [, action] of page.html.matchAll(/<form[^>]*action="([^"]*)"/g))
      this.#browser.forms[action!] = page;
    const headers = Object.fromEntries(page.headers);
    return { status: page.status, headers, text: page.html, json: {} };
  }

  async #enter({ code = this.#known.$user!, ...fields }: Pairs): Promise<HttpResponse> {
    await this.#shown(this.#browser.userAgent.get("/device"));
    return this.#submit("/device", { user_code: code, ...fields });
  }

  /** If this browser has no such form, sends the form of another browser. */
  #submit(action: string, { untick = "", ...fields }: Pairs): Promise<HttpResponse> {
    const { userAgent, forms } = this.#browser;
    const others = Object.values(this.#browsers).map((browser) => browser.forms[action]);
    const page = forms[action] ?? others.find((one) => one !== undefined);
    return this.#shown(userAgent.submit(page!, action, fields, untick.split(" ")));
  }

  #bearer(type = "application/json"): Pairs {
    const token = this.#known.$access;
    return { "content-type": type, ...(token && { authorization: `Bearer ${token}` }) };
  }

  #token(usual: Pairs, { scope = "", basic, ...fields }: Pairs): HttpResponse {
    const client = basic === undefined ? TV : {};
    const sent = { ...client, ...usual, ...(scope && { scope }), ...fields };
    return this.#post("/token", sent, basic);
  }

  /** `basic` is the pair for HTTP Basic, before its conversion to Base64. */
  #post(target: string, fields: Pairs, basic: string | undefined): HttpResponse {
    const authorization = basic && {
      authorization: `Basic ${Buffer.from(basic).toString("base64")}`,
    };
    return this.#bench.post(target, fields, authorization || {});
  }

  #tokens(response: HttpResponse): HttpResponse {
    const { access_token: access, refresh_token: refresh } = response.json;
    this.#remember({ access, refresh });
    return response;
  }
}
