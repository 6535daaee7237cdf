# A shop that is correct whatever the schedule, written with nothing but Python 3.
import hashlib
import hmac
import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["SANDGLASS_WEBHOOK_SECRET"].encode()

orders = {}
handled = set()
lock = threading.Lock()


def handle(event, data):
    with lock:
        if (event, data["id"]) in handled:
            return
        handled.add((event, data["id"]))
        name = data.get("client_reference_id") or data["checkoutSession"]["clientReferenceId"]
        order = orders.setdefault(name, {"status": "open", "paid": 0})
        if event == "payment.completed":
            order["status"] = "paid"
            order["paid"] += int(data["amount"])
        elif event == "checkout.expired" and order["status"] == "open":
            order["status"] = "cancelled"


class Shop(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path == "/reset":
            with lock:
                orders.clear()
                handled.clear()
            return self.answer(204)
        expected = hmac.new(SECRET, body, hashlib.sha256).hexdigest()
        if not hmac.compare_digest(expected, self.headers.get("X-Platform-Signature") or ""):
            return self.answer(401)
        if self.headers.get("X-Platform-Test") != "true":
            message = json.loads(body)
            handle(message["event"], message["data"])
        return self.answer(204)

    def do_GET(self):
        self.answer(200, json.dumps(orders).encode())

    def answer(self, status, body=b""):
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Shop)
print(f"Webhooks at http://127.0.0.1:{server.server_port}/webhooks", flush=True)
server.serve_forever()
