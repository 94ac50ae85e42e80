// Needs a running service: MEMORY_URL and MEMORY_API_KEY of a tenant that knows nothing yet.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";

import { MemoryClient, MemoryClientError } from "../src/index.js";

const { MEMORY_URL, MEMORY_API_KEY } = process.env;
const memory = new MemoryClient(MEMORY_URL, MEMORY_API_KEY);
const AT_ONCE = { attempts: 4, firstWait: 0.001 };

const code = (expected) => (error) => error instanceof MemoryClientError && error.code === expected;

/** Answers every request alike, remembers them, and runs `use` with the server's address. */
async function answering(status, body, use) {
  const requests = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (part) => (text += part));
    request.on("end", () => {
      requests.push({ url: request.url, headers: request.headers, text });
      response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await use(`http://127.0.0.1:${server.address().port}`);
  } finally {
    server.close();
  }
  return requests;
}

test("a turn is captured once and recalled", async () => {
  const turn = { turn_number: 1, user_input: "We deploy on Thursdays." };
  const first = await memory.captureTurn("chat/1", turn);
  const again = await memory.captureTurn("chat/1", turn);
  const { hits } = await memory.recall("When do we deploy?", { profile: "lean" });

  assert.deepEqual(again.resource_ids, first.resource_ids);
  assert.equal(again.duplicate, true);
  assert.match(hits[0].text, /Thursdays/);
  assert.equal((await memory.session("chat/1")).turns, 1);
  assert.equal((await memory.jobs(first.job_ids)).length, first.job_ids.length);
});

test("facts are remembered, paged and forgotten", async () => {
  for (const animal of ["cow", "horse", "goat"]) await memory.remember(`The ${animal} lives at Harbor farm.`);
  const texts = [];
  for await (const each of memory.iterMemories({ first: 1 })) texts.push(each.text);
  const [{ id }] = (await memory.memories({ first: 1 })).items;
  const gone = await memory.forget({ ids: [id] });

  assert.ok(texts.length >= 3);
  assert.deepEqual(gone.items.map((each) => each.id), [id]);
  assert.equal((await memory.restore(gone.batch_id)).items.length, 1);
});

test("messages travel in bulk and are known again", async () => {
  const lines = [0, 1].map((n) => ({ external_id: `m-${n}`, session_id: "bulk", speaker: "Mara", content: `Line ${n} is here.` }));

  assert.equal((await memory.ingest(lines)).accepted, 2);
  assert.equal((await memory.ingest(lines)).duplicate, 2);
});

test("one user's memories are not another's", async () => {
  const mara = new MemoryClient(MEMORY_URL, MEMORY_API_KEY, { userId: "Mara Åsa" });
  await mara.remember("Mara is allergic to penicillin.");

  assert.equal((await mara.viewer()).user_id, "Mara Åsa");
  const others = (await new MemoryClient(MEMORY_URL, MEMORY_API_KEY, { userId: "ben" }).memories({ first: 100 })).items;
  assert.ok(others.every((each) => !each.text.includes("penicillin")));
});

test("graphql answers what no verb asks", async () => {
  assert.equal(typeof (await memory.graphql("{ stats { items } }")).stats.items, "number");
  await assert.rejects(memory.graphql("{ nothing }"), MemoryClientError);
});

test("errors have the server's code and field", async () => {
  await assert.rejects(memory.memory("00000000-0000-7000-8000-000000000000"), code("NOT_FOUND"));
  await assert.rejects(memory.recall("x", { limit: 0 }), (error) => code("INVALID")(error) && error.field === "limit");
  await assert.rejects(new MemoryClient(MEMORY_URL, "mp_wrong").viewer(), code("UNAUTHENTICATED"));
  assert.throws(() => new MemoryClient("nonsense", "mp_key"), code("INVALID"));
});

test("only what changes nothing is sent again", async () => {
  const refusal = { error: { code: "UNAVAILABLE", message: "Later." } };
  const times = async (ask) => {
    const requests = await answering(503, refusal, async (url) => {
      await assert.rejects(ask(new MemoryClient(url, "mp_key", { retries: AT_ONCE })), code("UNAVAILABLE"));
    });
    assert.equal(new Set(requests.map(({ text }) => text)).size, 1);
    return requests.length;
  };

  assert.equal(await times((client) => client.stats()), 4);
  assert.equal(await times((client) => client.remember("A fact.")), 4);
  assert.equal(await times((client) => client.captureTurn("s", { turn_number: 1 })), 4);
  assert.equal(await times((client) => client.captureTurn("s")), 1);
  assert.equal(await times((client) => client.correct("id", "text")), 1);
});

test("what was refused for its rate is sent again, within reason", async () => {
  const refused = (retryAfter) => ({ error: { code: "RATE_LIMITED", message: "Later.", retryAfter } });
  const times = async (retryAfter) =>
    (
      await answering(429, refused(retryAfter), async (url) => {
        const client = new MemoryClient(url, "mp_key", { retries: AT_ONCE });
        await assert.rejects(client.correct("id", "text"), code("RATE_LIMITED"));
      })
    ).length;

  assert.equal(await times(0.01), 4);
  assert.equal(await times(99), 1);
});

test("a server that is not there is told from one that does not answer", async () => {
  const gone = await new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(`http://127.0.0.1:${port}`));
    });
  });
  await assert.rejects(new MemoryClient(gone, "mp_key", { retries: AT_ONCE }).stats(), code("UNREACHABLE"));

  const silent = createServer(() => {});
  await new Promise((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const client = new MemoryClient(`http://127.0.0.1:${silent.address().port}`, "mp_key", { timeout: 0.1, retries: { attempts: 1 } });
  await assert.rejects(client.stats(), code("UNANSWERED"));
  silent.closeAllConnections();
  silent.close();
});
