import { facts, type Sample } from "./init-projects.ts";

/** Projects written in Ruby, PHP and Go. */

const RAILS = 'bin/rails server -p "$PORT"';
const PHP = 'PHP_CLI_SERVER_WORKERS=4 php -S 127.0.0.1:"$PORT" -t ./public';
const LARAVEL = 'PHP_CLI_SERVER_WORKERS=4 php artisan serve --no-reload --port="$PORT"';

export const RUBY: Sample[] = [
  [
    "Rails with a namespace and a scope",
    facts("stripe", "/api/v1/webhooks/stripe", "3000", "STRIPE_SIGNING_SECRET", RAILS, "$DATABASE_URL"),
    {
      Gemfile: 'gem "rails"\ngem "pg"\ngem "stripe"\n',
      "bin/rails": "",
      "config/application.rb": "class Application < Rails::Application\nend\n",
      "config/database.yml": "default: &default\n  adapter: postgresql\n",
      "config/routes.rb": `Rails.application.routes.draw do
  root "home#index"
  scope "/api" do
    namespace :v1 do
      resources :orders, only: [:index]
      post "webhooks/stripe", to: "webhooks#stripe"
    end
  end
end
`,
      "app/controllers/v1/webhooks_controller.rb": `module V1
  class WebhooksController < ApplicationController
    skip_before_action :verify_authenticity_token
    def stripe
      event = Stripe::Webhook.construct_event(request.body.read, request.env["HTTP_STRIPE_SIGNATURE"], ENV.fetch("STRIPE_SIGNING_SECRET"))
      head :ok
    end
  end
end
`,
    },
  ],
  [
    "Rails with a resource, and SQLite",
    facts(
      "github",
      "/github_events",
      "4000",
      "GITHUB_WEBHOOK_TOKEN",
      RAILS,
      "sqlite:storage/development.sqlite3",
    ),
    {
      Gemfile: 'gem "rails"\ngem "sqlite3"\n',
      "bin/rails": "",
      "config/application.rb": "class Application < Rails::Application\nend\n",
      "config/puma.rb": 'port ENV.fetch("PORT") { 4000 }\n',
      "config/database.yml": "development:\n  adapter: sqlite3\n  database: storage/development.sqlite3\n",
      "config/routes.rb": `Rails.application.routes.draw do
  resources :github_events, only: [:create]
  resources :projects
end
`,
      "app/controllers/github_events_controller.rb": `class GithubEventsController < ApplicationController
  before_action :verify_signature
  def create
    head :ok
  end

  private

  def verify_signature
    digest = OpenSSL::HMAC.hexdigest("sha256", ENV["GITHUB_WEBHOOK_TOKEN"], request.raw_post)
    head :unauthorized unless request.headers["X-Hub-Signature-256"] == "sha256=#{digest}"
  end
end
`,
    },
  ],
  [
    "Sinatra",
    facts("stripe", "/webhook", "4567", "ENDPOINT_SECRET", 'ruby server.rb -p "$PORT"', "none found"),
    {
      Gemfile: 'gem "sinatra"\ngem "stripe"\n',
      "server.rb": `require 'sinatra'
post '/create-checkout-session' do
end
post '/webhook' do
  event = Stripe::Webhook.construct_event(request.body.read, request.env['HTTP_STRIPE_SIGNATURE'], ENV['ENDPOINT_SECRET'])
  status 200
end
`,
    },
  ],
];

