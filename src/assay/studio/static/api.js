// Requests to the studio's API: JSON both ways, the token that a change needs, and typed errors.

/** An answer that is not a success, or none at all (status 0: the server cannot be reached). */
export class ApiError extends Error {
  /**
   * @param {number} status
   * @param {{code?: string, message?: string, field?: string}} error
   * @param {any} body everything that the server said
   */
  constructor(status, error, body = null) {
    super(error.message ?? `the server answered ${status}`);
    this.name = "ApiError";
    this.status = status;
    this.code = error.code ?? "";
    this.field = error.field ?? "";
    this.body = body;
  }

  /** Whether trying again later may help, with nothing changed. */
  get isPassing() {
    return this.status === 0 || this.status === 408 || this.status === 429 || this.status >= 500;
  }
}

const tokenPlace = () => /** @type {HTMLMetaElement | null} */ (document.querySelector('meta[name="assay-token"]'));

/**
 * @param {string} path
 * @param {{signal?: AbortSignal}} [options]
 * @returns {Promise<any>}
 */
export function get(path, options = {}) {
  return ask(path, { method: "GET", ...options });
}

/** Sends JSON, or a form with files as it is.
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @param {{keepalive?: boolean, signal?: AbortSignal}} [options] `keepalive`: goes on when the page is left
 * @returns {Promise<any>}
 */
export function send(method, path, body, options = {}) {
  /** @type {Record<string, string>} */
  const headers = { "X-Assay-Token": tokenPlace()?.content ?? "" };
  const isForm = body instanceof FormData;
  if (body !== undefined && !isForm) headers["Content-Type"] = "application/json";
  const content = body === undefined ? undefined : isForm ? body : JSON.stringify(body);
  return ask(path, { method, headers, body: content, ...options });
}

/** Takes the token of the session that now holds, for instance after signing in elsewhere.
 * @returns {Promise<boolean>} whether anybody is signed in
 */
export async function renewToken() {
  const session = await get("/api/session");
  const place = tokenPlace();
  if (place && session?.person) place.content = String(session.token);
  return Boolean(session?.person);
}

/** @param {string} path @param {RequestInit} request */
async function ask(path, request) {
  let answer;
  try {
    answer = await fetch(path, { credentials: "same-origin", ...request });
  } catch (error) {
    if (/** @type {Error} */ (error).name === "AbortError") throw error;
    throw new ApiError(0, { code: "offline", message: "the server cannot be reached" });
  }
  const body = await readJson(answer);
  if (answer.ok) return body;
  throw new ApiError(answer.status, body?.error ?? {}, body);
}

/** @param {Response} answer */
async function readJson(answer) {
  const text = await answer.text();
  if (!text) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
