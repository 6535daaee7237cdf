<?php
// Takes Stripe's webhooks, and remembers each payment once.
$payload = file_get_contents('php://input');
parse_str(strtr($_SERVER['HTTP_STRIPE_SIGNATURE'] ?? '', ',', '&'), $parts);
$expected = hash_hmac('sha256', ($parts['t'] ?? '') . '.' . $payload, getenv('STRIPE_WEBHOOK_SECRET'));
if (!hash_equals($expected, $parts['v1'] ?? '')) { http_response_code(400); exit('invalid signature'); }
$event = json_decode($payload, true);

$dsn = 'mysql:host=' . getenv('DB_HOST') . ';port=' . (getenv('DB_PORT') ?: '3306') . ';dbname=' . getenv('DB_DATABASE') . ';charset=utf8mb4';
$pdo = new PDO($dsn, getenv('DB_USERNAME'), getenv('DB_PASSWORD'), [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);

if (($event['type'] ?? '') === 'invoice.paid') {
    $seen = $pdo->prepare('select 1 from payments where event_id = ?');
    $seen->execute([$event['id']]);
    if (!$seen->fetch()) {
        $pay = $pdo->prepare('insert into payments (event_id, amount) values (?, ?)');
        $pay->execute([$event['id'], $event['data']['object']['amount_paid']]);
    }
}
echo 'ok';
