/** Parameters whose values may be secrets. */
const SECRET_PARAMETER = /([?&][^=&]*(?:token|key|secret|signature|jwt|password)[^=&]*=)[^&]*/gi;

/** A path or a URL without possible secrets in its query. */
export const withoutSecrets = (url: string): string =>
  url.includes("?") ? url.replace(SECRET_PARAMETER, "$1…") : url;
