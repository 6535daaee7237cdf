/** The header that carries the token of a shared sandbox. */
export const TOKEN_HEADER = "x-sandbox-token";

/** The environment variable that has the token: for the clients of a shared sandbox, and for the sandbox itself. */
export const TOKEN_VARIABLE = "SANDGLASS_TOKEN";

/** The page that a shared link opens. It works without a token, as it contains nothing else. */
export const OPEN_PATH = "/_sandbox/open";

/** The form of a token. Shorter ones could be guessed. */
export const TOKEN = /^[A-Za-z0-9_-]{16,200}$/;

/**
 * The link that opens a shared sandbox. The token is in the fragment, which browsers never send: it is in no proxy's log and in
 * no Referer.
 * @param url the sandbox's address, without a trailing slash
 */
export const shareLink = (url: string, token: string): string => `${url}${OPEN_PATH}#token=${token}`;

/** An address of a sandbox, with the token of a link. */
export interface SandboxAddress {
  /** Without a trailing slash. */
  url: string;
  token: string | undefined;
}

/** Reads an address, or a link with its token. By default, the token of the environment is used. */
export function readAddress(text: string): SandboxAddress {
  const [address = "", fragment = ""] = text.split("#", 2);
  const token = new URLSearchParams(fragment).get("token");
  const path = address.replace(/\/+$/, "");
  return {
    url: path.endsWith(OPEN_PATH) ? path.slice(0, -OPEN_PATH.length) : path,
    token: token ?? (process.env[TOKEN_VARIABLE] || undefined),
  };
}
