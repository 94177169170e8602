// The three builds of the core, as sources: each keeps the names that its own requests and answers need, and no others.

import { describe, expect, it } from "vitest";
import * as api from "../../core/api.ts";
import * as complete from "../../core/complete.ts";
import { Literal } from "../../core/device/memory.ts";
import { DocumentLiteral } from "../../core/documents/literals.ts";
import * as grant from "../../core/index.ts";
import { RequestLiteral } from "../../core/requests/literals.ts";
import { config } from "./bench.ts";

describe("SPEC.md, Regions: the display's texts stand behind the last name", () => {
  it.each([
    ["grant", grant.create, Literal.NEXT],
    ["api", api.create, RequestLiteral.NEXT],
    ["complete", complete.create, DocumentLiteral.NEXT],
  ] as const)("of the %s build", (_, create, firstText) => {
    const memory = new Uint8Array(8192);
    const { start, length } = create(memory, config)!;
    const from = start[firstText]!;
    expect(from).toBe(start[firstText - 1]! + length[firstText - 1]!);
    expect(new TextDecoder().decode(memory.slice(from, from + length[firstText]!))).toBe(
      "Starting",
    );
    expect(start).toHaveLength(firstText + grant.MESSAGES.split("\n").length);
  });
});
