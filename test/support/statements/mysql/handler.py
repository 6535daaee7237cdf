"""The handlers look-then-insert-in-transaction and unique-index of kinds.mjs: handler.py <kind> pymysql|mysqlclient."""

import importlib
import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

PAY = """insert into orders (id, times, total) values (%s, 1, %s)
  on duplicate key update times = times + 1, total = total + values(total)"""
kind, driver = sys.argv[1:]
mysql = importlib.import_module("MySQLdb" if driver == "mysqlclient" else driver)


def look_then_insert(cursor, event, order, amount):
    cursor.execute("select id from events where id = %s", (event,))
    if cursor.fetchone():
        return
    cursor.execute(PAY, (order, amount))
    cursor.execute("insert into events (id) values (%s)", (event,))


def unique_index(cursor, event, order, amount):
    cursor.execute("insert into events (id) values (%s)", (event,))
    cursor.execute(PAY, (order, amount))


handle = {"look-then-insert-in-transaction": look_then_insert, "unique-index": unique_index}[kind]


def connect():
    url = urlsplit(os.environ["DATABASE_URL"])
    return mysql.connect(
        host=url.hostname, port=url.port, user=url.username, password=url.password, database=url.path[1:]
    )


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.answer(200)

    def do_POST(self):
        self.answer(self.process(json.loads(self.rfile.read(int(self.headers["content-length"])))))

    def process(self, body):
        data = body["data"]
        try:
            connection = connect()
            try:
                with connection.cursor() as cursor:
                    handle(cursor, f"{body['type']} {data['id']}", data["id"], 5)
                connection.commit()
            finally:
                connection.close()
            return 200
        except mysql.IntegrityError as error:
            return 200 if error.args[0] == 1062 else 500
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
