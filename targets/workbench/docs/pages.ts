// The site's table of contents: which file of this repository is which page, and under which heading.

export interface Page {
  /** The file, from the repository's top. */
  readonly file: string;
  /** Its name in the address. */
  readonly name: string;
  readonly title: string;
}

export interface Chapter {
  readonly title: string;
  readonly pages: readonly Page[];
}

const page = (name: string, title: string, file: string): Page => ({ name, title, file });

export const chapters: readonly Chapter[] = [
  {
    title: "Guides",
    pages: [
      page("node", "A program on Node", "targets/docs/node.md"),
      page("command", "The command", "targets/command/README.md"),
      page("porting", "Bring it to a device", "targets/docs/porting.md"),
      page("your-own-api", "Your own API", "targets/docs/your-own-api.md"),
      page("examples", "Worked examples", "targets/examples/README.md"),
      page("templates", "Templates for adapters", "platform/templates/README.md"),
      page("adapters", "Adapters", "platform/README.md"),
      page("engines", "Engines", "targets/docs/engines.md"),
      page("host", "The host in C", "targets/host/README.md"),
      page("board", "A bare board", "targets/host/ports/board/README.md"),
      page("quickjs", "Stock QuickJS", "targets/quickjs/README.md"),
      page("firmware", "Bundle and images", "targets/bundle/README.md"),
      page("simulator", "The simulator", "targets/desktop/README.md"),
      page("fleet", "Many devices at once", "targets/desktop/docs/fleet.md"),
      page("service", "The simulated service", "targets/service/README.md"),
    ],
  },
  {
    title: "When something goes wrong",
    pages: [
      page("errors", "Errors, and what to do", "targets/docs/errors.md"),
      page("troubleshooting", "Troubleshooting", "targets/docs/troubleshooting.md"),
      page("security", "Security", "SECURITY.md"),
    ],
  },
  {
    title: "Tables",
    pages: [
      page("configuration", "Configuration", "targets/docs/configuration.md"),
      page("servers", "Servers", "platform/servers/README.md"),
      page("sizing", "Sizing", "targets/docs/sizing.md"),
      page("border", "The core's border", "core/SPEC.md"),
      page("limits", "Limits", "targets/docs/core-limits.md"),
      page("image-format", "Format of a signed image", "targets/image/FORMAT.md"),
      page("comparison", "Beside other clients", "targets/bundle/PEERS.md"),
    ],
  },
  {
    title: "Behind it",
    pages: [
      page("design", "Why the core is as it is", "core/DESIGN.md"),
      page("two-services", "The two service descriptions", "targets/docs/two-services.md"),
      page("coverage", "Their rows and the tests", "test/COVERAGE.md"),
      page("changing", "Making a change", "CONTRIBUTING.md"),
      page("changing-the-core", "How to change the core", "core/HOW-TO-CHANGE.md"),
      page("lives", "Whole device lives", "test/lives/README.md"),
      page("model", "The model of the border", "test/model/README.md"),
      page("mutants", "Mutation testing", "test/mutation/README.md"),
      page("dialects", "What servers answer", "test/servers/recordings/README.md"),
      page("changes", "What is new", "CHANGELOG.md"),
    ],
  },
];

/** The first page of the site. */
export const start = page("index", "picogrant", "README.md");

export const pages: readonly Page[] = [start, ...chapters.flatMap((chapter) => chapter.pages)];
