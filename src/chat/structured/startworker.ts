/** Start the worker that checks JSON against schemas. */
export function startWorker(): Worker {
  return new Worker(new URL('./schemaworker.js', import.meta.url));
}
