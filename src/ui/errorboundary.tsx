import * as React from 'react';

/** Shows an error instead of an empty panel, with a way to try again. */
export class ErrorBoundary extends React.Component<
  { words: string; again: string; children: React.ReactNode },
  { error: Error | null }
> {
  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error };
  }

  override state: { error: Error | null } = { error: null };

  override render(): React.ReactNode {
    const { error } = this.state;
    if (!error) {
      return this.props.children;
    }
    return (
      <div className="jp-Turnbook-panel-empty" role="alert">
        <p>
          {this.props.words} {error.message}
        </p>
        <button
          type="button"
          className="jp-Turnbook-button"
          onClick={() => this.setState({ error: null })}
        >
          {this.props.again}
        </button>
      </div>
    );
  }
}
