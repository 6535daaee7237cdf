import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { type Hint, SandboxError } from "../errors/errors.ts";
import { TOKEN, TOKEN_HEADER, TOKEN_VARIABLE } from "../runtime/share-link.ts";
import { wallTimer } from "../world/clock.ts";
import { RefusedCaller } from "./refused-caller.ts";

/** How long a wrong token waits for its answer, in real milliseconds. */
const WRONG_TOKEN_MS = 1_000;
/** How many wrong tokens may wait at once: from one address, and from all. */
const WAITING_PER_ADDRESS = 4;
const WAITING = 64;

const TOKEN_BYTES = 32;

/** The token of a sandbox that is open to other machines, and the check of it. */
export type Share = ReturnType<typeof createShare>;

const LINK_HINT = {
  command: `Name the sandbox by the link that it printed: --url <link>. Or set ${TOKEN_VARIABLE}.`,
  library: `Pass the link that the sandbox printed to connect(), or set ${TOKEN_VARIABLE}.`,
  http: `Send the token in the header ${TOKEN_HEADER}, or as Authorization: Bearer. In a browser, open the link that the sandbox printed.`,
} satisfies Hint;

/**
 * @param chosen the token to use; a new one is drawn without it
 * @param delay how long a wrong token waits, in real milliseconds
 * @throws SandboxError `bad_request` for a token that could be guessed
 */
export function createShare(chosen: string | undefined, delay = WRONG_TOKEN_MS) {
  if (chosen !== undefined && !TOKEN.test(chosen))
    throw new SandboxError(
      "bad_request",
      `${TOKEN_VARIABLE} must have 16 to 200 letters, digits, hyphens and underscores; it has ${chosen.length} characters.`,
      `Set another one, for example of: openssl rand -hex 32. Without ${TOKEN_VARIABLE}, a token is drawn.`,
    );
  const token = chosen ?? randomBytes(TOKEN_BYTES).toString("base64url");
  // The cookie has a value derived from the token: browsers send cookies to every port of a host.
  const cookieValue = createHmac("sha256", token).update("cookie").digest("base64url");
  const cookieName = `sandglass_${createHmac("sha256", token).update("name").digest("hex").slice(0, 8)}`;
  const isToken = equalTo(token);
  const isCookie = equalTo(cookieValue);
  const waiting = new Map<string, number>();
  let waitingInAll = 0;
  let wrongTokens = 0;

  /** Takes what was shown out of the headers, so that nothing after this can store it. */
  function takeProof(headers: IncomingHttpHeaders, sameOrigin: boolean): { ok: boolean } | undefined {
    const shown = headers[TOKEN_HEADER];
    delete headers[TOKEN_HEADER];
    const cookie = takeCookie(headers, cookieName);
    if (shown !== undefined) return { ok: isToken(String(shown)) };
    if (cookie !== undefined && sameOrigin) return { ok: isCookie(cookie) };
    const bearer = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? "")?.[1];
    if (bearer === undefined) return undefined;
    delete headers.authorization;
    return { ok: isToken(bearer) };
  }

  async function refuseSlowly(address: string): Promise<never> {
    wrongTokens += 1;
    waitingInAll += 1;
    waiting.set(address, (waiting.get(address) ?? 0) + 1);
    // The wait goes on after the caller hangs up. Otherwise guesses could come faster.
    await new Promise<void>((resolve) => void wallTimer(delay, resolve));
    waitingInAll -= 1;
    const left = waiting.get(address)! - 1;
    if (left === 0) waiting.delete(address);
    else waiting.set(address, left);
    throw new RefusedCaller("token", "This is not the token of the sandbox.", {
      ...LINK_HINT,
      command: `A sandbox draws a new token at each start, unless ${TOKEN_VARIABLE} sets it. Name it by the link that it printed last: --url <link>`,
    });
  }

  return {
    token,
    /** How many requests had a wrong token since the start. */
    wrongTokens: (): number => wrongTokens,

    /**
     * Lets a request of another machine pass that has the token. A wrong one is refused after a delay.
     * @param sameOrigin whether the browser that sends it shows Sandglass's own page; only then its cookie counts
     * @throws RefusedCaller
     */
    check(request: IncomingMessage, sameOrigin: boolean): void | Promise<void> {
      const proof = takeProof(request.headers, sameOrigin);
      if (!proof)
        throw new RefusedCaller(
          "token",
          "This sandbox is shared: a call from another machine needs its token.",
          LINK_HINT,
        );
      const address = request.socket.remoteAddress ?? "";
      // Not even a right token passes now. Otherwise an answer that comes at once would say that a guess was wrong.
      if ((waiting.get(address) ?? 0) >= WAITING_PER_ADDRESS || waitingInAll >= WAITING)
        throw new RefusedCaller(
          "token",
          `Too many requests with a wrong token at once: at most ${WAITING_PER_ADDRESS} from an address, and ${WAITING} in all.`,
          "Wait a second and try again.",
        );
      if (proof.ok) return undefined;
      return refuseSlowly(address);
    },

    /** The `Set-Cookie` header with which a browser remembers that it has shown the token. */
    cookie: (secure: boolean): string =>
      `${cookieName}=${cookieValue}; Path=/; HttpOnly; SameSite=Strict${secure ? "; Secure" : ""}`,
  };
}

/** Compares in a time that says nothing of the text: digests have one length. */
function equalTo(secret: string): (text: string) => boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  const expected = digest(secret);
  return (text) => timingSafeEqual(digest(text), expected);
}

/** The value of a cookie, which is taken out of the header; other cookies stay. */
function takeCookie(headers: IncomingHttpHeaders, name: string): string | undefined {
  const cookies = (headers.cookie ?? "").split(/; */).filter((cookie) => cookie !== "");
  const own = cookies.find((cookie) => cookie.startsWith(`${name}=`));
  if (own === undefined) return undefined;
  const others = cookies.filter((cookie) => !cookie.startsWith(`${name}=`));
  if (others.length > 0) headers.cookie = others.join("; ");
  else delete headers.cookie;
  return own.slice(name.length + 1);
}
