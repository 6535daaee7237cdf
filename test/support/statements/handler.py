"""The handlers look-then-insert-in-transaction and unique-index of kinds.mjs with psycopg2: handler.py <kind>."""

import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import psycopg2

PAY = """insert into orders (id, times, total) values (%s, 1, %s)
  on conflict (id) do update set times = orders.times + 1, total = orders.total + excluded.total"""


def look_then_insert(cursor, event, order, amount):
    cursor.execute("select id from events where id = %s", (event,))
    if cursor.fetchone():
        return
    cursor.execute(PAY, (order, amount))
    cursor.execute("insert into events (id) values (%s)", (event,))


def unique_index(cursor, event, order, amount):
    cursor.execute("insert into events (id) values (%s)", (event,))
    cursor.execute(PAY, (order, amount))


KINDS = {"look-then-insert-in-transaction": look_then_insert, "unique-index": unique_index}
handle = KINDS[sys.argv[1]]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.answer(self.process(body))

    def process(self, body):
        data = body["data"]
        try:
            connection = psycopg2.connect(os.environ["DATABASE_URL"])
            try:
                with connection, connection.cursor() as cursor:
                    handle(cursor, f"{body['type']} {data['id']}", data["id"], 5)
            finally:
                connection.close()
            return 200
        except psycopg2.errors.UniqueViolation:
            return 200
        except Exception as error:
            print(error, file=sys.stderr)
            return 500

    def answer(self, status):
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
