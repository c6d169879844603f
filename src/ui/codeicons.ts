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
    <path class="jp-icon3" stroke="#616161" d="M12 4v9M7.5 8.5h9M7.5 18h9"/>
  </g>
</svg>`
});
