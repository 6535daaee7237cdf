# Receives webhooks with nothing but Python 3. Start: SANDGLASS_WEBHOOK_SECRET=whsec_… python3 receiver.py
import hashlib
import hmac
import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["SANDGLASS_WEBHOOK_SECRET"].encode()
MAX_BODY_BYTES = 2 * 1024 * 1024

# In your application: a table with a unique index, written in the transaction that handles the event.
handled = set()
paid = set()
lock = threading.Lock()


def is_signed(body: bytes, signature: str) -> bool:
    """The body must be the raw bytes. compare_digest rejects non-ASCII text, so pass it bytes."""
    expected = hmac.new(SECRET, body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), signature.encode())


def read_event(body: bytes):
    try:
        message = json.loads(body)
        return message["event"], message["data"]["id"]
    except (ValueError, KeyError, TypeError):
        return None


def handle_once(event: str, id: str) -> None:
    """A retry has a new delivery id, but the same type and data.id."""
    with lock:
        if (event, id) in handled:
            return
        handled.add((event, id))
        if event == "payment.completed":
            paid.add(id)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        self.answer(self.take_webhook() if self.path == "/webhooks" else 404)

    def do_GET(self):
        if self.path != "/state":
            return self.answer(405 if self.path == "/webhooks" else 404)
        # For `sandglass check --state`: not for production.
        return self.answer(200, json.dumps({"paid": len(paid)}).encode())

    def take_webhook(self) -> int:
        length = int(self.headers.get("Content-Length") or 0)
        if length > MAX_BODY_BYTES:
            return 413
        body = self.rfile.read(length)
        if not is_signed(body, self.headers.get("X-Platform-Signature") or ""):
            return 401
        event = read_event(body)
        if event is None:
            return 400
        if self.headers.get("X-Platform-Test") != "true":
            handle_once(*event)
        return 204

    def answer(self, status: int, body: bytes = b"") -> None:
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Receiver)
print(f"Webhooks at http://127.0.0.1:{server.server_port}/webhooks", flush=True)
server.serve_forever()
