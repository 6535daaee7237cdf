/** Quotes a string as one POSIX shell word. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Like `shellWord`, but adds quotes only if necessary. For commands that are printed. */
export const shellArgument = (text: string): string =>
  /^[\p{L}\p{N}_@%+=:,./-]+$/u.test(text) ? text : shellWord(text);
