// Creates certificates, and states whether each is valid for the host (RFC 5280, RFC 9525).

import forge from "node-forge";
import { makeKeys } from "../../targets/service/certificates.ts";

const DAY_MS = 86_400_000;

/** A certificate, the host to which the client connects, and whether the client must accept it. */
interface CertificateCase {
  readonly name: string;
  readonly host: string;
  readonly isValid: boolean;
  readonly key: string;
  /** The server's certificate, followed by the intermediate ones. */
  readonly cert: string;
}

type By = "authority" | "stranger" | "leaf" | "unsigning" | "constrained" | "too deep" | "itself";

interface Plan {
  readonly names?: readonly object[];
  readonly commonName?: string;
  readonly uses?: object;
  readonly from?: number;
  readonly to?: number;
  readonly by?: By;
  readonly critical?: boolean;
}

type Row = readonly [name: string, host: string, isValid: boolean, plan: Plan];

const dns = (value: string): object => ({ type: 2, value });
/** The encoded extension extKeyUsage for servers. One row has it as common name, where it must have no effect. */
const LIST_FOR_SERVERS =
  "\x06\x03\x55\x1d\x25\x04\x0c\x30\x0a\x06\x08\x2b\x06\x01\x05\x05\x07\x03\x01";

/** @param host a name with three labels, which the rows with wildcards need */
function rowsFor(host: string): readonly Row[] {
  const row = (isValid: boolean) => {
    return (name: string, plan: Plan, requested = host): Row => [name, requested, isValid, plan];
  };
  const [valid, invalid] = [row(true), row(false)];
  const named = (...names: string[]): Plan => ({ names: names.map(dns) });
  const own = named(host);
  const address = { type: 7, ip: "127.0.0.1" };
  const withCommonName = (name: object): Plan => ({ commonName: host, names: [name] });
  const inSubject = { ...own, uses: { clientAuth: true }, commonName: LIST_FOR_SERVERS };
  const critically = { ...own, uses: { critical: true, serverAuth: true } };
  return [
    valid("its name", own),
    valid("its name in capitals", named(host.toUpperCase())),
    valid("its address", { names: [address] }, "127.0.0.1"),
    valid("a wildcard for its first label", named("*.shop.example")),
    valid("one name of several", named("other.example", host)),
    invalid("another name", named("www.other.example")),
    invalid("no name at all", {}),
    invalid("a common name alone", { commonName: host }),
    invalid("a common name beside an address", withCommonName(address)),
    invalid(
      "a common name beside a mail address",
      withCommonName({ type: 1, value: "a@b.example" }),
    ),
    invalid("a common name beside a URI", withCommonName({ type: 6, value: "https://b.example" })),
    invalid("a common name beside another name", withCommonName(dns("b.example"))),
    invalid("a wildcard for two labels", named("*.example")),
    invalid("a wildcard for no label", named("*.shop.example"), "shop.example"),
    invalid("a wildcard below the top alone", named("*.example"), "shop.example"),
    invalid("a wildcard for a part of a label", named("w*.shop.example")),
    invalid("a wildcard in the middle", named("www.*.example")),
    invalid("a wildcard and nothing else", named("*")),
    invalid("a name that spells the address", named("127.0.0.1"), "127.0.0.1"),
    invalid("a wildcard for an address", named("*.0.0.1"), "127.0.0.1"),
    invalid("a common name that spells the address", { commonName: "127.0.0.1" }, "127.0.0.1"),
    invalid("a name with a NUL in it", named(`${host}\0.evil.test`)),
    valid("for servers", { ...own, uses: { serverAuth: true } }),
    valid("for clients and servers", { ...own, uses: { clientAuth: true, serverAuth: true } }),
    valid("for servers, as it says critically", critically),
    invalid("for clients alone, with a list for servers in its subject", inSubject),
    invalid("for clients alone", { ...own, uses: { clientAuth: true } }),
    invalid("for mail alone", { ...own, uses: { emailProtection: true } }),
    invalid("for code alone", { ...own, uses: { codeSigning: true } }),
    invalid("over since yesterday", { ...own, from: -10, to: -1 }),
    invalid("good from tomorrow on", { ...own, from: 1, to: 10 }),
    invalid("of another authority", { ...own, by: "stranger" }),
    invalid("signed by itself", { ...own, by: "itself" }),
    invalid("signed by another server", { ...own, by: "leaf" }),
    invalid("of an authority that may not sign", { ...own, by: "unsigning" }),
    invalid("of an authority for other names", { ...own, by: "constrained" }),
    invalid("below more authorities than there may be", { ...own, by: "too deep" }),
    invalid("with a critical extension that nobody knows", { ...own, critical: true }),
  ];
}

