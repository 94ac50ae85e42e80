/** What goes wrong, told by `code`: the server's word, or UNREACHABLE (nothing was sent), UNANSWERED (sent, and whether
 * it was done is not known), UNEXPECTED_ANSWER (no memory server answers). */
export class MemoryClientError extends Error {
  constructor(code, message, { field, hint, retryAfter, cause } = {}) {
    super(message, { cause });
    this.name = "MemoryClientError";
    this.code = code;
    this.field = field;
    this.hint = hint;
    this.retryAfter = retryAfter;
  }
}
