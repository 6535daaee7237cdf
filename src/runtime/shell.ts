/** Quotes a string as one POSIX shell word. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Like `shellWord`, but quotes only if necessary, for printed commands. */
export const shellArgument = (text: string): string =>
  /^[\p{L}\p{N}_@%+=:,./-]+$/u.test(text) ? text : shellWord(text);
