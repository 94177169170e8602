// The device's application. After the sign-in, it lists the user's broadcasts. With the scope `publisher`, it lists the
// offers of the app instead. The step `call` makes the other calls of the two specifications.
import {
  CallState,
  Endpoint,
  ErrorCode,
  Field,
  OfferError,
  State,
} from "../../../../core/complete.ts";
import type { Bytes, HttpRequest } from "../../../../platform/contracts.ts";
import type { Driver } from "../../../../platform/driver.ts";
import { withTarget } from "../../../../platform/servers/address.ts";
import { asciiOf, bytesOf } from "../../../../platform/text/text.ts";
import { clean } from "../../../service/observers.ts";
import { reasonOf } from "../log/mask.ts";
import { NOT_KNOWN, type Reason, reasonOfCall } from "../log/reasons.ts";
import { describeList, type ListedPage, listedPage } from "./broadcast-texts.ts";

const BODY_MAX = 65_536;
const PUBLISHER_API = Endpoint.RESOURCE + 1;

const OFFER = {
  package: "test.picogrant.player",
  product: "premium",
  plan: "monthly",
  regions: "2025/03",
};
/** One month for half the price. */
const PHASES = [
  {
    duration: "P1M",
    recurrenceCount: 1,
    otherRegionsConfig: { relativeDiscount: 0.5 },
  },
];

export interface CallOutcome {
  readonly what: string;
  readonly status: number;
  readonly reason: Reason | undefined;
  readonly text: string;
}

interface Call {
  readonly what: string;
  readonly api: string;
  /** Returns "", or the reason why the call cannot start. */
  begin(driver: Driver): string;
  /** Set for a list of broadcasts only. `before`: the number of broadcasts on earlier pages, if known. */
  readonly list?: { readonly before: number | undefined };
  /** Text for the display after a successful response. */
  describe(response: Record<string, unknown>, driver: Driver): string;
}

export interface CallWords {
  readonly named: ReadonlyMap<string, string>;
  readonly plain: readonly string[];
}

export function readWords(words: readonly string[]): CallWords {
  const named = new Map<string, string>();
  const plain: string[] = [];
  for (const word of words) {
    const at = word.indexOf("=");
    if (at < 0) plain.push(word);
    else named.set(word.slice(0, at), word.slice(at + 1));
  }
  return { named, plain };
}

export const CALLS = [
  "broadcasts",
  "next-page",
  "offers",
  "offer",
  "create-offer",
  "activate-offer",
  "deactivate-offer",
  "discover",
  "events",
] as const;
export type CallName = (typeof CALLS)[number];

export class Application {
  #chunks: number[] = [];
  #status: "to call" | "calling" | "done" = "to call";
  #call: Call | undefined;
  /** The call that returned the last list, and the number of items on its page. */
  #list: { readonly call: Call; readonly shown: number } | undefined;
  outcome: CallOutcome | undefined;
  /** Whether the access token is in the query of this call. */
  tokenInQuery = false;

  readonly #first: "broadcasts" | "offers" | undefined;
  readonly #issuer: string;

  /** `first`: the call after each sign-in; undefined if the server does not have the API. */
  constructor(first: "broadcasts" | "offers" | undefined, issuer = "") {
    this.#first = first;
    this.#issuer = issuer;
  }

  /** Whether the call after the sign-in has ended. True if there is no such call. */
  get isDone(): boolean {
    return this.#first === undefined || this.#status === "done";
  }

  body(bytes: Bytes, from: number, to: number): void {
    for (let at = from; at < to && this.#chunks.length < BODY_MAX; at++) {
      this.#chunks.push(bytes[at]!);
    }
  }

