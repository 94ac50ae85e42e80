import { sleep } from "./connection.js";
import { Verbs } from "./verbs.js";
import { MemoryClientError } from "./errors.js";

const BATCH_LINES = 2000;
// Half of what a server takes by default (MEMORY_MAX_BODY_BYTES).
const BATCH_BYTES = 4 * 1024 * 1024;
const LONGEST_WAIT_SECONDS = 60;
const WAITS_WITHOUT_PROGRESS = 3;
const STATES = ["accepted", "duplicate", "forgotten", "invalid", "conflict"];

export class MemoryClient extends Verbs {
  async ingest(lines) {
    const results = [];
    for (const batch of batches(lines)) results.push(...(await this.#whole(batch)));
    const counts = Object.fromEntries(STATES.map((state) => [state, results.filter((each) => each.status === state).length]));
    return { ...counts, refused: 0, retry_after: null, results };
  }

  async graphql(query, variables = {}) {
    const request = { method: "POST", path: "/graphql", repeatable: false, body: { query, variables } };
    return (await this.send(request)).data;
  }

  // Results are numbered as the caller numbers its lines.
  async #whole(batch) {
    const results = [];
    for (let waits = 0; ; ) {
      const { answered, retryAfter } = await this.#part(batch);
      const done = answered.filter((each) => each.status !== "refused");
      results.push(...done);
      const known = new Set(done.map((each) => each.line));
      batch = batch.filter(({ number }) => !known.has(number));
      if (batch.length === 0) return results.sort((one, other) => one.line - other.line);
      waits = done.length > 0 ? 0 : waits + 1;
      if (waits > WAITS_WITHOUT_PROGRESS) {
        throw new MemoryClientError("RATE_LIMITED", `The server refuses ${batch.length} lines.`);
      }
      await sleep(Math.min(retryAfter, LONGEST_WAIT_SECONDS));
    }
  }

  async #part(batch) {
    const lines = batch.map(({ text }) => text).join("");
    try {
      const answer = await this.send({ method: "POST", path: "/api/v1/ingest", repeatable: true, lines });
      const answered = answer.results.map((each) => ({ ...each, line: batch[each.line - 1].number }));
      return { answered, retryAfter: answer.retry_after ?? 1 };
    } catch (error) {
      if (error.code !== "RATE_LIMITED") throw error;
      return { answered: [], retryAfter: error.retryAfter ?? 1 };
    }
  }
}

function* batches(lines) {
  let batch = [];
  let size = 0;
  let number = 0;
  for (const line of lines) {
    const text = `${JSON.stringify(line)}\n`;
    const bytes = new TextEncoder().encode(text).length;
    if (batch.length > 0 && (batch.length === BATCH_LINES || size + bytes > BATCH_BYTES)) {
      yield batch;
      [batch, size] = [[], 0];
    }
    number += 1;
    batch.push({ number, text });
    size += bytes;
  }
  if (batch.length > 0) yield batch;
}
