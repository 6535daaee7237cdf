/** Matches parameters whose values may be secrets. */
const SECRET_PARAMETER = /([?&][^=&]*(?:token|key|secret|signature|jwt|password)[^=&]*=)[^&]*/gi;

/** Redacts values that may be secrets in the query of a path or URL. */
export const withoutSecrets = (url: string): string =>
  url.includes("?") ? url.replace(SECRET_PARAMETER, "$1…") : url;
