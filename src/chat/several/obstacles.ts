/** Why several models cannot be asked now. */
import { changedSince, lacksSent } from '../../session/sentbefore';
import { activePair, resendObstacle, type Obstacle } from '../pairactions';

/** For the message being written. */
export const askObstacle: Obstacle = ({ session }, trans) => {
  if (session.modes.pause.held) {
    return trans.__('A message is paused: resume it or cancel it first.');
  }
  return (
    session.obstacle ??
    (session.draft.isEmpty ? trans.__('Write a message first.') : null)
  );
};

/** For the active pair. */
export const moreObstacle: Obstacle = (panel, trans) => {
  const obstacle = resendObstacle(panel, trans);
  const pair = activePair(panel)?.pair;
  if (obstacle !== null || !pair) {
    return obstacle;
  }
  if (pair.rounds.length || !pair.run) {
    return trans.__(
      'This turn has more than one request: use Regenerate or Edit & Resend instead.'
    );
  }
  return lacksSent(panel.model!.sharedModel, pair) ? changedSince() : null;
};
