import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { sqliteValue } from "../../src/trial/database/database-variable.ts";
import { mysqlValue } from "../../src/trial/database/mysql/variable.ts";
import { postgresValue } from "../../src/trial/database/postgres/variable.ts";
import { stateSource } from "../../src/trial/database/source.ts";

const STATE = "postgres://app:p%40ss@db.local:5433/shop";
const PLACE = { host: "127.0.0.1", port: 6000, database: "sandglass_1" };
const AT = "127.0.0.1:6000/sandglass_1";

const valueFor = (name: string, present?: string, all: string[] = []) =>
  postgresValue({ name, present, all }, STATE, PLACE);

describe("variables for a server on a copy of its Postgres database", () => {
  it.each([
    ["DB_HOST", "localhost", "127.0.0.1"],
    ["PGHOSTADDR", undefined, "127.0.0.1"],
    ["DB_HOSTNAME", undefined, "127.0.0.1"],
    ["POSTGRES_SERVER", "db", "127.0.0.1"],
    ["DB_HOST", "localhost:5432", "127.0.0.1:6000"],
    ["DB_ADDR", "[::1]:5432", "127.0.0.1:6000"],
    ["DB_PORT", "5432", "6000"],
    ["DB_NAME", undefined, "sandglass_1"],
    ["POSTGRES_DB", undefined, "sandglass_1"],
    ["PGDATABASE", "shop", "sandglass_1"],
    ["DB_DATABASE", "laravel", "sandglass_1"],
    ["SHOP", "shop", "sandglass_1"],
    ["DB_USER", undefined, "app"],
    ["DB_USERNAME", undefined, "app"],
    ["DB_USER", "web", "web"],
    ["DB_PASS", undefined, "p@ss"],
    ["PGPASSWORD", undefined, "p@ss"],
    ["DB_PASSWORD", "host:1234", "host:1234"],
    ["PGSSLMODE", "require", "disable"],
  ])("a trial sets %s to the matching part of the copy's address: %j becomes %j", (name, present, value) => {
    expect(valueFor(name, present)).toBe(value);
  });

  it.each([
    ["POSTGRES_URL", undefined, `postgres://app:p%40ss@${AT}?sslmode=disable`],
    ["DB_NAME", "postgres://127.0.0.1/shop", `postgres://${AT}?sslmode=disable`],
    ["DATABASE_URL", "mysql://root@localhost/shop", `postgres://app:p%40ss@${AT}?sslmode=disable`],
    [
      "DATABASE_URL",
      "postgresql://web@db:5432/shop?sslmode=require&schema=own",
      `postgresql://web@${AT}?schema=own&sslmode=disable`,
    ],
    ["DATABASE_URL", "postgres://web@one:5432,two:5432/shop", `postgres://web@${AT}?sslmode=disable`],
    ["DATABASE_URL", "postgres:///shop?host=/tmp", `postgres://${AT}?sslmode=disable`],
    ["DB", "postgresql+psycopg2://web@db/shop", `postgresql+psycopg2://web@${AT}?sslmode=disable`],
    ["DB", "postgresql+asyncpg://web@db/shop?ssl=require", `postgresql+asyncpg://web@${AT}?ssl=disable`],
    ["DB", "postgresql+pg8000://web@db/shop", `postgresql+pg8000://web@${AT}`],
    [
      "DB",
      "jdbc:postgresql://db:5432/shop?user=web&password=a+b%2Bc&ssl=true",
      `jdbc:postgresql://${AT}?user=web&password=a+b%2Bc&sslmode=disable`,
    ],
    ["DB", "jdbc:postgresql:shop", `jdbc:postgresql://${AT}?sslmode=disable`],
    ["DB", "r2dbc:postgresql://web:x@db/shop", `r2dbc:postgresql://web:x@${AT}?sslMode=disable`],
    ["SPRING_DATASOURCE_URL", undefined, `jdbc:postgresql://${AT}?sslmode=disable&user=app&password=p%40ss`],
  ])("a trial preserves the format of the URL in %s: %j becomes %j", (name, present, value) => {
    expect(valueFor(name, present)).toBe(value);
  });

  it.each([
    [
      'Host=localhost;Port=5432;Database=shop;Username=web;Password="a;b";SSL Mode=Require',
      'Host=127.0.0.1;Port=6000;Database=sandglass_1;Username=web;Password="a;b";SSL Mode=disable',
    ],
    [
      "Server=localhost;Initial Catalog=shop;User Id=web;Password=x;",
      "Server=127.0.0.1;Initial Catalog=sandglass_1;User Id=web;Password=x;Port=6000",
    ],
    ["pgsql:host=localhost;dbname=shop", "pgsql:host=127.0.0.1;dbname=sandglass_1;port=6000"],
    [
      "host=localhost user=web password='a b' dbname=shop sslmode=require",
      "host=127.0.0.1 user=web password='a b' dbname=sandglass_1 sslmode=disable port=6000",
    ],
    ["dbname=shop", "dbname=sandglass_1 host=127.0.0.1 port=6000"],
  ])("a trial changes only the address in a connection string: %s", (present, value) => {
    expect(valueFor("DB", present)).toBe(value);
  });

  it("a trial sets an unset .NET variable to a connection string", () => {
    expect(valueFor("ConnectionStrings__Shop")).toBe(
      "Host=127.0.0.1;Port=6000;Database=sandglass_1;Username=app;Password=p@ss",
    );
  });

  it("a trial sets an unset DB_DATABASE to a name if DB_USERNAME is set, and otherwise to a URL", () => {
    expect(valueFor("DB_DATABASE", undefined, ["DB_DATABASE", "DB_USERNAME"])).toBe("sandglass_1");
    expect(valueFor("SHOP_DATABASE", undefined, ["SHOP_DATABASE", "DB_USERNAME"])).toContain("postgres://");
  });

  it("a trial leaves a password unset if the state's address contains no password", () => {
    const variable = { name: "DB_PASSWORD", present: undefined, all: [] };
    expect(postgresValue(variable, "postgres://localhost/shop", PLACE)).toBeUndefined();
  });

  it("a trial preserves any credentials in a URL", () => {
    const text = fc.string({ minLength: 1, unit: "grapheme" }).filter((one) => one.trim() !== "");
    fc.assert(
      fc.property(text, text, fc.constantFrom("", "jdbc:"), (user, password, outer) => {
        const credentials = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
        const value = valueFor("DB", `${outer}postgresql://${credentials}@h/shop`)!;
        const url = new URL(value.slice(outer.length));
        expect([decodeURIComponent(url.username), decodeURIComponent(url.password)]).toEqual([
          user,
          password,
        ]);
        expect([url.host, url.pathname]).toEqual(["127.0.0.1:6000", "/sandglass_1"]);
      }),
    );
  });
});

