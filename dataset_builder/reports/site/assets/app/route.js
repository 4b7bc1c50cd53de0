// Where the reader is: the part of the address after #, so that back, reload and links work.
"use strict";

function readRoute() {
  return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

// Return the address of a place; empty values are left out.
function formatRoute(route) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(route)) {
    if (value !== undefined && value !== null && value !== "") parameters.set(name, String(value));
  }
  return `#${parameters}`;
}

// Go to a place; with replace, the back button does not return to where we are.
function goTo(route, replace) {
  const address = formatRoute(route);
  if (address === location.hash) {
    window.dispatchEvent(new Event("hashchange"));
  } else if (replace) {
    history.replaceState(null, "", address);
    window.dispatchEvent(new Event("hashchange"));
  } else {
    location.hash = address;
  }
}

function patchRoute(changes, replace) {
  goTo({ ...readRoute(), ...changes }, replace);
}

// The part of a route that goes along from view to view: split, filters, runs.
function keepFilters(route) {
  return Object.fromEntries(
    Object.entries(route).filter(([name]) => /^(s|a|b|find|f\d+|va|vb|why|cause)$/.test(name)),
  );
}
