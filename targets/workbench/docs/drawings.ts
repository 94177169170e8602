// Draws the state diagrams of the pages: what stands there as text for other viewers (Mermaid) becomes a picture
// within the page, which has the page's colours, and whose letters are found by the browser's search.

import { type Graph, instance } from "@viz-js/viz";

const BLOCK = /^```mermaid\nstateDiagram-v2\n([\s\S]*?)^```$/gm;
const MOVE = /^ *(\w+) --> (\w+): (\w+)$/;

/** The text with each of its diagrams drawn. @throws Error where a line is no move from a state to a state */
export async function withDrawings(text: string): Promise<string> {
  if (!text.includes("```mermaid")) return text;
  const graphviz = await instance();
  const drawn = text.replaceAll(BLOCK, (_, lines: string) => {
    const moves = lines.trimEnd().split("\n").map(readMove);
    const svg = graphviz.renderString(graphOf(moves), { format: "svg" });
    return `<div class="drawing" role="img" aria-label="${DESCRIPTION}">${inPage(svg)}</div>`;
  });
  if (drawn.includes("```mermaid")) throw new Error("a diagram that is no stateDiagram-v2");
  return drawn;
}

const DESCRIPTION = "The states and the moves between them; the table below says the same.";

interface Move {
  readonly from: string;
  readonly to: string;
  readonly event: string;
}

function readMove(line: string): Move {
  const [, from, to, event] = MOVE.exec(line) ?? [];
  if (from === undefined || to === undefined || event === undefined)
    throw new Error(`no move of a state diagram: ${line}`);
  return { from, to, event };
}

/** One arrow for each pair of states; the events that lead that way stand beside it, one below the other. */
function graphOf(moves: readonly Move[]): Graph {
  const arrows = new Map<string, { tail: string; head: string; events: string[] }>();
  for (const { from, to, event } of moves) {
    const key = `${from} ${to}`;
    const arrow = arrows.get(key) ?? { tail: from, head: to, events: [] };
    arrow.events.push(event);
    arrows.set(key, arrow);
  }
  return {
    graphAttributes: { rankdir: "TB", nodesep: 0.2, ranksep: 0.35, bgcolor: "transparent" },
    nodeAttributes: {
      shape: "box",
      style: "rounded",
      fontname: "sans-serif",
      fontsize: 14,
      margin: "0.1,0.05",
      height: 0.35,
    },
    edgeAttributes: { fontname: "sans-serif", fontsize: 11, arrowsize: 0.7 },
    edges: [...arrows.values()].map(({ tail, head, events }) => ({
      tail,
      head,
      attributes: { label: events.join("\n") },
    })),
  };
}

/** Without what is for a file of its own, in the colours of the text around it, and without empty lines. */
function inPage(svg: string): string {
  return svg
    .slice(svg.indexOf("<svg"))
    .replaceAll(/<!--[\s\S]*?-->|<title>[\s\S]*?<\/title>/g, "")
    .replaceAll(/(stroke|fill)="black"/g, '$1="currentColor"')
    .replaceAll(/(<text\b)/g, '$1 fill="currentColor"')
    .replaceAll(/\s*\n\s*/g, " ");
}
