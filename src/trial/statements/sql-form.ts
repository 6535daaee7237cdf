/** How a kind of database writes what a statement's text does not keep: comments and literals; and names in quotes, which it keeps. */
export interface SqlForm {
  /** Comments, literals and names in quotes. */
  parts: RegExp;
  /** The character of names in quotes. */
  quote: string;
  /** The value of a literal. */
  valueOf(literal: string): string;
}

const COMMENT = /^(?:--|#|\/\*)/;

/** The SQL of Postgres and SQLite. */
export const STANDARD: SqlForm = {
  parts:
    /--[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"]|"")*"|\b[eE]'(?:[^'\\]|''|\\[\s\S])*'|'(?:[^']|'')*'|\$(\w*)\$[\s\S]*?\$\1\$|(?<![\w$.])\d+(?:\.\d+)?(?!\w)/g,
  quote: '"',
  valueOf: (literal) => (literal[0] === "'" ? literal.slice(1, -1).replaceAll("''", "'") : literal),
};

const ESCAPED: Readonly<Record<string, string>> = {
  n: "\n",
  r: "\r",
  t: "\t",
  b: "\b",
  0: "\0",
  Z: "\u001a",
};

/** The SQL of MySQL and MariaDB, with backslashes in texts and without ANSI_QUOTES. */
export const MYSQL: SqlForm = {
  parts:
    /--(?!\S)[^\n]*|#[^\n]*|\/\*[\s\S]*?\*\/|`(?:[^`]|``)*`|(?:\b(?:[xbn]|_[a-z]\w*))?'(?:[^'\\]|''|\\[\s\S])*'|"(?:[^"\\]|""|\\[\s\S])*"|(?<![\w$.])(?:0x[\da-f]+|\d+(?:\.\d+)?(?:e[-+]?\d+)?)(?!\w)/gi,
  quote: "`",
  valueOf(literal) {
    const [, quote, text] = /^\w*(['"])([\s\S]*)\1$/.exec(literal) ?? [];
    if (quote === undefined) return literal;
    return text!.replaceAll(/\\([\s\S])|''|""/g, (all, escaped?: string) => {
      if (escaped !== undefined) return ESCAPED[escaped] ?? escaped;
      return all[0] === quote ? quote : all;
    });
  },
};

/** SQL with `?` for each literal, and without comments and needless spaces. */
export const withoutLiterals = (sql: string, { parts, quote }: SqlForm = STANDARD): string =>
  sql
    .replace(parts, (part) => (part[0] === quote ? part : COMMENT.test(part) ? " " : "?"))
    .replace(/\s+/g, " ")
    .replace(/;\s*$/, "")
    .trim();

/** The literals of SQL. */
export const literalsOf = (sql: string, form: SqlForm): string[] =>
  [...sql.matchAll(form.parts)].flatMap(([part]) =>
    part[0] === form.quote || COMMENT.test(part) ? [] : [form.valueOf(part)],
  );