export const PHP_PROJECTS: Sample[] = [
  [
    "Laravel's api routes with a prefix, a configured secret and Postgres",
    facts("stripe", "/api/webhooks/stripe", "8000", "STRIPE_WEBHOOK_SECRET", LARAVEL, "$DB_DATABASE"),
    {
      "composer.json": '{"require":{"laravel/framework":"^12","stripe/stripe-php":"^16"}}',
      artisan: "",
      ".env.example":
        "DB_CONNECTION=pgsql\nDB_HOST=127.0.0.1\nDB_PORT=5432\nDB_DATABASE=shop\nDB_USERNAME=root\nDB_PASSWORD=\n",
      "config/database.php":
        "<?php\nreturn ['default' => env('DB_CONNECTION', 'sqlite'), 'connections' => ['pgsql' => ['host' => env('DB_HOST'), 'port' => env('DB_PORT'), 'database' => env('DB_DATABASE', 'laravel'), 'username' => env('DB_USERNAME'), 'password' => env('DB_PASSWORD')]]];",
      "config/services.php": `<?php
return [
    'github' => ['webhook_secret' => env('GITHUB_DEPLOY_SECRET')],
    'stripe' => [
        'key' => env('STRIPE_KEY'),
        'webhook' => ['secret' => env('STRIPE_WEBHOOK_SECRET')],
    ],
];`,
      "routes/api.php": `<?php
use App\\Http\\Controllers\\StripeWebhookController;
Route::prefix('webhooks')->group(function () {
    Route::post('/stripe', [StripeWebhookController::class, 'handle']);
});`,
      "app/Http/Controllers/StripeWebhookController.php": `<?php
class StripeWebhookController extends Controller
{
    public function handle(Request $request)
    {
        $event = \\Stripe\\Webhook::constructEvent($request->getContent(), $request->header('Stripe-Signature'), config('services.stripe.webhook.secret'));
    }
}`,
    },
  ],
  [
    "Laravel's web routes with an invokable controller and SQLite",
    facts("github", "/deploy/github", "8000", "GITHUB_SECRET", LARAVEL, "sqlite:database/database.sqlite"),
    {
      "composer.json": '{"require":{"laravel/framework":"^12"}}',
      artisan: "",
      "config/database.php":
        "<?php\nreturn ['default' => env('DB_CONNECTION', 'sqlite'), 'connections' => ['sqlite' => ['database' => env('DB_DATABASE', database_path('database.sqlite'))]]];",
      "routes/web.php": `<?php
Route::get('/', fn () => view('welcome'));
Route::group(['prefix' => 'deploy'], function () {
    Route::post('github', DeployController::class);
});`,
      "app/Http/Controllers/DeployController.php": `<?php
class DeployController
{
    public function __invoke(Request $request)
    {
        $expected = 'sha256=' . hash_hmac('sha256', $request->getContent(), env('GITHUB_SECRET'));
        abort_unless(hash_equals($expected, $request->header('X-Hub-Signature-256')), 401);
    }
}`,
    },
  ],
  [
    "Symfony with attributes on class and method",
    facts("stripe", "/api/stripe/webhook", "8000", "STRIPE_WEBHOOK_SECRET", PHP, "$DATABASE_URL"),
    {
      "composer.json": '{"require":{"symfony/framework-bundle":"^7","stripe/stripe-php":"^16"}}',
      "public/index.php": "<?php\nreturn fn (array $context) => new Kernel($context['APP_ENV']);",
      ".env": 'DATABASE_URL="postgresql://app:secret@127.0.0.1:5432/app"\nSTRIPE_WEBHOOK_SECRET=whsec_x\n',
      "src/Controller/StripeController.php": `<?php
#[Route('/api/stripe')]
final class StripeController extends AbstractController
{
    public function __construct(#[Autowire('%env(STRIPE_WEBHOOK_SECRET)%')] private string $secret) {}

    #[Route('/webhook', name: 'stripe_webhook', methods: ['POST'])]
    public function webhook(Request $request): Response
    {
        $event = Webhook::constructEvent($request->getContent(), $request->headers->get('stripe-signature'), $this->secret);
        return new Response();
    }
}`,
    },
  ],
  [
    "Slim with a group",
    facts("paystack", "/api/paystack", "8000", "PAYSTACK_SECRET", PHP, "sqlite:data/shop.sqlite"),
    {
      "composer.json": '{"require":{"slim/slim":"^4"}}',
      "public/index.php": `<?php
$app = AppFactory::create();
$pdo = new PDO('sqlite:' . __DIR__ . '/../data/shop.sqlite');
$app->group('/api', function (RouteCollectorProxy $group) {
    $group->post('/paystack', function (Request $request, Response $response) {
        $hash = hash_hmac('sha512', (string) $request->getBody(), getenv('PAYSTACK_SECRET'));
        if ($hash !== $request->getHeaderLine('X-Paystack-Signature')) return $response->withStatus(401);
    });
});
$app->run();`,
    },
  ],
  [
    "a plain script in public",
    facts("shopify", "/hooks/shopify.php", "8000", "SHOPIFY_SECRET", PHP, "mysql"),
    {
      "composer.json": "{}",
      "public/hooks/shopify.php": `<?php
$pdo = new PDO("mysql:host=localhost;dbname=shop", "root", "");
$calculated = base64_encode(hash_hmac('sha256', file_get_contents('php://input'), getenv('SHOPIFY_SECRET'), true));
if (!hash_equals($calculated, $_SERVER['HTTP_X_SHOPIFY_HMAC_SHA256'])) { http_response_code(401); exit; }`,
    },
  ],
];

