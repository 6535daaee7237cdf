import { expect, it } from "vitest";
import { noteAsked, type Parameter, soughtIn } from "../../src/trial/statements/parameters.ts";
import { STANDARD } from "../../src/trial/statements/sql-form.ts";

const bound = (...values: string[]): Parameter[] => values.map((value) => [value]);

it.each([
  ["select * from users where email = $1 limit $2 offset $3", bound("ada", "1", "0"), ["ada"]],
  ["select * from users where email = $2 order by id limit $1", bound("1", "ada"), ["ada"]],
  ["select * from users where email = ? limit ?, ?", bound("ada", "0", "1"), ["ada"]],
  [
    "update users set plan = ? where id in (select id from plans limit ?) and email = ?",
    bound("pro", "1", "ada"),
    ["ada"],
  ],
  ["select * from users where email = :email limit :count", bound("ada", "1"), ["ada"]],
])(
  "a trial does not take a number of rows for a value that a statement looks for: %s",
  (sql, values, sought) => {
    const statement = { result: "SELECT 0" };
    noteAsked(statement, { sql, values: () => values, line: { form: STANDARD } });
    expect(soughtIn(statement)).toEqual(bound(...sought));
  },
);
