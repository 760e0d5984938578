// Small choices that this browser remembers where storage is allowed; elsewhere they hold for the visit.

/** The choice made on an earlier visit, or null. */
export function recall(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    // Storage can be forbidden, or not there; what is chosen on a first visit is then a known default.
    return null;
  }
}

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Not remembered; it still holds for this visit.
  }
}
