/**
 * The ids of all commands of Turnbook. Their labels and icons are in `commandlooks.ts`, their menus
 * in `menus.ts`.
 *
 * Each room implements its own commands. Key bindings and the chat's toolbar are in `schema/`,
 * where users can change them.
 */

/** The ids of the commands. */
export const CommandIDs = {
  newChat: 'turnbook:new-chat',
  exampleChat: 'turnbook:example-chat',
  goToPair: 'turnbook:go-to-pair',

  // The current chat.
  send: 'turnbook:send',
  attach: 'turnbook:attach',
  stop: 'turnbook:stop',
  editAndResend: 'turnbook:edit-and-resend',
  editText: 'turnbook:edit-text',
  editReply: 'turnbook:edit-reply',
  regenerate: 'turnbook:regenerate',
  continueReply: 'turnbook:continue-reply',
  deletePair: 'turnbook:delete-pair',
  cycleStar: 'turnbook:cycle-star',
  toggleIn: 'turnbook:toggle-in',
  setTopic: 'turnbook:set-topic',
  topics: 'turnbook:topics',
  focusFilter: 'turnbook:focus-filter',
  jumpToBoundary: 'turnbook:jump-to-boundary',
  jumpToLatest: 'turnbook:jump-to-latest',
  toggleFold: 'turnbook:toggle-fold',
  showRequest: 'turnbook:show-request',
  showResponse: 'turnbook:show-response',
  previousVersion: 'turnbook:previous-version',
  nextVersion: 'turnbook:next-version',
  restoreVersion: 'turnbook:restore-version',
  recoveredReplies: 'turnbook:recovered-replies',
  retryNow: 'turnbook:retry-now',
  stopAutoRetry: 'turnbook:stop-auto-retry',
  sendWithoutImages: 'turnbook:send-without-images',
  attempts: 'turnbook:attempts',
  usage: 'turnbook:usage',
  addSystem: 'turnbook:add-system',
  addNote: 'turnbook:add-note',
  copyMessage: 'turnbook:copy-message',
  copyReply: 'turnbook:copy-reply',
  copyAsMarkdown: 'turnbook:copy-as-markdown',
  exportHTML: 'turnbook:export-html',
  exportMarkdown: 'turnbook:export-markdown',
  moveUp: 'turnbook:move-up',
  moveDown: 'turnbook:move-down',
  nameChat: 'turnbook:name-chat',
  undo: 'turnbook:undo',
  redo: 'turnbook:redo',
  focusComposer: 'turnbook:focus-composer',
  finishEditing: 'turnbook:finish-editing',
  selectAbove: 'turnbook:select-above',
  selectBelow: 'turnbook:select-below',
  extendAbove: 'turnbook:extend-above',
  extendBelow: 'turnbook:extend-below',
  manageProviders: 'turnbook:manage-providers',
  localModels: 'turnbook:local-models',
  keysAndFilters: 'turnbook:keys-and-filters',
  tour: 'turnbook:tour',

  // The Request panel.
  openRequest: 'turnbook:open-request-editor',
  toggleRequest: 'turnbook:toggle-request-editor',
  editRequest: 'turnbook:edit-request',
  apply: 'turnbook:apply-to-prompt',
  applyAndReplay: 'turnbook:apply-and-replay',
  togglePause: 'turnbook:toggle-pause',
  pauseNext: 'turnbook:pause-next',
  resume: 'turnbook:resume-send',
  cancel: 'turnbook:cancel-send',
  toggleAutoApply: 'turnbook:toggle-auto-apply',

  // Replays.
  replay: 'turnbook:replay',
  replayPair: 'turnbook:replay-pair',
  startChatting: 'turnbook:start-chatting',
  unlock: 'turnbook:unlock',
  restoreReplay: 'turnbook:restore-replay',
  exportReplay: 'turnbook:export-replay',
  backToConversation: 'turnbook:back-to-conversation',
  showReplayChanges: 'turnbook:show-replay-changes'
} as const;

export type CommandID = (typeof CommandIDs)[keyof typeof CommandIDs];