export const GO: Sample[] = [
  [
    "gin with groups, and a function in another package that takes one",
    facts(
      "stripe",
      "/api/v1/webhooks/stripe",
      "8081",
      "STRIPE_WEBHOOK_SECRET",
      "go build -o bin/server ./cmd/server && exec bin/server",
      "$DATABASE_URL",
    ),
    {
      "go.mod": "module example.com/shop\n\nrequire github.com/jackc/pgx/v5 v5.7.0\n",
      "cmd/server/main.go": `package main
func main() {
	r := gin.Default()
	pool, _ := pgxpool.New(ctx, os.Getenv("DATABASE_URL"))
	v1 := r.Group("/api/v1")
	hooks := v1.Group("/webhooks")
	webhooks.Register(hooks, pool)
	port := os.Getenv("PORT")
	if port == "" {
		port = "8081"
	}
	r.Run(":" + port)
}`,
      "internal/webhooks/routes.go": `package webhooks
func Register(rg *gin.RouterGroup, pool *pgxpool.Pool) {
	rg.POST("/stripe", stripeHandler(pool))
	rg.POST("/mail", mailHandler)
}`,
      "internal/webhooks/stripe.go": `package webhooks
func stripeHandler(pool *pgxpool.Pool) gin.HandlerFunc {
	secret := os.Getenv("STRIPE_WEBHOOK_SECRET")
	return func(c *gin.Context) {
		event, err := webhook.ConstructEvent(body, c.GetHeader("Stripe-Signature"), secret)
	}
}`,
    },
  ],
  [
    "chi with nested routes and a method of a server",
    facts(
      "github",
      "/integrations/github/events",
      "9000",
      "GITHUB_SECRET",
      "go build -o bin/server ./ && exec bin/server",
      "sqlite:reviews.db",
    ),
    {
      "go.mod": "module example.com/reviews\n\nrequire github.com/mattn/go-sqlite3 v1.14.0\n",
      "main.go": `package main
func main() {
	db, _ := sql.Open("sqlite3", "reviews.db")
	s := &Server{db: db, secret: []byte(os.Getenv("GITHUB_SECRET"))}
	http.ListenAndServe(":9000", s.Routes())
}`,
      "server.go": `package main
func (s *Server) Routes() http.Handler {
	r := chi.NewRouter()
	r.Route("/integrations", func(r chi.Router) {
		r.Route("/github", func(r chi.Router) {
			r.Post("/events", s.handleGithub)
		})
	})
	return r
}

func (s *Server) handleGithub(w http.ResponseWriter, r *http.Request) {
	payload, err := github.ValidatePayload(r, s.secret)
}`,
    },
  ],
  [
    "net/http with patterns of methods",
    facts(
      "stripe",
      "/stripe/events",
      "8080",
      "STRIPE_SECRET_WEBHOOK",
      "go build -o bin/server ./ && exec bin/server",
      "$POSTGRES_DSN",
    ),
    {
      "go.mod": "module example.com/pay\n\nrequire github.com/lib/pq v1.10.0\n",
      "main.go": `package main
func main() {
	db, err := sql.Open("postgres", os.Getenv("POSTGRES_DSN"))
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", health)
	mux.HandleFunc("POST /stripe/events", func(w http.ResponseWriter, r *http.Request) {
		event, err := webhook.ConstructEvent(payload, r.Header.Get("Stripe-Signature"), os.Getenv("STRIPE_SECRET_WEBHOOK"))
	})
	log.Fatal(http.ListenAndServe(":8080", mux))
}`,
    },
  ],
];
