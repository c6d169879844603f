/** The name of the replays' widget factory, as *Open With* shows it. */
export const REPLAY_FACTORY = 'Turnbook Replay';

/** The extension of replays and of exported records. */
export const REPLAY_EXTENSION = '.replay.ipynb';

/** Which file names are replays or records; *Duplicate* makes `x.replay-Copy1.ipynb`. */
export const REPLAY_PATTERN = '\\.replay(-Copy\\d*)?\\.ipynb$';
