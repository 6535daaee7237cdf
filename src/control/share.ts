import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Type } from "typebox";
import { conflict, type Hint, misuse } from "../errors/errors.ts";
import type { Refusal } from "../http/area.ts";
import { shape } from "../http/shapes.ts";
import { TOKEN, TOKEN_HEADER, TOKEN_VARIABLE } from "../runtime/share-link.ts";
import { wallTimer } from "../world/clock.ts";
import { call } from "./http.ts";
import { RefusedCaller } from "./refused-caller.ts";

/** How long the response to a wrong token is delayed, in real milliseconds. */
const WRONG_TOKEN_MS = 1_000;
/** How many requests with a wrong token may wait at the same time, per address and in total. */
const WAITING_PER_ADDRESS = 4;
const WAITING = 64;

const TOKEN_BYTES = 32;

/** The tokens in a request, and whether each is right; undefined if there are none. */
export interface Proof {
  header: boolean | undefined;
  cookie: boolean | undefined;
  bearer: boolean | undefined;
}

/** The token of a sandbox that other machines can reach, and its validation. */
export interface Share {
  token: string;
  /** The number of requests with a wrong token since the start. */
  wrongTokens(): number;
  /**
   * Checks the tokens in a request, and removes them from the usual places. A bearer token is replaced, so an area sees
   * a wrong key, as it does for any other guess.
   */
  take(request: IncomingMessage): Proof;
  /**
   * Removes the token from the rest of an owner's request. Doing so for other callers would reveal whether their guess
   * is right.
   */
  redact(request: IncomingMessage): void;
  /**
   * Admits a request with the right token. Rejects one with a wrong token after a delay.
   * @param sameOrigin whether the browser is showing Sandglass's own page; its cookie counts only then
   * @throws RefusedCaller
   */
  check(request: IncomingMessage, sameOrigin: boolean): void | Promise<void>;
  /** Like `check`, for areas. They do not require a token, but still reject a wrong one in the header. */
  refusalOf(request: IncomingMessage): Promise<Refusal> | undefined;
  /** The `Set-Cookie` header with which a browser keeps its access. */
  cookie(secure: boolean): string;
}

const LINK_HINT = {
  command: `Pass the link that the sandbox printed: --url <link>. Or set ${TOKEN_VARIABLE}.`,
  library: `Pass the link that the sandbox printed to connect(), or set ${TOKEN_VARIABLE}.`,
  http: `Send the token in the header ${TOKEN_HEADER}, or as Authorization: Bearer. In a browser, open the link that the sandbox printed.`,
} satisfies Hint;

/**
 * @param chosen the token to use; by default, a random one
 * @param delay how long the response to a wrong token is delayed, in real milliseconds
 * @throws SandboxError `bad_request` for a token that is easy to guess
 */
export function createShare(chosen: string | undefined, delay = WRONG_TOKEN_MS): Share {
  if (chosen !== undefined && !TOKEN.test(chosen))
    throw misuse(
      `${TOKEN_VARIABLE} must have 16 to 200 letters, digits, hyphens and underscores; it has ${chosen.length} characters.`,
      `Set a different one, for example with: openssl rand -hex 32. Without ${TOKEN_VARIABLE}, Sandglass generates a token.`,
    );
  const token = chosen ?? randomBytes(TOKEN_BYTES).toString("base64url");
  // The cookie's value is only derived from the token, because browsers send cookies to every port of a host.
  const cookieValue = createHmac("sha256", token).update("cookie").digest("base64url");
  const cookieName = `sandglass_${createHmac("sha256", token).update("name").digest("hex").slice(0, 8)}`;
  const isToken = equalTo(token);
  const isCookie = equalTo(cookieValue);
  const redacted = redactor([token, cookieValue]);
  const proofs = new WeakMap<IncomingMessage, Proof>();
  const waiting = new Map<string, number>();
  let waitingInAll = 0;
  let wrongTokens = 0;

  async function refuseSlowly({ socket: { remoteAddress: address = "" } }: IncomingMessage): Promise<never> {
    if ((waiting.get(address) ?? 0) >= WAITING_PER_ADDRESS || waitingInAll >= WAITING)
      throw new RefusedCaller(
        "token",
        `Too many requests with a wrong token at once: at most ${WAITING_PER_ADDRESS} per address, and ${WAITING} in total.`,
        "Wait a second and try again.",
      );
    wrongTokens += 1;
    waitingInAll += 1;
    waiting.set(address, (waiting.get(address) ?? 0) + 1);
    // Keep the delay even if the caller disconnects; otherwise guesses could be made faster.
    await new Promise<void>((resolve) => void wallTimer(delay, resolve));
    waitingInAll -= 1;
    const left = waiting.get(address)! - 1;
    if (left === 0) waiting.delete(address);
    else waiting.set(address, left);
    throw new RefusedCaller("token", "The token does not match the sandbox's.", {
      ...LINK_HINT,
      command: `A sandbox generates a new token at each start, unless ${TOKEN_VARIABLE} sets it. Pass the link that it printed last: --url <link>`,
    });
  }

  function redact(request: IncomingMessage): void {
    const { headers } = request;
    // Remove the header, because the token is not an API key.
    if (proofs.get(request)!.bearer) delete headers.authorization;
    request.url = redacted(request.url!);
    for (const [name, value] of Object.entries(headers))
      headers[name] = Array.isArray(value) ? value.map(redacted) : redacted(value!);
  }

  return {
    token,
    wrongTokens: () => wrongTokens,

    take(request) {
      const { headers } = request;
      const header = headers[TOKEN_HEADER];
      const cookie = cookieIn(headers, cookieName);
      const bearer = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? "")?.[1];
      const proof: Proof = {
        header: header === undefined ? undefined : String(header).split(/, */).every(isToken),
        cookie: cookie === undefined ? undefined : isCookie(cookie),
        bearer: bearer === undefined ? undefined : isToken(bearer),
      };
      proofs.set(request, proof);
      if (proof.bearer) headers.authorization = "Bearer redacted";
      request.url = withoutTokenParameters(request.url!);
      return proof;
    },

    redact,

    check(request, sameOrigin) {
      const { header, cookie, bearer } = proofs.get(request)!;
      const shown = [header, sameOrigin ? cookie : undefined, bearer];
      if (shown.includes(true)) return redact(request);
      if (shown.includes(false)) return refuseSlowly(request);
      throw new RefusedCaller(
        "token",
        "This sandbox is shared: calls from other machines need its token.",
        LINK_HINT,
      );
    },

    refusalOf(request) {
      if (proofs.get(request)!.header !== false) return undefined;
      return refuseSlowly(request).catch((error: RefusedCaller) => ({
        status: error.status,
        message: error.message,
        hint: error.hintFor("http"),
      }));
    },

    cookie: (secure) =>
      `${cookieName}=${cookieValue}; Path=/; HttpOnly; SameSite=Strict${secure ? "; Secure" : ""}`,
  };
}

