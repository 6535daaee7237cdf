// What the game launcher's figures are held against: Fastify and better-sqlite3 with nothing around them, doing the
// same queries over as many rows of the same shape.
import Database from "better-sqlite3";
import Fastify from "fastify";

const [players, messages] = process.argv.slice(2).map(Number);
const AVATAR = `data:image/svg+xml,${"x".repeat(230)}`;
const GAME = "6f1d2a7c40b8e35912cd7e04";
const AT = 1_768_467_600_000;
const db = new Database(":memory:");
db.exec(`
  create table players (id integer primary key, address text, username text, avatar text);
  create table scores (id text primary key, game text, player integer, nonce text, score real, updated_at integer);
  create index scores_order on scores (game, score desc, updated_at, id);
  create table messages (id text primary key, channel text, sender text, content text, created_at integer, updated_at integer);
  create index messages_order on messages (channel, id);
  create table states (id text, game text, player text, label text, cid text, state text, updated_at integer, primary key (game, player, label));
`);
const id = (kind, index) => `6968ac90${kind}${String(index).padStart(14, "0")}`;
const address = (index) => `0x${String(index).padStart(40, "0")}`;
db.transaction(() => {
  const player = db.prepare("insert into players values (?, ?, ?, ?)");
  const score = db.prepare("insert into scores values (?, ?, ?, ?, ?, ?)");
  for (let index = 0; index < players; index += 1) {
    player.run(index, address(index), `player_${index}`, AVATAR);
    score.run(id("aa", index), GAME, index, "run-1", (index * 7_919) % players, AT + index);
  }
  const message = db.prepare("insert into messages values (?, ?, ?, ?, ?, ?)");
  for (let index = 0; index < messages; index += 1)
    message.run(id("bb", index), "channel", address(1), `message number ${index} of the bench`, AT, AT);
})();

const leaderboard = db.prepare(
  `select s.id as _id, nonce, game as gameId, address as normalizedAddress, score, updated_at as updatedAt, username, avatar
   from scores s join players p on p.id = s.player where game = ? order by score desc, updated_at, s.id limit ? offset ?`,
);
const count = db.prepare("select count(*) as total from messages where channel = ?");
const page = db.prepare(
  `select id as _id, channel as channelId, sender as senderId, content, created_at as createdAt, updated_at as updatedAt
   from messages where channel = ? order by id desc limit ? offset ?`,
);
const setState = db.prepare(
  `insert into states values (?, ?, ?, ?, ?, ?, ?)
   on conflict (game, player, label) do update set state = excluded.state, updated_at = excluded.updated_at`,
);
const readState = db.prepare("select * from states where game = ? and player = ? and label = ?");

const app = Fastify();
app.post("/scores", async ({ body: { gameId, limit, skip } }) => ({
  success: true,
  leaderboard: leaderboard.all(gameId, limit, skip),
}));
app.post("/messages", async ({ body: { channelId, limit, skip } }) => ({
  ...count.get(channelId),
  limit,
  skip,
  data: page.all(channelId, limit, skip),
}));
app.post("/state", async ({ body: { state, label } }) => {
  setState.run(id("cc", 1), GAME, address(1), label, "cid", state, AT);
  const row = readState.get(GAME, address(1), label);
  return { success: true, newState: { ...row, state: JSON.parse(row.state) } };
});
console.log(await app.listen({ port: 0, host: "127.0.0.1" }));
