/** Documents that were opened and that no view has shown or changed yet. */
const unseen = new WeakSet<object>();

/** Remember that the first view of a document is still to come. */
export function markUnseen(document: object): void {
  unseen.add(document);
}

/** Whether the next view of a document is its first one. */
export function isUnseen(document: object): boolean {
  return unseen.has(document);
}

/** Forget it, once there is a view. */
export function markSeen(document: object): void {
  unseen.delete(document);
}