describe("variables for a server on a copy of its MySQL database", () => {
  const of = (name: string, present?: string, all: string[] = []) =>
    mysqlValue({ name, present, all }, "mysql://app:p%40ss@db.local:3307/shop", PLACE);

  it.each([
    ["DB_HOST", "localhost", "127.0.0.1"],
    ["DB_PORT", "3306", "6000"],
    ["DB_DATABASE", "laravel", "sandglass_1"],
    ["DB_USERNAME", undefined, "app"],
    ["DB_USERNAME", "web", "web"],
    ["DB_PASSWORD", undefined, "p@ss"],
    ["MYSQL_SSL_MODE", "REQUIRED", "DISABLED"],
    ["DB_SOCKET", "/run/mysqld/mysqld.sock", ""],
    ["DB_SOCKET", undefined, undefined],
  ])("a trial sets %s to the matching part of MySQL's address: %j becomes %j", (name, present, value) => {
    expect(of(name, present)).toBe(value);
  });

  it.each([
    ["DATABASE_URL", undefined, `mysql://app:p%40ss@${AT}`],
    ["DATABASE_URL", "postgres://web@db/shop", `mysql://app:p%40ss@${AT}`],
    [
      "DATABASE_URL",
      "mysql://web:x@db/shop?sslaccept=strict&connection_limit=5",
      `mysql://web:x@${AT}?connection_limit=5`,
    ],
    ["DATABASE_URL", "mariadb://web@db/shop?ssl=true", `mariadb://web@${AT}`],
    ["DATABASE_URL", "mysql2://web@db/shop?sslca=ca.pem&pool=5", `mysql2://web@${AT}?pool=5`],
    [
      "DB",
      "mysql+pymysql://web@db/shop?charset=utf8mb4&ssl_ca=ca.pem",
      `mysql+pymysql://web@${AT}?charset=utf8mb4`,
    ],
    ["DB", "mysql://root@localhost/shop?socketPath=/run/mysqld.sock", `mysql://root@${AT}`],
    [
      "DB",
      "jdbc:mysql://db:3306/shop?useSSL=true&serverTimezone=UTC",
      `jdbc:mysql://${AT}?serverTimezone=UTC&sslMode=DISABLED`,
    ],
    ["DB", "jdbc:mysql:loadbalance://one,two:3306/shop", `jdbc:mysql://${AT}?sslMode=DISABLED`],
    ["DB", "jdbc:mariadb://db/shop?user=web&sslMode=verify-full", `jdbc:mariadb://${AT}?user=web`],
    ["SPRING_DATASOURCE_URL", undefined, `jdbc:mysql://${AT}?sslMode=DISABLED&user=app&password=p%40ss`],
    [
      "DB",
      "web:p@ss@tcp(db:3306)/shop?parseTime=true&tls=skip-verify",
      "web:p@ss@tcp(127.0.0.1:6000)/sandglass_1?parseTime=true",
    ],
    ["DB", "mysql://web@tcp(db)/shop", "mysql://web@tcp(127.0.0.1:6000)/sandglass_1"],
    ["DB", "web@unix(/run/mysqld.sock)/shop", "web@tcp(127.0.0.1:6000)/sandglass_1"],
    [
      "DB",
      "mysql:host=localhost;dbname=shop;charset=utf8mb4",
      "mysql:host=127.0.0.1;dbname=sandglass_1;charset=utf8mb4;port=6000",
    ],
    [
      "DB",
      "Server=localhost;Database=shop;Uid=web;Pwd=x;SslMode=Required",
      "Server=127.0.0.1;Database=sandglass_1;Uid=web;Pwd=x;SslMode=DISABLED;Port=6000",
    ],
    [
      "ConnectionStrings__Shop",
      undefined,
      "Host=127.0.0.1;Port=6000;Database=sandglass_1;Username=app;Password=p@ss",
    ],
  ])("a trial preserves the MySQL client's format in %s: %j becomes %j", (name, present, value) => {
    expect(of(name, present)).toBe(value);
  });
});

