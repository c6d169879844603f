import { domPage } from '../dompage';

it('a page says when it may have slept, until it is not asked any more', () => {
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
