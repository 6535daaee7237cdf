/** The value of a variable with a mail server's address, by the suffix of the variable's name. */
const VALUES: readonly [ending: RegExp, value: (port: number) => string][] = [
  [/(?:HOST|HOSTNAME|SERVER)$/, () => "127.0.0.1"],
  [/PORT$/, String],
  [/(?:URL|URI|DSN)$/, (port) => `smtp://127.0.0.1:${port}`],
  // The connection does not start with TLS.
  [/(?:SECURE|SSL)$/, () => "false"],
];

/** The variables that point a server to its trial's mail server. The configuration checks their names. */
export const mailVariables = (names: readonly string[], port: number): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = VALUES.find(([ending]) => ending.test(name))?.[1](port);
      return value === undefined ? [] : [[name, value]];
    }),
  );
