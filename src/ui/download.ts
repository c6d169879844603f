/** Download bytes or text as a file. */
export function downloadText(text: BlobPart, name: string): void {
  const blob = new Blob([text], { type: 'application/octet-stream' });
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads the URL after the click was handled.
  setTimeout(() => URL.revokeObjectURL(url));
}
