/** What a variable for the address of a mail server gets, by the ending of its name. */
const VALUES: readonly [ending: RegExp, value: (port: number) => string][] = [
  [/(?:HOST|HOSTNAME|SERVER)$/, () => "127.0.0.1"],
  [/PORT$/, String],
  [/(?:URL|URI|DSN)$/, (port) => `smtp://127.0.0.1:${port}`],
  // TLS does not begin with the connection.
  [/(?:SECURE|SSL)$/, () => "false"],
];

/** The variables by which a server finds the mail server of its trial. The configuration checks their names. */
export const mailVariables = (names: readonly string[], port: number): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = VALUES.find(([ending]) => ending.test(name))?.[1](port);
      return value === undefined ? [] : [[name, value]];
    }),
  );