/** Compares digests of equal length, so the timing reveals nothing about the text. */
function equalTo(secret: string): (text: string) => boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  const expected = digest(secret);
  return (text) => timingSafeEqual(digest(text), expected);
}

const cookieIn = ({ cookie = "" }: IncomingHttpHeaders, name: string): string | undefined =>
  cookie
    .split(/; */)
    .find((one) => one.startsWith(`${name}=`))
    ?.slice(name.length + 1);

/** Redacts secrets in text, including percent-encoded ones, and credentials in URLs that contain a secret. */
function redactor(secrets: readonly string[]): (text: string) => string {
  const character = (one: string) => {
    const code = one.charCodeAt(0).toString(16);
    return `(?:${one}|%${code}|%${code.toUpperCase()})`;
  };
  const pattern = secrets.map((secret) => [...secret].map(character).join("")).join("|");
  const anywhere = new RegExp(pattern, "g");
  const has = (text: string) => text.search(anywhere) >= 0;
  return (text) => {
    const [, user] = /^Basic +(\S+)/i.exec(text) ?? [];
    if (user !== undefined && has(Buffer.from(user, "base64").toString("latin1"))) return "Basic redacted";
    return text.replace(anywhere, "redacted");
  };
}

const TOKEN_PARAMETERS = new Set(["token", TOKEN_HEADER]);

/** A URL without the parameters that may contain a token, whatever their value. */
function withoutTokenParameters(url: string): string {
  if (!/token=/i.test(url)) return url;
  const [path, ...rest] = url.split("?") as [string, ...string[]];
  const query = rest.join("?").split("&");
  const others = query.filter((one) => !TOKEN_PARAMETERS.has(one.split("=")[0]!.toLowerCase()));
  return others.length === 0 ? path : `${path}?${others.join("&")}`;
}

/** The calls that the page behind a shared link makes. */
export const shareRoutes = [
  call("POST /share/cookie", {
    id: "setShareCookie",
    tag: "Sharing",
    summary: "Let this browser remember the token of a shared sandbox",
    description: `With the token in ${TOKEN_HEADER}, the response sets a cookie that scripts cannot read. Callers on this machine must also send the token.`,
    answer: shape("Shared", { shared: Type.Literal(true) }),
    async run({ raw, serving: { share } }, reply) {
      if (!share)
        throw conflict("This sandbox is not shared.", {
          command: "Start it with: npx sandglass --share",
          library: "Start it with share: true.",
          http: "Start it with --share.",
        });
      await share.check(raw, true);
      // Behind a proxy that terminates TLS, only the page's origin shows which protocol the browser uses.
      const secure = raw.headers.origin?.startsWith("https:") ?? false;
      reply.header("set-cookie", share.cookie(secure)).header("cache-control", "no-store");
      return { shared: true };
    },
  }),
];
