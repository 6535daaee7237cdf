import { expect, it } from "vitest";
import { createOutput, printedWords } from "../../src/trial/subject/output.ts";

const DJANGO = `Internal Server Error: /webhooks
Traceback (most recent call last):
  File "/usr/lib/python3/dist-packages/django/core/handlers/exception.py", line 47, in inner
    response = get_response(request)
billing.models.Account.DoesNotExist: Account matching query does not exist.
[30/Nov/2026 09:06:33] "POST /webhooks HTTP/1.1" 500 73182
`;
const PHP = `[Mon Nov 30 09:06:33 2026] 127.0.0.1:42610 Accepted
[Mon Nov 30 09:06:33 2026] PHP Fatal error:  Uncaught PDOException: no such table: payments in /shop/webhook.php:7
Stack trace:
#0 /shop/webhook.php(7): PDO->prepare()
[Mon Nov 30 09:06:33 2026] 127.0.0.1:42610 [500]: POST /webhook.php
[Mon Nov 30 09:06:33 2026] 127.0.0.1:42610 Closing
`;
const GO = `2026/11/30 09:06:33 http: panic serving 127.0.0.1:42610: runtime error: invalid memory address
goroutine 12 [running]:
net/http.(*conn).serve.func1()
	/usr/lib/go/src/net/http/server.go:1850 +0xbf
`;
const PG = `error: duplicate key value violates unique constraint "events_pkey"
    at /shop/node_modules/pg/lib/client.js:535:17 {
  length: 193,
  severity: 'ERROR',
}
`;
const PRISMA = `PrismaClientKnownRequestError:
Invalid \`prisma.user.update()\` invocation:

No record was found for an update.
    at /shop/node_modules/prisma/index.js:1:1
`;

it.each([
  ["Django", DJANGO, "billing.models.Account.DoesNotExist: Account matching query does not exist."],
  [
    "PHP",
    PHP,
    "[Mon Nov 30 09:06:33 2026] PHP Fatal error:  Uncaught PDOException: no such table: payments in /shop/webhook.php:7",
  ],
  [
    "Go",
    GO,
    "2026/11/30 09:06:33 http: panic serving 127.0.0.1:42610: runtime error: invalid memory address",
  ],
  ["node-postgres", PG, 'error: duplicate key value violates unique constraint "events_pkey"'],
  ["Prisma", PRISMA, "PrismaClientKnownRequestError: No record was found for an update."],
  ["a server that logs its requests", 'No such user\n"POST /webhooks HTTP/1.1" 404 12\n', "No such user"],
])("a trial quotes the line in which %s states its error", (_who, printed, line) => {
  const output = createOutput();
  output.add(printed);
  expect(printedWords(output.last())).toBe(`, and printed: ${line}`);
});

it("a trial shows a server's last lines without those that only log requests", () => {
  const output = createOutput();
  output.add(
    PHP.replace("PHP Fatal error:  Uncaught PDOException: ", "").replace("Stack trace:", "Try again."),
  );
  expect(output.last().split("\n")).toEqual([
    "[Mon Nov 30 09:06:33 2026] no such table: payments in /shop/webhook.php:7",
    "Try again.",
    "#0 /shop/webhook.php(7): PDO->prepare()",
  ]);
});

it("a trial quotes nothing if a server only logged its requests", () => {
  const output = createOutput();
  output.add('"POST /webhooks HTTP/1.1" 200 0\n');
  expect(output.last()).toBe("");
  expect(printedWords(output.last())).toBe("");
});
