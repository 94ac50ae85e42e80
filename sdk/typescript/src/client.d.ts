import type { Ingest, IngestLine } from "./contract.js";
import { Verbs } from "./verbs.js";

/** One agent's memory. Every method rejects with MemoryClientError. */
export declare class MemoryClient extends Verbs {
  /** Messages in bulk, any number: they travel in parts and the server's limit is waited out. Safe to repeat. */
  ingest(lines: Iterable<IngestLine>): Promise<Ingest>;

  /** Run a GraphQL document and return its `data`, for what no verb asks. */
  graphql(document: string, variables?: Record<string, unknown>): Promise<Record<string, unknown>>;
}
