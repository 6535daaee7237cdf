export const TOKEN_HEADER = "x-sandbox-token";

/** The environment variable with the token. A shared sandbox and its clients read it. */
export const TOKEN_VARIABLE = "SANDGLASS_TOKEN";

/** The path of the page that a shared link opens. It needs no token, because it contains no data. */
export const OPEN_PATH = "/_sandbox/open";

/** The format of a token. Shorter tokens could be guessed. */
export const TOKEN = /^[A-Za-z0-9_-]{16,200}$/;

/**
 * The link that opens a shared sandbox. The token is in the fragment, which browsers never send, so it never appears in
 * a proxy log or a Referer header.
 * @param url the sandbox's URL, without a trailing slash
 */
export const shareLink = (url: string, token: string): string => `${url}${OPEN_PATH}#token=${token}`;

/** A sandbox's URL and token. */
export interface SandboxAddress {
  /** The URL without a trailing slash. */
  url: string;
  token: string | undefined;
}

/** Parses a URL or a shared link. If the link contains no token, the environment's token is used. */
export function readAddress(text: string): SandboxAddress {
  const [address = "", fragment = ""] = text.split("#", 2);
  const token = new URLSearchParams(fragment).get("token");
  const path = address.replace(/\/+$/, "");
  return {
    url: path.endsWith(OPEN_PATH) ? path.slice(0, -OPEN_PATH.length) : path,
    token: token ?? (process.env[TOKEN_VARIABLE] || undefined),
  };
}
