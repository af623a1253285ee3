// Times as the reader's own clock and language say them; without this, pages show UTC and say so.

/** A time in ISO 8601, short; as it is where it cannot be read.
 * @param {string} at
 */
export function localTime(at) {
  const time = new Date(at);
  return Number.isNaN(time.valueOf()) ? at : time.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

for (const time of document.querySelectorAll("time")) {
  time.title ||= time.textContent ?? "";
  time.textContent = localTime(time.dateTime);
}
