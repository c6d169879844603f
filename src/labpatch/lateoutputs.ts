import type { CodeCell } from '@jupyterlab/cells';

/** The parts of JupyterLab's output area that are reached for. */
interface IArea {
  _addPromptOverlay?(): void;
  _maxNumberOutputs?: number;
  onModelChanged?(sender: unknown, change: unknown): void;
}

/** Whether the output areas of the JupyterLab that runs have those parts; its first cell tells. */
let canWait = false;

/**
 * Let a code cell create the widgets of its outputs when it is drawn, and not before. JupyterLab 4.4
 * to 4.6.
 *
 * A cell that is not drawn has no input area yet, but it has an output area with a renderer for each
 * output, which takes most of the time until a long notebook is open. An output area that shows at
 * most −1 outputs creates none, whatever its model has. `showOutputs` lifts that limit; the public
 * setter fails if no output is shown. Such an area gets no overlay that boxes outputs either, which
 * costs a frame callback for each cell. No upstream issue about it was found.
 */
export function withoutOutputs(options: CodeCell.IOptions): CodeCell.IOptions {
  return canWait ? { ...options, maxNumberOutputs: -1 } : options;
}

/** Look whether the cells after this one can wait for their outputs. */
export function learnFrom({ outputArea }: CodeCell): void {
  if (canWait) {
    return;
  }
  canWait = '_maxNumberOutputs' in outputArea && 'onModelChanged' in outputArea;
  // Called by the constructor, so there is no other place to replace it.
  const areas = Object.getPrototypeOf(outputArea) as IArea;
  const addOverlay = areas._addPromptOverlay;
  if (canWait && addOverlay) {
    areas._addPromptOverlay = function () {
      if (!(this._maxNumberOutputs! < 0)) {
        addOverlay.call(this);
      }
    };
  }
}

/** Create the outputs of a cell that is made with `withoutOutputs`, and follow them from now on. */
export function showOutputs({ outputArea, model }: CodeCell): void {
  if (outputArea.maxNumberOutputs >= 0) {
    return;
  }
  const area = outputArea as unknown as IArea;
  area._maxNumberOutputs = Infinity;
  const { outputs } = model;
  for (let place = 0; place < outputs.length; place++) {
    area.onModelChanged!(outputs, {
      type: 'add',
      newIndex: place,
      newValues: [outputs.get(place)]
    });
  }
}