type Keys = ReturnType<typeof makeKeys>;

interface Signer {
  readonly name: string;
  readonly keys: Keys;
}

let serial = 1;

function issue(
  subject: string,
  keys: Keys,
  signer: Signer,
  extensions: readonly object[],
  { from = -1, to = 1 }: Pick<Plan, "from" | "to"> = {},
): string {
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = keys.public;
  certificate.serialNumber = (++serial).toString(16).padStart(4, "0");
  certificate.validity.notBefore = new Date(Date.now() + from * DAY_MS);
  certificate.validity.notAfter = new Date(Date.now() + to * DAY_MS);
  certificate.setSubject([{ name: "commonName", value: subject }]);
  certificate.setIssuer([{ name: "commonName", value: signer.name }]);
  certificate.setExtensions([...extensions]);
  certificate.sign(signer.keys.private, forge.md.sha256.create());
  return forge.pki.certificateToPem(certificate);
}

const authority = (more: object = {}): object[] => [
  { name: "basicConstraints", cA: true, critical: true, ...more },
  { name: "keyUsage", keyCertSign: true, critical: true },
];

/** RFC 5280 section 4.2.1.10: the authority may only sign names below other.example. */
function constraints(): object {
  const { Class, Type, create } = forge.asn1;
  const base = create(Class.CONTEXT_SPECIFIC, 2 as forge.asn1.Type, false, "other.example");
  const subtree = create(Class.UNIVERSAL, Type.SEQUENCE, true, [base]);
  const permitted = create(Class.CONTEXT_SPECIFIC, 0 as forge.asn1.Type, true, [subtree]);
  const value = create(Class.UNIVERSAL, Type.SEQUENCE, true, [permitted]);
  return { id: "2.5.29.30", critical: true, value: forge.asn1.toDer(value).getBytes() };
}

export function makeCertificateCases(host = "www.shop.example"): {
  ca: string;
  cases: readonly CertificateCase[];
} {
  const keys = makeKeys();
  const between = makeKeys();
  const root: Signer = { name: "root", keys: makeKeys() };
  const ca = issue("root", root.keys, root, authority());
  const below = (name: string, extensions: object[], by: Signer = root): [Signer, string] => [
    { name, keys: between },
    issue(name, between, by, extensions),
  ];
  const shallow = below("shallow", authority({ pathLenConstraint: 0 }));
  const deep = below("deep", authority(), shallow[0]);
  const signers: Readonly<Record<By, readonly [Signer, ...string[]]>> = {
    authority: [root],
    stranger: [{ name: "root", keys: between }],
    itself: [{ name: "server", keys }],
    leaf: below("leaf", [{ name: "basicConstraints", cA: false }]),
    unsigning: below("unsigning", [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", digitalSignature: true, critical: true },
    ]),
    constrained: below("constrained", [...authority(), constraints()]),
    "too deep": [deep[0], deep[1], shallow[1]],
  };
  const cases = rowsFor(host).map(([name, requested, isValid, plan]) => {
    const [signer, ...chain] = signers[plan.by ?? "authority"];
    const extensions = [
      { name: "basicConstraints", cA: false },
      ...(plan.names ? [{ name: "subjectAltName", altNames: plan.names }] : []),
      ...(plan.uses ? [{ name: "extKeyUsage", ...plan.uses }] : []),
      ...(plan.critical ? [{ id: "1.2.3.4.5", critical: true, value: "\x05\x00" }] : []),
    ];
    const cert = issue(plan.commonName ?? "server", keys, signer, extensions, plan);
    return { name, host: requested, isValid, key: keys.key, cert: [cert, ...chain].join("") };
  });
  return { ca, cases };
}
