// The site's table of contents: which file of this repository is which page, and under which heading.

export interface Page {
  /** The file, from the repository's top. */
  readonly file: string;
  /** Its name in the address. */
  readonly name: string;
  readonly title: string;
  /** What it is about in words that people search for and that its headings lack. */
  readonly about?: string;
  /** It is about how picogrant is tested: not for who searches. */
  readonly isUnsearched?: boolean;
}

export interface Chapter {
  readonly title: string;
  /** How much more its pages count for the search than a name of the reference. */
  readonly weight: number;
  readonly pages: readonly Page[];
}

const page = (name: string, title: string, file: string, about?: string): Page => ({
  ...{ name, title, file },
  ...(about !== undefined && { about }),
});
const unsearched = (name: string, title: string, file: string): Page => ({
  ...{ name, title, file, isUnsearched: true },
});

export const chapters: readonly Chapter[] = [
  {
    title: "Guides",
    weight: 4,
    pages: [
      page(
        "node",
        "A program on Node",
        "targets/docs/node.md",
        "proxy, several accounts, company certificate authority, keychain keyring, offline, who signed in, email claims, tokens kept, refresh token, stable API semver, log support, two programs one session",
      ),
      page(
        "firmware-in-javascript",
        "Firmware in JavaScript",
        "targets/docs/firmware-in-javascript.md",
        "adapters to write, television web runtime Espruino Moddable, porting",
      ),
      page(
        "firmware-in-c",
        "Firmware in C",
        "targets/docs/firmware-in-c.md",
        "port, board, microcontroller, embedded Linux, porting, C language",
      ),
      page(
        "testing-a-server",
        "Testing a server",
        "targets/docs/testing-a-server.md",
        "test authorization server identity provider, metadata discovery",
      ),
      page(
        "testing-a-client",
        "Testing a client",
        "targets/docs/testing-a-client.md",
        "mock fake server for tests of a client, integration test CI, provoke answers",
      ),
      page(
        "operating-a-fleet",
        "Operating a fleet",
        "targets/docs/operating-a-fleet.md",
        "operate thousands of devices, lost stolen, monitoring, outage, rollout",
      ),
      page(
        "updates",
        "Updates in the field",
        "targets/docs/updates.md",
        "update image MCUboot SWUpdate RAUC, settings page, factory CSV of devices, field update",
      ),
    ],
  },
  {
    title: "Parts",
    weight: 3,
    pages: [
      page(
        "command",
        "The command",
        "targets/command/README.md",
        "terminal, curl access token, shell script, exit code, JSON",
      ),
      page(
        "your-own-api",
        "Your own API",
        "targets/docs/your-own-api.md",
        "call my own API, 401 refused, session.fetch, pages of a list",
      ),
      page(
        "examples",
        "Worked examples",
        "targets/examples/README.md",
        "example, printer slip, device without display, headless device",
      ),
      page(
        "templates",
        "Templates for adapters",
        "platform/templates/README.md",
        "template adapter",
      ),
      page(
        "adapters",
        "Adapters",
        "platform/README.md",
        "adapter contract HTTP timers storage display entropy, conformance suite, encrypt records sealed storage",
      ),
      page(
        "engines",
        "Engines",
        "targets/docs/engines.md",
        "which engines supported, QuickJS Duktape MuJS XS Hermes njs V8, heap",
      ),
      page(
        "host",
        "The host in C",
        "targets/host/README.md",
        "host C sources, Duktape QuickJS, build make, libcurl",
      ),
      page(
        "board",
        "A bare board",
        "targets/host/ports/board/README.md",
        "Cortex-M3, lwIP BearSSL TLS, settings page, flash",
      ),
      page(
        "quickjs",
        "Stock QuickJS",
        "targets/quickjs/README.md",
        "qjs stock QuickJS embedded Linux",
      ),
      page("firmware", "The bundle", "targets/bundle/README.md", "bundle file ES5, variants"),
      page(
        "simulator",
        "The simulator",
        "targets/desktop/README.md",
        "simulator panel phone, faults network cut, scenario replay",
      ),
      page(
        "fleet",
        "Many devices at once",
        "targets/desktop/docs/fleet.md",
        "load requests per second, restart, capacity",
      ),
      page(
        "service",
        "The simulated service",
        "targets/service/README.md",
        "simulated service endpoints options clients fixture provoke",
      ),
    ],
  },
  {
    title: "When something goes wrong",
    weight: 3,
    pages: [
      page(
        "errors",
        "Errors, and what to do",
        "targets/docs/errors.md",
        "list of error codes names, slow_down access_denied invalid_client expired_token, what it means",
      ),
      page(
        "troubleshooting",
        "Troubleshooting",
        "targets/docs/troubleshooting.md",
        "device shows no connection, captive portal, code expires before entered, too little memory",
      ),
      page(
        "security",
        "Security",
        "SECURITY.md",
        "threat model attacker, report weakness vulnerability, who can read tokens",
      ),
    ],
  },
  {
    title: "Tables",
    weight: 3,
    pages: [
      page(
        "configuration",
        "Configuration",
        "targets/docs/configuration.md",
        "settings options set, translations languages texts",
      ),
      page(
        "servers",
        "Servers",
        "platform/servers/README.md",
        "GitHub Google Microsoft Entra GitLab Auth0 Okta Keycloak provider profile, client secret, supported servers",
      ),
      page("sizing", "Sizing", "targets/docs/sizing.md", "how much memory tokens need bytes"),
      page(
        "border",
        "The core's border",
        "core/SPEC.md",
        "states commands events records times, power loss, specification",
      ),
      page("limits", "Limits", "targets/docs/core-limits.md", "limits constants maximum"),
      page(
        "comparison",
        "Beside other clients",
        "targets/bundle/PEERS.md",
        "compare openid-client oauth4webapi octokit alternatives, size",
      ),
    ],
  },
  {
    title: "Behind it",
    weight: 2,
    pages: [
      page(
        "design",
        "Why the core is as it is",
        "core/DESIGN.md",
        "why design decisions architecture sizes budgets",
      ),
      page(
        "two-services",
        "The two service descriptions",
        "targets/docs/two-services.md",
        "documents video API offers",
      ),
      page(
        "changing",
        "Making a change",
        "CONTRIBUTING.md",
        "contribute, run the tests before a commit, release",
      ),
      page(
        "changing-the-core",
        "How to change the core",
        "core/HOW-TO-CHANGE.md",
        "rooms of the core, add to the core",
      ),
      unsearched("model", "The model of the border", "test/model/README.md"),
      unsearched("dialects", "What servers answer", "test/servers/README.md"),
      page("changes", "What is new", "CHANGELOG.md", "changelog release notes what is new"),
    ],
  },
];

/** The first page of the site. */
export const start = page("index", "picogrant", "README.md");

export const pages: readonly Page[] = [start, ...chapters.flatMap((chapter) => chapter.pages)];
