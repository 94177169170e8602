// Requests a second over time, as an SVG picture.

export interface Series {
  readonly name: string;
  readonly values: Float32Array;
}

const WIDTH = 900;
const HEIGHT = 300;
const LEFT = 70;
const TOP = 46;
/** Width of a name below. */
const LEGEND = 138;
const BOTTOM = 46;
const COLOURS = ["#2f6b3c", "#a4421d", "#8a6a12", "#2b5f8a", "#7a3f86", "#5a6258"];

/** Draws the series; where there are more seconds than columns each column shows its highest. */
export function drawChart(
  title: string,
  series: readonly Series[],
  options: { line?: { value: number; name: string }; seconds: number },
): string {
  const plotWidth = WIDTH - LEFT - 20;
  const plotHeight = HEIGHT - TOP - BOTTOM;
  const highest = Math.max(
    options.line?.value ?? 0,
    ...series.map(({ values }) => values.reduce((max, value) => Math.max(max, value), 0)),
  );
  const top = niceAbove(highest);
  const y = (value: number): number => TOP + plotHeight * (1 - value / top);
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="12">`,
    `<title>${title}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fbfaf6"/>`,
    `<text x="${LEFT}" y="20" font-size="14" font-weight="600" fill="#20241f">${title}</text>`,
  ];
  for (let step = 0; step <= 4; step++) {
    const value = (top * step) / 4;
    parts.push(
      `<line x1="${LEFT}" x2="${WIDTH - 20}" y1="${y(value)}" y2="${y(value)}" stroke="#d3d0c5"/>`,
      `<text x="${LEFT - 8}" y="${y(value) + 4}" text-anchor="end" fill="#5a6258">${Math.round(value).toLocaleString("en")}</text>`,
    );
  }
  for (let step = 0; step <= 6; step++) {
    const x = LEFT + (plotWidth * step) / 6;
    parts.push(
      `<text x="${x}" y="${HEIGHT - 26}" text-anchor="middle" fill="#5a6258">${duration((options.seconds * step) / 6)}</text>`,
    );
  }
  series.forEach(({ name, values }, at) => {
    const colour = COLOURS[at % COLOURS.length];
    const points = columnsOf(values, options.seconds, plotWidth).map(
      (value, column) => `${LEFT + column},${y(value).toFixed(1)}`,
    );
    parts.push(
      `<polyline points="${points.join(" ")}" fill="none" stroke="${colour}" stroke-width="1.5"/>`,
      `<text x="${LEFT + at * LEGEND}" y="${HEIGHT - 8}" font-size="11" fill="${colour}">${name}</text>`,
    );
  });
  if (options.line) {
    const { value, name } = options.line;
    parts.push(
      `<line x1="${LEFT}" x2="${WIDTH - 20}" y1="${y(value)}" y2="${y(value)}" stroke="#20241f" stroke-dasharray="5 4"/>`,
      `<text x="${WIDTH - 24}" y="${y(value) - 5}" text-anchor="end" fill="#20241f">${name}</text>`,
    );
  }
  return `${parts.join("\n")}\n</svg>\n`;
}

function columnsOf(values: Float32Array, seconds: number, columns: number): number[] {
  return Array.from({ length: columns }, (_, column) => {
    const from = Math.floor((column / columns) * seconds);
    const to = Math.max(from + 1, Math.floor(((column + 1) / columns) * seconds));
    return values.subarray(from, to).reduce((max, value) => Math.max(max, value), 0);
  });
}

function niceAbove(value: number): number {
  const scale = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  return ([1, 2, 4, 5, 8, 10].find((step) => step * scale >= value) ?? 10) * scale;
}

function duration(seconds: number): string {
  if (seconds >= 7200) return `${(seconds / 3600).toFixed(1).replace(/\.0$/, "")} h`;
  return seconds >= 300 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds)} s`;
}