  /** Makes the next `attend` repeat the call that follows a sign-in. */
  refresh(): void {
    if (this.#status === "done") this.#status = "to call";
  }

  request(driver: Driver, name: CallName, words: CallWords): string {
    if (this.#status === "calling") return "another call is under way";
    // Only the metadata can be requested without a user.
    if (name !== "discover" && !driver.isSignedIn) return "nobody is signed in";
    const call = name === "next-page" ? this.#nextPage(driver) : callOf(name, words, this.#issuer);
    if (typeof call === "string") return call;
    this.tokenInQuery = words.named.get("token") === "query";
    return this.#begin(driver, call);
  }

  /** Runs after every event of the device. Returns whether it has started or ended a call. */
  attend(driver: Driver): boolean {
    const { device } = driver;
    if (this.#status === "calling" && device.callState === CallState.DONE) {
      this.#end(driver);
      return true;
    }
    if (this.#first === undefined || this.#status === "calling") return false;
    if (!driver.isSignedIn) {
      this.#status = "to call";
      return false;
    }
    if (this.#status === "to call" && device.state === State.SIGNED_IN) {
      return this.#begin(driver, callOf(this.#first, readWords([]), this.#issuer)) === "";
    }
    return false;
  }

  #begin(driver: Driver, call: Call): string {
    this.#chunks = [];
    const problem = call.begin(driver);
    if (problem !== "") {
      // The core has not started the call, such as for an invalid argument. Report this like an error response.
      const [name = "", remedy] = problem.split(": ");
      const fix = remedy ? `the caller: ${remedy}` : NOT_KNOWN;
      const text = `${call.what}: ${problem}`;
      this.outcome = {
        what: call.what,
        status: 0,
        reason: { name, from: "the device", fix },
        text,
      };
      if (driver.isSignedIn) driver.setStatus(text);
      return problem;
    }
    this.#call = call;
    this.#status = "calling";
    driver.run();
    return "";
  }

  #end(driver: Driver): void {
    const call = this.#call!;
    this.#status = "done";
    this.tokenInQuery = false;
    const { callError: error, callStatus: status } = driver.device;
    const response = readJson(this.#chunks);
    const refused = error !== ErrorCode.NONE || status >= 400;
    const named =
      typeof response.error === "object" && response.error ? reasonOf(response.error) : "";
    const reason = refused ? reasonOfCall(named, error, status, call.api) : undefined;
    const page = call.list && listedPage(response, call.list.before);
    const output = page ? this.#describe(page, driver) : call.describe(response, driver);
    const text = reason ? `${call.what}: ${reason.name}` : output;
    this.outcome = { what: call.what, status, reason, text };
    if (page && !reason) this.#list = { call, shown: page.titles.length };
    if (driver.isSignedIn) driver.setStatus(text);
  }

  /** The text has one row less than the display, because the core uses the first row. */
  #describe(page: ListedPage, { device: { columns, rows } }: Driver): string {
    return describeList(page, { columns, rows: rows - 1 });
  }

  hasNextPage(driver: Driver | undefined): boolean {
    return this.#list !== undefined && driver?.device.hasNextPage === 1;
  }

  #nextPage(driver: Driver): Call | string {
    const list = this.#list;
    if (list === undefined || driver.device.hasNextPage !== 1) return "there is no next page";
    const { before } = list.call.list!;
    return {
      ...list.call,
      list: { before: before === undefined ? undefined : before + list.shown },
      begin: ({ core, device }) => (core.nextPage?.(device) === 1 ? "" : "there is no next page"),
    };
  }
}

const VIDEO_API = "the video API";
const PUBLISHING_API = "the publishing API";

/** `behind` is the end of the path, where `$` is the offer's id. */
const OFFER_CALLS: Readonly<
  Partial<Record<CallName, readonly [what: string, behind: string, isGet: number]>>
> = {
  offers: ["Offers", "", 1],
  offer: ["Offer", "/$", 1],
  "activate-offer": ["Activation", "/$:activate", 0],
  "deactivate-offer": ["Deactivation", "/$:deactivate", 0],
};

function callOf(name: CallName, words: CallWords, issuer: string): Call {
  const offers = OFFER_CALLS[name];
  if (offers) return offerCall(offers, words);
  if (name === "create-offer") return createOffer(words);
  if (name === "discover") return discovery(words.named.get("issuer") ?? issuer);
  return name === "events" ? eventPoll : broadcasts(words);
}

function begin(driver: Driver, endpoint: number, target: string, isGet: number): string {
  const { core, device } = driver;
  const bytes = bytesOf(target);
  if (core.beginCall?.(device) !== 1) return "another call is under way";
  core.addPath?.(device, bytes, 0, bytes.length);
  const isSent = core.sendCall?.(device, endpoint, isGet, null, 0, 0) === 1;
  return isSent ? "" : "the address does not fit the device's memory";
}

/** The defaults of the arguments are those of device spec §4.5. */
function broadcasts({ named }: CallWords): Call {
  const query = new Map([["part", named.get("part") ?? "id,snippet"]]);
  for (const name of [
    "mine",
    "id",
    "broadcastStatus",
    "broadcastType",
    "maxResults",
    "pageToken",
  ]) {
    const value = named.get(name);
    if (value) query.set(name, value);
  }
  const hasFilter = ["mine", "id", "broadcastStatus"].some((name) => named.has(name));
  if (!hasFilter) query.set("mine", "true");
  const form = [...query].map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const target = `?${form.join("&").replaceAll("%2C", ",")}`;
  return {
    what: "Broadcasts",
    api: VIDEO_API,
    begin: (driver) => begin(driver, Endpoint.RESOURCE, target, 1),
    // If the user has set a page token, the number of broadcasts on earlier pages is unknown.
    list: { before: named.has("pageToken") ? undefined : 0 },
    describe: () => "Broadcasts: no list",
  };
}

function offerIdOf({ plain }: CallWords): string {
  return plain[0] ?? "spring";
}

function parentOf({ named }: CallWords) {
  const of = (name: keyof typeof OFFER): string => named.get(name) ?? OFFER[name];
  return {
    packageName: of("package"),
    productId: of("product"),
    basePlanId: of("plan"),
    regions: of("regions"),
  };
}

