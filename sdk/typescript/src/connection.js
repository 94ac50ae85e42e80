import { MemoryClientError } from "./errors.js";

const RETRIES = { attempts: 4, firstWait: 0.2, longestWait: 10 };
const TIMEOUT_SECONDS = 30;
const NDJSON = "application/x-ndjson";
// What fetch tells of a connection that was never made.
const NEVER_SENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "UND_ERR_CONNECT_TIMEOUT"]);
// What stands between a client and its server says so in words of its own.
const GATEWAY_STATUSES = new Set([502, 503, 504]);

export const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/** Sends what a verb describes, for one key and perhaps one user. */
export class Connection {
  constructor(url, apiKey, { userId, timeout = TIMEOUT_SECONDS, retries = {} } = {}) {
    this.url = url.trim().replace(/\/+$/, "");
    if (!/^https?:\/\/[^/]/.test(this.url) || !URL.canParse(this.url)) {
      throw new MemoryClientError("INVALID", `${JSON.stringify(url)} is not the URL of a server.`);
    }
    if (!apiKey?.trim()) {
      throw new MemoryClientError("UNAUTHENTICATED", "There is no API key.");
    }
    if (!/^[\x20-\x7e]+$/.test(apiKey)) {
      throw new MemoryClientError("UNAUTHENTICATED", "The API key holds characters that no key has.");
    }
    this.timeout = timeout;
    this.retries = { ...RETRIES, ...retries };
    this.headers = { Authorization: `Bearer ${apiKey}` };
    if (userId !== undefined) this.headers["Memory-User"] = encodeURIComponent(userId);
  }

  /** `request`: {method, path, repeatable, query?, body?, lines?}. */
  async send(request) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#once(request);
      } catch (error) {
        const wait = waitBefore(error, attempt, request.repeatable, this.retries);
        if (wait === null) throw error;
        await sleep(wait);
      }
    }
  }

  async *pages(request) {
    let after = request.query?.after;
    do {
      const page = await this.send({ ...request, query: { ...request.query, after } });
      yield* page.items;
      after = page.next;
    } while (after !== null);
  }

  async #once({ method, path, query, body, lines }) {
    const headers = { ...this.headers };
    if (lines !== undefined) headers["Content-Type"] = NDJSON;
    else if (body !== undefined) headers["Content-Type"] = "application/json";
    const sent = lines ?? (body === undefined ? undefined : JSON.stringify(body));
    const signal = AbortSignal.timeout(this.timeout * 1000);
    try {
      const response = await fetch(this.url + path + searchOf(query), { method, headers, body: sent, signal });
      return answerOf(response, await response.text());
    } catch (error) {
      throw error instanceof MemoryClientError ? error : broken(error, this.url);
    }
  }
}

/** Seconds until the next attempt; null: there is none. */
export function waitBefore(error, attempt, repeatable, { attempts, firstWait, longestWait }) {
  const asked = error.retryAfter ?? 0;
  if (attempt >= attempts || asked > longestWait || !mayRepeat(error, repeatable)) return null;
  const backoff = Math.min(firstWait * 2 ** (attempt - 1), longestWait);
  return Math.max(asked, backoff * (0.5 + Math.random() / 2));
}

// What was refused for its rate or never arrived was not begun.
function mayRepeat({ code }, repeatable) {
  if (code === "RATE_LIMITED" || code === "UNREACHABLE") return true;
  return repeatable && (code === "UNAVAILABLE" || code === "UNANSWERED");
}

function searchOf(query = {}) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    for (const each of Array.isArray(value) ? value : [value]) search.append(name, String(each));
  }
  return search.size === 0 ? "" : `?${search}`;
}

function answerOf(response, text) {
  const body = parsed(text);
  const problem = body?.error ?? {};
  if (typeof problem.message === "string") throw new MemoryClientError(problem.code, problem.message, problem);
  const [failure] = body?.errors ?? [];
  if (failure) throw new MemoryClientError(failure.extensions?.code ?? "INTERNAL", failure.message, failure.extensions);
  if (!response.ok || body === null) {
    const code = GATEWAY_STATUSES.has(response.status) ? "UNAVAILABLE" : "UNEXPECTED_ANSWER";
    throw new MemoryClientError(code, `HTTP ${response.status} from ${response.url}: not the answer of a memory server.`);
  }
  return body;
}

function parsed(text) {
  try {
    const body = JSON.parse(text);
    return typeof body === "object" && !Array.isArray(body) ? body : null;
  } catch {
    return null;
  }
}

function broken(error, url) {
  if (NEVER_SENT.has(error.cause?.code)) {
    return new MemoryClientError("UNREACHABLE", `No memory server answers at ${url}.`, { cause: error });
  }
  const words = error.name === "TimeoutError" ? "The memory server did not answer in time." : "The connection broke.";
  return new MemoryClientError("UNANSWERED", words, { cause: error });
}
