import { facts, type Sample } from "./init-projects.ts";

/** Projects written in Python. */

const FLASK = 'flask --app app.py run --port "$PORT"';
const DJANGO = 'python3 manage.py runserver --noreload "$PORT"';

export const PYTHON: Sample[] = [
  [
    "Django with an included URL configuration and untouched DATABASES",
    facts(
      "stripe",
      "/payments/stripe/webhook/",
      "8000",
      "STRIPE_WEBHOOK_SECRET",
      DJANGO,
      "sqlite:db.sqlite3",
    ),
    {
      "requirements.txt": "Django==5.1\nstripe==11.0\n",
      "manage.py": `os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shop.settings")\nexecute_from_command_line(sys.argv)\n`,
      "shop/settings.py": `DATABASES = {
    'default': {
        'ENGINE': 'django.db.backends.sqlite3',
        'NAME': BASE_DIR / 'db.sqlite3',
    }
}
STRIPE_SECRET_KEY = os.environ["STRIPE_SECRET_KEY"]
STRIPE_WEBHOOK_SECRET = os.environ["STRIPE_WEBHOOK_SECRET"]
`,
      "shop/urls.py": `urlpatterns = [
    path("admin/", admin.site.urls),
    path("payments/", include("payments.urls")),
]
`,
      "payments/apps.py": `class PaymentsConfig(AppConfig):
    default_auto_field = 'django.db.models.BigAutoField'
    name = 'payments'
`,
      "payments/urls.py": `from . import views
urlpatterns = [
    path("checkout/", views.checkout),
    path("stripe/webhook/", views.stripe_webhook, name="stripe-webhook"),
]
`,
      "payments/views.py": `@csrf_exempt
def stripe_webhook(request):
    event = stripe.Webhook.construct_event(request.body, request.META["HTTP_STRIPE_SIGNATURE"], settings.STRIPE_WEBHOOK_SECRET)
    return HttpResponse(status=200)
`,
    },
  ],
  [
    "Django with a list of routes that is included where it is written",
    facts(
      "paystack",
      "/api/v1/payments/webhooks/paystack",
      "8000",
      "PAYSTACK_SECRET_KEY",
      DJANGO,
      "$DATABASE_URL",
    ),
    {
      "requirements.txt": "Django\ndj-database-url\npsycopg2-binary\n",
      "manage.py": `os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")\n`,
      "config/settings.py": `DATABASES = {"default": dj_database_url.parse(config("DATABASE_URL"))}
PAYSTACK_SECRET_KEY = config("PAYSTACK_SECRET_KEY", default="")
`,
      "config/urls.py": `urlpatterns = [
    path("admin/", admin.site.urls),
    path("api/v1/", include([
        path("accounts/", include("accounts.urls")),
        path("payments/", include("payments.urls")),
    ])),
]
`,
      "payments/urls.py": `from . import webhooks\nurlpatterns = [path("webhooks/paystack", webhooks.paystack)]\n`,
      "payments/webhooks.py": `@api_view(["POST"])
def paystack(request):
    signature = hmac.new(settings.PAYSTACK_SECRET_KEY.encode(), request.body, hashlib.sha512).hexdigest()
    if signature != request.headers.get("x-paystack-signature", ""):
        return Response(status=403)
`,
    },
  ],
  [
    "Django with a class, a nested include and Postgres by parts",
    facts("github", "/api/v1/hooks/github/", "8000", "GITHUB_HOOK_SECRET", `uv run ${DJANGO}`, "$DB_NAME"),
    {
      "pyproject.toml": '[project]\ndependencies = ["django", "psycopg"]\n',
      "uv.lock": "",
      "manage.py": `os.environ.setdefault("DJANGO_SETTINGS_MODULE", "core.settings")\n`,
      "core/settings.py": `DATABASES = {"default": {
    "ENGINE": "django.db.backends.postgresql",
    "NAME": os.environ.get("DB_NAME", "reviews"),
    "USER": os.environ.get("DB_USER", "reviews"),
    "PASSWORD": os.environ.get("DB_PASSWORD", ""),
    "HOST": os.environ.get("DB_HOST", "localhost"),
    "PORT": os.environ.get("DB_PORT", "5432"),
}}
GITHUB_SECRET = env("GITHUB_HOOK_SECRET")
`,
      "core/urls.py": `urlpatterns = [path("api/v1/", include("api.urls"))]\n`,
      "api/urls.py": `urlpatterns = [path("hooks/", include("hooks.urls"))]\n`,
      "hooks/urls.py": `from hooks.views import GithubView\nurlpatterns = [path("github/", GithubView.as_view())]\n`,
      "hooks/views.py": `class GithubView(View):
    def post(self, request):
        expected = "sha256=" + hmac.new(settings.GITHUB_SECRET.encode(), request.body, hashlib.sha256).hexdigest()
        if not hmac.compare_digest(expected, request.headers["X-Hub-Signature-256"]):
            return HttpResponse(status=401)
`,
    },
  ],
  [
    "Flask with a blueprint that another file mounts",
    facts(
      "stripe",
      "/billing/webhook",
      "5000",
      "STRIPE_ENDPOINT_SECRET",
      'PATH=.venv/bin:$PATH flask --app shop run --port "$PORT"',
      "$DATABASE_URL",
    ),
    {
      ".venv/bin/python3": "",
      "requirements.txt": "flask\nstripe\npsycopg2-binary\n",
      "shop/__init__.py": `from shop.billing import bp as billing_bp
def create_app():
    app = Flask(__name__)
    app.config["SQLALCHEMY_DATABASE_URI"] = os.environ["DATABASE_URL"]
    app.register_blueprint(billing_bp, url_prefix="/billing")
    return app
`,
      "shop/billing.py": `bp = Blueprint("billing", __name__)

@bp.route("/webhook", methods=["POST"])
def webhook():
    event = stripe.Webhook.construct_event(request.data, request.headers["Stripe-Signature"], os.getenv("STRIPE_ENDPOINT_SECRET"))
`,
    },
  ],
  [
    "Flask with a blueprint that names its prefix, and SQLite",
    facts("slack", "/slack/events", "5000", "SLACK_SIGNING_SECRET", FLASK, "sqlite:standup.db"),
    {
      "requirements.txt": "flask\nslack_sdk\n",
      "app.py": `from slack_routes import slack
app = Flask(__name__)
app.register_blueprint(slack)
db = sqlite3.connect("standup.db")
`,
      "slack_routes.py": `from slack_sdk.signature import SignatureVerifier
slack = Blueprint("slack", __name__, url_prefix="/slack")
verifier = SignatureVerifier(os.environ["SLACK_SIGNING_SECRET"])

@slack.post("/events")
def events():
    if not verifier.is_valid_request(request.get_data(), request.headers):
        abort(403)
`,
    },
  ],
  [
    "FastAPI with routers, a prefix of the settings, and pydantic",
    facts(
      "stripe",
      "/api/v1/payments/webhook",
      "8000",
      "STRIPE_WEBHOOK_SECRET",
      'uvicorn app.main:app --port "$PORT"',
      "$DATABASE_URL",
    ),
    {
      "requirements.txt": "fastapi\nuvicorn\nstripe\nasyncpg\n",
      "app/main.py": `from app.api.router import api_router
app = FastAPI()
app.include_router(api_router, prefix=settings.API_V1_STR)
`,
      "app/config.py": `class Settings(BaseSettings):
    API_V1_STR: str = "/api/v1"
    DATABASE_URL: str = "postgresql+asyncpg://localhost/shop"
    stripe_api_key: str
    stripe_webhook_secret: str
settings = Settings()
`,
      "app/api/router.py": `from app.api.endpoints import payments, users
api_router = APIRouter()
api_router.include_router(users.router, prefix="/users")
api_router.include_router(payments.router, prefix="/payments", tags=["payments"])
`,
      "app/api/endpoints/users.py": `router = APIRouter()
@router.post("/login")
async def login(): ...
`,
      "app/api/endpoints/payments.py": `from app.services import stripe_service
router = APIRouter()

@router.post("/webhook")
async def stripe_webhook(request: Request, stripe_signature: str = Header(None)):
    return await stripe_service.process(await request.body(), stripe_signature)
`,
      "app/services/stripe_service.py": `from app.config import settings
async def process(payload: bytes, signature: str):
    event = stripe.Webhook.construct_event(payload, signature, settings.stripe_webhook_secret)
`,
    },
  ],
  [
    "FastAPI in src with a router's own prefix and a port of its own call",
    facts(
      "lemonsqueezy",
      "/api/webhooks/lemonsqueezy",
      "8090",
      "LEMON_SECRET",
      'uvicorn --app-dir src main:api --port "$PORT"',
      "sqlite:orders.db",
    ),
    {
      "requirements.txt": "fastapi\nuvicorn\n",
      "src/main.py": `import uvicorn
import health
import hooks
api = FastAPI()
for module in (health, hooks):
    api.include_router(module.router, prefix="/api")
if __name__ == "__main__":
    uvicorn.run("main:api", port=8090)
`,
      "src/hooks.py": `router = APIRouter(prefix="/webhooks")
engine = create_engine("sqlite:///orders.db")

@router.post("/lemonsqueezy")
async def lemonsqueezy(request: Request):
    digest = hmac.new(os.environ["LEMON_SECRET"].encode(), await request.body(), hashlib.sha256).hexdigest()
    if not hmac.compare_digest(digest, request.headers["X-Signature"]):
        raise HTTPException(401)
`,
    },
  ],
  [
    "aiohttp with a handler's class",
    facts("github", "/payload", "9090", "WEBHOOK_SECRET", "python3 bot.py", "none found"),
    {
      "requirements.txt": "aiohttp\n",
      "bot.py": `PORT = int(os.environ.get("PORT", 9090))

async def payload(request):
    signature = request.headers["X-Hub-Signature-256"]
    expected = hmac.new(os.environ["WEBHOOK_SECRET"].encode(), await request.read(), "sha256").hexdigest()

app = web.Application()
app.add_routes([web.post("/payload", payload), web.get("/", index)])
web.run_app(app, port=PORT)
`,
    },
  ],
];
