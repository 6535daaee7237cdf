// Calls two services in turn, and prints how long a call took in each round, in milliseconds.
const [bare, led] = process.argv.slice(2);
const CALLS = 200;

async function timeCall(url) {
  const started = performance.now();
  for (let call = 0; call < CALLS; call += 1) await (await fetch(url, { method: "POST", body: "{}" })).text();
  return (performance.now() - started) / CALLS;
}

const rounds = [];
for (let round = 0; round < 15; round += 1)
  rounds.push({ bare: await timeCall(bare), led: await timeCall(led) });
console.log(JSON.stringify(rounds));
process.exit();