function offerCall(
  [what, behind, isGet]: NonNullable<(typeof OFFER_CALLS)[CallName]>,
  words: CallWords,
): Call {
  const { packageName, productId, basePlanId } = parentOf(words);
  const names = [packageName, productId, basePlanId].map(encodeURIComponent);
  const target =
    `/publisher/v3/applications/${names[0]}/subscriptions/${names[1]}` +
    `/basePlans/${names[2]}/offers${behind.replace("$", () => offerIdOf(words))}`;
  return {
    what,
    api: PUBLISHING_API,
    begin: (driver) => begin(driver, PUBLISHER_API, target, isGet),
    describe: behind === "" ? describeOffers : describeOffer,
  };
}

function createOffer(words: CallWords): Call {
  const { packageName, productId, basePlanId, regions } = parentOf(words);
  const offerId = offerIdOf(words);
  const offer = {
    packageName,
    productId,
    basePlanId,
    offerId: words.named.get("body") ?? offerId,
    ...(words.named.get("phases") !== "no" && { phases: PHASES }),
  };
  const names = bytesOf([packageName, productId, basePlanId, offerId, regions].join("\n"));
  const body = bytesOf(JSON.stringify(offer));
  return {
    what: "New offer",
    api: PUBLISHING_API,
    begin({ core, device }) {
      const error = core.createOffer?.(device, names, 0, names.length, body, 0, body.length);
      return offerProblem(error ?? OfferError.NOT_NOW);
    },
    describe: describeOffer,
  };
}

function describeOffer({ offerId, state }: Record<string, unknown>): string {
  return `Offer ${clean(String(offerId))}: ${clean(String(state))}`;
}

function describeOffers({ subscriptionOffers }: Record<string, unknown>): string {
  const offers = (subscriptionOffers ?? []) as { offerId?: string; state?: string }[];
  if (offers.length === 0) return "No offers";
  const list = offers.map(({ offerId, state }) => `${offerId} ${state}`);
  return clean(`${offers.length} offer${offers.length === 1 ? "" : "s"}: ${list.join(", ")}`);
}

/** Requests the metadata (RFC 8414). */
function discovery(issuer: string): Call {
  const bytes = bytesOf(issuer);
  return {
    what: "Addresses",
    api: "the authorization server",
    begin(driver) {
      const { core, device } = driver;
      return core.discover?.(device, bytes, 0, bytes.length) === 1
        ? ""
        : "another call is under way";
    },
    describe: (_response, { device }) => {
      const path = (field: number): string => {
        const from = device.start[field]!;
        const address = asciiOf(device.memory, from, from + Math.max(0, device.length[field]!));
        return URL.canParse(address) ? new URL(address).pathname : "-";
      };
      return `Addresses: ${[Field.VALUE_B, Field.VALUE_C, Field.VALUE_D].map(path).join(", ")}`;
    },
  };
}

const eventPoll: Call = {
  what: "Events",
  api: "the event transmitter",
  begin: ({ core, device }) => (core.pollEvents?.(device) === 1 ? "" : "another call is under way"),
  describe: () => "No more events",
};

function readJson(chunks: readonly number[]): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(Uint8Array.from(chunks)));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Remedies for errors that the core detects before a request (core/specifications/subscription-offer.ts). */
const REMEDIES: Readonly<Record<Exclude<OfferError, OfferError.NONE>, string>> = {
  [OfferError.PACKAGE_NAME]: "use letters, 0-9, . and _, at most 255",
  [OfferError.PRODUCT_ID]: "use a-z, 0-9, . and _, at most 40",
  [OfferError.BASE_PLAN_ID]: "use a-z, 0-9 and -, at most 63",
  [OfferError.OFFER_ID]: "use a-z, 0-9 and -, no - first, at most 63",
  [OfferError.REGIONS_VERSION]: "use a version such as 2025/03",
  [OfferError.BODY]: "send an offer as a JSON object",
  [OfferError.BODY_PACKAGE_NAME]: "name the same one in the body",
  [OfferError.BODY_PRODUCT_ID]: "name the same one in the body",
  [OfferError.BODY_BASE_PLAN_ID]: "name the same one in the body",
  [OfferError.BODY_OFFER_ID]: "name the same one in the body, or none",
  [OfferError.NOT_NOW]: "wait for the call under way, or sign in",
  [OfferError.TOO_LONG]: "choose shorter names, or give the core more memory",
};

/** Example: "offer_id: use a-z, 0-9 and -, no - first, at most 63". */
function offerProblem(error: OfferError): string {
  return error === OfferError.NONE ? "" : `${OfferError[error].toLowerCase()}: ${REMEDIES[error]}`;
}

const SCHEME = "Bearer ";

export function withTokenInQuery(request: HttpRequest): HttpRequest {
  const { authorization } = request;
  if (!authorization.startsWith(SCHEME)) return request;
  const token = encodeURIComponent(authorization.slice(SCHEME.length));
  const url = withTarget(request.url, `?access_token=${token}`);
  return { ...request, url, authorization: "" };
}
