/** Variables that route a started server's connections to the gateway. The preload passes them on to child processes. */

/**
 * The gateway's port, its token, the comma-separated places that are redirected, and the preload's path, separated by
 * spaces.
 */
export const OUTSIDE = "SANDGLASS_OUTSIDE";
/** Stands for every place outside this machine. */
export const EVERYWHERE = "*";

const PROXIES = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"] as const;
const DIRECT = ["NO_PROXY", "no_proxy"] as const;
/** Variables that replace the authorities their program trusts. */
const ALL_AUTHORITIES = [
  ...["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH"],
] as const;
/** Variables that add authorities to those their program trusts. */
const MORE_AUTHORITIES = ["NODE_EXTRA_CA_CERTS", "DENO_CERT"] as const;
const PHP = "PHP_INI_SCAN_DIR";
/** The folder in which Node stores the code that it has compiled. */
const COMPILED = "NODE_COMPILE_CACHE";

export const VARIABLES = { PROXIES, DIRECT, ALL_AUTHORITIES, MORE_AUTHORITIES, PHP, COMPILED };

export const HANDED_ON: readonly string[] = [
  ...[OUTSIDE, ...PROXIES, ...DIRECT],
  ...[...ALL_AUTHORITIES, ...MORE_AUTHORITIES, PHP],
];

/** NODE_OPTIONS that load a CommonJS file, in addition to the existing options. */
export const requiring = (file: string, options: string | undefined): string =>
  options?.includes(optionText(file)) ? options : [options, optionText(file)].filter(Boolean).join(" ");

/** In NODE_OPTIONS, a path with spaces must be quoted. */
const optionText = (file: string): string =>
  `--require ${/[\s"\\]/.test(file) ? `"${file.replaceAll(/["\\]/g, "\\$&")}"` : file}`;
