/** A text as one word of a POSIX shell. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The same, in quotes only where it needs them: for a command that is printed. */
export const shellArgument = (text: string): string =>
  /^[\p{L}\p{N}_@%+=:,./-]+$/u.test(text) ? text : shellWord(text);