describe("variables for a server on a copy of its SQLite database", () => {
  it.each([
    ["DATABASE_URL", undefined, "file:/w.db"],
    ["DB_FILE", undefined, "/w.db"],
    ["DB_FILE", "shop.db", "/w.db"],
    ["DB_DATABASE", "/srv/shop.sqlite", "/w.db"],
    ["DATABASE_URL", "file:./shop.db?mode=rw", "file:/w.db?mode=rw"],
    ["DATABASE_URL", "sqlite:///shop.db", "sqlite:////w.db"],
    ["DATABASE_URL", "sqlite:////srv/shop.db", "sqlite:////w.db"],
    ["DATABASE_URL", "sqlite+aiosqlite:////srv/shop.db", "sqlite+aiosqlite:////w.db"],
    ["DB", "jdbc:sqlite:shop.db", "jdbc:sqlite:/w.db"],
    ["DB", "Data Source=shop.db;Cache=Shared", "Data Source=/w.db;Cache=Shared"],
    ["ConnectionStrings__Shop", undefined, "Data Source=/w.db"],
    ["DB_USERNAME", undefined, undefined],
    ["DB_PASSWORD", "x", undefined],
  ])("a trial preserves the format of the file path in %s: %j becomes %j", (name, present, value) => {
    expect(sqliteValue({ name, present, all: [] }, "/w.db")).toBe(value);
  });
});

