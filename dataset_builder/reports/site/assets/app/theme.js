// Light, dark, or what the system says. The choice is kept if the browser keeps anything.
"use strict";

const THEMES = ["system", "light", "dark"];

function readTheme() {
  try {
    const theme = localStorage.getItem("personamem-theme");
    return THEMES.includes(theme) ? theme : "system";
  } catch {
    return "system";
  }
}

function applyTheme(theme) {
  document.documentElement.dataset.theme = theme;
  const button = document.getElementById("theme");
  if (button) {
    button.textContent = { system: "◐", light: "☀", dark: "☾" }[theme];
    button.title = `Theme: ${theme} (d)`;
    button.setAttribute("aria-label", `Theme: ${theme}. Change it`);
  }
}

function switchTheme() {
  const theme = THEMES[(THEMES.indexOf(readTheme()) + 1) % THEMES.length];
  try {
    localStorage.setItem("personamem-theme", theme);
  } catch {
    // A browser that keeps nothing: the theme lasts as long as the page.
  }
  applyTheme(theme);
  announce(`Theme: ${theme}`);
}

applyTheme(readTheme());
