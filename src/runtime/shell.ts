/** A text as one word of a POSIX shell. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A text as one word of a POSIX shell, quoted only if necessary: for printed commands. */
export const shellArgument = (text: string): string =>
  /^[\p{L}\p{N}_@%+=:,./-]+$/u.test(text) ? text : shellWord(text);
