"""A shop whose handler finds its rows with SQLAlchemy."""
import http.server, json, os
from sqlalchemy import Column, Integer, String, create_engine, select
from sqlalchemy.orm import Session, declarative_base

Base = declarative_base()


class User(Base):
    __tablename__ = "users"
    id = Column(Integer, primary_key=True)
    stripe_customer_id = Column(String)
    plan = Column(String)


class Purchase(Base):
    __tablename__ = "purchases"
    id = Column(Integer, primary_key=True)
    payment_intent = Column(String)
    status = Column(String)


engine = create_engine(os.environ["DATABASE_URL"].replace("postgres://", "postgresql://"))


def handle(event):
    found = event["data"]["object"]
    with Session(engine) as session:
        if event["type"] == "customer.subscription.updated":
            user = session.execute(select(User).where(User.stripe_customer_id == found["customer"])).scalar_one_or_none()
            if user is None:
                return 404
            user.plan = found["status"]
        if event["type"] == "payment_intent.succeeded":
            purchase = session.execute(select(Purchase).where(Purchase.payment_intent == found["id"])).scalar_one_or_none()
            if purchase is None:
                return 404
            purchase.status = "paid"
        session.commit()
    return 200


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        try:
            status = handle(json.loads(body))
        except Exception as error:
            print(error, flush=True)
            status = 500
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