describe("a database address as a state", () => {
  it.each([
    ["postgresql+asyncpg://web:p%40ss@db:5433/shop", "postgresql://web:p%40ss@db:5433/shop"],
    ["postgis://web@db/shop", "postgresql://web@db/shop"],
    ["jdbc:postgresql:shop", "postgresql://localhost/shop"],
    [
      "jdbc:postgresql://db:5432/shop?user=web&password=p%40ss&currentSchema=own",
      "postgresql://web:p%40ss@db:5432/shop?schema=own",
    ],
    ["pgsql:host=db;port=5433;dbname=shop", "postgresql://db:5433/shop"],
    ["pgsql:host=db;dbname=shop;user=web;password=p@ss", "postgresql://web:p%40ss@db/shop"],
    ["host=db port=5433 dbname=shop user=web password='a b'", "postgresql://web:a%20b@db:5433/shop"],
    ["dbname=shop host=/tmp", "postgresql://localhost/shop?host=%2Ftmp"],
    ["Host=db;Port=5433;Database=shop;Username=web;Password=x", "postgresql://web:x@db:5433/shop"],
    ["mysql+pymysql://web:x@db/shop?charset=utf8mb4", "mysql://web:x@db/shop?charset=utf8mb4"],
    ["mysql2://web@db:3307/shop", "mysql://web@db:3307/shop"],
    ["jdbc:mariadb://db:3306/shop?user=web&password=x", "mysql://web:x@db:3306/shop"],
    ["mysql:host=db;dbname=shop;charset=utf8mb4", "mysql://db/shop"],
    ["mysql:unix_socket=/run/mysqld.sock;dbname=shop", "mysql://localhost/shop?socket=%2Frun%2Fmysqld.sock"],
    ["web:p@ss:w/rd@tcp(db:3307)/shop?parseTime=true", "mysql://web:p%40ss%3Aw%2Frd@db:3307/shop"],
    ["web@unix(/run/mysqld.sock)/shop", "mysql://web@localhost/shop?socket=%2Frun%2Fmysqld.sock"],
    ["Server=db;Port=3307;Database=shop;Uid=web;Pwd=x", "mysql://web:x@db:3307/shop"],
    ["sqlite:///shop.db", "sqlite:shop.db"],
    ["sqlite:////srv/shop.db", "sqlite:/srv/shop.db"],
    ["sqlite+aiosqlite:///./shop.db", "sqlite:./shop.db"],
    ["jdbc:sqlite:shop.db", "sqlite:shop.db"],
    ["file:./dev.db?connection_limit=1", "sqlite:./dev.db"],
    ["file:///srv/shop.db", "sqlite:/srv/shop.db"],
  ])("%s is read as %s", (address, source) => {
    expect(stateSource(address)).toBe(source);
  });

  it.each([
    "sqlite:shop.db",
    "postgres://web@db/shop?host=/tmp",
    "mysql://web@db/shop",
    "http://127.0.0.1:3000/state",
    "inbox:effects",
    "npm run state",
    "psql -h db shop -c 'select 1'",
    "PGHOST=db node state.mjs --name=shop",
    "mongodb://db/shop",
    "Server=tcp:db,1433;Database=shop;User Id=web;Password=x",
  ])("%s is left as it is", (text) => {
    expect(stateSource(text)).toBe(text);
  });

  it("takes the user and password that its format lacks from the server's other variables", () => {
    vi.stubEnv("DB_USER", "web");
    vi.stubEnv("DB_PASS", "p@ss");
    const names = ["DB_DSN", "DB_USER", "DB_PASS"];
    expect(stateSource("pgsql:host=db;dbname=shop", names)).toBe("postgresql://web:p%40ss@db/shop");
    expect(stateSource("jdbc:mysql://db/shop?user=own", names)).toBe("mysql://own:p%40ss@db/shop");
    vi.unstubAllEnvs();
  });
});
