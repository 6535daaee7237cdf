<?php
// The handlers look-then-insert-in-transaction and unique-index of kinds.mjs, as php -S runs them: KIND, and DRIVER pdo, pdo-prepared
// or mysqli, are in the environment.

const SEEN = "select id from events where id = ?";
const NOTE = "insert into events (id) values (?)";
const PAY = "insert into orders (id, times, total) values (?, 1, ?)
  on duplicate key update times = times + 1, total = total + values(total)";

/** @return array{begin: callable, commit: callable, run: callable} `run` gives rows, or none */
function connect(array $url): array
{
    ["host" => $host, "port" => $port, "user" => $user, "pass" => $password, "path" => $path] = $url;
    if (getenv("DRIVER") === "mysqli") {
        mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
        $db = new mysqli($host, $user, $password, substr($path, 1), $port);
        return [
            "begin" => fn () => $db->begin_transaction(),
            "commit" => fn () => $db->commit(),
            "run" => function (string $sql, array $values) use ($db): array {
                $statement = $db->prepare($sql);
                $statement->execute($values);
                $result = $statement->get_result();
                return $result ? $result->fetch_all() : [];
            },
        ];
    }
    $db = new PDO("mysql:host=$host;port=$port;dbname=" . substr($path, 1), $user, $password, [
        PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION,
        PDO::ATTR_EMULATE_PREPARES => getenv("DRIVER") === "pdo",
    ]);
    return [
        "begin" => fn () => $db->beginTransaction(),
        "commit" => fn () => $db->commit(),
        "run" => function (string $sql, array $values) use ($db): array {
            $statement = $db->prepare($sql);
            $statement->execute($values);
            return $statement->columnCount() > 0 ? $statement->fetchAll() : [];
        },
    ];
}

function handle(array $db, string $event, string $order): void
{
    $db["begin"]();
    if (getenv("KIND") === "unique-index") {
        $db["run"](NOTE, [$event]);
        $db["run"](PAY, [$order, 5]);
    } elseif (!$db["run"](SEEN, [$event])) {
        $db["run"](PAY, [$order, 5]);
        $db["run"](NOTE, [$event]);
    }
    $db["commit"]();
}

if ($_SERVER["REQUEST_METHOD"] !== "POST") {
    return;
}
["type" => $type, "data" => ["id" => $id]] = json_decode(file_get_contents("php://input"), true);
try {
    handle(connect(parse_url(getenv("DATABASE_URL"))), "$type $id", $id);
} catch (PDOException | mysqli_sql_exception $error) {
    $code = $error instanceof PDOException ? $error->errorInfo[1] ?? 0 : $error->getCode();
    if ($code !== 1062) {
        error_log($error->getMessage());
        http_response_code(500);
    }
}
