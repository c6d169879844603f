import type { IToolRequest } from './cells/turnsteps';
import type { ChatPanel } from './panel';

/** Do what the user requested in a tool round of a pair. */
export function actOnTools(
  panel: Pick<ChatPanel, 'enterView' | 'session'>,
  pair: string,
  { kind, round, results }: IToolRequest
): void {
  const { session } = panel;
  switch (kind) {
    case 'write':
      session.actions.writeResults(pair, round, results);
      return;
    case 'continue':
      void session.continueTurn(pair, round, results);
      return;
    case 'remove':
      session.actions.removeRound(pair, round);
      return;
    case 'leave':
      panel.enterView();
  }
}
