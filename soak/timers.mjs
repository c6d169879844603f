/** In the page: counts timers that are set and neither ended nor cleared. */
export function countTimers() {
  const live = { timeout: new Set(), interval: new Set() };
  const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;
  globalThis.setTimeout = (call, ...rest) => {
    const id = setTimeout(
      typeof call === 'function'
        ? (...args) => {
            live.timeout.delete(id);
            return call(...args);
          }
        : call,
      ...rest
    );
    live.timeout.add(id);
    return id;
  };
  globalThis.setInterval = (...args) => {
    const id = setInterval(...args);
    live.interval.add(id);
    return id;
  };
  // Either of the two clears both kinds.
  const clear = original => id => {
    live.timeout.delete(id);
    live.interval.delete(id);
    original(id);
  };
  globalThis.clearTimeout = clear(clearTimeout);
  globalThis.clearInterval = clear(clearInterval);
  globalThis.liveTimers = () => ({
    timeouts: live.timeout.size,
    intervals: live.interval.size
  });
}
