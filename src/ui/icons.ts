import { LabIcon } from '@jupyterlab/ui-components';

/** A chat: two bubbles on a page. */
export const chatIcon = new LabIcon({
  name: 'jupyterlab-turnbook:chat',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">
  <g class="jp-icon3 jp-icon-selectable" fill="#616161">
    <path d="M4 3h11a2 2 0 0 1 2 2v5a2 2 0 0 1-2 2H8l-4 3.5V12a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2z"/>
    <path d="M19 8v3a3.5 3.5 0 0 1-3.5 3.5H10V16a2 2 0 0 0 2 2h5l4 3.5V18a1.6 1.6 0 0 0 1-1.6V10a2 2 0 0 0-2-2z" opacity=".65"/>
  </g>
</svg>`
});

/** A system message: a screen with a prompt. */
export const systemIcon = new LabIcon({
  name: 'jupyterlab-turnbook:system',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">
  <g fill="none" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">
    <rect class="jp-icon3" stroke="#616161" x="3" y="4" width="18" height="14" rx="2"/>
    <path class="jp-icon3" stroke="#616161" d="M7 8.5l3 2.5-3 2.5M12.5 14H17M8 21.5h8"/>
  </g>
</svg>`
});

/** A note: a sheet with lines. */
export const noteIcon = new LabIcon({
  name: 'jupyterlab-turnbook:note',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">
  <g fill="none" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">
    <path class="jp-icon3" stroke="#616161" d="M5 3h14v12l-5 6H5z"/>
    <path class="jp-icon3" stroke="#616161" d="M9 8h6M9 12h6M14 21v-6h5"/>
  </g>
</svg>`
});

/** A star, for pairs worth finding again. */
export const starIcon = new LabIcon({
  name: 'jupyterlab-turnbook:star',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">
  <path class="jp-icon3" fill="#616161" d="M12 2.5l2.9 6.2 6.8.8-5 4.7 1.3 6.7-6-3.4-6 3.4 1.3-6.7-5-4.7 6.8-.8z"/>
</svg>`
});

/** A tag, for topics. */
export const tagIcon = new LabIcon({
  name: 'jupyterlab-turnbook:tag',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">
  <path class="jp-icon3" fill="#616161" fill-rule="evenodd" d="M3 3h8.6l9.4 9.4-8.6 8.6L3 11.6zM7.5 9.2a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4z"/>
</svg>`
});

/** An eye that is half open, for in and out. */
export const inOutIcon = new LabIcon({
  name: 'jupyterlab-turnbook:in-out',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">
  <g fill="none" stroke-width="2" stroke-linecap="round">
    <circle class="jp-icon3" stroke="#616161" cx="12" cy="12" r="8"/>
    <path class="jp-icon3" stroke="#616161" d="M8 12h8"/>
  </g>
</svg>`
});

/** A request: an envelope that is open to be read. */
export const requestIcon = new LabIcon({
  name: 'jupyterlab-turnbook:request',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">
  <g fill="none" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">
    <rect class="jp-icon3" stroke="#616161" x="3" y="4" width="18" height="16" rx="2"/>
    <path class="jp-icon3" stroke="#616161" d="M7 9h10M7 13h6M16 17l2.5-2.5L16 12"/>
  </g>
</svg>`
});

/** Two columns side by side, to compare. */
export const compareIcon = new LabIcon({
  name: 'jupyterlab-turnbook:compare',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">
  <g fill="none" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">
    <rect class="jp-icon3" stroke="#616161" x="3" y="4" width="18" height="16" rx="2"/>
    <path class="jp-icon3" stroke="#616161" d="M12 4v16M6 9h3M15 9h3M15 13h3"/>
  </g>
</svg>`
});

/** Two arrows in a circle around a list: requests that are sent again. */
export const rerunIcon = new LabIcon({
  name: 'jupyterlab-turnbook:rerun',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">
  <g fill="none" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">
    <path class="jp-icon3" stroke="#616161" d="M4 11a8 8 0 0 1 14-5l2 2M20 13a8 8 0 0 1-14 5l-2-2M20 3v5h-5M4 21v-5h5"/>
    <path class="jp-icon3" stroke="#616161" d="M9.5 10h5M9.5 14h5"/>
  </g>
</svg>`
});

/** Braces, for what is shown as JSON. */
export const bracesIcon = new LabIcon({
  name: 'jupyterlab-turnbook:braces',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">
  <g fill="none" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">
    <path class="jp-icon3" stroke="#616161" d="M9 4C5.5 4 8 11 4.5 12 8 13 5.5 20 9 20M15 4c3.5 0 1 7 4.5 8-3.5 1-1 8-4.5 8"/>
  </g>
</svg>`
});

/** A replay: an arrow that goes round. */
export const replayIcon = new LabIcon({
  name: 'jupyterlab-turnbook:replay',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">
  <g fill="none" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">
    <path class="jp-icon3" stroke="#616161" d="M4 12a8 8 0 1 0 2.6-5.9"/>
    <path class="jp-icon3" stroke="#616161" d="M4 4v5h5"/>
    <path class="jp-icon3" stroke="#616161" d="M10.5 9.5v5l4-2.5z"/>
  </g>
</svg>`
});

/** A paper clip, for what is attached. */
export const attachIcon = new LabIcon({
  name: 'jupyterlab-turnbook:attach',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">
  <g fill="none" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">
    <path class="jp-icon3" stroke="#616161" d="M20 11.5l-8.2 8.2a5 5 0 0 1-7.1-7.1L13 4.3a3.4 3.4 0 0 1 4.8 4.8l-8.2 8.2a1.7 1.7 0 0 1-2.4-2.4l7.5-7.5"/>
  </g>
</svg>`
});

/** An eye: a part of a turn that is sent. */
export const eyeIcon = new LabIcon({
  name: 'jupyterlab-turnbook:eye',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">
  <g fill="none" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">
    <path class="jp-icon3" stroke="#616161" d="M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12z"/>
    <circle class="jp-icon3" stroke="#616161" cx="12" cy="12" r="2.8"/>
  </g>
</svg>`
});

/** An error that is explained: a warning sign with a question mark. */
export const explainIcon = new LabIcon({
  name: 'jupyterlab-turnbook:explain',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">
  <g fill="none" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">
    <path class="jp-icon3" stroke="#616161" d="M12 3.5L22 20.5H2z"/>
    <path class="jp-icon3" stroke="#616161" d="M10.2 11.2a1.9 1.9 0 1 1 2.6 1.8c-.6.3-.8.6-.8 1.3M12 17.4v.1"/>
  </g>
</svg>`
});

/** An eye that is closed: a part of a turn that is not sent. */
export const eyeClosedIcon = new LabIcon({
  name: 'jupyterlab-turnbook:eye-closed',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">
  <g fill="none" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">
    <path class="jp-icon3" stroke="#616161" d="M2.5 10S6 15.5 12 15.5 21.5 10 21.5 10M12 15.5V19M6.4 13.8L4.5 16.7M17.6 13.8l1.9 2.9"/>
  </g>
</svg>`
});

/** A panel at the right of a window. */
export const sidebarIcon = new LabIcon({
  name: 'jupyterlab-turnbook:sidebar',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">
  <g fill="none" stroke-width="2" stroke-linejoin="round">
    <rect class="jp-icon3" stroke="#616161" x="3" y="4" width="18" height="16" rx="2"/>
    <path class="jp-icon3" stroke="#616161" d="M14.5 4v16"/>
  </g>
</svg>`
});
