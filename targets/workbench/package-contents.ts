// The three packages that npm publishes. Each contains only what its users need:
//   picogrant           signs in from a program on Node; also the core, the driver and the adapters for other runtimes
//   picogrant-tools     the command `picogrant`, and the simulated service for tests of any client
//   picogrant-firmware  bundles, header and host in C, for building firmware

export const LIBRARY_ENTRIES: Readonly<Record<string, string>> = {
  ".": "platform/node/sign-in.ts",
  "./core": "core/complete.ts",
  "./core/grant": "core/index.ts",
  "./driver": "platform/driver.ts",
  "./log": "platform/exchange/log.ts",
  "./node": "platform/node/index.ts",
  "./qr-code": "platform/node/qr-code.ts",
  "./sealed-storage": "platform/storage/sealed-storage.ts",
  "./servers": "platform/servers/index.ts",
  "./fakes": "platform/testing/index.ts",
  "./conformance": "platform/conformance/index.ts",
  "./conformance/server": "targets/command/conform/conformance-server.ts",
};

export const SERVICE_ENTRIES: Readonly<Record<string, string>> = {
  "./service": "targets/service/simulated-service.ts",
  "./display": "platform/display/index.ts",
};

/** Files of the repository in picogrant-firmware, under the same paths. */
export const FIRMWARE_FILES = [
  "core/SPEC.md",
  "platform/templates",
  "targets/bundle/README.md",
  "targets/docs",
  "targets/examples",
  "targets/host",
] as const;

/** The pages of a package: their path in the package, and in the repository. */
export type Pages = Readonly<Record<string, string>>;

export const PAGES: Readonly<Record<string, Pages>> = {
  picogrant: {
    "README.md": "scripts/package/picogrant.md",
    "docs/node.md": "targets/docs/node.md",
    "docs/errors.md": "targets/docs/errors.md",
  },
  "picogrant-tools": {
    "README.md": "scripts/package/picogrant-tools.md",
    "docs/questions.md": "targets/docs/questions.md",
    "docs/testing-a-server.md": "targets/docs/testing-a-server.md",
    "docs/testing-a-client.md": "targets/docs/testing-a-client.md",
    "docs/command.md": "targets/command/README.md",
    "docs/servers.md": "platform/servers/README.md",
    "docs/service.md": "targets/service/README.md",
  },
  "picogrant-firmware": { "README.md": "scripts/package/picogrant-firmware.md" },
};

/** The name of an entry's files in dist, such as "core-grant" for "./core/grant". */
export function fileOf(entry: string): string {
  return entry === "." ? "index" : entry.slice(2).replaceAll("/", "-");
}

/** Whether an entry also has CommonJS files. The conformance tests have only ES modules. */
export const isRequired = (entry: string): boolean => !entry.startsWith("./conformance");

function exportsOf(entries: Readonly<Record<string, string>>): object {
  const rows = Object.keys(entries).map((entry) => {
    const file = `./dist/${fileOf(entry)}`;
    const required = { types: `${file}.d.cts`, default: `${file}.cjs` };
    const imported = { types: `${file}.d.ts`, default: `${file}.js` };
    return [entry, isRequired(entry) ? { require: required, ...imported } : imported];
  });
  return { ...Object.fromEntries(rows), "./package.json": "./package.json" };
}

/** Types for TypeScript without support for `exports` (moduleResolution node10). */
function typesVersionsOf(entries: Readonly<Record<string, string>>): object {
  const rows = Object.keys(entries).map((entry) => [
    entry.slice(2),
    [`dist/${fileOf(entry)}.d.ts`],
  ]);
  return { "*": Object.fromEntries(rows) };
}

const bundleOf = (name: string): object => ({
  import: { types: `./dist/${name}.d.mts`, default: `./dist/${name}.mjs` },
  require: { types: `./dist/${name}.d.cts`, default: `./dist/${name}.cjs` },
});

export const MANIFESTS: Readonly<Record<string, object>> = {
  picogrant: {
    description:
      "Sign in without a keyboard: the OAuth 2.0 device authorization grant (RFC 8628) for programs and devices",
    keywords: ["oauth", "device authorization grant", "device flow", "rfc8628", "login", "cli"],
    type: "module",
    exports: exportsOf(LIBRARY_ENTRIES),
    main: "./dist/index.cjs",
    types: "./dist/index.d.ts",
    typesVersions: typesVersionsOf(LIBRARY_ENTRIES),
    files: ["dist", "docs", "THIRD-PARTY-LICENSES.txt"],
  },
  "picogrant-tools": {
    description:
      "The command picogrant, and a simulated authorization server for tests of the device authorization grant",
    keywords: ["oauth", "device authorization grant", "rfc8628", "mock server", "cli", "test"],
    type: "module",
    bin: { picogrant: "dist/command/main.js" },
    man: ["./dist/picogrant.1"],
    exports: exportsOf(SERVICE_ENTRIES),
    typesVersions: typesVersionsOf(SERVICE_ENTRIES),
    files: ["dist", "docs", "THIRD-PARTY-LICENSES.txt"],
  },
  "picogrant-firmware": {
    description:
      "The device authorization grant (RFC 8628) as one ES5 file for firmware engines, and a host for it in C",
    keywords: ["oauth", "device authorization grant", "rfc8628", "firmware", "embedded", "quickjs"],
    type: "commonjs",
    exports: {
      ".": bundleOf("picogrant"),
      "./api": bundleOf("picogrant-api"),
      "./grant": bundleOf("picogrant-grant"),
      "./dist/*": "./dist/*",
      "./package.json": "./package.json",
    },
    files: [
      "core",
      "dist",
      "examples",
      "platform",
      "src",
      "targets",
      "zephyr",
      "CMakeLists.txt",
      "idf_component.yml",
      "library.*",
    ],
  },
};
