/**
 * Lock a tab's id until this page ends, however it ends; resolves with false if another page of
 * this browser has it.
 */
export function takeTab(tab: string): Promise<boolean> {
  const { locks } = navigator as { locks?: LockManager };
  if (!locks) {
    // Browsers have locks only on https and localhost. Elsewhere a duplicated tab is taken for the
    // original: both save its replies, one after the other.
    return Promise.resolve(true);
  }
  return new Promise((resolve, reject) => {
    const hold = (lock: Lock | null) => {
      resolve(lock !== null);
      return lock ? new Promise<never>(() => undefined) : undefined;
    };
    locks
      .request(`turnbook:tab:${tab}`, { ifAvailable: true }, hold)
      .catch(reject);
  });
}
