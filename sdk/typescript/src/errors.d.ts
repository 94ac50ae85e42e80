/** The server's words, and UNREACHABLE (nothing was sent), UNANSWERED (sent, and whether it was done is not known),
 * UNEXPECTED_ANSWER (no memory server answers). A newer server may know others. */
export type ErrorCode =
  | "UNAUTHENTICATED"
  | "FORBIDDEN"
  | "NOT_FOUND"
  | "INVALID"
  | "CONFLICT"
  | "RATE_LIMITED"
  | "TOO_COMPLEX"
  | "UNAVAILABLE"
  | "INTERNAL"
  | "UNREACHABLE"
  | "UNANSWERED"
  | "UNEXPECTED_ANSWER"
  | (string & {});

/** `retryAfter` is in seconds. */
export declare class MemoryClientError extends Error {
  readonly code: ErrorCode;
  readonly field?: string;
  readonly hint?: string;
  readonly retryAfter?: number;
}
