import { secretVariable } from "../../senders/secret-variable.ts";
import { type Found, filesIn, findAll, type Hit, readData, readText, type Source } from "./sources.ts";
import type { Traced } from "./trace.ts";

/** How to recognize a sender's webhook handler in code. */

/** Traces that show that a project handles a sender's webhooks. */
interface Traces {
  packages: string[];
  /** Matches code that verifies the signature. */
  code: string;
  /** Matches files in which the same code indicates another sender. */
  not?: string;
  /** The usual name of the secret's variable. */
  secret: string;
  path?: string;
  /** Senders that use the same signature scheme. They take precedence if the project has traces of them. */
  behind?: string[];
}

export interface HandledSender {
  /** Empty if unknown. */
  name: Found;
  /** The usual name of the variable with the sender's secret, and the usual path. */
  secret: string;
  path?: string | undefined;
  /** Where the sender's webhooks are verified. */
  hit?: Hit | undefined;
  /** The routes that lead to that place. */
  routes: Traced[];
  /** What is known about a sender that the package does not include. */
  signature?: Signature;
}

/** A signature scheme that code verifies by hand. */
export interface Signature {
  name: string;
  header: string;
  algorithm: string;
  encoding: string;
}

/** Traces the routes that lead to a place. */
type Trace = (hit: Hit) => Traced[];

const MOST_HITS = 12;

/** The project's own senders, from sender files that describe a signature. */
export function ownSenders(): HandledSender[] {
  return filesIn("senders").flatMap((file) => {
    const name = /^(.+)\.ya?ml$/.exec(file)?.[1];
    const at = `senders/${file}`;
    if (!name || !/^signature:/m.test(readText(at) ?? "")) return [];
    return [{ name: { value: `./${at}`, at }, secret: secretVariable(name), routes: [] }];
  });
}

/**
 * The senders whose webhooks the code verifies; otherwise a sender without a sender file; otherwise the senders whose
 * packages the project depends on.
 */
export function findSenders(
  sources: readonly Source[],
  manifests: readonly Source[],
  trace: Trace,
): HandledSender[] {
  const traces = Object.entries<Traces>(readData("senders"));
  const inCode = sources.filter(({ path }) => !/\.env[^/]*$|\.ya?ml$/.test(path));
  const known = traces.flatMap(([name, { code, not, secret, path, behind }]) => {
    const other = not === undefined ? undefined : new RegExp(not, "i");
    // Frameworks spell header names with underscores: `HTTP_STRIPE_SIGNATURE`, `stripe_signature: str = Header()`.
    const pattern = new RegExp(code.replaceAll(/(?<=\w)-(?=\w)/g, "[-_]"), "gi");
    const hits = findAll(pattern, inCode).filter(({ source }) => !other?.test(source.text));
    const verified = verifiedBy(hits, trace);
    return verified
      ? [{ name: { value: name, at: verified.hit.at }, secret, path, behind, ...verified }]
      : [];
  });
  const isReached = known.some(({ routes }) => routes.length > 0);
  const chosen = known.filter(({ routes, path }) => !isReached || routes.length > 0 || path !== undefined);
  if (chosen.length > 0) return withoutCommon(chosen).map(({ behind: _, ...sender }) => sender);
  const unknown = findUnknown(inCode, trace);
  const shipped = traces.find(([name]) => name === unknown?.signature?.name);
  if (unknown && shipped) {
    const [name, { secret, path }] = shipped;
    return [
      { name: { value: name, at: unknown.name.at }, secret, path, hit: unknown.hit, routes: unknown.routes },
    ];
  }
  if (unknown) return [unknown];
  const listed = traces.flatMap(([name, { packages, secret, path, behind }]) => {
    const hit = listedIn(manifests, packages);
    return hit ? [{ name: { value: name, at: hit.at }, secret, path, behind, routes: [] }] : [];
  });
  return withoutCommon(listed).map(({ behind: _, ...sender }) => sender);
}

/** Several senders can share a signature scheme: Svix also delivers webhooks for Clerk and Resend. */
const withoutCommon = <One extends { name: Found; behind: string[] | undefined }>(all: One[]): One[] =>
  all.filter(({ behind = [] }) => !all.some(({ name }) => behind.includes(name.value)));

/** The place that verifies the signature, preferably one that a route leads to. */
function verifiedBy(hits: readonly Hit[], trace: Trace): { hit: Hit; routes: Traced[] } | undefined {
  const traced = hits.slice(0, MOST_HITS).map((hit) => ({ hit, routes: trace(hit) }));
  const score = ({ routes }: { routes: Traced[] }) =>
    routes.length === 0
      ? 100
      : routes[0]!.distance - (routes.some(({ route }) => /hook/i.test(route.path)) ? 10 : 0);
  const best = traced.toSorted((a, b) => score(a) - score(b))[0];
  if (!best) return undefined;
  // The last match in the function is the verifying call; earlier matches only read the header.
  const last = traced.findLast(
    ({ hit, routes }) => hit.source === best.hit.source && routes[0]?.route === best.routes[0]?.route,
  );
  return last ?? best;
}

