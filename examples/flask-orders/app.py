"""Orders of a Shopify shop, kept by its webhooks."""

import base64
import hashlib
import hmac
import os
import sqlite3

from flask import Flask, request

app = Flask(__name__)
SECRET = os.environ.get("SHOPIFY_API_SECRET", "").encode()


FILE = os.environ.get("ORDERS_FILE", "orders.db")


def database():
    return sqlite3.connect(FILE, timeout=10)


database().executescript(
    """
    create table if not exists orders (id integer primary key, status text not null, updated_at text not null);
    create table if not exists refunds (id integer primary key, order_id integer not null);
    """
)


@app.post("/webhooks/shopify")
def webhook():
    body = request.get_data()
    signature = base64.b64encode(hmac.new(SECRET, body, hashlib.sha256).digest())
    if not hmac.compare_digest(signature, request.headers.get("X-Shopify-Hmac-Sha256", "").encode()):
        return "", 401
    event = request.get_json(force=True, silent=True)
    if not isinstance(event, dict):
        return "", 400
    topic = request.headers.get("X-Shopify-Topic", "")
    connection = database()
    with connection:
        if topic.startswith("orders/"):
            save_order(connection, event)
        elif topic == "refunds/create":
            connection.execute("insert or ignore into refunds values (?, ?)", (event["id"], event["order_id"]))
    connection.close()
    return "", 204


def save_order(connection, order):
    """The newest version wins, whatever order they arrive in."""
    status = "cancelled" if order["cancelled_at"] else order["financial_status"]
    connection.execute(
        """
        insert into orders values (:id, :status, :updated_at) on conflict (id) do update
        set status = :status, updated_at = :updated_at where :updated_at > updated_at
        """,
        {"id": order["id"], "status": status, "updated_at": order["updated_at"]},
    )
