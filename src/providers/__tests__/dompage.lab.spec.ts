import { domPage } from '../dompage';

it('a page reports when it may have slept, until disposed', () => {
  const wake = jest.fn();
  const page = domPage();
  expect(page.isHidden).toBe(document.hidden);
  const waking = page.onWake(wake);
  window.dispatchEvent(new Event('online'));
  document.dispatchEvent(new Event('visibilitychange'));
  expect(wake).toHaveBeenCalledTimes(2);
  waking.dispose();
  window.dispatchEvent(new Event('online'));
  document.dispatchEvent(new Event('visibilitychange'));
  expect(wake).toHaveBeenCalledTimes(2);
});
