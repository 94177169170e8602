// What is wider than its place scrolls, and can then be scrolled with the keyboard, too. The generator shows the page
// only after a while, and windows change: so each is looked at whenever its size has changed.
const observer = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
  }
});
for (const wide of document.querySelectorAll(
  ".tsd-typography table, pre, .tsd-signature, .drawing",
)) {
  observer.observe(wide);
}
