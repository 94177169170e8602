// The resource API of device spec §4.5: lists an account's live broadcasts, which come from the fixture.
import { createHash } from "node:crypto";
import { authenticateCaller } from "./bearer.ts";
import type { ServiceContext } from "./context.ts";
import { ApiError, invalidParameter, singleValue } from "./errors.ts";
import type { Broadcast } from "./fixture.ts";
import { json, type ProtocolRequest, type ProtocolResponse } from "./wire.ts";

const SCOPES = ["video", "video.readonly", "video.force-ssl"];
const PARTS = ["id", "snippet", "contentDetails", "monetizationDetails", "status"];
const FILTERS = ["mine", "id", "broadcastStatus"] as const;
const STATUSES = ["all", "active", "completed", "upcoming"];
const TYPES = ["all", "event", "persistent"];
const DEFAULT_PAGE_SIZE = 5;
const PAGE_SIZE_MAX = 50;

/** @throws ApiError */
export function listLiveBroadcasts(
  context: ServiceContext,
  request: ProtocolRequest,
): ProtocolResponse {
  const { account } = authenticateCaller(context, request, SCOPES, "video");
  // Service accounts have no live streaming (device spec §5.7).
  if (account.kind === "service")
    throw new ApiError("PERMISSION_DENIED", "NoLinkedVideoAccount", "NoLinkedVideoAccount", {
      domain: "video.header",
    });
  const query = new URLSearchParams(request.query);
  const parts = readParts(query);
  const found = filter(context, query, account.id);
  const size = readPageSize(query);
  const start = readPageToken(query, found.length);
  const end = Math.min(start + size, found.length);
  const items = found.slice(start, end).map((broadcast) => describe(broadcast, parts));
  return json(200, {
    kind: "video#liveBroadcastListResponse",
    etag: etag(items),
    ...(end < found.length && size > 0 && { nextPageToken: pageToken(end) }),
    ...(start > 0 && { prevPageToken: pageToken(Math.max(0, start - size)) }),
    pageInfo: { totalResults: found.length, resultsPerPage: size },
    items,
  });
}

// A list may be sent as part=id,snippet or as part=id&part=snippet.
function readList(query: URLSearchParams, name: string): string[] {
  const values = query.getAll(name).flatMap((value) => value.split(","));
  return values.map((value) => value.trim()).filter((value) => value !== "");
}

function readParts(query: URLSearchParams): ReadonlySet<string> {
  const parts = readList(query, "part");
  if (parts.length === 0) throw missing("part", "Required parameter: part");
  for (const part of parts)
    if (!PARTS.includes(part))
      throw invalidParameter("part", `Unknown part: '${part}'`, "unknownPart");
  return new Set(parts);
}

function filter(context: ServiceContext, query: URLSearchParams, accountId: string): Broadcast[] {
  const given = FILTERS.filter((name) => query.has(name));
  if (given.length === 0)
    throw missing("parameters.", "No filter selected. Expected one of: mine, id, broadcastStatus");
  if (given.length > 1)
    throw invalidParameter(
      given[1]!,
      `Incompatible parameters specified in the request: ${given.join(", ")}`,
      "incompatibleParameters",
    );
  const type = oneOf(query, "broadcastType", TYPES) ?? "event";
  const own = context.fixture.broadcasts.filter((broadcast) => broadcast.account === accountId);
  const ofType = own.filter((broadcast) => type === "all" || broadcast.broadcastType === type);
  switch (given[0]) {
    case "id": {
      const ids = readList(query, "id");
      return own.filter((broadcast) => ids.includes(broadcast.id));
    }
    case "broadcastStatus": {
      const status = oneOf(query, "broadcastStatus", STATUSES);
      return ofType.filter((broadcast) => status === "all" || broadcast.status === status);
    }
    default:
      // mine=false would request the broadcasts of all users, which no caller may list.
      if (oneOf(query, "mine", ["true", "false"]) !== "true")
        throw invalidParameter("mine", "The only allowed value of mine is true.");
      return ofType;
  }
}

function oneOf(
  query: URLSearchParams,
  name: string,
  values: readonly string[],
): string | undefined {
  const value = singleValue(query, name);
  if (value === null) return undefined;
  if (!values.includes(value))
    throw invalidParameter(name, `Invalid value '${value}'. Allowed: ${values.join(", ")}`);
  return value;
}

function readPageSize(query: URLSearchParams): number {
  const text = singleValue(query, "maxResults");
  if (text === null) return DEFAULT_PAGE_SIZE;
  const size = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  if (!(size <= PAGE_SIZE_MAX))
    throw invalidParameter("maxResults", `Invalid value '${text}'. Values must be 0 to 50.`);
  return size;
}

function pageToken(start: number): string {
  return Buffer.from(`at:${start}`).toString("base64url");
}

function readPageToken(query: URLSearchParams, total: number): number {
  const token = singleValue(query, "pageToken");
  // Some generated clients send an empty page token for the first page.
  if (token === null || token === "") return 0;
  const start = /^at:(\d{1,9})$/.exec(Buffer.from(token, "base64url").toString("latin1"))?.[1];
  if (start === undefined || Number(start) > total)
    throw invalidParameter("pageToken", "The page token is not valid.", "invalidPageToken");
  return Number(start);
}

function describe(broadcast: Broadcast, parts: ReadonlySet<string>): object {
  const { id, title, description, scheduledStartTime, status, privacy, account } = broadcast;
  const lifeCycle = { upcoming: "ready", active: "live", completed: "complete" }[status];
  const bodies: Record<string, object> = {
    snippet: {
      publishedAt: scheduledStartTime,
      channelId: `channel-${account}`,
      title,
      description,
      scheduledStartTime,
      thumbnails: {},
    },
    contentDetails: { monitorStream: { enableMonitorStream: false }, enableDvr: true },
    monetizationDetails: { cuepointSchedule: { enabled: false } },
    status: { lifeCycleStatus: lifeCycle, privacyStatus: privacy, recordingStatus: "notRecording" },
  };
  const chosen = Object.entries(bodies).filter(([name]) => parts.has(name));
  return {
    kind: "video#liveBroadcast",
    etag: etag(broadcast),
    id,
    ...Object.fromEntries(chosen),
  };
}

function etag(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 27);
}

function missing(parameter: string, message: string): ApiError {
  return invalidParameter(parameter, message, "required");
}
