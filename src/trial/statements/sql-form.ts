/** How a kind of database writes comments, literals and quoted names. */
export interface SqlForm {
  /** Comments, numbers, dollar-quoted strings, and the starts of strings and quoted names. */
  begins: RegExp;
  /** The quote character for names. */
  quote: string;
  /** Whether backslashes are escapes in a string that starts this way. */
  hasEscapes(begin: string): boolean;
}

/** The SQL of Postgres and SQLite. */
export const STANDARD: SqlForm = {
  begins: /--[^\n]*|\/\*[\s\S]*?\*\/|"|\b[eE]'|'|\$(\w*)\$[\s\S]*?\$\1\$|(?<![\w$.])\d+(?:\.\d+)?(?!\w)/g,
  quote: '"',
  hasEscapes: (begin) => begin !== "'" && begin !== '"',
};

/** The SQL of MySQL and MariaDB, without ANSI_QUOTES. */
export const MYSQL: SqlForm = {
  begins:
    /--(?!\S)[^\n]*|#[^\n]*|\/\*[\s\S]*?\*\/|`|(?:\b(?:[xbn]|_[a-z]\w*))?'|"|(?<![\w$.])(?:0x[\da-f]+|\d+(?:\.\d+)?(?:e[-+]?\d+)?)(?!\w)/gi,
  quote: "`",
  hasEscapes: (begin) => begin !== "`",
};

interface SqlPart {
  kind: "comment" | "name" | "literal";
  from: number;
  to: number;
  /** Where the quoted content starts; equal to `to` for anything that is not quoted. */
  inside: number;
}

const COMMENT = /^(?:--|#|\/\*)/;

/** Comments, literals and quoted names. A regular expression would overflow its stack on a string of megabytes. */
function partsOf(sql: string, { begins, quote, hasEscapes }: SqlForm): SqlPart[] {
  const parts: SqlPart[] = [];
  begins.lastIndex = 0;
  for (let found = begins.exec(sql); found; found = begins.exec(sql)) {
    const [begin] = found;
    const from = found.index;
    const inside = begins.lastIndex;
    const isComment = COMMENT.test(begin);
    const isQuoted = !isComment && /['"`]$/.test(begin);
    const to = isQuoted ? endOf(sql, inside, begin.at(-1)!, hasEscapes(begin)) : inside;
    parts.push({ kind: isComment ? "comment" : begin === quote ? "name" : "literal", from, to, inside });
    begins.lastIndex = to;
  }
  return parts;
}

/** Where a quoted string ends, after its closing quote. */
function endOf(sql: string, inside: number, quote: string, hasEscapes: boolean): number {
  let [at, backslash] = [inside, hasEscapes ? 0 : Number.POSITIVE_INFINITY];
  for (;;) {
    const end = sql.indexOf(quote, at);
    if (end < 0) return sql.length;
    if (backslash < at) {
      const next = sql.indexOf("\\", at);
      backslash = next < 0 ? Number.POSITIVE_INFINITY : next;
    }
    if (backslash < end) at = backslash + 2;
    else if (sql[end + 1] === quote) at = end + 2;
    else return end + 1;
  }
}

/** SQL with `?` for each literal, and without comments and unnecessary whitespace. */
export function withoutLiterals(sql: string, form: SqlForm = STANDARD): string {
  let [text, at] = ["", 0];
  for (const { kind, from, to } of partsOf(sql, form)) {
    const part = { name: sql.slice(from, to), comment: " ", literal: "?" }[kind];
    text += sql.slice(at, from) + part;
    at = to;
  }
  return (text + sql.slice(at)).replace(/\s+/g, " ").replace(/;\s*$/, "").trim();
}

const ESCAPED: Readonly<Record<string, string>> = {
  n: "\n",
  r: "\r",
  t: "\t",
  b: "\b",
  0: "\0",
  Z: "\u001a",
};

export const literalsOf = (sql: string, form: SqlForm): string[] =>
  partsOf(sql, form).flatMap(({ kind, from, to, inside }) => {
    if (kind !== "literal") return [];
    if (inside === to) return [sql.slice(from, to)];
    const begin = sql.slice(from, inside);
    const quote = begin.at(-1)!;
    const text = sql.slice(inside, to - 1).replaceAll(quote + quote, quote);
    if (!form.hasEscapes(begin)) return [text];
    return [text.replaceAll(/\\([\s\S])/g, (_, escaped: string) => ESCAPED[escaped] ?? escaped)];
  });
