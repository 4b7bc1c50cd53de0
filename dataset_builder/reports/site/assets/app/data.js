// Data are scripts that call receiveData: a page opened from a disk may load scripts, nothing else.
"use strict";

const received = new Map(); // name -> data
const awaited = new Map(); // name -> promise

function receiveData(name, data) {
  received.set(name, data);
}

// Return a promise of the data of a name such as "s0/c3-p7"; each file is loaded once.
function loadData(name) {
  if (received.has(name)) return Promise.resolve(received.get(name));
  if (!awaited.has(name)) awaited.set(name, requestData(name));
  return awaited.get(name);
}

function requestData(name) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = `data/${name}.js`;
    script.onload = () => {
      script.remove();
      awaited.delete(name);
      if (received.has(name)) resolve(received.get(name));
      else reject(new Error(`data/${name}.js is damaged.`));
    };
    script.onerror = () => {
      script.remove();
      awaited.delete(name);
      reject(new Error(`data/${name}.js is missing. Write the site again with personamem page.`));
    };
    document.head.append(script);
  });
}

// Forget the messages of all contexts but one, so that memory does not grow with what was visited.
function keepContext(prefix) {
  for (const name of received.keys()) {
    if (/\/c\d+(-p\d+)?$/.test(name) && name !== prefix && !name.startsWith(`${prefix}-`)) {
      received.delete(name);
    }
  }
}
