/** The commands of the Request panel. */
export const RequestCommandIDs = {
  open: 'turnbook:open-request-editor',
  openPair: 'turnbook:edit-request',
  apply: 'turnbook:apply-to-prompt',
  applyAndReplay: 'turnbook:apply-and-replay',
  togglePause: 'turnbook:toggle-pause',
  pauseNext: 'turnbook:pause-next',
  resume: 'turnbook:resume-send',
  cancel: 'turnbook:cancel-send',
  toggleAutoApply: 'turnbook:toggle-auto-apply'
} as const;
