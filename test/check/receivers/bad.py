# Compares strings, for which compare_digest rejects non-ASCII text, and leaves exceptions to http.server. Check must find
# this out.
import hashlib
import hmac
import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["SANDGLASS_WEBHOOK_SECRET"].encode()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        expected = hmac.new(SECRET, body, hashlib.sha256).hexdigest()
        good = hmac.compare_digest(expected, self.headers["X-Platform-Signature"])
        if good:
            json.loads(body)
        self.send_response(204 if good else 401)
        self.end_headers()

    def log_message(self, *args):
        pass


class Server(ThreadingHTTPServer):
    def handle_error(self, *args):
        pass


server = Server(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Receiver)
print(f"Webhooks at http://127.0.0.1:{server.server_port}/webhooks", flush=True)
server.serve_forever()
