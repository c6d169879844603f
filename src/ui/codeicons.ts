import { LabIcon } from '@jupyterlab/ui-components';

/** A cell whose content is exchanged. */
export const replaceCellIcon = new LabIcon({
  name: 'jupyterlab-turnbook:replace-cell',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">
  <g fill="none" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">
    <rect class="jp-icon3" stroke="#616161" x="3" y="5" width="18" height="14" rx="2"/>
    <path class="jp-icon3" stroke="#616161" d="M7 10h9l-2-2M17 14H8l2 2"/>
  </g>
</svg>`
});

/** A line that is added and one that is removed. */
export const applyDiffIcon = new LabIcon({
  name: 'jupyterlab-turnbook:apply-diff',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">
  <g fill="none" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">
    <path class="jp-icon3" stroke="#616161" d="M12 3v10M6.5 8h11M6.5 19h11"/>
  </g>
</svg>`
});

/** A new page of cells. */
export const newNotebookIcon = new LabIcon({
  name: 'jupyterlab-turnbook:new-notebook',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">
  <g fill="none" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">
    <path class="jp-icon3" stroke="#616161" d="M20 11V5a2 2 0 0 0-2-2H6a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h6M8 8h8M8 12h4M18 15v6M15 18h6"/>
  </g>
</svg>`
});