function listedIn(manifests: readonly Source[], packages: readonly string[]): Hit | undefined {
  if (packages.length === 0) return undefined;
  const names = packages.map((one) => one.replaceAll(".", "\\.")).join("|");
  return manifests.flatMap((one) =>
    findAll(
      one.path.endsWith("package.json")
        ? new RegExp(`"(?:${names})"\\s*:\\s*"(?:[\\^~>=<*\\d]|latest|[a-z]+:)`, "g")
        : new RegExp(`(?<![\\w/@.-])(?:${names})(?![\\w-])`, "g"),
      [one],
    ),
  )[0];
}

const HMAC =
  /createHmac\(|hash_hmac\(|\bhmac\.(?:new|New|digest)\(|OpenSSL::HMAC|subtle\.(?:verify|sign)\(|["']HMAC["']|validateWebhookSignature|verify_?(?:webhook)?_?signature/i;
const SIGNATURE_HEADER =
  /["'`]((?:[a-z][\w]*-)+(?:signature|hmac|sign)(?:-[\w-]+)?|(?:[a-z][\w]*-)*(?:signature|hmac)(?:-[\w-]+)*|(?:x-)[\w-]*hook[\w-]*-(?:token|secret|key)|HTTP_X_\w*(?:SIGNATURE|HMAC)\w*)["'`]/gi;
/** A header that contains the secret itself. */
const TOKEN_HEADER = /-(?:token|secret|key)$/i;
/** A header that the code writes to a request or response: `"X-Signature": signature`, `headers.set("X-Signature", …)`. */
const WRITTEN_AFTER = /^\s*\]?\s*(?::(?!\s*(?:\{|z\.))|=>|=(?!=))/;
const WRITTEN_BEFORE =
  /\b(?:set|append|add|header|setHeader|setRequestHeader|addHeader|withHeader|Set|Add)\(\s*$/;

const OF_OTHERS =
  /^(?:x-amz|x-csrf|x-xsrf|x-auth|csrf|authorization|x-access|x-api|x-goog|refresh|x-vercel)|^signature$|xsrf|csrf/i;

/**
 * Finds a sender that the package does not include, whose signature is verified by hand or by the sender's own package.
 */
function findUnknown(sources: readonly Source[], trace: Trace): HandledSender | undefined {
  const all = findAll(SIGNATURE_HEADER, sources).filter(
    ({ value, source }) => value.length < 60 && !OF_OTHERS.test(value) && !/sandglass/i.test(source.text),
  );
  const headers = all.filter((hit) => !isWritten(hit));
  // Code that signs its own webhooks does not verify any.
  const isSender = (source: Source) =>
    all.some((hit) => hit.source === source) && !headers.some((hit) => hit.source === source);
  const signing = sources.filter(
    (source) => HMAC.test(source.text) && !/sandglass/i.test(source.text) && !isSender(source),
  );
  const byHand = headers.length > 0 ? headers : findAll(new RegExp(HMAC, "gi"), signing);
  const verified = verifiedBy(byHand, trace);
  if (!verified || verified.routes.length === 0) return undefined;
  const { hit, routes } = verified;
  const isNamed = headers.length > 0 && /^(?:x-|HTTP_X_)|hook/i.test(hit.value);
  if (!isNamed && !routes.some(({ route }) => /hook|callback|ipn|notif|event/i.test(route.path)))
    return undefined;
  const signature = signatureOf(hit, headers.length > 0, routes[0]!.route.path, signing);
  return {
    ...{ name: { value: `./senders/${signature.name}.yaml`, at: hit.at }, routes, hit, signature },
    secret: `${signature.name.toUpperCase().replaceAll("-", "_")}_WEBHOOK_SECRET`,
  };
}

/**
 * Whether the code writes a header rather than reading it. PHP's `$request->header("X")` and Hono's `header("x")` read
 * a header.
 */
function isWritten({ value, source: { text }, index }: Hit): boolean {
  if (WRITTEN_AFTER.test(text.slice(index + value.length + 2, index + value.length + 40))) return true;
  const before = WRITTEN_BEFORE.exec(text.slice(Math.max(0, index - 40), index));
  return before !== null && /^\s*,/.test(text.slice(index + value.length + 2, index + value.length + 10));
}

function signatureOf(
  { value, source }: Hit,
  isHeader: boolean,
  path: string,
  signing: readonly Source[],
): Signature {
  const header = isHeader ? value.replace(/^HTTP_/, "").replaceAll("_", "-") : "X-Signature";
  const from = header
    .toLowerCase()
    .split("-")
    .filter(
      (one) =>
        !/^(?:x|signature|hmac|sign|hash|token|webhook|webhooks|hub|sha\d*|v\d|payload|request)$/.test(one),
    );
  const inPath = path
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(
      (one) =>
        one !== "" &&
        !/^(?:api|v\d+|webhooks?|hooks?|callbacks?|payments?|events?|receive|incoming|ingest|php|notifications?)$/.test(
          one,
        ),
    );
  const name = (from.join("-") || inPath.at(-1) || "acme").replace(/^\d+/, "") || "acme";
  const { text } = signing.find((one) => one === source) ?? signing[0] ?? source;
  return {
    ...{ name, header: header.toLowerCase().replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()) },
    algorithm: TOKEN_HEADER.test(header)
      ? "secret"
      : `hmac-${/\bsha-?(512|256|1)\b/i.exec(text)?.[0].toLowerCase().replace("-", "") ?? "sha256"}`,
    encoding: /base64/i.test(text) && !/hex/i.test(text) ? "base64" : "hex",
  };
}
