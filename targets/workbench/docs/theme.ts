// The generator's own theme, with a menu of ours: plain lists of links that are there without a script. And what
// opens and closes a part of a page has no link in it, so that a keyboard and a screen reader meet one thing there.
// Parts are named as what they are, and the levels of headings have no gaps.

import {
  DefaultTheme,
  type DefaultThemeRenderContext,
  JSX,
  type PageEvent,
  type ProjectReflection,
  type Reflection,
} from "typedoc";

export class SiteTheme extends DefaultTheme {
  override getRenderContext(page: PageEvent<Reflection>): DefaultThemeRenderContext {
    const context = super.getRenderContext(page);
    context.navigation = ({ model, project }) => menu(context, model, project);
    return context;
  }

  override render(page: PageEvent): string {
    const html = super
      .render(page)
      .replaceAll(/<summary[\s\S]*?<\/summary>/g, withoutLinks)
      // An empty corner of a table heads nothing.
      .replaceAll("<th></th>", "<td></td>")
      .replace('<div class="col-content">', '<div class="col-content" role="main">')
      .replace('<div class="page-menu">', '<div class="page-menu" role="complementary">');
    return withoutGaps(html);
  }
}

/** A heading two levels or more below the one before it counts as one below. */
function withoutGaps(html: string): string {
  let last = 0;
  return html.replaceAll(/<h([1-6])\b/g, (tag, own: string) => {
    const level = Math.min(Number(own), last + 1);
    last = level;
    return level === Number(own) ? tag : `${tag} aria-level="${level}"`;
  });
}

/** A heading's link to itself goes; of any other link the text stays. */
function withoutLinks(summary: string): string {
  return summary
    .replaceAll(/<a [^>]*class="tsd-anchor-icon"[\s\S]*?<\/a>/g, "")
    .replaceAll(/<\/?a\b[^>]*>/g, "");
}

function menu(
  context: DefaultThemeRenderContext,
  model: Reflection,
  project: ProjectReflection,
): JSX.Element {
  // The page itself, or the entry or the page that it belongs to.
  const isCurrent = (one: Reflection): boolean =>
    one === model || (!one.isProject() && isWithin(model, one));

  const link = (to: Reflection, text = to.name): JSX.Element => {
    const current = isCurrent(to) ? { class: "current", "aria-current": "page" as const } : {};
    return JSX.createElement("a", { href: context.urlTo(to), ...current }, text);
  };

  // The start shows all there is; elsewhere the part is open that the page is in.
  const part = (title: string, members: readonly Reflection[]): JSX.Element =>
    JSX.createElement(
      "details",
      { class: "tsd-accordion", open: model.isProject() || members.some(isCurrent) },
      JSX.createElement(
        "summary",
        { class: "tsd-accordion-summary", "data-key": `menu-${title}` },
        context.icons.chevronDown(),
        JSX.createElement("span", null, title),
      ),
      JSX.createElement(
        "ul",
        { class: "tsd-accordion-details" },
        ...members.map((one) => JSX.createElement("li", null, link(one))),
      ),
    );

  const chapters = project.documents ?? [];
  const withPages = chapters.filter(({ name }) => name !== SOURCES);
  const sources = chapters.filter(({ name }) => name === SOURCES);
  return JSX.createElement(
    "nav",
    { class: "tsd-navigation", "aria-label": "Pages" },
    link(project, "Start"),
    ...withPages.map((chapter) => part(chapter.name, chapter.children ?? [])),
    part("Reference", project.children ?? []),
    ...sources.map((one) => link(one)),
  );
}

/** The chapter of files that pages link to: too many for the menu. */
export const SOURCES = "Source files";

function isWithin(model: Reflection, outer: Reflection): boolean {
  for (let one = model.parent; one !== undefined; one = one.parent) {
    if (one === outer) return true;
  }
  return false;
}
