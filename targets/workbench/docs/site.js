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

// The search takes every word that was typed, and each as a part of any other: "how do I use a proxy" would find the page
// with the most words that have an "i" in them. So it is given the words that tell something.
const IDLE = new Set(
  "how does what when where which who whom why can could may must should will would the and are but for from has have into its not that their them then there they this with without you your mine ours use using get make need want work works".split(
    " ",
  ),
);
const field = document.getElementById("tsd-search-input");
const typed = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");

function telling(text) {
  const words = text.split(/[^\p{L}\p{N}_.]+/u).filter((word) => word !== "");
  const kept = words.filter((word) => word.length > 2 && !IDLE.has(word.toLowerCase()));
  // One of many is found by the word for one.
  return (kept.length > 0 ? kept : words).join(" ").replaceAll(/(\w{3}[^s\W_])s(?= |$)/g, "$1");
}

if (field !== null) {
  Object.defineProperty(field, "value", {
    get: () => telling(typed.get.call(field)),
    set: (text) => typed.set.call(field, text),
  });
}
